"""Standings and rankings."""
