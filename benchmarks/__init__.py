"""Side-by-side measurements: Tokumei against a plain Python program of the same formulas, in the same run."""
