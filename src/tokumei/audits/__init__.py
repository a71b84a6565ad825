"""What an attacker gets out of a release: figures, evidence, reasons, a verdict."""

from tokumei.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
