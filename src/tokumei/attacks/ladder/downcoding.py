"""Original records read off the release alone (downcoding; Cohen 2022): no original, no knowledge of anybody.

Range ends and set elements are true values of members. Which of them belong together is guessed by what goes together
in the whole release: a catalogue of how often a category stands with a value, learned from all rows by expectation
maximization. What no catalogue ties together is paired at random.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.attacks.ladder.classes import PublishedClasses
from tokumei.data import History

ROUNDS = 6
SMOOTHING = 0.05


def guessed_records(classes: PublishedClasses, *, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return guessed records (a column per field of the classes) and the class of each; each class is guessed once."""
    hub = _hub(classes)
    row, hub_values, rank = _starting(classes, hub, rng)
    columns: list[Ints] = []
    for field, name in enumerate(classes.fields):
        if name == hub:
            columns.append(hub_values)
        elif field < len(classes.ordered):
            ends = np.stack((classes.low[field][row], classes.high[field][row]))
            columns.append(_chosen_ends(ends, row, hub_values, rank, rng))
        else:
            columns.append(_nth_element(classes, field - len(classes.ordered), row, rank))
    hidden = np.zeros(len(row), dtype=np.bool_)
    for field in range(len(classes.ordered)):
        hidden |= classes.hidden[field][row]
    for field in range(len(classes.nominal)):
        hidden |= np.diff(classes.bounds[field])[row] == 0
    number = np.repeat(np.arange(len(classes)), classes.sizes)[row]
    return np.stack(columns, axis=1)[~hidden], number[~hidden]


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
    """Return for every guess its row, its value of the hub, and its number within the row (in random order)."""
    members = np.repeat(classes.members, classes.sizes)
    if not hub:
        guesses = np.minimum(members, 2)
        row = np.repeat(np.arange(len(members)), guesses)
        rank = np.arange(len(row)) - np.repeat(np.cumsum(guesses) - guesses, guesses)
        return row, np.zeros(len(row), dtype=np.int64), rank
    bounds = classes.bounds[classes.nominal.index(hub)]
    sizes = np.diff(bounds)
    # As many guesses as members, at most one per element unless the set is smaller than the group.
    guesses = np.where(sizes == 0, 0, np.maximum(sizes, np.minimum(members, 2)))
    row = np.repeat(np.arange(len(members)), guesses)
    rank = np.arange(len(row)) - np.repeat(np.cumsum(guesses) - guesses, guesses)
    values = classes.elements[bounds[row] + rank % np.maximum(sizes[row], 1)]
    shuffled = np.lexsort((rng.random(len(row)), row))
    return row, values, rank[np.argsort(shuffled)]


def _chosen_ends(ends: Ints, row: Ints, hub: Ints, rank: Ints, rng: np.random.Generator) -> Ints:
    """Return for every guess the end that the catalogue prefers for its category; ties by the number of the guess."""
    first = np.where(rank % 2 == 0, 0.5 + 1e-6, 0.5 - 1e-6)
    share = first + 1e-3 * (rng.random(len(row)) - 0.5)
    pairs = np.stack((np.concatenate((hub, hub)), np.concatenate((ends[0], ends[1]))))
    _, place = np.unique(pairs, axis=1, return_inverse=True)
    low, high = place.reshape(2, -1)
    plain = ends[0] == ends[1]
    for _ in range(ROUNDS):
        weight = np.concatenate((np.where(plain, 0.5, share), np.where(plain, 0.5, 1.0 - share)))
        catalogue = np.bincount(np.concatenate((low, high)), weights=weight)
        share = (catalogue[low] + SMOOTHING) / (catalogue[low] + catalogue[high] + 2 * SMOOTHING)
        share = np.clip(share + (first - 0.5), 0.0, 1.0)
    # Of the guesses of a row the one that wants the lower end most gets it; at least one gets the upper end.
    order = np.lexsort((-share, row))
    position = np.empty(len(row), dtype=np.int64)
    starts = np.searchsorted(row[order], row[order])
    position[order] = np.arange(len(row)) - starts
    count = np.bincount(row)[row]
    lower = np.where(count == 1, share >= 0.5, (position == 0) | ((share >= 0.5) & (position < count - 1)))
    return np.where(lower, ends[0], ends[1])


def _nth_element(classes: PublishedClasses, field: int, row: Ints, rank: Ints) -> Ints:
    """Return the element of another set for every guess, one after the other."""
    bounds = classes.bounds[field]
    sizes = np.maximum(np.diff(bounds)[row], 1)
    place = np.minimum(bounds[row] + rank % sizes, max(len(classes.elements) - 1, 0))
    return classes.elements[place]
