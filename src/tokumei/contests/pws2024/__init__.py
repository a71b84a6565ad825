"""Everything of PWS Cup 2024."""
