"""What raw data looks like: inferred schema, profile, hints, and how few records single a person out."""
