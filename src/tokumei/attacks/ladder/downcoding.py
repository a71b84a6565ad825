"""Original records read off the release alone (downcoding; Cohen 2022): no original, no knowledge of anybody.

Range ends and set elements are true values of members. Which of them belong together is guessed by what goes together
in the whole release (`tokumei.attacks.ladder.range_values`). What nothing ties together is paired at random.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.attacks.ladder.classes import PublishedClasses
from tokumei.attacks.ladder.range_values import Ties, values_in_ranges
from tokumei.data import MISSING, History


def guessed_records(classes: PublishedClasses, *, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return guessed records (a column per field of the classes) and the class of each; each class is guessed once."""
    hub = _hub(classes)
    row, hub_values, rank = _starting(classes, hub, rng)
    kindred = classes.kindred_of(hub, hub_values) if hub else hub_values
    tied = Ties(row, hub_values, kindred, classes.numbers[row])
    columns: list[Ints] = []
    for field, name in enumerate(classes.fields):
        if name == hub:
            columns.append(hub_values)
        elif field < len(classes.ordered):
            low, high, hidden = (ends[field][row] for ends in (classes.low, classes.high, classes.hidden))
            guessed = values_in_ranges(low, high, hidden, tied, rng=rng)
            columns.append(np.where(classes.missing[field][row], MISSING, guessed))
        else:
            columns.append(_nth_element(classes, field - len(classes.ordered), row, rank))
    nothing = np.zeros(len(row), dtype=np.bool_)
    for field in range(len(classes.nominal)):
        nothing |= np.diff(classes.bounds[field])[row] == 0
    return np.stack(columns, axis=1)[~nothing], tied.number[~nothing]


def recovered(history: History, classes: PublishedClasses, class_of: Ints, guesses: Ints, number: Ints) -> Floats:
    """Return per person of a class the share of original records that the guesses of its class hold to the letter."""
    names = [str(place) for place in range(len(classes.fields))]
    real = {name: history.codes[field] for name, field in zip(names, classes.fields, strict=True)}
    truth = pl.DataFrame({"class": class_of[history.subject], "subject": history.subject, **real})
    made = pl.DataFrame({"class": number, **{name: guesses[:, place] for place, name in enumerate(names)}})
    copies = made.group_by("class", *names).agg(pl.len().alias("copies"))
    # A record that two members share is found once per copy.
    matched = truth.join(copies, on=["class", *names], how="left").with_columns(
        pl.int_range(pl.len()).over("class", *names).alias("nth")
    )
    right = matched.with_columns((pl.col("nth") < pl.col("copies").fill_null(0)).alias("right"))
    published = right.filter(pl.col("class") >= 0).group_by("subject").agg(pl.col("right").mean()).sort("subject")
    return published["right"].to_numpy()


def _hub(classes: PublishedClasses) -> str:
    """Return the category that other columns are tied to: the one with the most values; none without categories."""
    if not classes.nominal:
        return ""
    weights = classes.weight[len(classes.ordered) :]
    return classes.nominal[int(np.argmin(weights))]


def _starting(classes: PublishedClasses, hub: str, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Return for every guess its row, its value of the hub, and its number within the row (in random order).

    Every row holds a record of each member, so that there are as many guesses; a hidden row has none.
    """
    members = np.repeat(classes.members, classes.sizes)
    bounds = classes.bounds[classes.nominal.index(hub)] if hub else np.arange(len(members) + 1)
    sizes = np.diff(bounds)
    guesses = np.where(sizes == 0, 0, np.maximum(sizes, members))
    row = np.repeat(np.arange(len(members)), guesses)
    rank = np.arange(len(row)) - np.repeat(np.cumsum(guesses) - guesses, guesses)
    values = classes.elements[bounds[row] + rank % np.maximum(sizes[row], 1)] if hub else np.zeros_like(row)
    shuffled = np.lexsort((rng.random(len(row)), row))
    return row, values, rank[np.argsort(shuffled)]


def _nth_element(classes: PublishedClasses, field: int, row: Ints, rank: Ints) -> Ints:
    """Return the element of another set for every guess, one after the other."""
    bounds = classes.bounds[field]
    sizes = np.maximum(np.diff(bounds)[row], 1)
    place = np.minimum(bounds[row] + rank % sizes, max(len(classes.elements) - 1, 0))
    return classes.elements[place]
