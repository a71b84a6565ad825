"""The use cases of the 2018 report on small tables by hand, and on real data."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.contests.pws2018.files import SCHEMA
from tokumei.contests.pws2018.sampling import PlainRows
from tokumei.contests.pws2018.use_cases import Original, UseCaseOptions, judge_use_cases, mean_use_cases
from tokumei.data.cells import RangeCells
from tokumei.data.history import History, Release
from tokumei.data.written_cells import read_cells
from tokumei.errors import ParameterError

NAMES = ["customer", "date", "goods", "price", "quantity"]
SMALL = UseCaseOptions(min_support=2)
# Three baskets; A and B are in two of them together.
ROWS = [
    ("1", "2011/3/1", "A", "1", "12"),
    ("1", "2011/3/1", "B", "2", "3"),
    ("2", "2011/4/1", "A", "1", "24"),
    ("2", "2011/4/1", "B", "2", "2"),
    ("3", "2011/11/29", "A", "1", "300"),
]


def _history(rows: Sequence[tuple[str, ...]]) -> History:
    return History.from_frame(pl.DataFrame(rows, schema=dict.fromkeys(NAMES, pl.String), orient="row"), SCHEMA)


def _released(history: History, pseudonyms: list[str | None]) -> Release:
    cells = {field.name: history.cells(field.name) for field in SCHEMA.fields}
    return Release(SCHEMA, pl.Series(pseudonyms, dtype=pl.String), cells)


def _rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_pseudonyms_alone_cost_nothing() -> None:
    history = _history(ROWS)
    result = judge_use_cases(history, _released(history, ["9", "9", "4", "4", "5"]), rng=_rng(), draws=3, options=SMALL)
    assert {name for name, value in result.errors().items() if math.isnan(value)} == {
        "similarity_wholesale",
        "similarity_retail",
    }
    assert all(value == 0.0 for value in result.errors().values() if not math.isnan(value))
    assert result.rows == 0
    assert all(value == 0.0 for figures in result.statistics.values() for value in figures.values())
    assert result.draws == 3


def test_a_deleted_row_by_hand() -> None:
    """Without customer 2's B: the sets A (of A, B, AB) stay frequent; customers' ranks and A-B similarity change."""
    history = _history(ROWS)
    result = judge_use_cases(
        history, _released(history, ["9", "9", "4", None, "5"]), rng=_rng(), draws=1, options=SMALL
    )
    assert result.itemset_error == pytest.approx(2 / 3)
    assert result.rfm_error == 0.0
    assert result.rows == 1
    # E3: A = (1, 1, 1), B = (1, 1, 0) becomes (1, 0, 0): cosines 2 / sqrt(6) and 1 / sqrt(3).
    before, after = 2 / math.sqrt(6), 1 / math.sqrt(3)
    assert result.similarity_top == pytest.approx((before - after) / before)
    assert result.statistics["quantity"]["sum"] == 2.0
    assert result.statistics["price"]["sum"] == 200.0
    assert result.statistics["quantity"]["min"] == 1.0


def test_rfm_error_is_a_share_of_the_largest_distance() -> None:
    """One customer of three in another cell: sqrt(2) / (sqrt(2) * 3); the RMSE divisor is selectable."""
    history = _history(ROWS)
    moved = _history([*ROWS[:4], ("3", "2011/3/1", "A", "1", "300")])
    rows = PlainRows.of_history(moved)
    assert Original.of_history(history, SMALL).rfm_error(rows) == pytest.approx(1 / 3)
    by_cells = Original.of_history(history, UseCaseOptions(min_support=2, rfm_divisor="cells"))
    assert by_cells.rfm_error(rows) == pytest.approx(math.sqrt(2 / 1000))


def test_the_cap_of_dozens_is_selectable() -> None:
    rows = [("1", "2011/3/1", "A", "1", "12"), ("1", "2011/3/1", "B", "1", "12"), ("2", "2011/3/1", "A", "1", "720")]
    fewer = [*rows[:2], ("2", "2011/3/1", "A", "1", "120")]
    capped, free = (
        Original.of_history(_history(rows), UseCaseOptions(min_support=1, dozen_cap=cap)).compare(
            PlainRows.of_history(_history(fewer))
        )
        for cap in (6, None)
    )
    assert capped.similarity_wholesale == 0.0
    assert free.similarity_wholesale == 1.0


def test_suppressed_goods_are_left_out_of_baskets_unless_filled() -> None:
    history = _history([(str(who), "2011/3/1", "A", "1", "1") for who in range(4)])
    release = _released(history, ["5", "6", "7", "8"])
    cells = {**release.cells, "goods": release.cells["goods"].suppress([True, True, True, False])}
    hidden = Release(release.schema, release.pseudonyms, cells)
    left_out, filled = (
        judge_use_cases(
            history, hidden, rng=_rng(), draws=1, options=UseCaseOptions(min_support=2, fill_suppressed_goods=fill)
        ).itemset_error
        for fill in (False, True)
    )
    assert (left_out, filled) == (1.0, 0.0)


def test_figures_that_do_not_exist_are_null_with_a_warning() -> None:
    history = _history(ROWS)
    result = judge_use_cases(history, _released(history, ["9", "9", "4", "4", "5"]), rng=_rng(), draws=2)
    document = result.as_dict()
    assert document["itemset_error"] is None
    assert document["similarity_wholesale"] is None
    assert "no goods is in 100 baskets of the original" in str(result.warnings[0])
    assert str(result.warnings[1]) == (
        "similarity_wholesale does not exist: no two goods of the original have a common customer"
    )
    json.dumps(document, allow_nan=False)


def test_a_release_without_rows_is_judged() -> None:
    history = _history(ROWS)
    result = judge_use_cases(history, _released(history, [None] * 5), rng=_rng(), draws=2, options=SMALL)
    assert result.itemset_error == 1.0
    assert result.similarity_top == 1.0
    assert result.rows == 5
    assert result.as_dict()["statistics"]["price"]["mean"] is None  # type: ignore[index]


def test_json_has_the_agreed_fields() -> None:
    history = _history(ROWS)
    result = judge_use_cases(history, _released(history, ["9", "9", "4", "4", "5"]), rng=_rng(), draws=1, options=SMALL)
    assert list(result.as_dict()) == [
        "itemset_error",
        "rfm_error",
        "similarity_wholesale",
        "similarity_retail",
        "similarity_top",
        "top_items_error",
        "rows",
        "statistics",
    ]
    statistics = result.as_dict()["statistics"]
    assert isinstance(statistics, dict)
    assert list(statistics) == ["date", "price", "quantity"]
    assert list(statistics["date"]) == ["sum", "mean", "variance", "sd", "max", "min", "median"]
    assert [score.name for score in result.scores()] == list(result.errors())


def test_the_mean_is_over_absolute_differences() -> None:
    history = _history(ROWS)
    original = Original.of_history(history, SMALL)
    more, less = (
        original.compare(PlainRows.of_history(_history([*ROWS[:4], ("3", "2011/11/29", "A", "1", amount)])))
        for amount in ("310", "290")
    )
    assert mean_use_cases([more, less]).statistics["quantity"]["sum"] == 10.0


def test_results_depend_on_the_seed_alone() -> None:
    history = _history(ROWS)
    release = _released(history, ["9", "9", "4", "4", "5"])
    wide = {**release.cells, "quantity": RangeCells.of_ranges([1] * 5, [400] * 5)}
    release = Release(release.schema, release.pseudonyms, wide)
    figures = [
        judge_use_cases(history, chosen, rng=np.random.default_rng(seed), draws=5, options=SMALL).as_dict()
        for chosen, seed in ((release, 1), (release.take([4, 2, 0, 1, 3]), 1), (release, 2))
    ]
    assert figures[0] == figures[1]
    assert figures[0] != figures[2]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: UseCaseOptions(min_support=0), "'min_support' .* of at least 1, got 0"),
        (lambda: UseCaseOptions(rfm_divisor="x"), "'rfm_divisor' .* one of largest, cells, got 'x'"),
        (
            lambda: judge_use_cases(_history(ROWS), _released(_history(ROWS), ["1"] * 5), rng=_rng(), draws=0),
            "'draws' .* of at least 1, got 0",
        ),
    ],
)
def test_senseless_parameters_are_refused(make, message: str) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.slow
def test_a_real_2_anonymized_file(golden: Path, real_data: Path) -> None:
    """Rows and errors lie where the report's 2-anonymized files lie (table 6)."""
    table = {
        name: pl.read_csv(path, has_header=False, new_columns=NAMES, infer_schema=False)
        for name, path in (("T", real_data / "pwscup2018_T.csv"), ("A", golden / "audit" / "A_2anon.csv.gz"))
    }
    history = History.from_frame(table["T"], SCHEMA)
    cells = {
        field.name: read_cells(
            table["A"][field.name], field, history.categories.get(field.name), literal=True
        ).to_cells(field, history.categories.get(field.name))
        for field in SCHEMA.fields
    }
    pseudonyms = table["A"].select(pl.when(pl.col("customer") != "*").then("customer"))["customer"]
    result = judge_use_cases(history, Release(SCHEMA, pseudonyms, cells), rng=_rng(), draws=3)
    assert result.rows == (table["A"]["customer"] == "*").sum()
    assert result.rfm_error == pytest.approx(0.085, abs=0.01)
    assert result.itemset_error == pytest.approx(0.25, abs=0.03)
    assert result.similarity_wholesale == pytest.approx(0.724, abs=0.02)
