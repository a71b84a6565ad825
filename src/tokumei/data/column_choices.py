"""What a publisher chooses for a column beside its kind: a public grid, rare values, what a sensitive one demands.

    date   = { kind = "date", grid = "month" }
    price  = { kind = "number", step = 0.01, grid = "1-2-5" }
    goods  = { kind = "category", grid = 3, rare = 10 }                 # three characters; fewer than ten people
    job    = { kind = "category", hierarchy = "jobs.csv", grid = "level 1" }
    income = { kind = "category", sensitive = true }                    # at least two values in every group
    wage   = { kind = "number", sensitive = { t = 0.2, distance = "ordered" } }

A schema reads and writes these keys here; it imports nothing of this module's users.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

# Calendar cells as polars names them; weeks begin on Monday (ISO 8601).
CALENDAR_UNITS: Mapping[str, str] = {
    "hour": "1h",
    "day": "1d",
    "week": "1w",
    "month": "1mo",
    "quarter": "1q",
    "year": "1y",
}
ONE_TWO_FIVE = "1-2-5"
NO_GRID = "none"
_LEVEL = re.compile(r"level ([1-9]\d?)")
_WORDS: Mapping[str, tuple[str, ...]] = {
    "date": ("week", "month", "quarter", "year"),
    "datetime": tuple(CALENDAR_UNITS),
    "number": (ONE_TWO_FIVE,),
}
_NUMBERS: Mapping[str, str] = {
    "date": "a whole number of days",
    "datetime": "a whole number of seconds",
    "number": "a multiple of the step",
    "place": "degrees, a multiple of the step",
    "category": "a whole number of first characters",
}
DIVERSITIES = ("distinct", "entropy", "recursive")
DISTANCES = ("equal", "ordered")
LARGEST_RARE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What every group must satisfy in a sensitive column, so that membership of a group does not tell the value.

    So many ``values`` (written ``l``) by a ``diversity`` (distinct; entropy: at least log l; recursive: the most
    frequent one is rarer than ``c`` times all from the l-th on; Machanavajjhala et al. 2007). ``t``: the values of a
    group are at most so far from those of all people, by an ``equal`` or an ``ordered`` distance (Li et al. 2007).
    ``gain``: no value is more than so much more frequent in a group than in all the data. ``apart``: how often the
    members of a group have each value is published in a table of its own (`tokumei.data.apart`).
    """

    values: float = 2.0
    diversity: str = "distinct"
    c: float = 3.0
    t: float = 1.0
    distance: str = "equal"
    gain: float = 1.0
    apart: bool = False

    @property
    def asks(self) -> bool:
        """Whether anything is demanded of groups."""
        return self.values > 1 or self.t < 1 or self.gain < 1 or self.apart

    def inline(self) -> str:
        """Return the demand as a schema writes it."""
        # Where something else is demanded, l is left open.
        usual = Demand(values=1.0 if self.t < 1 or self.gain < 1 else 2.0)
        parts = [
            f"{_written(entry.name)} = {_plain(getattr(self, entry.name))}"
            for entry in fields(self)
            if getattr(self, entry.name) != getattr(usual, entry.name)
        ]
        return "true" if not parts else "{ " + ", ".join(parts) + " }"


def _written(name: str) -> str:
    """Return the key of a field of a demand."""
    return "l" if name == "values" else name


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.12g}"
    return f'"{value}"'


def read_demand(value: object, kind: str = "category") -> tuple[Demand | None, str]:
    """Return what ``sensitive`` demands (None: the column is not sensitive), or what is wrong with it."""
    if isinstance(value, bool):
        return (Demand() if value else None), ""
    if not isinstance(value, dict):
        return None, f"'sensitive' is true, or a table such as {{ l = 3 }}, got {value!r}"
    known = [_written(entry.name) for entry in fields(Demand)]
    for key, given in value.items():
        if key not in known:
            return None, f"'sensitive' has no '{key}'; it knows {', '.join(known)}"
        wanted: type | tuple[type, ...] = {"diversity": str, "distance": str, "apart": bool}.get(key, (int, float))
        if not isinstance(given, wanted) or (wanted == (int, float) and isinstance(given, bool)):
            return None, f"'{key}' of 'sensitive' has the wrong type: {given!r}"
    given = {"l": 1.0, **value} if "t" in value or "gain" in value else dict(value)
    numbers: dict[str, Any] = {key: float(one) if key in ("l", "c", "t", "gain") else one for key, one in given.items()}
    if "l" in numbers:
        numbers["values"] = numbers.pop("l")
    demand = Demand(**numbers)
    if demand.apart and kind != "category":
        return demand, f"only categories can be published apart, but this is a {kind}; leave 'apart' out"
    return demand, _demand_fault(demand)


