"""ano-del-lc and ano-random: what they publish, how often, and what they keep."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tokumei.contests.pws2018.files import SCHEMA
from tokumei.contests.pws2018.methods.delete_cells import DeleteCells
from tokumei.contests.pws2018.methods.random_generalization import RandomGeneralization, smallest_free_numbers
from tokumei.data.cells import MISSING, RangeCells, SetCells
from tokumei.data.history import History, Release, Secret
from tokumei.errors import ParameterError
from tokumei.parts import Method

PARTS = [DeleteCells(), RandomGeneralization()]


def _history(size: int) -> History:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "customer": pl.Series(rng.integers(1, 41, size)).cast(pl.String),
            "date": pl.Series(14_944 + rng.integers(0, 300, size)).cast(pl.Int32).cast(pl.Date),
            "goods": pl.Series(rng.integers(0, 200, size)).cast(pl.String),
            "price": rng.integers(1, 5000, size) / 100,
            "quantity": rng.integers(1, 90, size),
        },
        schema_overrides={"customer": pl.String, "goods": pl.String},
    )
    return History.from_frame(frame, SCHEMA)


def _run(part: Method, history: History, seed: int = 1) -> tuple[Release, Secret]:
    return part.anonymize(history, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
@pytest.mark.parametrize("size", [0, 1, 2, 500])
def test_cells_hold_the_original_and_owners_the_truth(part: Method, size: int) -> None:
    history = _history(size)
    release, secret = _run(part, history)
    assert len(release) == len(secret.rows) == len(np.unique(secret.rows))
    for name, cells in release.cells.items():
        assert cells.contains(history.codes[name][secret.rows]).all()
    owner = dict(secret.owners.rows())
    assert len(set(owner.values())) == len(owner)
    people = history.subjects.gather(history.subject[secret.rows]).to_list()
    assert [owner[pseudonym] for pseudonym in release.pseudonyms.to_list()] == people
    assert release.method == part.name
    assert release.text().height == len(release)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_same_seed_gives_the_same_release(part: Method) -> None:
    history = _history(300)
    assert _run(part, history, 3)[0].text().equals(_run(part, history, 3)[0].text())
    assert not _run(part, history, 3)[0].text().equals(_run(part, history, 4)[0].text())


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_parts_fit_the_2018_format(part: Method) -> None:
    assert "pws2018" in part.valid_under


def test_deletion_keeps_ids_and_deletes_at_its_rate() -> None:
    history = _history(20_000)
    release, secret = _run(DeleteCells(p=0.3), history)
    assert len(release) == pytest.approx(14_000, abs=300)
    assert secret.owners["pseudonym"].equals(secret.owners["subject"].alias("pseudonym"))
    for cells in release.cells.values():
        assert cells.suppressed.mean() == pytest.approx(0.3, abs=0.02)
        assert (cells.plain | cells.suppressed).all()


def test_deletion_with_certainty_and_without() -> None:
    history = _history(50)
    assert len(_run(DeleteCells(p=1.0), history)[0]) == 0
    release, secret = _run(DeleteCells(p=0.0), history)
    original = history.text()[secret.rows.tolist()]
    assert release.text().rows() == original.rows()


def test_random_pseudonyms_are_the_smallest_numbers_that_are_no_ids() -> None:
    history = _history(2000)
    assert len(history.subjects) == 40
    release, _ = _run(RandomGeneralization(), history)
    assert sorted(release.pseudonyms.unique().cast(pl.Int64).to_list()) == list(range(41, 81))
    assert smallest_free_numbers(3, pl.Series(["2", "4", "x", "01"])).tolist() == [1, 3, 5]
    assert smallest_free_numbers(0, pl.Series([], dtype=pl.String)).tolist() == []


def test_random_generalization_follows_its_rates() -> None:
    """The number of added values is uniform below 10, 10, 3, 10: one in so many cells stays plain."""
    history = _history(20_000)
    release, _ = _run(RandomGeneralization(), history)
    assert len(release) == pytest.approx(18_000, abs=250)
    for name, limit in (("date", 10), ("goods", 10), ("price", 3), ("quantity", 10)):
        cells = release.cells[name]
        assert cells.suppressed.mean() == pytest.approx(0.1, abs=0.01)
        plain = cells.plain.sum() / (~cells.suppressed).sum()
        assert plain == pytest.approx(1 / limit, abs=0.02)
    goods = release.cells["goods"]
    assert isinstance(goods, SetCells)
    assert goods.sizes().max() == 10
    price = release.cells["price"]
    assert isinstance(price, RangeCells)
    # One random value spans the mean distance of two uniform prices, 1/3 of the column; two span 1/2.
    width = price.width()[~price.suppressed].mean() / 5000
    assert width == pytest.approx((0 + 1 / 3 + 1 / 2) / 3, abs=0.01)


def test_limits_of_one_leave_every_cell_as_it_is() -> None:
    history = _history(100)
    part = RandomGeneralization(dates=1, amounts=1, counts=1, categories=1, suppression=0.0, deletion=0.0)
    release, secret = _run(part, history)
    assert release.text().drop("pseudonym").rows() == history.text().drop("customer")[secret.rows.tolist()].rows()


def test_missing_values_are_suppressed_and_never_drawn() -> None:
    history = _history(200)
    codes = {**history.codes, "price": np.where(np.arange(200) % 2, MISSING, history.codes["price"])}
    release, secret = _run(
        RandomGeneralization(suppression=0.0),
        History(history.schema, history.subjects, history.subject, codes, history.categories),
    )
    price = release.cells["price"]
    assert isinstance(price, RangeCells)
    assert (price.suppressed == (secret.rows % 2 == 1)).all()
    assert price.lo[~price.suppressed].min() > 0
    nothing = {**codes, "price": np.full(200, MISSING)}
    empty = History(history.schema, history.subjects, history.subject, nothing, history.categories)
    assert _run(RandomGeneralization(), empty)[0].cells["price"].suppressed.all()


def test_parameters_outside_their_limits_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"parameter 'p' of 'ano-del-lc' must be a number from 0 to 1, got 1.5"):
        DeleteCells(p=1.5)
    with pytest.raises(ParameterError, match="parameter 'dates' of 'ano-random' must be a whole number from 1 to 100"):
        RandomGeneralization(dates=0)
