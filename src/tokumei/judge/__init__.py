"""Judges of a release: utility metrics, safety tests and the audit, one per file."""
