"""Where independent blocks of work run."""
