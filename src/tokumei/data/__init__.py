"""The values that travel (schema, history, cells, release, secret, results) and their files."""
