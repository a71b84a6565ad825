"""The metric cell-error on releases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tests.contests.pws2018.test_written_error import A_OF_B8, FIELDS, T_OF_B4, history_of
from tests.sample_histories import sample
from tokumei.contests.pws2018.files import SCHEMA
from tokumei.contests.pws2018.written_error import written_utility
from tokumei.data.history import History, Release, Secret
from tokumei.data.release_folder import release_from_text
from tokumei.data.results import Goal
from tokumei.flow.making import anonymized
from tokumei.methods.laplace_noise import LaplaceNoise
from tokumei.metrics.cell_error import CellError

KEPT = [0, 1, 2]


def released() -> tuple[History, Release, Secret]:
    """Return the worked example of spec B.8 as a release of three of its four records."""
    history = history_of(T_OF_B4)
    lines = [line.split(",") for line in A_OF_B8[:3]]
    frame = pl.DataFrame(lines, schema=["pseudonym", *FIELDS], orient="row")
    release = release_from_text(frame, SCHEMA, history.categories, file="A", literal=True)
    return history, release, Secret(pl.DataFrame(), np.array(KEPT))


def test_records_that_were_not_published_cost_one_per_cell() -> None:
    history, release, secret = released()
    score = CellError().measure(history, release, secret)
    assert score.value == pytest.approx(0.4761081672474949, rel=1e-12)
    assert score.goal is Goal.LOWER
    assert score.parts == pytest.approx(
        {"date": 0.5155946, "goods": 0.5416667, "price": 0.2990290, "quantity": 0.5481424}, abs=1e-7
    )


def test_it_agrees_with_the_error_of_the_written_file() -> None:
    history, release, secret = released()
    columns = dict(zip(FIELDS, zip(*(line.split(",")[1:] for line in A_OF_B8), strict=True), strict=True))
    written = written_utility(history, {name: pl.Series(cells) for name, cells in columns.items()})
    assert CellError().measure(history, release, secret).parts == pytest.approx(dict(written.parts))


def test_the_order_of_the_release_does_not_matter_and_dummies_cost_nothing() -> None:
    history, release, secret = released()
    value = CellError().measure(history, release, secret).value
    rows = [2, 0, 1, 0]
    shuffled = replace(secret.take(rows), rows=np.array([2, 0, 1, -1]))
    assert CellError().measure(history, release.take(rows), shuffled).value == pytest.approx(value)


def test_an_untouched_release_costs_nothing_and_an_empty_one_everything() -> None:
    history, release, secret = released()
    cells = {name: history.cells(name) for name in FIELDS}
    whole = Release(history.schema, history.subjects.gather(history.subject), cells)
    assert CellError().measure(history, whole, Secret(pl.DataFrame(), np.arange(4))).value == 0.0
    assert CellError().measure(history, release.take([]), secret.take([])).value == 1.0


def test_the_order_of_the_file_does_not_change_the_last_digit() -> None:
    history = sample("mixed")
    method = LaplaceNoise(epsilon=0.3)
    score = CellError().measure(history, *anonymized(history, method, seed=1))
    for seed in range(20):
        shuffled = history.take(np.random.default_rng(seed).permutation(len(history)))
        assert CellError().measure(shuffled, *anonymized(shuffled, method, seed=1)) == score
