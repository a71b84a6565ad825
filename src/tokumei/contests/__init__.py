"""Contests: what is handed out, handed in, checked, published, guessed, scored and ranked; one folder per year.

`Contest` is the contract; those of other packages register in the entry-point group ``tokumei.contests``. A contest
knows neither Django nor the network: it runs on the command line and inside the evaluation process of the arena.
"""

from tokumei.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
