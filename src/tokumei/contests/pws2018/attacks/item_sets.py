"""Find the pseudonym that may hold everything a subject bought (re-item of PWS Cup 2018, spec B.9).

For one subject after the other, in the order of their first record: all pseudonyms not given away yet with no more
records than the subject are candidates; for one item after the other only those stay that have a record whose cell
contains it. As soon as at most one candidate is left the search stops, so the last one is not checked against the
remaining items. One of the candidates is guessed and given away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl
from numba import njit

from tokumei.array_types import Bools, Floats, Ints
from tokumei.data import Guesses, History, Release, Schema
from tokumei.errors import InfeasibleError, ParameterError, did_you_mean
from tokumei.parts import Attack, parameter


class _Lists(NamedTuple):
    """Lists of numbers, one after the other: list i is ``values[offsets[i]:offsets[i + 1]]``."""

    offsets: Ints
    values: Ints


@dataclass(frozen=True, eq=False, slots=True)
class _Index:
    """Subjects with their items, and items with the pseudonyms that may hold them, as arrays.

    Subjects are numbered by first appearance, pseudonyms by their value as a number, items by the original's order.
    """

    subjects: pl.Series
    pseudonyms: pl.Series
    subject_rows: Ints
    pseudonym_rows: Ints
    items: _Lists
    holders: _Lists


def match_item_sets(
    subjects: pl.Series,
    items: pl.Series,
    pseudonyms: pl.Series,
    cells: pl.Series,
    *,
    rng: np.random.Generator | None = None,
) -> Guesses:
    """Return the guesses of re-item: a random candidate, or without a generator the smallest pseudonym as a number.

    The first two columns are the original's, the other two the published file's, all as text in file order. A
    suppressed cell ``*`` holds only the literal item ``*``, as in the official program.
    """
    index = _index(subjects, items, pseudonyms, cells)
    count = len(index.subjects)
    draws = np.zeros(count) if rng is None else rng.random(count)
    chosen = _assign(draws, index.subject_rows, index.pseudonym_rows, index.items, index.holders)
    found = np.flatnonzero(chosen >= 0)
    return Guesses.of_pairs(index.pseudonyms[chosen[found]], index.subjects[found], attack=ItemSets.name)


def item_candidates(
    subjects: pl.Series, items: pl.Series, pseudonyms: pl.Series, cells: pl.Series
) -> dict[str, list[str]]:
    """Return the candidates of every subject if none is given away; subjects without candidates are absent."""
    index = _index(subjects, items, pseudonyms, cells)
    free = np.ones(len(index.pseudonyms), dtype=np.bool_)
    found: dict[str, list[str]] = {}
    for number, subject in enumerate(index.subjects.to_list()):
        rows = int(index.subject_rows[number])
        candidates = np.flatnonzero(index.pseudonym_rows <= rows)
        if len(candidates) > 1:
            wanted = index.items.values[index.items.offsets[number] : index.items.offsets[number + 1]]
            candidates = _narrow(wanted, rows, free, index.pseudonym_rows, index.holders)
        if len(candidates):
            found[subject] = index.pseudonyms[candidates].to_list()
    return found


def _index(subjects: pl.Series, items: pl.Series, pseudonyms: pl.Series, cells: pl.Series) -> _Index:
    """Return everything numbered and sorted into lists."""
    bought = pl.DataFrame({"name": subjects.cast(pl.String), "item": items.cast(pl.String)}).fill_null("")
    shown = pl.DataFrame({"name": pseudonyms.cast(pl.String), "item": cells.cast(pl.String)}).fill_null("")
    people = bought.group_by("name", maintain_order=True).len("rows").with_row_index("subject")
    aliases = shown.group_by("name", maintain_order=True).len("rows")
    # Numbers before other texts, shorter (smaller) numbers first; equal numbers and texts by code points.
    number = pl.col("name").str.extract(r"^0*([0-9]+)$")
    order = (number.is_null(), number.str.len_bytes(), number, pl.col("name"))
    aliases = aliases.sort(*order).with_row_index("pseudonym")
    goods = bought.select("item").unique(maintain_order=True).with_row_index("code")
    wanted = (
        bought.unique(maintain_order=True)
        .join(people, on="name", maintain_order="left")
        .join(goods, on="item", maintain_order="left")
        .sort("subject", maintain_order=True)
    )
    inside = pl.col("item").str.strip_prefix("{").str.strip_suffix("}").str.split(";")
    single = pl.concat_list("item")
    braced = pl.col("item").str.starts_with("{") & pl.col("item").str.ends_with("}")
    listed = shown.unique().with_columns(pl.when(braced).then(inside).otherwise(single).alias("item"))
    held = (
        listed.explode("item")
        .unique()
        .join(aliases, on="name")
        .join(goods, on="item")
        .select("code", "pseudonym")
        .sort("code", "pseudonym")
    )
    return _Index(
        people["name"],
        aliases["name"],
        _ints(people["rows"]),
        _ints(aliases["rows"]),
        _Lists(_offsets(wanted["subject"], people.height), _ints(wanted["code"])),
        _Lists(_offsets(held["code"], goods.height), _ints(held["pseudonym"])),
    )


def _ints(column: pl.Series) -> Ints:
    return column.cast(pl.Int64).to_numpy().copy()


def _offsets(sorted_keys: pl.Series, count: int) -> Ints:
    """Return where each key's entries begin, and the end."""
    sizes = np.bincount(_ints(sorted_keys), minlength=count)
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


