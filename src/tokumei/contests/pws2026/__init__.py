"""Everything of PWS Cup 2026: a synthetic cohort with survival data."""
