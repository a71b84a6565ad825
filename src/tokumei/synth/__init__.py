"""Seeded generators of histories in the shape of real ones."""
