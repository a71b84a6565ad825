"""The anonymizers of 2016: what they keep, what they change, and what P says about it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tests.shop_example import history, random_history
from tokumei.contests.pws2016.attacks.all_features import AllFeatures
from tokumei.contests.pws2016.attacks.likeness import combined_likeness
from tokumei.contests.pws2016.consistency import judge_consistency
from tokumei.contests.pws2016.methods.customer_groups import CustomerGroups
from tokumei.contests.pws2016.methods.divided_transactions import DividedTransactions
from tokumei.contests.pws2016.methods.master_sampling import MasterSampling
from tokumei.contests.pws2016.methods.master_shuffle import MasterShuffle
from tokumei.contests.pws2016.methods.pseudonym_control import PseudonymControl
from tokumei.contests.pws2016.methods.yamaoka import ShiftedYamaoka, Yamaoka
from tokumei.contests.pws2016.shop import claimed_rows, shop_of
from tokumei.data import History
from tokumei.errors import InfeasibleError, ParameterError
from tokumei.parts import Method

ORIGINAL = random_history(30, 400, 1)
SHOP, TRANSACTIONS = shop_of(ORIGINAL), ORIGINAL.text(literal=True)
ALL: list[Method] = [
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


class Made:
    """A release with its views: the shop, its text, and P counted from 0."""

    def __init__(self, method: Method, seed: int = 3, original: History = ORIGINAL) -> None:
        self.release, self.secret = method.anonymize(original, rng=np.random.default_rng(seed))
        self.shop = shop_of(self.release)
        self.transactions = self.shop.history.text(literal=True)
        self.rows = claimed_rows(self.secret)

    def pseudonym_counts(self) -> list[int]:
        """Return under how many pseudonyms the customer of each row of the master appears."""
        owners = SHOP.owner[self.secret.rows]
        pairs = pl.DataFrame({"owner": owners, "name": self.release.pseudonyms}).unique()
        return np.bincount(pairs["owner"].to_numpy(), minlength=SHOP.customers)[self.rows].tolist()


def by_origin(released: Made) -> pl.DataFrame:
    """Return the transactions of T' under the ids of M, sorted."""
    origin = SHOP.master["customer"].gather(released.rows)
    ids = origin.gather(released.shop.owner)
    return released.transactions.with_columns(ids.alias("customer")).sort(pl.all())


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)
def test_every_release_keeps_the_rules(method: Method) -> None:
    """P is injective and in range, M' has no more rows than M, pseudonyms are distinct and no id is left."""
    released = Made(method)
    assert len(set(released.rows.tolist())) == len(released.rows) == released.shop.customers <= SHOP.customers
    assert released.rows.min() >= 0
    assert released.rows.max() < SHOP.customers
    pseudonyms = released.shop.master["customer"]
    assert pseudonyms.n_unique() == len(pseudonyms)
    assert (pseudonyms.str.len_chars() == 16).all()
    for column in (pseudonyms, released.transactions["customer"]):
        assert not column.is_in(SHOP.master["customer"].implode()).any()


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)
def test_a_seed_repeats_a_release_and_another_does_not(method: Method) -> None:
    first, again, other = Made(method), Made(method), Made(method, 4)
    assert first.transactions.equals(again.transactions)
    assert first.shop.master.equals(again.shop.master)
    assert first.rows.tolist() == again.rows.tolist()
    assert not first.shop.master["customer"].equals(other.shop.master["customer"])


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)
def test_one_customer_is_enough(method: Method) -> None:
    one = history("7,f,1970/1/1,X\n", "7,1,2011/1/1,9:00,G,1.5,2\n")
    released = Made(method, original=one)
    assert released.rows.tolist() == [0]
    assert released.shop.quantity.sum() == 2


@pytest.mark.parametrize("method", ALL[:2], ids=lambda method: method.name)
def test_yamaoka_changes_ids_only(method: Method) -> None:
    released = Made(method)
    rest = pl.exclude("customer")
    assert released.shop.master.select(rest).equals(SHOP.master.select(rest))
    assert released.transactions.select(rest).equals(TRANSACTIONS.select(rest))
    assert released.shop.owner.tolist() == SHOP.owner.tolist()


def test_the_shifted_rows_are_fixed() -> None:
    assert Made(ShiftedYamaoka(), original=history()).rows.tolist() == [1, 2, 3, 0]


def test_yamaoka_rows_are_any_permutation() -> None:
    found = {tuple(Made(Yamaoka(), seed, history("1,f,1970/1/1,X\n2,f,1970/1/1,X\n", "1,1,2011/1/1,9:00,G,1,1\n")).rows)
             for seed in range(20)}  # fmt: skip
    assert found == {(0, 1), (1, 0)}