@njit(cache=True)
def _narrow(wanted: Ints, rows: int, free: Bools, pseudonym_rows: Ints, holders: _Lists) -> Ints:
    """Return the free pseudonyms, ascending, that hold one wanted item after the other until at most one is left."""
    first = holders.values[holders.offsets[wanted[0]] : holders.offsets[wanted[0] + 1]]
    left = first[free[first] & (pseudonym_rows[first] <= rows)]
    for item in wanted[1:]:
        if len(left) <= 1:
            break
        position, stop = holders.offsets[item], holders.offsets[item + 1]
        kept = 0
        for candidate in left:
            while position < stop and holders.values[position] < candidate:
                position += 1
            if position < stop and holders.values[position] == candidate:
                left[kept] = candidate
                kept += 1
        left = left[:kept]
    return left


@njit(cache=True)
def _assign(draws: Floats, subject_rows: Ints, pseudonym_rows: Ints, items: _Lists, holders: _Lists) -> Ints:
    """Return the pseudonym given to every subject, or -1; ``draws`` in [0, 1) choose among the candidates.

    The free pseudonyms stand in a linked list by number of records, so that its first two tell at once whether at
    most one is small enough for the subject.
    """
    count = len(pseudonym_rows)
    after = np.arange(1, count + 2)
    before = np.arange(-1, count + 1)
    by_rows = np.argsort(pseudonym_rows, kind="mergesort")
    place = np.empty(count, np.int64)
    place[by_rows] = np.arange(1, count + 1)
    free = np.ones(count, np.bool_)
    chosen = np.full(len(subject_rows), -1, np.int64)
    for subject in range(len(subject_rows)):
        rows = subject_rows[subject]
        first = after[0]
        if first > count or pseudonym_rows[by_rows[first - 1]] > rows:
            continue
        second = after[first]
        pick = by_rows[first - 1]
        if second <= count and pseudonym_rows[by_rows[second - 1]] <= rows:
            wanted = items.values[items.offsets[subject] : items.offsets[subject + 1]]
            left = _narrow(wanted, rows, free, pseudonym_rows, holders)
            if len(left) == 0:
                continue
            pick = left[int(draws[subject] * len(left))]
        chosen[subject] = pick
        free[pick] = False
        here = place[pick]
        after[before[here]] = after[here]
        before[after[here]] = before[here]
    return chosen


@dataclass(frozen=True, kw_only=True)
class ItemSets(Attack):
    """Guess the pseudonym whose cells may hold all items of a subject.

    Works against generalized dates and amounts as long as the items stay recognizable; suppressed items hide from it.
    """

    name: ClassVar[str] = "re-item"
    summary: ClassVar[str] = "intersect, item by item, the pseudonyms that may hold what a subject bought"
    source: ClassVar[str] = "PWS Cup 2018, sample attack re-item"

    choice: str = parameter("random", "which of several candidates is guessed", choices=("random", "smallest"))
    column: str | None = parameter(None, "the category column to compare (none: the first)")

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return at most one guess per subject, in the order of their first records."""
        column = _item_column(knowledge.schema, self.column)
        original, published = knowledge.text(), release.text()
        return match_item_sets(
            original[knowledge.schema.subject],
            original[column],
            published["pseudonym"],
            published[column],
            rng=rng if self.choice == "random" else None,
        )


def _item_column(schema: Schema, wanted: str | None) -> str:
    """Return the category column that serves as items."""
    nominal = [spec.name for spec in schema.fields if spec.nominal]
    if not nominal:
        raise InfeasibleError("'re-item' compares a category column, and the schema has none; use another attack")
    if wanted is None:
        return nominal[0]
    if wanted not in nominal:
        message = (
            f"parameter 'column' of 're-item' must be a category column{did_you_mean(wanted, nominal)}: "
            f"{', '.join(nominal)}; got '{wanted}'"
        )
        raise ParameterError(message)
    return wanted
