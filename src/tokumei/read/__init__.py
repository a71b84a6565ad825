"""Files in: CSV, Parquet and contest files become histories; seeded generators make synthetic ones."""
