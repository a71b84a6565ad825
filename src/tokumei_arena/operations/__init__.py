"""What operators look at: whether everything works, what to do if not, and figures for their monitoring."""

from tokumei.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
