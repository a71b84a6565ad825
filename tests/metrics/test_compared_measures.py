"""The measures that tools are compared with, worked by hand, with and without survey weights."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tokumei.data import Cells, Column, History, Kind, RangeCells, Release, Schema, Secret, SetCells
from tokumei.errors import InfeasibleError
from tokumei.metrics.average_class import AverageClass
from tokumei.metrics.cell_error import CellError
from tokumei.metrics.certainty_penalty import CertaintyPenalty
from tokumei.metrics.generalized_loss import GeneralizedLoss
from tokumei.metrics.kl_divergence import KlDivergence
from tokumei.metrics.model_accuracy import ModelAccuracy
from tokumei.metrics.non_uniform_entropy import NonUniformEntropy
from tokumei.metrics.propensity import Propensity
from tokumei.metrics.records_kept import RecordsKept
from tokumei.metrics.softmax import fit_softmax, probabilities
from tokumei.metrics.squared_error import SquaredError

SCHEMA = Schema("row", (Column(name="age", kind=Kind.NUMBER), Column(name="city")))
HISTORY = History.from_frame(pl.DataFrame({"age": [0, 2, 4, 10], "city": list("AABC")}), SCHEMA)
WEIGHTED = replace(HISTORY, weights=np.array([1.0, 1.0, 2.0, 4.0]))


def released(
    ages: list[tuple[int, int] | None], cities: list[list[str] | None], rows: list[int]
) -> tuple[Release, Secret]:
    low = [0 if age is None else age[0] for age in ages]
    high = [0 if age is None else age[1] for age in ages]
    cells: dict[str, Cells] = {
        "age": RangeCells.of_ranges(low, high, suppressed=[age is None for age in ages]),
        "city": SetCells.of_sets(cities, HISTORY.categories["city"]),
    }
    names = pl.Series("pseudonym", [str(at) for at in range(len(rows))], dtype=pl.String)
    return Release(SCHEMA, names, cells), Secret(pl.DataFrame(), np.array(rows, dtype=np.int64))


# Two records in one class, one alone with a suppressed city, one deleted; the last is a dummy.
EXAMPLE = released([(0, 2), (0, 2), (4, 4), (9, 9)], [["A", "B"], ["A", "B"], None, ["C"]], [0, 1, 2, -1])
EXACT = released([(0, 0), (2, 2), (4, 4), (10, 10)], [["A"], ["A"], ["B"], ["C"]], [0, 1, 2, 3])
NOTHING = released([None] * 4, [None] * 4, [0, 1, 2, 3])


def test_average_class() -> None:
    score = AverageClass().measure(HISTORY, *EXAMPLE)
    assert score.value == 1.5
    assert score.parts == {"mean": 1.5, "classes": 2.0, "smallest": 1.0}
    assert AverageClass(k=3).measure(HISTORY, *NOTHING).value == pytest.approx(4 / 3)


def test_generalized_loss_counts_sets_beyond_one_value() -> None:
    score = GeneralizedLoss().measure(HISTORY, *EXAMPLE)
    assert score.parts == pytest.approx({"age": (0.2 + 0.2 + 0 + 1) / 4, "city": (0.5 + 0.5 + 1 + 1) / 4})
    assert GeneralizedLoss().measure(HISTORY, *EXACT).value == 0.0
    assert GeneralizedLoss().measure(HISTORY, *NOTHING).value == 1.0


def test_entropy_counts_rare_values_more() -> None:
    score = NonUniformEntropy().measure(HISTORY, *EXAMPLE)
    # Ages: two of four records are possible; the third is exact; the fourth is gone (2 bits). Cities: A among A, A, B.
    age, city = (1 + 1 + 0 + 2) / 4, (2 * math.log2(3 / 2) + 2 + 2) / 4
    assert score.parts == pytest.approx({"age": age / 2, "city": city / 1.5, "bits": age + city})
    assert score.value == pytest.approx((age + city) / 3.5)
    assert NonUniformEntropy().measure(HISTORY, *EXACT).value == 0.0
    assert NonUniformEntropy().measure(HISTORY, *NOTHING).value == 1.0
    wrong = released([(9, 10), (2, 2), (4, 4), (10, 10)], [["A"], ["A"], ["B"], ["C"]], [0, 1, 2, 3])
    assert NonUniformEntropy().measure(HISTORY, *wrong).parts["age"] == pytest.approx(0.25)


def test_variance_lost() -> None:
    score = SquaredError().measure(HISTORY, *EXAMPLE)
    # Mean 4, total 16 + 4 + 0 + 36; published 1, 1, 4 and, for the deleted one, the mean.
    assert score.value == pytest.approx((1 + 1 + 0 + 36) / 56)
    assert SquaredError().measure(HISTORY, *EXACT).value == 0.0
    assert SquaredError().measure(HISTORY, *NOTHING).value == pytest.approx(1.0)
    constant = History.from_frame(pl.DataFrame({"age": [3] * 4, "city": list("AABC")}), SCHEMA)
    with pytest.raises(InfeasibleError, match="no ordered column varies, of which the lost variance could be told"):
        SquaredError().measure(constant, *NOTHING)


def test_divergence_of_an_even_reading() -> None:
    assert KlDivergence().measure(HISTORY, *EXACT).value == pytest.approx(0.0)
    score = KlDivergence().measure(HISTORY, *NOTHING)
    # Four different records, read as one class over 4 ages and 3 cities.
    assert score.value == pytest.approx(math.log(12 / 4))
    assert score.parts["age"] == pytest.approx(0.0)
    assert score.parts["city"] == pytest.approx(0.5 * math.log(1.5) + 0.5 * math.log(0.75))
    moved = released([(0, 0), (0, 0), (4, 4), (10, 10)], [["A"], ["A"], ["B"], ["C"]], [0, 1, 2, 3])
    with pytest.raises(InfeasibleError, match="occur nowhere in the release, so its divergence is infinite"):
        KlDivergence().measure(HISTORY, *moved)


def test_survey_weights_count_people_instead_of_records() -> None:
    """The deleted record stands for four of eight people."""
    assert RecordsKept().measure(WEIGHTED, *EXAMPLE).value == pytest.approx(4 / 8)
    loss = GeneralizedLoss().measure(WEIGHTED, *EXAMPLE).parts
    assert loss == pytest.approx({"age": (0.2 + 0.2 + 0 + 4) / 8, "city": (0.5 + 0.5 + 2 + 4) / 8})
    assert CertaintyPenalty().measure(WEIGHTED, *NOTHING).value == pytest.approx(1.0)
    assert CellError().measure(WEIGHTED, *EXAMPLE).value > CellError().measure(HISTORY, *EXAMPLE).value
    assert NonUniformEntropy().measure(WEIGHTED, *EXAMPLE).parts["age"] == pytest.approx((1 + 1 + 0 + 4 * 2) / 16)
    # The mean age of the eight people is 6.25.
    total = 6.25**2 + 4.25**2 + 2 * 2.25**2 + 4 * 3.75**2
    assert SquaredError().measure(WEIGHTED, *EXAMPLE).value == pytest.approx((1 + 1 + 0 + 4 * 3.75**2) / total)


def people(count: int) -> History:
    """Return people of two towns: the old one has the old people."""
    rng = np.random.default_rng(5)
    town = rng.integers(0, 2, count)
    age = rng.integers(20, 50, count) + 35 * town
    frame = pl.DataFrame({"age": age, "town": np.where(town == 1, "old", "new"), "size": rng.integers(0, 9, count)})
    columns = (Column(name="age", kind=Kind.NUMBER), Column(name="town"), Column(name="size", kind=Kind.NUMBER))
    return History.from_frame(frame, Schema("row", columns))


def published(history: History, *, shift: int = 0, hide: bool = False) -> tuple[Release, Secret]:
    rows = np.arange(len(history))[::-1].copy()
    cells = {field.name: history.cells(field.name).take(rows) for field in history.schema.fields}
    cells["age"] = RangeCells.of_values(history.codes["age"][rows] + shift)
    if hide:
        cells["age"] = cells["age"].suppress(np.ones(len(history), dtype=np.bool_))
    names = pl.Series("pseudonym", [str(at) for at in rows], dtype=pl.String)
    return Release(history.schema, names, cells), Secret(pl.DataFrame(), rows)


@pytest.mark.half_second
def test_a_model_learns_what_the_release_still_tells() -> None:
    history = people(400)
    exact = ModelAccuracy().measure(history, *published(history))
    assert exact.value == exact.parts["original"] > 0.9
    assert 0.3 < exact.parts["blind"] < 0.7
    hidden = ModelAccuracy(target="town").measure(history, *published(history, hide=True))
    assert hidden.value < 0.7 < hidden.parts["original"]
    with pytest.raises(InfeasibleError, match=r"there is no category 'twon' to predict \(did you mean 'town'\?\)"):
        ModelAccuracy(target="twon").measure(history, *published(history))


@pytest.mark.half_second
def test_a_model_tells_shifted_records_from_true_ones() -> None:
    history = people(400)
    assert Propensity().measure(history, *published(history)).value == pytest.approx(0.0, abs=1e-9)
    score = Propensity().measure(history, *published(history, shift=100))
    assert 0.15 < score.value <= 0.25
    assert score.parts["ratio"] > 50
    assert score.parts["published"] == 0.5


def test_regression_finds_the_shares_of_a_table() -> None:
    """Of two groups a half and four fifths are of the second class."""
    design = np.column_stack((np.ones(20), np.repeat([0.0, 1.0], 10)))
    second = np.array([0.0, 1.0] * 5 + [1.0] * 8 + [0.0] * 2)
    found = probabilities(design, fit_softmax(design, np.column_stack((1 - second, second))))[:, 1]
    assert found[[0, 19]] == pytest.approx([0.5, 0.8], abs=0.01)
