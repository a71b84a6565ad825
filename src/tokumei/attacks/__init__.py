"""Attacks that guess who stands behind the pseudonyms, one per file."""
