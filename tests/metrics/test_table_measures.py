"""Discernibility, records kept and pseudonyms per subject, worked by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tokumei.data.cells import Cells, RangeCells, SetCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.results import Goal
from tokumei.data.schema import Schema
from tokumei.metrics.discernibility import Discernibility, class_sizes
from tokumei.metrics.pseudonyms_per_subject import PseudonymsPerSubject
from tokumei.metrics.records_kept import RecordsKept
from tokumei.parts import Metric

SCHEMA = Schema("who", (Column(name="age", kind=Kind.NUMBER), Column(name="city")))
FRAME = pl.DataFrame({"who": list("aabbc"), "age": [1, 2, 3, 4, 5], "city": list("AABBC")})
HISTORY = History.from_frame(FRAME, SCHEMA)
CITIES = HISTORY.categories["city"]


def released(
    names: str, ages: list[tuple[int, int]], cities: list[list[str] | None], rows: list[int]
) -> tuple[Release, Secret]:
    low, high = [end for end, _ in ages], [end for _, end in ages]
    cells: dict[str, Cells] = {"age": RangeCells.of_ranges(low, high), "city": SetCells.of_sets(cities, CITIES)}
    release = Release(SCHEMA, pl.Series("pseudonym", list(names), dtype=pl.String), cells)
    return release, Secret(pl.DataFrame(), np.array(rows, dtype=np.int64))


# Record 4 is deleted, the last published record is a dummy; classes of real records: {0, 1, 2} and {3}.
EXAMPLE = released(
    "xxyzy",
    [(1, 3), (1, 3), (1, 3), (4, 4), (4, 4)],
    [["A", "B"], ["A", "B"], ["A", "B"], None, None],
    [0, 1, 2, 3, -1],
)
EMPTY = released("", [], [], [])


def test_discernibility_sums_squares_and_charges_deleted_records_with_all() -> None:
    score = Discernibility().measure(HISTORY, *EXAMPLE)
    assert score.value == 3**2 + 1**2 + 1 * 5
    assert score.parts == {"normalized": 15 / 25, "classes": 2.0, "smallest class": 1.0, "mean class": 2.0}
    assert (score.goal, score.lowest) == (Goal.LOWER, 5.0)


def test_discernibility_of_nothing_is_the_worst() -> None:
    score = Discernibility().measure(HISTORY, *EMPTY)
    assert score.value == 25.0
    assert score.parts["normalized"] == 1.0
    assert score.parts["smallest class"] == 0.0


def test_discernibility_of_distinct_records_is_the_best() -> None:
    release, secret = released(
        "xxyyz", [(n, n) for n in range(1, 6)], [["A"], ["A"], ["B"], ["B"], ["C"]], [0, 1, 2, 3, 4]
    )
    assert Discernibility().measure(HISTORY, release, secret).value == 5.0
    assert class_sizes(release).tolist() == [1, 1, 1, 1, 1]


def test_records_kept_counts_published_originals_once() -> None:
    score = RecordsKept().measure(HISTORY, *EXAMPLE)
    assert score.value == pytest.approx(4 / 5)
    assert score.parts == pytest.approx({"subjects": 2 / 3, "dummies": 1 / 5})
    assert (score.goal, score.highest) == (Goal.HIGHER, 1.0)
    assert RecordsKept().measure(HISTORY, *EMPTY).value == 0.0


def test_pseudonyms_per_subject_is_a_mean_over_published_subjects() -> None:
    """Subject a has the pseudonym x, b has y and z; c is not published."""
    score = PseudonymsPerSubject().measure(HISTORY, *EXAMPLE)
    assert score.value == pytest.approx(1.5)
    assert score.parts == {"largest": 2.0}
    assert score.goal is Goal.LOWER
    assert PseudonymsPerSubject().measure(HISTORY, *EMPTY).value == 0.0


@pytest.mark.parametrize("metric", [Discernibility(), RecordsKept(), PseudonymsPerSubject()], ids=lambda m: m.name)
def test_an_empty_history_is_measured(metric: Metric) -> None:
    history = History.from_frame(FRAME.head(0), SCHEMA)
    release, secret = EMPTY
    assert metric.measure(history, release, secret).value == (1.0 if metric.name == "records-kept" else 0.0)
