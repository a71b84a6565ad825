"""Everything of PWS Cup 2016."""
