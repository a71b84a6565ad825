"""Everything of PWS Cup 2017."""
