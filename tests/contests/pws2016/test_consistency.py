"""The detector of a P that does not belong to the data, hits against chance, and the verdict."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

from tests.shop_example import M3, P3, T3, M, T, history, random_history, release
from tokumei.contests.pws2016.attacks.likeness import combined_likeness
from tokumei.contests.pws2016.consistency import Consistency, combined_scores, judge_consistency, judge_release
from tokumei.contests.pws2016.methods.divided_transactions import DividedTransactions
from tokumei.contests.pws2016.methods.master_sampling import MasterSampling
from tokumei.contests.pws2016.methods.master_shuffle import MasterShuffle
from tokumei.contests.pws2016.methods.pseudonym_control import PseudonymControl
from tokumei.contests.pws2016.methods.yamaoka import ShiftedYamaoka, Yamaoka
from tokumei.contests.pws2016.metrics.row_guesses import chance_limit, judge_rows
from tokumei.contests.pws2016.rules import Rules2016
from tokumei.contests.pws2016.shop import claimed_rows, shop_of, shop_release
from tokumei.data import History, Outcome, Release, Secret
from tokumei.errors import InputError
from tokumei.parts import Method

SHOP = random_history(60, 900, 11)


def made(method: Method) -> tuple[Release, Secret]:
    return method.anonymize(SHOP, rng=np.random.default_rng(2))


def judged(original: History, release: Release, secret: Secret) -> Consistency:
    return judge_consistency(shop_of(original), shop_of(release), claimed_rows(secret))


@pytest.mark.parametrize(
    ("method", "consistent"),
    [
        (Yamaoka(), False),
        (ShiftedYamaoka(), False),
        (MasterShuffle(), True),
        (MasterSampling(delete_probability=0.5), True),
        (DividedTransactions(), True),
        (PseudonymControl(), True),
        (PseudonymControl(period="never", count=5, exchange=0.5), True),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_only_cheats_are_inconsistent(method: Method, consistent: bool) -> None:  # noqa: FBT001
    found = judged(SHOP, *made(method))
    assert found.consistent is consistent
    assert found.telling > 0


def test_a_cheat_with_a_blurred_master_is_found_too() -> None:
    cheat, secret = made(Yamaoka())
    blurred = shop_of(cheat).master.with_columns(birthday=pl.lit("1975/1/1"), sex=pl.lit("f"))
    transactions = shop_of(cheat).history.text(literal=True)
    assert not judged(SHOP, shop_release(blurred, transactions), secret).consistent


def test_the_example_of_the_paper() -> None:
    assert judged(history(), *release(M3, T3, *P3)).consistent
    cheat = judged(history(), *release(M, T, 2, 3, 4, 1))
    assert not cheat.consistent
    assert str(cheat.message()) == (
        "4 of 4 rows of M' show clearly whose data they are; 0 of them support P and 4 contradict it: "
        "P does not belong to this M' and T'."
    )
    worst = cheat.evidence.tables["worst"].row(0, named=True)
    assert (worst["row"], worst["claimed"], worst["shown"]) == (1, 2, 1)
    assert worst["likeness_shown"] == pytest.approx(1.0)


def test_ranks_of_the_claimed_customers_are_shown() -> None:
    """Honest rows crowd into the likest tenth; there are as many as rows of M'."""
    ranks = judged(SHOP, *made(MasterShuffle())).evidence.tables["ranks"]
    assert ranks["rows"].to_list() == [60] + [0] * 9


def test_a_release_that_tells_nothing_is_not_accused() -> None:
    """Everybody has the same master row and the same single purchase."""
    same = "".join(f"{number},f,1970/1/1,X\n" for number in range(5))
    bought = "".join(f"{number},1,2011/1/1,9:00,G,1,1\n" for number in range(5))
    found = judged(SHOP, *release(same, bought, 1, 2, 3, 4, 5))
    blurred = judged(history(same, bought), *release(same, bought, 5, 4, 3, 2, 1))
    assert blurred.consistent
    assert str(blurred.message()) == "None of the 5 rows of M' shows clearly whose data it is: P cannot be tested."
    assert found.rows == 5


def test_a_shared_likeness_gives_the_same_and_stays_as_it_was() -> None:
    cheat, secret = made(Yamaoka())
    likeness = combined_likeness(shop_of(SHOP), shop_of(cheat))
    before = likeness.copy()
    shared = judge_consistency(shop_of(SHOP), shop_of(cheat), claimed_rows(secret), likeness=likeness)
    assert shared.as_dict() == judged(SHOP, cheat, secret).as_dict()
    assert (likeness == before).all()


def test_hits_of_the_specification() -> None:
    """Spec A.2: P = (2, 4, 1), Q = (2, 1, 4) gives 1/3."""
    found = judge_rows(np.array([2, 4, 1]), np.array([2, 1, 4]), originals=4)
    assert found.as_dict() == {"hits": 1, "n": 3, "rate": 1 / 3, "baseline": 0.25, "control": pytest.approx(1 / 3)}


def test_the_control_is_the_mean_over_all_orders_of_p() -> None:
    from itertools import permutations

    truth, guesses = np.array([2, 4, 1]), np.array([4, 4, 3])
    rates = [(np.array(order) == guesses).mean() for order in permutations(truth.tolist())]
    assert judge_rows(truth, guesses).control == pytest.approx(np.mean(rates))


def test_lengths_must_agree() -> None:
    with pytest.raises(InputError, match="P has 2 rows and Q 3; give one guess for every row of M'"):
        judge_rows(np.array([1, 2]), np.array([1, 2, 3]))


@pytest.mark.parametrize(("n", "originals"), [(1, 1), (3, 4), (50, 50), (434, 4334), (4334, 4334)])
def test_the_chance_limit_is_the_binomial_quantile(n: int, originals: int) -> None:
    limit = chance_limit(n, originals, alpha=0.001)
    assert limit == min(int(binom.isf(0.001, n, 1 / originals)), n)


def verdict_of(method: Method, hits: int) -> tuple[Outcome, list[str]]:
    released, secret = made(method)
    rows = claimed_rows(secret) + 1
    results = {"re-x": judge_rows(rows, np.where(np.arange(60) < hits, rows, 0), originals=60)}
    verdict = judge_release(results, judged(SHOP, released, secret), originals=60)
    return verdict.outcome, [reason.code for reason in verdict.reasons]


def test_verdicts() -> None:
    assert verdict_of(MasterShuffle(), 1) == (Outcome.NOT_SHOWN_UNSAFE, ["chance"])
    assert verdict_of(MasterShuffle(), 30) == (Outcome.UNSAFE, ["re-identified"])
    assert verdict_of(ShiftedYamaoka(), 1) == (Outcome.UNSAFE, ["inconsistent-p"])


def test_combined_scores_add_or_take_the_worse() -> None:
    rules = Rules2016(cells="sex", complement=True)
    scores = rules.utility(history(), *release(M, T, 2, 3, 4, 1))
    found = combined_scores(scores, 0.25)
    error = 9.0412698 / (7.9 + 2.7642857)
    assert found == pytest.approx({"utility_error": error, "sum": error + 0.25, "max": error}, rel=1e-6)
