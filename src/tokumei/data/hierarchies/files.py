"""Hierarchies as files: those of ARX (``value;parent;grandparent``), of Amnesia (``parent has child child``), and ours.

ARX writes one line per value, the levels separated by semicolons (commas and tabs are read too), without header.
Amnesia writes a head (``distinct`` or ``range``, ``name``, ``type``, ``height``), an empty line, and a line
``parent has child child ...`` per node; in a range hierarchy nodes are written ``low-high`` or ``low,high``. Ours is
``value>parent>grandparent``.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Floats
from tokumei.data.hierarchies.tree import SHOWN, Hierarchy, UnnestedError
from tokumei.data.raw import read_bytes, to_utf8
from tokumei.errors import InputError, UnreadableError

_AMNESIA_HEADS = ("distinct", "range")
_HAS = " has "
_ENDS = re.compile(r"(-?[\d.]+)\s*[-,]\s*(-?[\d.]+)")
_SEPARATORS = (";", ">", "\t", ",")


def read_hierarchy(path: Path, values: pl.Series) -> Hierarchy:
    """Return the hierarchy of a file; ``values``, those of the column, are only needed for Amnesia's ranges.

    Raises InputError with file, line and what to do.
    """
    file = str(path)
    text, _ = to_utf8(read_bytes(path), file)
    lines = text.decode().splitlines()
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not numbered:
        message = f"{file}: the file holds nothing but empty lines; write one line per value, such as apple;fruit;*"
        raise UnreadableError(message, file=file)
    if numbered[0][1].strip().lower() in _AMNESIA_HEADS:
        chains, places = _amnesia_chains(numbered, values, file)
    else:
        chains, places = _line_chains(numbered, file)
    try:
        return Hierarchy.of_chains(chains)
    except UnnestedError as error:
        raise _wrong(file, places[error.position], str(error)) from None


def _wrong(file: str, line: int, what: str) -> InputError:
    return InputError(f"{file}, line {line}: {what}", file=file, line=line, code="bad-hierarchy")


def _line_chains(numbered: list[tuple[int, str]], file: str) -> tuple[list[list[str]], list[int]]:
    """Return the chains of lines ``value;parent;...`` with the lines on which they stand."""
    first = numbered[0][1]
    separator = next((mark for mark in _SEPARATORS if mark in first), None)
    if separator is None:
        what = f"'{first[:SHOWN]}' has no parent; write one line per value, such as apple;fruit;*"
        raise _wrong(file, numbered[0][0], what)
    chains: list[list[str]] = []
    places: list[int] = []
    seen: dict[str, int] = {}
    for number, line in numbered:
        chain = [name.strip() for name in next(csv.reader([line], delimiter=separator))]
        while chain and not chain[-1]:
            chain.pop()
        if len(chain) < 2 or not all(chain[1:]):
            raise _wrong(file, number, f"'{line[:SHOWN]}' lacks a name; write the value and all its ancestors")
        if chain[0] in seen:
            what = f"'{chain[0][:SHOWN]}' stands on line {seen[chain[0]]} too; write one line per value"
            raise _wrong(file, number, what)
        seen[chain[0]] = number
        chains.append(chain)
        places.append(number)
    return chains, places


def _amnesia_chains(numbered: list[tuple[int, str]], values: pl.Series, file: str) -> tuple[list[list[str]], list[int]]:
    """Return the chains of a tree written from its root, with the lines on which their values stand."""
    parent: dict[str, str] = {}
    place: dict[str, int] = {}
    parents: set[str] = set()
    ranges = numbered[0][1].strip().lower() == "range"
    for number, line in numbered[1:]:
        if _HAS not in f" {line.strip()} ":
            continue
        name, _, rest = line.partition(_HAS)
        parents.add(name.strip())
        for child in rest.split():
            if child in parent:
                what = f"'{child[:SHOWN]}' stands below '{parent[child][:SHOWN]}' too; give every name one parent"
                raise _wrong(file, number, what)
            parent[child], place[child] = name.strip(), number
    leaves = [name for name in parent if name not in parents]
    if not leaves:
        raise _wrong(file, numbered[0][0], "no line says 'parent has child'; write the tree from its root")
    chains = [_upwards(leaf, parent, file, place[leaf]) for leaf in leaves]
    # The root stands at the same level of every chain, whatever the depth of its leaf.
    height = max(len(chain) for chain in chains)
    chains = [[*[chain[0]] * (height - len(chain)), *chain] for chain in chains]
    if not ranges:
        return chains, [place[leaf] for leaf in leaves]
    return _in_ranges(chains, values, file, numbered[0][0]), [numbered[0][0]] * len(values)


def _upwards(leaf: str, parent: dict[str, str], file: str, line: int) -> list[str]:
    chain = [leaf]
    while chain[-1] in parent:
        if len(chain) > len(parent):
            raise _wrong(file, line, f"'{leaf[:SHOWN]}' is its own ancestor; write the tree from its root")
        chain.append(parent[chain[-1]])
    return chain


def _in_ranges(chains: list[list[str]], values: pl.Series, file: str, line: int) -> list[list[str]]:
    """Put the values of a column below the lowest ranges that hold them; an end that two share opens the second."""
    ends: list[tuple[float, float]] = []
    for chain in chains:
        found = _ENDS.fullmatch(chain[0])
        if found is None:
            raise _wrong(file, line, f"'{chain[0][:SHOWN]}' is no range; write it as low-high")
        ends.append((float(found[1]), float(found[2])))
    order = sorted(range(len(chains)), key=lambda at: ends[at])
    low: Floats = np.array([ends[at][0] for at in order])
    high: Floats = np.array([ends[at][1] for at in order])
    numbers = values.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
    at = np.searchsorted(low, numbers, side="right") - 1
    outside = np.flatnonzero((at < 0) | ~(numbers <= high[np.maximum(at, 0)]))
    if len(outside):
        shown = str(values[int(outside[0])])[:SHOWN]
        raise _wrong(file, line, f"no range holds the value '{shown}' of the column; widen the ranges")
    return [[str(value), *chains[order[place]]] for value, place in zip(values, at, strict=True)]
