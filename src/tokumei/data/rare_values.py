"""Values that few people have are told more coarsely: their names are shortened until enough people share them.

Only the names that are given are looked at (those of the grid, where a column has one), and how many people have each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from tokumei.array_types import Ints
from tokumei.data.hierarchies.building import FEWEST_CODES

# What is left when nothing of a value may be told; no prefix and no node of a hierarchy is called so.
OTHER = "(other)"
REST = "*"
# Names are taken for codes, whose beginning says something, if so many of them have a digit.
CODED_SHARE = 0.9


def prefix_label(value: str, length: int) -> str:
    """Return the first characters of a value, and a star for what is hidden.

    >>> prefix_label("85123A", 3), prefix_label("85", 3)
    ('851*', '85')
    """
    return value if len(value) <= length else value[:length] + REST


def merged_upwards(
    labels: Sequence[str], label: Ints, subject: Ints, fewest: int, parents: Mapping[str, Sequence[str]] | None = None
) -> list[str]:
    """Return a name for each of the labels that at least ``fewest`` people have, or all people.

    ``label`` and ``subject`` say who has which, record by record. ``parents`` lists what stands above a label, nearest
    first; without them codes are shortened from their end, and other names become one set. Empty labels stay.
    """
    longest = max((len(name.removesuffix(REST)) for name in labels), default=0) if _coded(labels) else 0
    chains = [_chain(name, parents, longest) for name in labels]
    names = [chain[0] for chain in chains]
    height = max((len(chain) for chain in chains), default=1)
    pairs = pl.DataFrame({"label": label, "subject": subject}).unique()
    for level in range(1, height):
        people = _people(names, pairs)
        names = [
            name if not name or people[name] >= fewest else chain[min(level, len(chain) - 1)]
            for name, chain in zip(names, chains, strict=True)
        ]
    return _full_rest(names, pairs, fewest)


def _coded(labels: Sequence[str]) -> bool:
    with_digit = sum(any(letter.isdigit() for letter in name) for name in labels)
    return len(labels) >= FEWEST_CODES and with_digit >= CODED_SHARE * len(labels)


def _chain(name: str, parents: Mapping[str, Sequence[str]] | None, longest: int) -> list[str]:
    """Return what a label may become; codes of all lengths have the same prefixes at the same place (0: no codes)."""
    if not name:
        return [name]
    if parents is not None:
        return [name, *parents[name], OTHER]
    stem = name.removesuffix(REST)
    shorter = [name if length >= len(stem) else stem[:length] + REST for length in range(longest - 1, 0, -1)]
    return [name, *shorter, OTHER]


def _people(names: Sequence[str], pairs: pl.DataFrame) -> dict[str, int]:
    """Return how many people have each name."""
    named = pairs.select(pl.lit(pl.Series(names, dtype=pl.String)).gather(pl.col("label")).alias("name"), "subject")
    counts = named.group_by("name").agg(pl.col("subject").n_unique())
    return dict.fromkeys(names, 0) | dict(counts.iter_rows())


def _full_rest(names: list[str], pairs: pl.DataFrame, fewest: int) -> list[str]:
    """Let the set of all that is left take in the next rarest names until enough people are in it."""
    while OTHER in names:
        people = _people(names, pairs)
        others = sorted((count, name) for name, count in people.items() if name not in ("", OTHER))
        if people[OTHER] >= fewest or not others:
            return names
        names = [OTHER if name == others[0][1] else name for name in names]
    return names
