"""Master and transactions as arrays."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.shop_example import M, T, history, release, shop
from tokumei.contests.pws2016.shop import shop_of
from tokumei.errors import ContentError, InfeasibleError, SchemaError


def test_the_example_of_the_paper() -> None:
    """Counts and totals of spec A.5; money in pence."""
    found = shop()
    assert found.owner.tolist() == [2, 2, 1, 1, 2, 2, 2, 0, 0]
    assert found.counts.tolist() == [2, 2, 5, 0]
    assert found.totals.tolist() == [9990, 4320, 6780, 0]
    assert found.minute[[0, 4]].tolist() == [630, 552]
    assert np.diff(found.day)[1:3].tolist() == [8, 0]
    assert (len(found), found.customers) == (9, 4)


def test_orphans_belong_to_nobody() -> None:
    found = shop(M.replace("12362", "99999"), T)
    assert found.counts.tolist() == [2, 2, 0, 0]
    assert (found.owner < 0).sum() == 5


def test_a_bad_number_is_named_with_its_place() -> None:
    with pytest.raises(
        ContentError, match=r"transactions, line 1, column 6 \(price\): 'cheap' is not a number in steps"
    ):
        shop(M, T.replace("3.75", "cheap"))


def test_a_customer_twice_in_the_master_is_refused() -> None:
    with pytest.raises(SchemaError, match="a table of people has one row per subject; this one has several rows"):
        shop(M + "12361,m,1960/1/1,Japan\n", T)


def test_records_without_a_master_are_no_shop() -> None:
    alone = dataclasses.replace(history(), people=None)
    with pytest.raises(InfeasibleError, match="the data has no table of people; give the master beside"):
        _ = shop_of(alone).owner


def test_a_release_does_not_show_its_rows() -> None:
    assert repr(release(M, T, 2, 3, 4, 1)[1]) == "Secret(…)"
