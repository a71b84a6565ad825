"""Games by name."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from tokumei.contests.base import Game
from tokumei.errors import UnknownPartError, did_you_mean

__all__ = ["find_game", "game_names"]

OWN = {
    "pws2016": "tokumei.contests.pws2016.game:Pws2016Game",
    "pws2018": "tokumei.contests.pws2018.game:Pws2018Game",
    "pws2021": "tokumei.contests.pws2021.game:Pws2021Game",
}


def _known() -> dict[str, str]:
    others = {entry.name: entry.value for entry in entry_points(group="tokumei.games")}
    return {**others, **OWN}


def game_names() -> list[str]:
    """Return the names of the rule sets that can be played."""
    return sorted(_known())


@cache
def find_game(name: str) -> Game:
    """Return the game of a rule set."""
    known = _known()
    if name not in known:
        message = f"there is no game named '{name}'{did_you_mean(name, known)}; there are {', '.join(sorted(known))}"
        raise UnknownPartError(message)
    module, _, attribute = known[name].partition(":")
    game: Game = getattr(import_module(module), attribute)()
    return game
