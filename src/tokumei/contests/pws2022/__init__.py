"""PWS Cup 2022, as far as its rules are known: operators on a small health table against membership."""
