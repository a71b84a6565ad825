"""What was published of whom, kept by the publisher alone, so that several releases together keep their promise."""

from tokumei.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
