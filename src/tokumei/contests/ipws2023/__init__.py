"""Everything of iPWS Cup 2023 (partial: its data and results are not at hand)."""
