"""PWS Cup 2020 (AMIC), as far as its rules are known: Adult rows against membership."""
