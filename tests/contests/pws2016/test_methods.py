"""The anonymizers of 2016: what they keep, what they change, and what P says about it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tests.shop_example import random_shop, shop
from tokumei.contests.pws2016.methods.divided_transactions import DividedTransactions
from tokumei.contests.pws2016.methods.master_sampling import MasterSampling
from tokumei.contests.pws2016.methods.master_shuffle import MasterShuffle
from tokumei.contests.pws2016.methods.pseudonym_control import PseudonymControl
from tokumei.contests.pws2016.methods.yamaoka import ShiftedYamaoka, Yamaoka
from tokumei.contests.pws2016.shop import MasterAnonymizer, MasterRelease, Shop
from tokumei.errors import ParameterError

SHOP = random_shop(30, 400, 1)
ALL: list[MasterAnonymizer] = [
    Yamaoka(),
    ShiftedYamaoka(),
    MasterSampling(delete_probability=0.5),
    MasterShuffle(),
    DividedTransactions(),
    PseudonymControl(),
    PseudonymControl(exchange=0.0),
    PseudonymControl(period="never", count=4, exchange=0.5),
]
HONEST = ALL[2:5]


def made(method: MasterAnonymizer, seed: int = 3, original: Shop = SHOP) -> MasterRelease:
    return method.anonymize(original, rng=np.random.default_rng(seed))


def by_origin(released: MasterRelease) -> pl.DataFrame:
    """Return the transactions of T' under the ids of M, sorted."""
    origin = SHOP.master["customer"].gather(released.rows - 1)
    ids = origin.gather(released.shop.owner)
    return released.shop.transactions.with_columns(ids.alias("customer")).sort(pl.all())


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)
def test_every_release_keeps_the_rules(method: MasterAnonymizer) -> None:
    """P is injective and in range, M' has no more rows than M, pseudonyms are distinct and no id is left."""
    released = made(method)
    assert len(set(released.rows.tolist())) == len(released.rows) == released.shop.customers <= SHOP.customers
    assert released.rows.min() >= 1
    assert released.rows.max() <= SHOP.customers
    pseudonyms = released.shop.master["customer"]
    assert pseudonyms.n_unique() == len(pseudonyms)
    assert (pseudonyms.str.len_chars() == 16).all()
    for column in (pseudonyms, released.shop.transactions["customer"]):
        assert not column.is_in(SHOP.master["customer"].implode()).any()


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)
def test_a_seed_repeats_a_release_and_another_does_not(method: MasterAnonymizer) -> None:
    first, again, other = made(method), made(method), made(method, 4)
    assert first.shop.transactions.equals(again.shop.transactions)
    assert first.shop.master.equals(again.shop.master)
    assert first.rows.tolist() == again.rows.tolist()
    assert not first.shop.master["customer"].equals(other.shop.master["customer"])


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)
def test_one_customer_is_enough(method: MasterAnonymizer) -> None:
    one = shop("7,f,1970/1/1,X\n", "7,1,2011/1/1,9:00,G,1.5,2\n")
    released = made(method, original=one)
    assert released.rows.tolist() == [1]
    assert released.shop.quantity.sum() == 2


@pytest.mark.parametrize("method", ALL[:2], ids=lambda method: method.name)
def test_yamaoka_changes_ids_only(method: MasterAnonymizer) -> None:
    released = made(method)
    rest = pl.exclude("customer")
    assert released.shop.master.select(rest).equals(SHOP.master.select(rest))
    assert released.shop.transactions.select(rest).equals(SHOP.transactions.select(rest))
    assert released.shop.owner.tolist() == SHOP.owner.tolist()


def test_the_shifted_rows_are_fixed() -> None:
    assert made(ShiftedYamaoka(), original=shop()).rows.tolist() == [2, 3, 4, 1]


def test_yamaoka_rows_are_any_permutation() -> None:
    found = {tuple(made(Yamaoka(), seed, shop("1,f,1970/1/1,X\n2,f,1970/1/1,X\n", "1,1,2011/1/1,9:00,G,1,1\n")).rows)
             for seed in range(20)}  # fmt: skip
    assert found == {(1, 2), (2, 1)}


