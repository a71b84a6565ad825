"""Joint risk of known designs, exact values of the research notes and spec B.7."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations, product
from operator import eq

import numpy as np
import pytest

from tokumei.attacks.matching.matchings import Bipartite, Matches, find_matches
from tokumei.audits.coordinated import coordinated_survival
from tokumei.audits.joint_risk import JointRisk, exchangeable_hits, joint_risk
from tokumei.audits.thresholds import official_thresholds, sharp_thresholds


def _groups(sizes: list[int]) -> Matches:
    label = np.repeat(np.arange(len(sizes)), sizes)
    subject, pseudonym = np.nonzero(label[:, None] == label[None, :])
    return find_matches(Bipartite.of_edges(len(label), len(label), subject, pseudonym))


def _cycles(sizes: list[int]) -> Matches:
    first = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
    place = np.arange(len(first))
    following = first + (place - first + 1) % np.repeat(sizes, sizes)
    links = np.concatenate((place, following)), np.concatenate((place, place))
    return find_matches(Bipartite.of_edges(len(place), len(place), *links))


def _risk(matches: Matches) -> dict[str, JointRisk]:
    tables = {"official": official_thresholds(100), "sharp": sharp_thresholds(100)}
    return joint_risk(matches, tables, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    ("sizes", "probability", "guesses", "survives"),
    [
        ([2] * 50, 0.0729980, 24, 0.3732918),
        ([3] * 33, 1 / 108, 7, 0.8860950),
        ([3] * 32 + [4], 1 / 108, 7, 0.8860950),
        ([5] * 20, 1 / 2400, 7, 0.9945969),
    ],
    ids=["pairs", "triples", "triples and a four", "fives"],
)
def test_exchangeable_groups(sizes: list[int], probability: float, guesses: int, survives: float) -> None:
    risk = _risk(_groups(sizes))["official"]
    assert risk.probability == pytest.approx(probability, abs=1e-7)
    assert risk.guesses == guesses
    assert risk.survives == pytest.approx(survives, abs=1e-7)


@pytest.mark.parametrize(
    ("size", "coordinated", "tolerance"), [(2, 0.227, 0.01), (3, 0.880, 0.001), (5, 1 - 13 / 2400, 1e-6)]
)
def test_attackers_who_agree_leave_less(size: int, coordinated: float, tolerance: float) -> None:
    risk = _risk(_groups([size] * (1000 // size)))["official"]
    assert risk.coordinated == pytest.approx(coordinated, abs=tolerance)
    assert risk.coordinated < risk.survives
    # No agreement wins more than attempts that never overlap.
    assert risk.coordinated >= 1 - 13 * risk.probability - 1e-12


def test_agreed_guesses_against_all_choices() -> None:
    """Two pairs, all four names wanted: of four worlds one attempt wins one, and no two that agree win the same."""
    survivals = [coordinated_survival(2, 4, 4, attempts, 0.25) for attempts in (1, 2, 3, 4, 5)]
    assert survivals == [0.75, 0.5, 0.25, 0.0, 0.0]


@pytest.mark.parametrize(
    ("size", "groups", "needed", "attempts"),
    [(2, 2, 4, 2), (2, 3, 4, 2), (2, 3, 6, 3), (2, 4, 6, 3), (2, 4, 8, 3), (3, 2, 4, 2), (3, 2, 6, 3)],
)
def test_agreed_guesses_are_the_best_of_all(size: int, groups: int, needed: int, attempts: int) -> None:
    """Up to eight people: every choice of guesses is tried in every world."""
    worlds = [sum(world, ()) for world in product(permutations(range(size)), repeat=groups)]
    wins = [
        frozenset(number for number, world in enumerate(worlds) if sum(map(eq, guess, world)) >= needed)
        for guess in worlds
    ]
    best = max(len(frozenset().union(*chosen)) for chosen in combinations(wins, attempts)) / len(worlds)
    survival = coordinated_survival(size, size * groups, needed, attempts, len(wins[0]) / len(worlds))
    assert survival == pytest.approx(1 - best)


def _best_chance(allowed: np.ndarray, table: Sequence[int]) -> float:
    """Return the best chance of all guesses, each tried in every world."""
    people = range(len(allowed))
    worlds = [world for world in permutations(people) if all(allowed[place, world[place]] for place in people)]
    best = 0
    for guess in product(*([-1, *{world[place] for world in worlds}] for place in people)):
        needed = table[sum(name >= 0 for name in guess)]
        best = max(best, sum(sum(map(eq, guess, world)) >= needed for world in worlds))
    return best / len(worlds)


@pytest.mark.half_second
def test_joint_risk_is_the_best_of_all_guesses() -> None:
    """Up to eight people: every guess in every world, under thresholds that ask for all, for most, or late for most."""
    tables = {"all": [9, *range(1, 9)], "most": [1, 1, 2, 2, 3, 3, 4, 4, 5], "late": [9, 9, 9, 3, 3, 4, 4, 5, 5]}
    rng = np.random.default_rng(1)
    for size in (3, 3, 4, 4, 4, 5, 5, 5):
        allowed = np.eye(size, dtype=bool)[rng.permutation(size)] | (rng.random((size, size)) < 0.35)
        pseudonym, subject = np.nonzero(allowed)
        matches = find_matches(Bipartite.of_edges(size, size, subject, pseudonym))
        risk = joint_risk(matches, tables, rng=np.random.default_rng(0))
        for name, table in tables.items():
            assert risk[name].probability == pytest.approx(_best_chance(allowed, table)), (name, allowed)
    # Pairs, triples and a cycle of up to eight people.
    for matches in (_groups([2] * 4), _groups([3, 3]), _cycles([8]), _cycles([5, 3])):
        graph = matches.graph
        allowed = np.zeros((graph.pseudonyms, graph.subjects), dtype=bool)
        allowed[graph.pseudonym, graph.subject] = True
        risk = joint_risk(matches, {"late": tables["late"]}, rng=np.random.default_rng(0))
        assert risk["late"].probability == pytest.approx(_best_chance(allowed, tables["late"]))


def test_the_sharp_threshold_catches_pairs_more_often() -> None:
    risk = _risk(_groups([2] * 50))
    assert risk["sharp"].probability == pytest.approx(0.388, abs=0.001)
    assert risk["sharp"].guesses > risk["official"].guesses


def test_a_cycle_of_seven_falls_to_one_coin_flip() -> None:
    risk = _risk(_cycles([2] * 40 + [7]))["official"]
    assert (risk.probability, risk.guesses) == (0.5, 7)


def test_certain_links_are_always_caught() -> None:
    risk = _risk(_groups([1] * 20))["official"]
    assert (risk.probability, risk.survives) == (1.0, 0.0)


@pytest.mark.half_second
def test_a_large_component_is_sampled() -> None:
    """A cycle of thirty has two perfect matchings, whether listed or drawn."""
    assert _risk(_cycles([30]))["official"].probability == pytest.approx(0.5, abs=0.05)
    chords = np.random.default_rng(1).random((30, 30)) < 0.2
    chords |= np.eye(30, dtype=bool) | np.roll(np.eye(30, dtype=bool), 1, axis=1)
    pseudonym, subject = np.nonzero(chords)
    risk = _risk(find_matches(Bipartite.of_edges(30, 30, subject, pseudonym)))["official"]
    assert 0 < risk.probability < 0.5


def test_draws_of_a_design_replace_equally_likely_matchings() -> None:
    matches = _groups([2] * 6)
    always = np.tile(np.arange(12), (400, 1))
    tables = {"official": official_thresholds(12)}
    assert joint_risk(matches, tables, rng=np.random.default_rng(0), worlds=always)["official"].probability == 1.0


def test_hits_of_exchangeable_members_sum_to_one() -> None:
    for size in range(1, 9):
        for guesses in range(size + 1):
            pmf = exchangeable_hits(size, guesses)
            assert pmf.sum() == pytest.approx(1.0)
            assert pmf @ np.arange(guesses + 1) == pytest.approx(guesses / size)