@pytest.mark.parametrize("method", HONEST[:2], ids=lambda method: method.name)
def test_rows_of_an_honest_release_belong_to_their_origin(method: Method) -> None:
    released = Made(method)
    rest = pl.exclude("customer")
    assert released.shop.master.select(rest).equals(SHOP.master[released.rows].select(rest))
    kept = TRANSACTIONS.filter(pl.col("customer").is_in(SHOP.master["customer"].gather(released.rows).implode()))
    assert by_origin(released).equals(kept.sort(pl.all()))


def test_sampling_keeps_order_and_share() -> None:
    rows = Made(MasterSampling(delete_probability=0.9), original=random_history(2000, 10, 2)).rows
    assert (np.diff(rows) > 0).all()
    assert 150 < len(rows) < 250


@pytest.mark.half_second
def test_sampling_starts_again_until_somebody_survives() -> None:
    for seed in range(30):
        assert len(Made(MasterSampling(delete_probability=0.99), seed, history()).rows) >= 1


def test_shuffled_transactions_follow_the_new_master() -> None:
    assert (np.diff(Made(MasterShuffle()).shop.owner) >= 0).all()


def test_division_keeps_sums_and_adds_rows() -> None:
    released = Made(DividedTransactions())
    assert len(released.shop) == len(SHOP) + int((SHOP.quantity >= 2).sum())
    assert set(released.shop.master["birthday"]) == {"1975/1/1"}
    for name in ("sex", "country"):
        assert released.shop.master[name].equals(SHOP.master[released.rows][name])
    assert released.shop.totals.tolist() == SHOP.totals[released.rows].tolist()
    bought = released.shop.summed(released.shop.quantity)
    assert bought.tolist() == SHOP.summed(SHOP.quantity)[released.rows].tolist()
    assert released.shop.quantity.min() >= 1


def test_the_share_of_divided_transactions_is_a_parameter() -> None:
    assert len(Made(DividedTransactions(share=0.0)).shop) == len(SHOP)


def test_exchange_keeps_all_pseudonyms_known_and_mixes_histories() -> None:
    released = Made(PseudonymControl())
    assert (released.shop.owner >= 0).all()
    assert len(released.shop) == len(SHOP)
    assert max(released.pseudonym_counts()) > 1
    assert released.shop.master.select("sex", "birthday").equals(SHOP.master[released.rows].select("sex", "birthday"))
    assert released.shop.totals.tolist() != SHOP.totals[released.rows].tolist()


def test_renewal_gives_one_pseudonym_per_month_and_reports_them() -> None:
    released = Made(PseudonymControl(exchange=0.0))
    month = TRANSACTIONS["date"].str.split("/").list.get(1)
    months = TRANSACTIONS.select("customer", month.alias("month")).unique().group_by("customer").len()
    wanted = dict(months.iter_rows())
    origin = SHOP.master["customer"].gather(released.rows).to_list()
    assert released.pseudonym_counts() == [wanted.get(one, 0) for one in origin]
    assert released.transactions["customer"].n_unique() == sum(wanted.values())


def test_renewal_by_count_bounds_the_histories() -> None:
    released = Made(PseudonymControl(period="never", count=4, exchange=0.0))
    assert released.transactions["customer"].value_counts()["count"].max() == 4


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


@pytest.mark.parametrize("k", [2, 3])
def test_groups_are_published_alike_in_master_and_transactions(k: int) -> None:
    """Every customer has a row; whoever is published alike are k or more, in the master and in what they bought."""
    made = Made(CustomerGroups(k=k))
    assert sorted(made.rows.tolist()) == list(range(30))
    master = made.shop.master.drop("customer").rows()
    bought: dict[int, list[tuple[object, ...]]] = {row: [] for row in range(30)}
    for owner, line in zip(made.shop.owner.tolist(), made.transactions.rows(), strict=True):
        bought[owner].append(line[1:])
    crowds: dict[object, int] = {}
    for row in range(30):
        key = (master[row], tuple(sorted(bought[row])))
        crowds[key] = crowds.get(key, 0) + 1
    assert min(crowds.values()) >= k
    kept = made.secret.rows >= 0
    assert (SHOP.owner[made.secret.rows[kept]] == made.rows[made.shop.owner[kept]]).all()


def test_groups_leave_attacks_one_in_k() -> None:
    """Over many draws the best attack names 1/k; P is not contradicted, though nobody's data is published alone."""
    shares = []
    for seed in range(6):
        made = Made(CustomerGroups(k=3), seed)
        likeness = combined_likeness(SHOP, made.shop)
        guesses = AllFeatures().choose_from(likeness, SHOP, made.shop)
        shares.append(float((guesses == made.rows).mean()))
        assert judge_consistency(SHOP, made.shop, made.rows, likeness=likeness).consistent
    assert np.mean(shares) == pytest.approx(1 / 3, abs=0.12)


def test_groups_need_k_customers() -> None:
    with pytest.raises(InfeasibleError, match="needs at least 5 customers, the master has 4"):
        CustomerGroups(k=5).anonymize(history(), rng=np.random.default_rng(0))
