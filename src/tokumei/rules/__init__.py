"""Contest rule sets: compositions of the parts of the other stages."""
