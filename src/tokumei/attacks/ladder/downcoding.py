"""Original records read off the release alone (downcoding; Cohen 2022): no original, no knowledge of anybody.

Range ends and set elements are true values of members. Which of them belong together is guessed by what goes together
in the whole release (`tokumei.attacks.ladder.range_values`). What nothing ties together is paired at random.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numba import njit

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.ladder.classes import PublishedClasses
from tokumei.attacks.ladder.range_values import Ties, values_in_ranges
from tokumei.data import MISSING, History

# Of large releases so many records are guessed: enough to learn from, and to say how many are right.
MOST_GUESSES = 250_000


def few_classes(classes: PublishedClasses, *, rng: np.random.Generator) -> Bools:
    """Return which classes are read: all, or as many, drawn at random, as have `MOST_GUESSES` records."""
    guesses = classes.sizes * classes.members
    order = rng.permutation(len(guesses))
    read = np.zeros(len(guesses), dtype=np.bool_)
    read[order[np.cumsum(guesses[order]) <= MOST_GUESSES]] = True
    read[order[:1]] = True
    return read


def guessed_records(
    classes: PublishedClasses, *, rng: np.random.Generator, read: Bools | None = None
) -> tuple[Ints, Ints]:
    """Return guessed records (a column per field of the classes) and the class of each; each class is guessed once.

    ``read`` says which classes are looked at (default: all).
    """
    hub = _hub(classes)
    row, hub_values, rank = _starting(classes, hub, rng)
    if read is not None:
        row, hub_values, rank = (values[read[classes.numbers[row]]] for values in (row, hub_values, rank))
    kindred = classes.kindred_of(hub, hub_values) if hub else hub_values
    tied = Ties(row, hub_values, kindred, classes.numbers[row])
    # Where everybody has one record a class says nothing that its row does not.
    several = bool((classes.sizes > 1).any())
    columns: list[Ints] = []
    for field, name in enumerate(classes.fields):
        if name == hub:
            columns.append(hub_values)
        elif field < len(classes.ordered):
            low, high, hidden = (ends[field][row] for ends in (classes.low, classes.high, classes.hidden))
            by_class = several and (not hub or name in classes.whereabouts)
            guessed = values_in_ranges(low, high, hidden, tied, by_class=by_class)
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
    if hub:
        bounds = classes.bounds[classes.nominal.index(hub)]
        values = classes.elements[bounds[0] : bounds[-1]]
        held = np.repeat(members / np.maximum(np.diff(bounds), 1), np.diff(bounds))
        popular = np.bincount(values, weights=held)[values].astype(np.float64)
        copies = _copies(bounds - bounds[0], members, popular)
        row = np.repeat(np.repeat(np.arange(len(members)), np.diff(bounds)), copies)
        guessed = np.repeat(values, copies)
    else:
        row = np.repeat(np.arange(len(members)), members)
        guessed = np.zeros_like(row)
    rank = np.arange(len(row)) - np.searchsorted(row, row)
    shuffled = np.lexsort((rng.random(len(row)), row))
    return row, guessed, rank[np.argsort(shuffled)]


@njit(cache=True, nogil=True)
def _copies(bounds: Ints, members: Ints, popular: Floats) -> Ints:
    """Return how many members of a row have each element: one at least, and what is popular more (the likeliest)."""
    copies = np.ones(bounds[-1], dtype=np.int64)
    for row in range(len(members)):
        first, last = bounds[row], bounds[row + 1]
        for _ in range(members[row] - (last - first) if last > first else 0):
            best = first
            for place in range(first, last):
                if popular[place] * (copies[best] + 1) > popular[best] * (copies[place] + 1):
                    best = place
            copies[best] += 1
    return copies


def _nth_element(classes: PublishedClasses, field: int, row: Ints, rank: Ints) -> Ints:
    """Return the element of another set for every guess, one after the other."""
    bounds = classes.bounds[field]
    sizes = np.maximum(np.diff(bounds)[row], 1)
    place = np.minimum(bounds[row] + rank % sizes, max(len(classes.elements) - 1, 0))
    return classes.elements[place]
