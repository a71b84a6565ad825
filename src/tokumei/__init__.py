"""Tokumei: make history data releasable, prove what can be proven of it, and measure the rest.

The public names stand in ``__init__.pyi`` and are loaded on first use, so that ``tokumei --help`` does not wait for
polars.
"""

from tokumei.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
