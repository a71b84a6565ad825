"""Attacks of PWS Cup 2021 on tables whose answers are known by hand, and ours against the others."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contests.pws2021.test_table import random_table, table_of
from tokumei.contests.pws2021.attacks.loss_band import LossBand, PenalizedBand, band_counts
from tokumei.contests.pws2021.attacks.nearest_linkage import ClosestRows, NearestLinkage
from tokumei.contests.pws2021.attacks.order_window import OrderWindow
from tokumei.contests.pws2021.attacks.perturbation_likelihood import (
    PerturbationLikelihood,
    align_independently,
    align_ordered,
)
from tokumei.contests.pws2021.attacks.seed_search import SeedSearch, SeedState
from tokumei.contests.pws2021.methods.team06 import allowed_records, swap_records
from tokumei.contests.pws2021.metrics.linkage_marks import linkage_marks
from tokumei.contests.pws2021.picked_rows import pick_rows, shuffled
from tokumei.contests.pws2021.rows import pair_losses
from tokumei.contests.pws2021.synthesizer import HealthSynthesizer
from tokumei.contests.pws2021.table import HealthTable
from tokumei.errors import ParameterError
from tokumei.synth.health import generate_health

RNG = np.random.default_rng(0)
BASE = "Male,{},White,9th,Married,{},0,0,0,0,Q2,1"


def test_rlink_answers_far_rows_as_deleted() -> None:
    release = table_of("\n".join(BASE.format(age, 30) for age in (20, 30, 40, 50)))
    test = table_of("\n".join(BASE.format(age, 30) for age in (20, 31, 45.5)))
    guesses, distances, median = NearestLinkage().link(test, release)
    assert guesses.tolist() == [[0, 1, 2], [1, 2, 0], [-1, -1, -1]]
    assert distances[:, 0].tolist() == [0.0, 1.0, 4.5]
    assert median == 1.0
    assert ClosestRows(count=1).choose(test, release, rng=RNG).tolist()[1:] == [[-1, -1, -1]] * 2


def test_the_band_attack_follows_its_rules() -> None:
    rows = [BASE.format(40, 30), BASE.format(40, 30), BASE.format(43, 30), BASE.format(44, 30), BASE.format(44.5, 30)]
    release = table_of("\n".join(rows))
    test = table_of("\n".join([BASE.format(40, 30), BASE.format(41, 30), BASE.format(60, 30)]))
    guesses = LossBand().choose(test, release, rng=np.random.default_rng(3))
    assert guesses[0].tolist() == [-1, -1, -1], "two near rows are decoys"
    assert guesses[1, :2].tolist() in ([3, 4], [4, 3]), "the band 3 to 4 comes first"
    assert guesses[1, 2] in (0, 1, 2), "then other rows within reach"
    assert guesses[2].tolist() == [-1, -1, -1], "no row is within reach"
    losses = np.array([[0.0, 0.4, 3.0, 4.0, 4.1]])
    assert band_counts(losses, low=3, high=4, near=0.5).tolist() == [[4, 2, 2]]


def test_the_order_points_to_the_nearest_places_within_reach() -> None:
    ages = (20, 60, 21, 61, 22, 62, 23, 63)
    release = table_of("\n".join(BASE.format(age, 30) for age in ages))
    test = table_of("\n".join(BASE.format(age, 30) for age in (21, 61)))
    guesses = OrderWindow().choose(test, release, rng=RNG)
    # The test rows point between places 1 and 2, and 5 and 6, of eight; rows of another age are out of reach.
    assert guesses.tolist() == [[2, 0, 4], [5, 7, 3]]
    assert OrderWindow(reach=50).choose(test, release, rng=RNG).tolist() == [[1, 2, 0], [5, 6, 4]]
    assert OrderWindow().choose(test, release.take(np.array([0])), rng=RNG).tolist() == [[0, -1, -1], [0, -1, -1]]


@given(st.integers(0, 10_000))
def test_no_pipeline_brings_the_order_attack_below_its_floor(seed: int) -> None:
    """Its hits on C with twice the reach are a lower bound for every D within the reach of C, test row by test row."""
    rng = np.random.default_rng(seed)
    table = random_table(60, seed=seed)
    within = pair_losses(table, table) <= 4
    changed = table.take(np.array([rng.choice(np.flatnonzero(row)) for row in within]))
    places = np.sort(rng.permutation(60)[:20])
    test = table.take(places)
    floor = (OrderWindow(reach=8).choose(test, table, rng=RNG) == places[:, None]).any(axis=1)
    hits = (OrderWindow().choose(test, changed, rng=RNG) == places[:, None]).any(axis=1)
    assert (hits | ~floor).all()


def test_a_penalty_moves_rows_out_of_the_band() -> None:
    release = table_of("\n".join([BASE.format(44, 30), BASE.format(43, 30).replace("9th", "11th")]))
    test = table_of(BASE.format(40, 30))
    plain = {tuple(LossBand().choose(test, release, rng=np.random.default_rng(s))[0, :2].tolist()) for s in range(20)}
    assert plain == {(0, 1), (1, 0)}
    far = PenalizedBand(penalty=2.0, differ="either")
    assert {int(far.choose(test, release, rng=np.random.default_rng(s))[0, 0]) for s in range(20)} == {0}


@given(seed=st.integers(0, 10_000), items=st.integers(1, 3), places=st.integers(1, 4))
def test_ordered_posteriors_equal_enumeration(seed: int, items: int, places: int) -> None:
    ratios = np.random.default_rng(seed).exponential(size=(items, places))
    share = 0.3
    total, wanted = 0.0, np.zeros((items, places))
    ascending = list(itertools.combinations_with_replacement(range(places), items))
    for sequence in ascending:
        weight = np.prod([1 - share + share * ratios[item, place] for item, place in enumerate(sequence)])
        total += weight
        for item, place in enumerate(sequence):
            wanted[item, place] += weight * share * ratios[item, place] / (1 - share + share * ratios[item, place])
    found = align_ordered(ratios, share)
    assert found.places == pytest.approx(wanted / total)
    assert found.log_likelihood == pytest.approx(np.log(total / len(ascending)))
    alone = align_independently(ratios[:1], share)
    single = 1 - share + share * ratios[0].mean()
    assert alone.present[0] == pytest.approx(share * ratios[0].mean() / single)


@pytest.mark.half_second
def test_our_attack_finds_lightly_changed_rows() -> None:
    table = random_table(500, 8)
    deleted = np.sort(np.random.default_rng(1).choice(500, 200, replace=False))
    kept = np.setdiff1d(np.arange(500), deleted)
    numbers = table.numbers[kept].copy()
    numbers[:, 0] += np.random.default_rng(2).integers(-1, 2, len(kept))
    release = type(table)(numbers, table.codes[kept], table.levels)
    rows, answers = pick_rows(500, deleted, seed=3)
    attack = PerturbationLikelihood()
    guesses = attack.choose(table.take(rows), release, rng=RNG)
    assert linkage_marks(answers, guesses).risk > 0.95
    plain = PerturbationLikelihood(ordered=False, mixed=False).choose(table.take(rows), release, rng=RNG)
    assert linkage_marks(answers, plain).risk > 0.8
    assert (plain[plain[:, 0] == -1] == -1).all()
    mixed, truth = shuffled(rows, answers, rng=np.random.default_rng(1))
    assert linkage_marks(truth, attack.choose(table.take(mixed), release, rng=RNG)).risk > 0.8
    with pytest.raises(ParameterError, match="parameter 'model' of 'likelihood' must be one of best, noise, exchange"):
        PerturbationLikelihood(model="guess")


@pytest.mark.half_second
def test_order_is_used_where_records_changed_places() -> None:
    """Exchanged records are exact copies elsewhere: they must not pass for lightly changed rows without an order."""
    draws = np.random.default_rng(4)
    text = pl.concat(generate_health(600, seed=1)).cast(pl.String)
    table = HealthTable.from_frame(text)
    deleted = np.sort(draws.choice(600, 150, replace=False))
    kept = np.setdiff1d(np.arange(600), deleted)
    allowed = allowed_records(table, kept, limit=4.0, similar=3)[:, kept]
    partner = swap_records(allowed & allowed.T, scarce_first=True, rng=draws)
    release = table.take(kept[np.where(partner >= 0, partner, np.arange(len(kept)))])
    rows, answers = pick_rows(600, deleted, seed=3)
    found = {
        ordered: linkage_marks(
            answers, PerturbationLikelihood(ordered=ordered).choose(table.take(rows), release, rng=RNG)
        )
        for ordered in (None, True, False)
    }
    assert found[None] == found[True]
    assert (found[True].topk, found[False].topk) == (1.0, 0.14)


@pytest.mark.half_second
@pytest.mark.parametrize("case", ["m01_light", "m02_medium", "m03_heavy"])
def test_our_attack_beats_the_others_on_the_golden_cases(golden: Path, case: str) -> None:
    from tokumei.contests.pws2021.rules import HealthFile, read_guesses

    folder = golden / "pws2021" / case
    test, release = HealthFile.read(folder / "CT.csv", "CT").table, HealthFile.read(folder / "D.csv", "D").table
    answers = read_guesses(folder / "Ea.csv", "EA")[:, 0]

    def risk(attack: NearestLinkage | LossBand | PerturbationLikelihood, seed: int = 0) -> float:
        guesses = attack.choose(test, release, rng=np.random.default_rng(seed))
        return linkage_marks(answers, guesses).risk

    ours = risk(PerturbationLikelihood())
    assert ours > risk(NearestLinkage()) + 0.1
    assert ours > max(risk(LossBand(), seed) for seed in range(20)) + 0.1


def test_attacks_answer_empty_and_tiny_tables() -> None:
    table = random_table(4, 6)
    tiny = table.take(np.array([0]))
    for attack in (NearestLinkage(), LossBand(), PenalizedBand(), PerturbationLikelihood(), ClosestRows()):
        guesses = attack.choose(table, tiny, rng=np.random.default_rng(0))
        assert guesses.shape == (4, 3)
        assert set(np.unique(guesses)) <= {-1, 0}


def test_the_seed_search_finds_a_small_seed_and_can_be_resumed() -> None:
    table = random_table(200, 7)
    synthesizer = HealthSynthesizer.of(table)
    secret = synthesizer.draw(200, rng=np.random.default_rng(9))
    known = secret.take(np.arange(20))

    def generate(rng: np.random.Generator) -> object:
        return synthesizer.draw(200, rng=rng)

    state = SeedSearch(last=20, most=5).run(generate, known)  # type: ignore[arg-type]
    assert (state.next_seed, state.found) == (5, None)
    resumed = SeedState.from_json(state.to_json())
    found = SeedSearch(last=20).run(generate, known, resumed)  # type: ignore[arg-type]
    assert (found.found, found.best_seed, found.best_rows, found.next_seed) == (9, 9, 20, 10)
    assert SeedSearch(last=20).run(generate, known, found) == found  # type: ignore[arg-type]
    nothing = SeedSearch(first=10, last=12).run(generate, known)  # type: ignore[arg-type]
    assert (nothing.found, nothing.next_seed) == (None, 13)
    with pytest.raises(ParameterError, match="no state of a seed search"):
        SeedState.from_json("{}")
