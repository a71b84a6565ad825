"""The operators of PWS Cup 2022 by name: each takes the table and its arguments and gives the next (spec 8).

Tables are arrays of whole numbers, people in rows. Seeds are those of the libraries that the contest named.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from tokumei.array_types import Ints
from tokumei.errors import ParameterError

TAKEN_AWAY = 99
AGE = 0
MOST_STEPS = 1_000


def _kept(table: Ints, column: int, bound: int, *, top: bool) -> Ints:
    values = table[:, index(column)]
    return table[values < bound] if top else table[values > bound]


def _bounded(table: Ints, column: int, bound: int, *, top: bool) -> Ints:
    made, column = table.copy(), index(column)
    made[:, column] = np.minimum(made[:, column], bound) if top else np.maximum(made[:, column], bound)
    return made


def kanony(table: Ints, k: int, columns: Sequence[int]) -> Ints:
    """Keep the rows whose values in these columns occur at least k times."""
    _values, place, counts = np.unique(table[:, list(columns)], axis=0, return_inverse=True, return_counts=True)
    return table[counts[place.ravel()] >= k]


def shuffle(table: Ints, seed: int) -> Ints:
    """Put the rows in the order of a pandas sample of all of them, which is numpy's legacy permutation."""
    return table[np.random.RandomState(seed).permutation(len(table))]


def rr(table: Ints, p: float, columns: Sequence[int], seed: int) -> Ints:
    """Keep every cell of these columns with probability p, else draw one of the values of the column."""
    draw, made = random.Random(seed), table.copy()
    for column in columns:
        known = sorted(set(table[:, column].tolist()))
        for row in range(len(made)):
            if draw.random() >= p:
                made[row, column] = draw.choice(known)
    return made


def lap(table: Ints, columns: Sequence[int], epsilon: float, seed: int) -> Ints:
    """Add Laplace noise to these columns and round to whole numbers."""
    draw, made = np.random.default_rng(seed), table.astype(np.float64)
    for column in columns:
        made[:, column] = (2 * (made[:, column] + draw.laplace(0, 1 / epsilon, len(made))) + 1) // 2
    return made.astype(np.int64)


def nn(table: Ints, rows: Sequence[int], columns: Sequence[int]) -> Ints:
    """Take these columns of these rows away."""
    made = table.copy()
    made[np.ix_(rows, columns)] = TAKEN_AWAY
    return made


def average(table: Ints, rows: Sequence[int]) -> Ints:
    """Give these rows their truncated mean."""
    made = table.copy()
    made[list(rows)] = np.trunc(table[list(rows)].mean(axis=0)).astype(np.int64)
    return made


def age_layer(table: Ints) -> Ints:
    """Floor ages to tens."""
    made = table.copy()
    made[:, AGE] = made[:, AGE] // 10 * 10
    return made


OPERATORS: dict[str, Callable[..., Ints]] = {
    "top": lambda table, column, bound: _kept(table, column, bound, top=True),
    "bottom": lambda table, column, bound: _kept(table, column, bound, top=False),
    "top2_round": lambda table, column, bound: _bounded(table, column, bound, top=True),
    "bottom2_round": lambda table, column, bound: _bounded(table, column, bound, top=False),
    "kanony": kanony,
    "exclude": lambda table, rows: np.delete(table, list(rows), axis=0),
    "shuffle": shuffle,
    "rr": rr,
    "lap": lap,
    "age_layer": age_layer,
    "nn": nn,
    "average": average,
}


def run_log(table: Ints, log: Sequence[Sequence[Any]]) -> Ints:
    """Return what the steps of a log, [name, argument, ...] each, make of a table."""
    if len(log) > MOST_STEPS:
        raise ParameterError(f"a log has at most {MOST_STEPS} steps, got {len(log)}", code="0")
    for step, (name, *arguments) in enumerate(log, 1):
        if not isinstance(name, str) or name not in OPERATORS:
            raise ParameterError(f"there is no operator {name}; it is one of {', '.join(OPERATORS)}", code=str(step))
        try:
            table = OPERATORS[name](table, *arguments)
        except (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError) as error:
            raise ParameterError(f"{name}: {error}", code=str(step)) from error
    return table
