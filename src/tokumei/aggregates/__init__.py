"""Tables and time series of counts and sums under differential privacy, for a whole person at a time."""

from tokumei.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
