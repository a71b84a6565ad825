"""Commands that run in processes of their own, and what is known of them: files in a folder for each."""

from tokumei.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
