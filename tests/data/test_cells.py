"""Generalized columns against plain Python sets."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.joined_cells import concat_cells
from tokumei.data.cells import MISSING, Cells, RangeCells, SetCells

DICTIONARY = pl.Series("goods", ["a", "b", "c", "d", "e"])
SUPPRESSED = None
Model = list[frozenset[int] | None]

bounds = st.tuples(st.integers(-5, 5), st.integers(0, 4)).map(lambda pair: (pair[0], pair[0] + pair[1]))
range_models = st.lists(st.one_of(st.none(), bounds), max_size=8)
sets = st.frozensets(st.integers(0, 4), min_size=1)
set_models = st.lists(st.one_of(st.none(), sets), max_size=8)


def ranges_of(model: list[tuple[int, int] | None]) -> RangeCells:
    """Return the column of a model of ranges; what stands behind a suppressed cell is 99."""
    lo, hi = [pair[0] if pair else 99 for pair in model], [pair[1] if pair else 99 for pair in model]
    return RangeCells.of_ranges(lo, hi, suppressed=[pair is SUPPRESSED for pair in model])


def sets_of(model: list[frozenset[int] | None]) -> SetCells:
    """Return the column of a model of sets; elements are given in descending order and twice."""
    lists = [sorted(one, reverse=True) * 2 if one else [0] for one in model]
    offsets = np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64)
    flat = [code for one in lists for code in one]
    return SetCells.of_lists(offsets, np.array(flat, dtype=np.int64), DICTIONARY, suppressed=[m is None for m in model])


def grid(pair: tuple[int, int] | None) -> frozenset[int] | None:
    """Return the values that a range stands for."""
    return None if pair is None else frozenset(range(pair[0], pair[1] + 1))


def model_of(cells: Cells) -> Model:
    """Return the values that every cell stands for, read from the arrays."""
    if isinstance(cells, RangeCells):
        pairs = zip(cells.lo.tolist(), cells.hi.tolist(), cells.suppressed.tolist(), strict=True)
        return [None if hidden else frozenset(range(lo, hi + 1)) for lo, hi, hidden in pairs]
    parts = zip(cells.offsets[:-1], cells.offsets[1:], cells.suppressed.tolist(), strict=True)
    return [None if hidden else frozenset(cells.codes[start:stop].tolist()) for start, stop, hidden in parts]


@st.composite
def pairs_of_columns(draw: st.DrawFn) -> tuple[Cells, Cells]:
    """Return two columns of the same sort and length."""
    size = draw(st.integers(0, 6))
    if draw(st.booleans()):
        models = draw(st.tuples(*[st.lists(st.one_of(st.none(), bounds), min_size=size, max_size=size)] * 2))
        return ranges_of(models[0]), ranges_of(models[1])
    chosen = draw(st.tuples(*[st.lists(st.one_of(st.none(), sets), min_size=size, max_size=size)] * 2))
    return sets_of(chosen[0]), sets_of(chosen[1])


@given(range_models)
def test_ranges_hold_what_they_were_made_of_and_nothing_behind_the_mask(model: list[tuple[int, int] | None]) -> None:
    cells = ranges_of(model)
    assert model_of(cells) == [grid(pair) for pair in model]
    assert cells.lo[cells.suppressed].tolist() == [0] * model.count(None)
    assert cells.width().tolist() == [pair[1] - pair[0] if pair else 0 for pair in model]
    assert cells.plain.tolist() == [pair is not None and pair[0] == pair[1] for pair in model]


@given(set_models)
def test_sets_are_ascending_and_distinct(model: list[frozenset[int] | None]) -> None:
    cells = sets_of(model)
    assert cells.codes.tolist() == [code for one in model if one is not None for code in sorted(one)]
    assert cells.sizes().tolist() == [len(one) if one is not None else 0 for one in model]
    assert cells.width().tolist() == [len(one) - 1 if one is not None else 0 for one in model]
    assert cells.plain.tolist() == [one is not None and len(one) == 1 for one in model]
    assert cells.to_lists().to_list() == [sorted(one) if one is not None else [] for one in model]
    named = [None if one is None else [DICTIONARY[code] for code in one] for one in model]
    assert SetCells.of_sets(named, DICTIONARY).equals(cells).all()


@pytest.mark.half_second
@given(pairs_of_columns())
def test_hull_is_the_smallest_cell_that_covers_both(columns: tuple[Cells, Cells]) -> None:
    one, other = columns
    expected: Model = []
    for left, right in zip(model_of(one), model_of(other), strict=True):
        if left is None or right is None:
            expected.append(None)
        elif isinstance(one, RangeCells):
            expected.append(frozenset(range(min(left | right), max(left | right) + 1)))
        else:
            expected.append(left | right)
    assert model_of(one.hull(other)) == expected  # type: ignore[arg-type]


@given(pairs_of_columns())
def test_equals_compares_cell_by_cell(columns: tuple[Cells, Cells]) -> None:
    one, other = columns
    expected = [left == right for left, right in zip(model_of(one), model_of(other), strict=True)]
    assert one.equals(other).tolist() == expected  # type: ignore[arg-type]
    assert one.equals(one).all()  # type: ignore[arg-type]


@given(pairs_of_columns())
def test_concatenation_and_taking_keep_cells(columns: tuple[Cells, Cells]) -> None:
    joined = concat_cells(columns)
    assert model_of(joined) == model_of(columns[0]) + model_of(columns[1])
    backwards = np.arange(len(joined))[::-1]
    assert model_of(joined.take(backwards)) == model_of(joined)[::-1]
    assert model_of(joined.take(np.repeat(backwards, 2))) == [cell for cell in model_of(joined)[::-1] for _ in "12"]


@pytest.mark.half_second
@given(pairs_of_columns())
def test_sort_keys_are_equal_exactly_where_cells_are(columns: tuple[Cells, Cells]) -> None:
    joined = concat_cells(columns)
    keys = list(zip(*(key.tolist() for key in joined.sort_keys()), strict=True))
    models = model_of(joined)
    for left, model in zip(keys, models, strict=True):
        assert [left == right for right in keys] == [model == other for other in models]


@pytest.mark.half_second
@given(pairs_of_columns(), st.data())
def test_contains_knows_every_possible_value(columns: tuple[Cells, Cells], data: st.DataObject) -> None:
    cells = columns[0]
    values = data.draw(st.lists(st.integers(-6, 10), min_size=len(cells), max_size=len(cells)))
    expected = [cell is None or value in cell for cell, value in zip(model_of(cells), values, strict=True)]
    assert cells.contains(values).tolist() == expected


@given(pairs_of_columns(), st.data())
def test_suppress_hides_what_is_under_the_mask(columns: tuple[Cells, Cells], data: st.DataObject) -> None:
    cells = columns[0]
    mask = data.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells)))
    expected = [None if hidden else cell for cell, hidden in zip(model_of(cells), mask, strict=True)]
    assert model_of(cells.suppress(mask)) == expected


@pytest.mark.half_second
@given(pairs_of_columns(), st.data())
def test_hull_of_groups_covers_runs_of_cells(columns: tuple[Cells, Cells], data: st.DataObject) -> None:
    cells = concat_cells(columns)
    if len(cells) == 0:
        return
    cuts = data.draw(st.sets(st.integers(0, len(cells) - 1)))
    starts = sorted(cuts | {0})
    models = model_of(cells)
    expected: Model = []
    for start, stop in zip(starts, [*starts[1:], len(cells)], strict=True):
        run = models[start:stop]
        known = [cell for cell in run if cell is not None]
        union = frozenset().union(*known)
        if len(known) < len(run):
            expected.append(None)
        elif isinstance(cells, RangeCells):
            expected.append(frozenset(range(min(union), max(union) + 1)))
        else:
            expected.append(union)
    assert model_of(cells.hull_of_groups(starts)) == expected


def test_a_missing_value_is_suppressed() -> None:
    cells = RangeCells.of_values([3, MISSING])
    assert model_of(cells) == [frozenset({3}), None]
    assert cells.contains([MISSING, MISSING]).tolist() == [False, True]


def test_a_reversed_range_is_refused() -> None:
    with pytest.raises(ValueError, match="must not have its lower end above its upper end"):
        RangeCells.of_ranges([2], [1])


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(ValueError, match="must have at least one element"):
        SetCells.of_lists([0, 0], [], DICTIONARY)