@pytest.mark.parametrize("method", HONEST[:2], ids=lambda method: method.name)
def test_rows_of_an_honest_release_belong_to_their_origin(method: MasterAnonymizer) -> None:
    released = made(method)
    rest = pl.exclude("customer")
    assert released.shop.master.select(rest).equals(SHOP.master[released.rows - 1].select(rest))
    kept = SHOP.transactions.filter(
        pl.col("customer").is_in(SHOP.master["customer"].gather(released.rows - 1).implode())
    )
    assert by_origin(released).equals(kept.sort(pl.all()))


def test_sampling_keeps_order_and_share() -> None:
    rows = made(MasterSampling(delete_probability=0.9), original=random_shop(2000, 10, 2)).rows
    assert (np.diff(rows) > 0).all()
    assert 150 < len(rows) < 250


def test_sampling_starts_again_until_somebody_survives() -> None:
    for seed in range(30):
        assert len(made(MasterSampling(delete_probability=0.99), seed, shop()).rows) >= 1


def test_shuffled_transactions_follow_the_new_master() -> None:
    assert (np.diff(made(MasterShuffle()).shop.owner) >= 0).all()


def test_division_keeps_sums_and_adds_rows() -> None:
    released = made(DividedTransactions())
    assert len(released.shop) == len(SHOP) + int((SHOP.quantity >= 2).sum())
    assert set(released.shop.master["birthday"]) == {"1975/1/1"}
    for name in ("sex", "country"):
        assert released.shop.master[name].equals(SHOP.master[released.rows - 1][name])
    assert released.shop.totals.tolist() == SHOP.totals[released.rows - 1].tolist()
    bought = released.shop.summed(released.shop.quantity)
    assert bought.tolist() == SHOP.summed(SHOP.quantity)[released.rows - 1].tolist()
    assert released.shop.quantity.min() >= 1


def test_the_share_of_divided_transactions_is_a_parameter() -> None:
    assert len(made(DividedTransactions(share=0.0)).shop) == len(SHOP)


def test_exchange_keeps_all_pseudonyms_known_and_mixes_histories() -> None:
    released = made(PseudonymControl())
    assert (released.shop.owner >= 0).all()
    assert len(released.shop) == len(SHOP)
    assert released.pseudonym_counts.max() > 1
    assert released.shop.master.select("sex", "birthday").equals(
        SHOP.master[released.rows - 1].select("sex", "birthday")
    )
    assert released.shop.totals.tolist() != SHOP.totals[released.rows - 1].tolist()


def test_renewal_gives_one_pseudonym_per_month_and_reports_them() -> None:
    released = made(PseudonymControl(exchange=0.0))
    month = SHOP.transactions["date"].str.split("/").list.get(1)
    months = SHOP.transactions.select("customer", month.alias("month")).unique().group_by("customer").len()
    wanted = dict(months.iter_rows())
    origin = SHOP.master["customer"].gather(released.rows - 1).to_list()
    assert released.pseudonym_counts.tolist() == [max(wanted.get(one, 0), 1) for one in origin]
    assert released.shop.transactions["customer"].n_unique() == sum(wanted.values())


def test_renewal_by_count_bounds_the_histories() -> None:
    released = made(PseudonymControl(period="never", count=4, exchange=0.0))
    assert released.shop.transactions["customer"].value_counts()["count"].max() == 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"period": "month", "count": 3}, "either by period or by count"),
        ({"period": "never"}, "either by period or by count"),
    ],
)
def test_contradictory_renewal_is_refused(settings: dict[str, int | str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PseudonymControl(**settings)  # type: ignore[arg-type]


def test_bad_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match="'birthday' of 'ano-divt' must be a date like 1975/1/1, got '1975/2/30'"):
        DividedTransactions(birthday="1975/2/30")
    with pytest.raises(ParameterError, match="'delete_probability' of 'ano-sampling' must be a number from 0 to 0.999"):
        MasterSampling(delete_probability=1.0)


def test_a_short_pseudonym_collides_loudly() -> None:
    with pytest.raises(ParameterError, match="'length' of 'ano-shuffle' must be a whole number from 8 to 50, got 4"):
        MasterShuffle(length=4)
