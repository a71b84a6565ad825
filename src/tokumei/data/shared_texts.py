"""Texts of several columns as equal codes, and how many cells of two tables are equal."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from tokumei.array_types import Ints


def text_codes(*columns: pl.Series) -> tuple[list[Ints], list[str]]:
    """Return equal codes for equal texts of several columns, and the text of every code in rising order."""
    cells = [column.to_list() for column in columns]
    texts = sorted(set().union(*cells))
    codes = {text: code for code, text in enumerate(texts)}
    return [np.fromiter(map(codes.__getitem__, column), dtype=np.int64, count=len(column)) for column in cells], texts


def equal_texts(rows: pl.DataFrame, others: pl.DataFrame, names: Iterable[str]) -> Ints:
    """Return in how many of these columns each row holds the same text as each row of another table.

    >>> equal_texts(pl.DataFrame({"a": ["1", "2"]}), pl.DataFrame({"a": ["2", "3", "1"]}), ["a"]).tolist()
    [[0, 0, 1], [1, 0, 0]]
    """
    equal = np.zeros((rows.height, others.height), dtype=np.int64)
    for name in names:
        (mine, theirs), _texts = text_codes(rows[name], others[name])
        equal += mine[:, None] == theirs[None, :]
    return equal
