"""Utility and risk figures of PWS Cup 2021."""
