"""What is left of the data after a release, one metric per file."""
