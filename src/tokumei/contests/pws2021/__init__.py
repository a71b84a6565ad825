"""Everything of PWS Cup 2021."""
