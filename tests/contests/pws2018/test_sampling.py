"""Plain tables drawn out of generalized ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

from tokumei.contests.pws2018.files import SCHEMA
from tokumei.contests.pws2018.sampling import PlainRows, Sampler
from tokumei.data.cells import RangeCells, SetCells
from tokumei.data.history import History, Release
from tokumei.errors import InputError


def draw_samples(history: History, release: Release, *, draws: int, rng: np.random.Generator) -> Iterator[PlainRows]:
    """Yield samples of a release, each from a generator of its own, so that draw i is the same however many follow."""
    sampler = Sampler.of_release(history, release)
    for child in rng.spawn(draws):
        yield sampler.draw(child)


def _history(rows: list[tuple[str, str, str, str, str]]) -> History:
    names = ["customer", "date", "goods", "price", "quantity"]
    return History.from_frame(pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row"), SCHEMA)


@pytest.fixture
def history() -> History:
    return _history(
        [("1", "2010/12/1", "A", "1.5", "2"), ("1", "2010/12/3", "B", "2", "5"), ("2", "2010/12/5", "C", "1.53", "9")]
    )


def _release(history: History, **changed: RangeCells | SetCells) -> Release:
    cells = {field.name: history.cells(field.name) for field in SCHEMA.fields}
    return Release(SCHEMA, pl.Series(["10", "10", "20"]), {**cells, **changed})


def test_plain_cells_are_kept(history: History) -> None:
    sample = next(draw_samples(history, _release(history), draws=1, rng=np.random.default_rng(0)))
    original = PlainRows.of_history(history)
    assert sample.customer.tolist() == [0, 0, 1]
    for name in ("date", "goods", "price", "quantity"):
        assert getattr(sample, name).tolist() == getattr(original, name).tolist()


def test_ranges_sets_and_stars_are_drawn_uniformly(history: History) -> None:
    goods = SetCells.of_sets([["A", "C"], None, ["C"]], history.categories["goods"])
    price = RangeCells.of_ranges([150, 0, 153], [152, 0, 153], suppressed=[False, True, False])
    release = _release(history, goods=goods, price=price)
    draws = list(draw_samples(history, release, draws=3000, rng=np.random.default_rng(1)))
    of_set = Counter(int(one.goods[0]) for one in draws)
    of_star = Counter(int(one.goods[1]) for one in draws)
    of_range = Counter(int(one.price[0]) for one in draws)
    of_price_star = Counter(int(one.price[1]) for one in draws)
    assert set(of_set) == {0, 2}
    assert set(of_star) == {0, 1, 2}
    assert set(of_range) == {150, 151, 152}
    assert (min(of_price_star), max(of_price_star), len(of_price_star)) == (150, 200, 51)
    for counts in (of_set, of_star, of_range):
        assert min(counts.values()) > 0.85 * 3000 / len(counts)
    assert draws[0].goods_known.tolist() == [True, False, True]
    assert {int(one.price[2]) for one in draws} == {153}


def test_rows_without_pseudonym_stay_deleted(history: History) -> None:
    release = _release(history)
    release = Release(release.schema, pl.Series(["10", None, "20"]), release.cells)
    sample = next(draw_samples(history, release, draws=1, rng=np.random.default_rng(0)))
    assert sample.goods.tolist() == [0, 2]


def test_draws_depend_on_the_seed_but_not_on_row_order_or_number(history: History) -> None:
    wide = RangeCells.of_ranges([150, 150, 150], [250, 250, 250])
    release = _release(history, price=wide)
    few = list(draw_samples(history, release, draws=2, rng=np.random.default_rng(5)))
    many = list(draw_samples(history, release.take([2, 0, 1]), draws=4, rng=np.random.default_rng(5)))
    other = list(draw_samples(history, release, draws=2, rng=np.random.default_rng(6)))
    assert [one.price.tolist() for one in few] == [one.price.tolist() for one in many[:2]]
    assert [one.price.tolist() for one in few] != [one.price.tolist() for one in other]


def test_goods_that_the_original_lacks_are_marked(history: History) -> None:
    foreign = SetCells.of_sets([["A"], ["Z"], ["C"]], pl.Series(["A", "C", "Z"]))
    sample = Sampler.of_release(history, _release(history, goods=foreign)).draw(np.random.default_rng(0))
    assert sorted(sample.goods.tolist()) == [-1, 0, 2]


def test_an_invoice_is_a_customers_day() -> None:
    rows = PlainRows.of_history(
        _history(
            [
                ("1", "2010/12/1", "A", "1", "1"),
                ("1", "2010/12/1", "B", "1", "1"),
                ("1", "2010/12/2", "A", "1", "1"),
                ("2", "2010/12/1", "A", "1", "3"),
            ]
        )
    )
    invoice = rows.invoice().tolist()
    assert invoice[0] == invoice[1]
    assert len(set(invoice)) == 3
    assert rows.amount().tolist() == [100, 100, 100, 300]


def test_an_original_with_empty_cells_is_refused() -> None:
    with pytest.raises(InputError, match="the original has empty cells in 'price'"):
        PlainRows.of_history(_history([("1", "2010/12/1", "A", "", "1")]))


def test_a_column_of_the_wrong_sort_is_refused(history: History) -> None:
    with pytest.raises(InputError, match="'price' of the release holds sets"):
        Sampler.of_release(history, _release(history, price=history.cells("goods")))
    with pytest.raises(InputError, match="'goods' of the release holds ranges"):
        Sampler.of_release(history, _release(history, goods=history.cells("price")))
