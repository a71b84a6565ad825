"""From a history to a release and what is said of it: plan, gate, making, comparison, estimate."""

from tokumei.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
