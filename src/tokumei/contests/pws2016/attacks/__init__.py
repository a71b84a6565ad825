"""Sample attacks of PWS Cup 2016."""
