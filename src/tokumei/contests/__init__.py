"""Rule sets as contests: what is handed out, handed in, checked, published, guessed, scored and ranked.

A game is a pure composition of ``tokumei.rules``; it knows neither Django nor the network and runs inside the
evaluation process. Games of other packages register in the entry-point group ``tokumei.games``.
"""

from tokumei.contests.base import (
    Both,
    Checked,
    Column,
    Entry,
    FileSpec,
    Game,
    Note,
    Pair,
    Published,
    RoundTable,
    Row,
)
from tokumei.contests.lookup import find_game, game_names

__all__ = [
    "Both",
    "Checked",
    "Column",
    "Entry",
    "FileSpec",
    "Game",
    "Note",
    "Pair",
    "Published",
    "RoundTable",
    "Row",
    "find_game",
    "game_names",
]
