"""Everything of PWS Cup 2025: patients and a model."""
