"""The attacks of 2016 on the worked example, and on honest pseudonyms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shop_example import M3, P3, T3, M, history, random_history, release, shop
from tokumei.contests.pws2016.attacks.all_features import AllFeatures
from tokumei.contests.pws2016.attacks.goods_overlap import GoodsOverlap
from tokumei.contests.pws2016.attacks.master_attack import MasterAttack
from tokumei.contests.pws2016.attacks.master_order import CountOrder, MasterOrder, same_place
from tokumei.contests.pws2016.attacks.rfm_vectors import RfmVectors
from tokumei.contests.pws2016.attacks.total_price import TotalPrice, nearest_rows
from tokumei.contests.pws2016.methods.master_shuffle import MasterShuffle
from tokumei.contests.pws2016.shop import shop_of
from tokumei.errors import ParameterError

ALL = [MasterOrder(), CountOrder(), TotalPrice(), RfmVectors(), GoodsOverlap(), AllFeatures()]
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("attack", "wanted", "hits"),
    [
        (MasterOrder(), [2, 4, 3], 2),
        (CountOrder(), [1, 4, 2], 1),
        (TotalPrice(), [2, 4, 1], 3),
        (RfmVectors(), [2, 4, 1], 3),
        (GoodsOverlap(), [2, 4, 1], 3),
        (AllFeatures(), [2, 4, 1], 3),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_the_attack_table_of_the_specification(attack: MasterAttack, wanted: list[int], hits: int) -> None:
    published, secret = release(M3, T3, *P3)
    rows = attack.choose(shop(), shop(M3, T3), rng=RNG)
    assert (rows + 1).tolist() == wanted
    assert (rows == secret.people).sum() == hits
    guesses = attack.guess(history(), published, rng=RNG)
    assert guesses.frame["target"].to_list() == ["12361", "12364", "12360"]
    assert guesses.frame["candidate"].to_list() == shop().master["customer"].gather(rows).to_list()


def test_relative_places_of_the_specification() -> None:
    """For n = 4, n' = 2, M' sorted as (M'[2], M'[1]): q(2) = x(1), q(1) = x(3)."""
    x = np.array([3, 0, 1, 2])
    assert same_place(x, np.array([1, 0])).tolist() == [x[2], x[0]]


def test_sorting_is_stable_and_knows_dates() -> None:
    """1970/2/1 comes before 1970/10/1 as a date and after it as text; equal keys keep file order."""
    original = shop("a,f,1970/10/1,X\nb,f,1970/2/1,X\nc,f,1970/2/1,X\n", "a,1,2011/1/1,9:00,G,1,1\n")
    assert MasterOrder().sorted_rows(original).tolist() == [1, 2, 0]
    assert MasterOrder(order="text").sorted_rows(original).tolist() == [0, 1, 2]
    assert CountOrder().sorted_rows(original).tolist() == [1, 2, 0]


def test_counts_are_compared_as_numbers() -> None:
    ten = "".join(f"a,{number},2011/1/1,9:00,G,1,1\n" for number in range(10))
    two = "".join(f"b,{number},2011/1/1,9:00,G,1,1\n" for number in range(2))
    original = shop("a,f,1970/10/1,X\nb,f,1970/2/1,X\n", ten + two)
    assert CountOrder().sorted_rows(original).tolist() == [1, 0]
    assert CountOrder(order="text").sorted_rows(original).tolist() == [0, 1]


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(ParameterError, match="parameter 'order' of 're-sort' must be one of value, text, got 'random'"):
        MasterOrder(order="random")


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.lists(st.integers(-5, 40), max_size=12))
def test_the_smallest_row_among_the_nearest_wins(totals: list[int], wanted: list[int]) -> None:
    found = nearest_rows(np.array(totals), np.array(wanted, dtype=np.int64)).tolist()
    plain = [min(range(len(totals)), key=lambda row: (abs(totals[row] - one), row)) for one in wanted]
    assert found == plain


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name)
def test_guesses_are_rows_of_the_original(attack: MasterAttack) -> None:
    original, published = shop_of(random_history(20, 200, 1)), shop_of(random_history(13, 90, 2))
    rows = attack.choose(original, published, rng=RNG)
    assert len(rows) == 13
    assert rows.min() >= 0
    assert rows.max() < 20
    assert rows.tolist() == attack.choose(original, published, rng=np.random.default_rng(7)).tolist()


@pytest.mark.parametrize("attack", [GoodsOverlap(), AllFeatures()], ids=lambda attack: attack.name)
def test_pseudonyms_alone_hide_nobody(attack: MasterAttack) -> None:
    original = random_history(40, 900, 5)
    released, secret = MasterShuffle().anonymize(original, rng=np.random.default_rng(1))
    guesses = attack.guess(original, released, rng=RNG)
    assert guesses.hits(secret.owners) == len(guesses) == 40


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name)
def test_one_customer_is_always_found(attack: MasterAttack) -> None:
    one = shop(M.splitlines()[0] + "\n", "12360,554132,2011/5/23,9:43,21094,0.85,12\n")
    assert attack.choose(one, one, rng=RNG).tolist() == [0]
