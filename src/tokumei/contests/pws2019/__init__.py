"""Everything of PWS Cup 2019."""
