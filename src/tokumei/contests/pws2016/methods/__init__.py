"""Sample anonymizers of PWS Cup 2016."""
