"""Hierarchies of values: how they are written, built from data, and used on the records of a history."""
