"""What several stages compute alike, on arrays."""