def _demand_fault(demand: Demand) -> str:
    if demand.diversity not in DIVERSITIES:
        return f"'diversity' must be one of {', '.join(DIVERSITIES)}, got '{demand.diversity}'"
    if demand.distance not in DISTANCES:
        return f"'distance' must be one of {', '.join(DISTANCES)}, got '{demand.distance}'"
    whole = demand.diversity == "entropy" or demand.values == int(demand.values)
    if not 1 <= demand.values <= LARGEST_RARE or not whole:
        return f"'l' must be a whole number of at least 1 (entropy: any number from 1), got {demand.values:g}"
    if not 0 < demand.c < float("inf"):
        return f"'c' must be a number above 0, got {demand.c:g}"
    if not 0 <= demand.t <= 1 or not 0 <= demand.gain <= 1:
        return "'t' and 'gain' must be numbers from 0 to 1"
    return ""


def grid_fault(kind: str, spec: Mapping[str, Any]) -> str:
    """Return what is wrong with grid and rare values of a column in words, or nothing."""
    grid, rare = spec.get("grid", ""), spec.get("rare", 0)
    if isinstance(rare, bool) or not 0 <= rare <= LARGEST_RARE or isinstance(grid, bool):
        return f"'rare' is a whole number of people from 0 to {LARGEST_RARE:,}, 'grid' a text or a number"
    if rare and kind != "category":
        return f"only categories can be rare, but this is a {kind}; give it a grid instead"
    if (rare or grid not in ("", NO_GRID)) and spec.get("keep"):
        return "a column that is kept unchanged has no grid; delete 'keep' or 'grid'"
    if isinstance(grid, str):
        return _word_fault(kind, grid, str(spec.get("hierarchy", "")))
    whole = kind in ("date", "datetime", "category")
    step = Decimal(repr(float(spec.get("step", 1e-6 if kind == "place" else 1.0))))
    if not 0 < grid < 1e15 or (whole and grid != int(grid)) or (not whole and Decimal(repr(grid)) % step):
        return f"the grid of a {kind} is {_NUMBERS[kind]}, got {grid:g}"
    return ""


def _word_fault(kind: str, grid: str, hierarchy: str) -> str:
    if grid in ("", NO_GRID, *_WORDS.get(kind, ())):
        return ""
    if grid_level(grid):
        # Levels that are built from the data would make the grid depend on it. A release names no file.
        built = hierarchy in ("auto", "intervals", "dates", "prefixes", "frequency")
        return f'grid = "{grid}" needs a file: write hierarchy = "FILE" beside it' if built else ""
    words = [f'"{word}"' for word in (*_WORDS.get(kind, ()), "level 1", NO_GRID)]
    return f"the grid of a {kind} is one of {', '.join(words)} or {_NUMBERS[kind]}, got '{grid}'"


def grid_level(grid: str | float) -> int:
    """Return the level of a hierarchy that a grid names, 0 if it names none."""
    found = _LEVEL.fullmatch(grid) if isinstance(grid, str) else None
    return int(found[1]) if found else 0


def inline_choices(grid: str | float, rare: int) -> list[str]:
    """Return grid and rare values of a column as a schema writes them."""
    parts = []
    if grid != "":
        parts.append(f'grid = "{grid}"' if isinstance(grid, str) else f"grid = {grid:.15g}")
    if rare:
        parts.append(f"rare = {rare}")
    return parts
