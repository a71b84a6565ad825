"""Published experiments, run again in one command."""
