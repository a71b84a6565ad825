"""Likeness of customers against a plain computation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shop_example import random_history, shop
from tokumei.contests.pws2016.attacks.likeness import (
    Trait,
    add_trait,
    combined_likeness,
    rfm_distances,
    rfm_vectors,
    traits,
)
from tokumei.contests.pws2016.shop import shop_of

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=25)


def plain_jaccard(old: list[tuple[int, int]], new: list[tuple[int, int]], customers: int) -> np.ndarray:
    """Return the weighted Jaccard index of all pairs by sets."""
    before = [{element for who, element in old if who == customer} for customer in range(customers)]
    after = [{element for who, element in new if who == customer} for customer in range(customers)]

    def weight(elements: set[int]) -> float:
        return sum(np.log((customers + 1) / (1 + sum(one in held for held in before))) for one in elements)

    result = np.zeros((customers, customers))
    for row, left in enumerate(after):
        for column, right in enumerate(before):
            if weight(left & right) > 0:
                result[row, column] = weight(left & right) / weight(left | right)
    return result


def trait(pairs: list[tuple[int, int]]) -> Trait:
    return Trait(*np.array(pairs, dtype=np.int64).reshape(-1, 2).T)


@given(PAIRS, PAIRS)
def test_weighted_jaccard_is_that_of_sets(old: list[tuple[int, int]], new: list[tuple[int, int]]) -> None:
    found = add_trait(np.zeros((5, 5), dtype=np.float32), trait(old), trait(new))
    assert found == pytest.approx(plain_jaccard(old, new, 5), abs=1e-6)


def test_vectors_of_the_example() -> None:
    """R, F and M of spec A.3.3: 12362 bought last on 2011/4/28, twice, for 67.80."""
    vector = rfm_vectors(shop())[2]
    assert vector[0] == shop().day[4]
    assert np.expm1(vector[1:]) == pytest.approx([2, 6780])
    assert np.expm1(rfm_vectors(shop(), extended=True)[2, 3:]) == pytest.approx([5, 36])


def test_distances_are_euclidean_in_spreads_of_the_original() -> None:
    old, new = shop_of(random_history(6, 40, 1)), shop_of(random_history(4, 20, 2))
    spread = rfm_vectors(old).std(axis=0)
    wanted = np.linalg.norm((rfm_vectors(new)[:, None] - rfm_vectors(old)[None]) / spread, axis=2)
    assert rfm_distances(old, new) == pytest.approx(wanted, rel=1e-5)


def test_nobody_is_liker_than_oneself() -> None:
    found = shop_of(random_history(12, 150, 3))
    likeness = combined_likeness(found, found)
    assert (likeness.argmax(axis=1) == np.arange(12)).all()
    assert likeness.max() == pytest.approx(1.0)
    assert likeness.min() >= 0


def test_orphans_have_no_traits() -> None:
    found = shop_of(random_history(5, 30, 4))
    strangers = shop("1,f,1970/1/1,A\n", "2,1,2011/1/1,9:00,X,1,1\n")
    assert all(len(new.customer) == 0 for _, new in traits(found, strangers).values())
