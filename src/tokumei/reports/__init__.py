"""Charts and documents made from scores, evidence and verdicts."""
