"""Sample attacks of PWS Cup 2021."""
