"""Algorithms on arrays that several rooms need."""
