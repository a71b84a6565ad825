"""Steps of the database's tables."""
