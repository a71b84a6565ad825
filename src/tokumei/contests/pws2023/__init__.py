"""Everything of PWS Cup 2023."""
