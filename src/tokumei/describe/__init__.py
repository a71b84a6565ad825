"""Profiles of raw data: counts, spans, and how few records single a person out."""
