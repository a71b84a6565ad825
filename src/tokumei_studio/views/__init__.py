"""Pages: one module for each step."""
