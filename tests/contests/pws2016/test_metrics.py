"""The five utility metrics of 2016 on the worked examples of the paper."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shop_example import M3, P3, M, T, lines, random_shop, release, shop, without
from tokumei.contests.pws2016.metrics.cross_tabulation import cmae, cmae2
from tokumei.contests.pws2016.metrics.master_hamming import master_hamming
from tokumei.contests.pws2016.metrics.rfm_error import rfm_error, shop_table
from tokumei.contests.pws2016.metrics.top_items import default_threshold, top_items
from tokumei.contests.pws2016.shop import MasterRelease
from tokumei.errors import ParameterError
from tokumei.metrics.rfm import rfm_ranks

FIRST_FOUR = lines(T, 1, 2, 3, 4)


def test_cmae_of_the_paper() -> None:
    """Spec A.3.1: the first four rows of T under an unchanged master."""
    score = cmae(shop(), release(M, FIRST_FOUR, 1, 2, 3, 4), cells="sex")
    assert score.value == pytest.approx(8.3392857, abs=1e-7)
    assert score.warnings == ()


def test_orphans_are_left_out_or_looked_up() -> None:
    """Spec F-A2: the paper's M' lacks customer 12362, whose rows its own example counts."""
    released = release(M3, FIRST_FOUR, *P3)
    strict, original = cmae(shop(), released, cells="sex"), cmae(shop(), released, cells="sex", orphans="original")
    assert strict.value == pytest.approx(8.8642857, abs=1e-7)
    assert original.value == pytest.approx(8.3392857, abs=1e-7)
    assert strict.warnings == (
        "2 transactions have an id without a row in the master and stay out of the cross tabulation (spec F-A2)",
    )
    assert original.warnings == ()


def test_a_false_p_is_seen_by_cmae2_and_ham_only() -> None:
    """Spec A.3.2: M' = M, T' = T, P = (2, 3, 4, 1)."""
    cheat = release(M, T, 2, 3, 4, 1)
    assert cmae(shop(), cheat, cells="sex").value == 0
    assert rfm_error(shop(), cheat).value == 0
    assert top_items(shop(), cheat).value == 1
    assert cmae2(shop(), cheat, cells="sex").value == pytest.approx(9.0412698, abs=1e-7)
    assert master_hamming(shop(), cheat).value == pytest.approx(0.6666667, abs=1e-7)
    assert master_hamming(shop(), cheat, complement=True).value == pytest.approx(1 / 3)


def test_cmae2_is_cmae_for_an_honest_release() -> None:
    honest = release(M3, without(T, "12362"), *P3)
    assert cmae2(shop(), honest).value == cmae(shop(), honest).value > 0


def test_cells_are_the_union_of_both_masters() -> None:
    """Spec F-A7: a country that vanishes and one that appears count with mean 0 on the other side."""
    moved = release(M.replace("Austria", "France"), T, 1, 2, 3, 4)
    assert cmae(shop(), moved).value == pytest.approx(7.9 + 7.9)
    assert cmae2(shop(), moved).value == 0


def test_unknown_choices_are_refused() -> None:
    with pytest.raises(ParameterError, match="the cells of cmae must be one of sex, sex-country, got 'age'"):
        cmae(shop(), release(M, T, 1, 2, 3, 4), cells="age")
    with pytest.raises(ParameterError, match="the orphans of cmae2 must be one of strict, original, got 'none'"):
        cmae2(shop(), release(M, T, 1, 2, 3, 4), orphans="none")


def test_rfm_of_the_paper() -> None:
    """Spec A.3.3: cells of the three customers; deleting one changes one cell by one."""
    days = shop().day
    cells = rfm_ranks([days[4], days[2], days[7]], [2, 1, 1], [6780, 4320, 9990])
    assert cells.tolist() == [110, 0, 100]
    assert shop_table(shop()).nonzero()[0].tolist() == [0, 100, 110]
    score = rfm_error(shop(), release(M, without(T, "12360"), 1, 2, 3, 4))
    assert score.value == pytest.approx(-0.0316228, abs=1e-7)


def test_rfm_counts_ids_that_the_master_lacks() -> None:
    assert rfm_error(shop(), release(M3, T, *P3)).value == 0


def test_ham_compares_text_through_p() -> None:
    assert master_hamming(shop(), release(M3, T, *P3)).value == 0
    assert master_hamming(shop(), release(M3.replace("1954/2/14", "1954/02/14"), T, *P3)).value == pytest.approx(1 / 9)


def test_top_items_by_threshold() -> None:
    """Item 30 twice, others once: at threshold 2 only item 30 counts."""
    bought = "".join(f"12360,1,2011/1/1,9:00,{item},1,1\n" for item in (30, 30, 31, 32))
    original = shop(M, bought)
    fewer = release(M, lines(bought, 1, 3), 1, 2, 3, 4)
    assert top_items(original, fewer, threshold=2).value == 0
    assert top_items(original, fewer, threshold=1).value == pytest.approx(2 / 3)
    assert top_items(original, fewer, threshold=9).value == 1
    with pytest.raises(ParameterError, match="the threshold of topitem must be at least 1 row, got 0"):
        top_items(original, fewer, threshold=0)


def test_the_default_threshold_is_that_of_the_hundredth_item() -> None:
    assert default_threshold(shop()) == 1
    bought = "".join(f"12360,1,2011/1/1,9:00,{item},1,1\n" for item in range(150) for _ in range(1 + (item < 100)))
    assert default_threshold(shop(M, bought)) == 2


def test_an_unchanged_shop_is_perfect() -> None:
    original = random_shop(25, 300, 9)
    same = MasterRelease(original, np.arange(1, 26))
    assert [measure(original, same).value for measure in (cmae, cmae2, rfm_error, master_hamming, top_items)] == [
        0, 0, 0, 0, 1,
    ]  # fmt: skip
