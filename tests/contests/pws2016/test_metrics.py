"""The five utility metrics of 2016 on the worked examples of the paper."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tests.shop_example import M3, P3, M, T, history, lines, random_history, release, shop, without
from tokumei.contests.pws2016.metrics.cross_tabulation import OriginalCells, PublishedCells
from tokumei.contests.pws2016.metrics.master_hamming import MasterHamming
from tokumei.contests.pws2016.metrics.rfm_error import RfmError, shop_table
from tokumei.contests.pws2016.metrics.top_items import TopItems, default_threshold
from tokumei.contests.pws2016.shop import shop_of, shop_release
from tokumei.data import Secret
from tokumei.errors import ParameterError
from tokumei.metrics.rfm import rfm_ranks
from tokumei.parts import Metric

FIRST_FOUR = lines(T, 1, 2, 3, 4)


def test_cmae_of_the_paper() -> None:
    """Spec A.3.1: the first four rows of T under an unchanged master."""
    score = PublishedCells(cells="sex").measure(history(), *release(M, FIRST_FOUR, 1, 2, 3, 4))
    assert score.value == pytest.approx(8.3392857, abs=1e-7)
    assert score.warnings == ()


def test_orphans_are_left_out_or_looked_up() -> None:
    """Spec F-A2: the paper's M' lacks customer 12362, whose rows its own example counts."""
    released = release(M3, FIRST_FOUR, *P3)
    strict = PublishedCells(cells="sex").measure(history(), *released)
    original = PublishedCells(cells="sex", orphans="original").measure(history(), *released)
    assert strict.value == pytest.approx(8.8642857, abs=1e-7)
    assert original.value == pytest.approx(8.3392857, abs=1e-7)
    assert tuple(map(str, strict.warnings)) == (
        "2 transactions have an id without a row in the master and stay out of the cross tabulation",
    )
    assert original.warnings == ()


def test_a_false_p_is_seen_by_cmae2_and_ham_only() -> None:
    """Spec A.3.2: M' = M, T' = T, P = (2, 3, 4, 1)."""
    cheat = release(M, T, 2, 3, 4, 1)
    assert PublishedCells(cells="sex").measure(history(), *cheat).value == 0
    assert RfmError().measure(history(), *cheat).value == 0
    assert TopItems().measure(history(), *cheat).value == 1
    assert OriginalCells(cells="sex").measure(history(), *cheat).value == pytest.approx(9.0412698, abs=1e-7)
    assert MasterHamming().measure(history(), *cheat).value == pytest.approx(0.6666667, abs=1e-7)
    assert MasterHamming(complement=True).measure(history(), *cheat).value == pytest.approx(1 / 3)


def test_cmae2_is_cmae_for_an_honest_release() -> None:
    honest = release(M3, without(T, "12362"), *P3)
    assert OriginalCells().measure(history(), *honest).value == PublishedCells().measure(history(), *honest).value > 0


def test_cells_are_the_union_of_both_masters() -> None:
    """Spec F-A7: a country that vanishes and one that appears count with mean 0 on the other side."""
    moved = release(M.replace("Austria", "France"), T, 1, 2, 3, 4)
    assert PublishedCells().measure(history(), *moved).value == pytest.approx(7.9 + 7.9)
    assert OriginalCells().measure(history(), *moved).value == 0


def test_unknown_choices_are_refused() -> None:
    with pytest.raises(ParameterError, match="'cells' of 'cmae' must be one of sex, sex-country, got 'age'"):
        PublishedCells(cells="age")
    with pytest.raises(ParameterError, match="'orphans' of 'cmae2' must be one of strict, original, got 'none'"):
        OriginalCells(orphans="none")


def test_rfm_of_the_paper() -> None:
    """Spec A.3.3: cells of the three customers; deleting one changes one cell by one."""
    days = shop().day
    cells = rfm_ranks([days[4], days[2], days[7]], [2, 1, 1], [6780, 4320, 9990])
    assert cells.tolist() == [110, 0, 100]
    assert shop_table(shop()).nonzero()[0].tolist() == [0, 100, 110]
    score = RfmError().measure(history(), *release(M, without(T, "12360"), 1, 2, 3, 4))
    assert score.value == pytest.approx(-0.0316228, abs=1e-7)


def test_rfm_counts_ids_that_the_master_lacks() -> None:
    assert RfmError().measure(history(), *release(M3, T, *P3)).value == 0


def test_ham_compares_values_through_p() -> None:
    assert MasterHamming().measure(history(), *release(M3, T, *P3)).value == 0
    moved = release(M3.replace("1954/2/14", "1954/2/15"), T, *P3)
    assert MasterHamming().measure(history(), *moved).value == pytest.approx(1 / 9)


def test_top_items_by_threshold() -> None:
    """Item 30 twice, others once: at threshold 2 only item 30 counts."""
    bought = "".join(f"12360,1,2011/1/1,9:00,{item},1,1\n" for item in (30, 30, 31, 32))
    original = history(M, bought)
    fewer = release(M, lines(bought, 1, 3), 1, 2, 3, 4)
    assert TopItems(threshold=2).measure(original, *fewer).value == 0
    assert TopItems(threshold=1).measure(original, *fewer).value == pytest.approx(2 / 3)
    assert TopItems(threshold=9).measure(original, *fewer).value == 1
    with pytest.raises(ParameterError, match="'threshold' of 'topitem' must be a whole number of at least 1, got 0"):
        TopItems(threshold=0)


def test_the_default_threshold_is_that_of_the_hundredth_item() -> None:
    assert default_threshold(shop()) == 1
    bought = "".join(f"12360,1,2011/1/1,9:00,{item},1,1\n" for item in range(150) for _ in range(1 + (item < 100)))
    assert default_threshold(shop(M, bought)) == 2


def test_an_unchanged_shop_is_perfect() -> None:
    original = random_history(25, 300, 9)
    frames = shop_of(original).master, original.text(literal=True)
    same = shop_release(*frames), Secret(pl.DataFrame(), np.arange(300), people=np.arange(25))
    metrics: list[Metric] = [PublishedCells(), OriginalCells(), RfmError(), MasterHamming(), TopItems()]
    assert [metric.measure(original, *same).value for metric in metrics] == [0, 0, 0, 0, 1]
