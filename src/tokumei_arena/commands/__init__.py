"""The commands ``tokumei arena ...``."""
