"""What is kept: files, the log, archives, backups."""

from tokumei.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
