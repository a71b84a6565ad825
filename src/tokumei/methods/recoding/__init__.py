"""Recoding on hierarchies: one level per column for everybody, or one per group."""
