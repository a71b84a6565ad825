"""Everything of PWS Cup 2018."""
