"""Hierarchies of categories as text: one line ``value>parent>grandparent`` per value."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from tokumei.errors import UnreadableError
from tokumei.methods.column_settings import refused

SHOWN = 40


def hierarchy_lines(text: str) -> list[str]:
    """Return the lines of a hierarchy: of the file after ``@``, or of the text itself, parted by ``;`` or newlines."""
    if not text.startswith("@"):
        return text.replace(";", "\n").splitlines()
    path = Path(text[1:])
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UnreadableError(f"{path}: the hierarchy cannot be read: {reason}", file=str(path)) from None


def parse_hierarchy(owner: str, parameter: str, lines: list[str]) -> dict[str, tuple[str, ...]]:
    """Return, for every value, itself and its ancestors; blank lines do not count."""
    chains: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        chain = tuple(name.strip() for name in line.split(">"))
        if not all(chain):
            raise refused(owner, parameter, f"lines such as apple>fruit>food (line {number})", line[:SHOWN])
        if chains.setdefault(chain[0], chain) != chain:
            raise refused(owner, parameter, f"one line per value (line {number} contradicts an earlier one)", chain[0])
    return chains


def ancestors(
    owner: str, parameter: str, chains: Mapping[str, tuple[str, ...]], values: pl.Series, level: int
) -> list[str]:
    """Return the ancestor of every value so many levels up, or its highest one if it has fewer; '' stays itself."""
    texts = values.to_list()
    unlisted = [text for text in texts if text and text not in chains]
    if unlisted:
        more = f" and {len(unlisted) - 1} more" if len(unlisted) > 1 else ""
        allowed = f"a hierarchy that lists every value of the column '{values.name}'"
        raise refused(owner, parameter, allowed, f"none for {unlisted[0][:SHOWN]}{more}")
    return [chains[text][min(level, len(chains[text]) - 1)] if text else "" for text in texts]
