"""Methods that turn a history into a release and its secret, one per file."""
