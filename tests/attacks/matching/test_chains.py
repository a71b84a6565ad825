"""Chains end in time wherever a walk is, begin far from each other, and give nothing where they disagree."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from tests.attacks.matching.test_matchings import graph_of
from tokumei.array_types import Bools, Ints
from tokumei.attacks.matching import posteriors
from tokumei.attacks.matching.chains import WormChain, chain_layout, far_matching
from tokumei.attacks.matching.matchings import find_matches
from tokumei.attacks.matching.posteriors import Effort, posterior


def trap(size: int) -> Bools:
    """Row i fits i and all later columns, the last row the first column too: from one end a walk hardly gets back."""
    matrix = np.triu(np.ones((size, size), dtype=bool))
    matrix[-1, 0] = True
    return matrix


def bridged(size: int) -> Bools:
    """Two blocks that exchange members over one narrow bridge each way."""
    matrix = np.zeros((2 * size, 2 * size), dtype=bool)
    matrix[:size, :size] = np.triu(np.ones((size, size), dtype=bool))
    matrix[size:, size:] = np.triu(np.ones((size, size), dtype=bool))
    matrix[size - 1, size], matrix[-1, 0] = True, True
    return matrix


@pytest.mark.half_second
@pytest.mark.parametrize("matrix", [trap(169), bridged(80)], ids=["trap", "bridged"])
def test_a_trap_ends_at_the_deadline(matrix: Bools) -> None:
    matches = find_matches(graph_of(matrix))
    # The first call compiles the kernel.
    posterior(find_matches(graph_of(trap(4))), rng=np.random.default_rng(1), exact_size=1, effort=Effort(steps=10))
    begun = time.monotonic()
    found = posterior(
        matches, rng=np.random.default_rng(1), exact_size=1, effort=Effort(steps=10**12), deadline=begun + 0.5
    )
    assert time.monotonic() - begun < 5
    assert found.probability.max() <= 1.0


def test_steps_end_a_walk_that_does_not() -> None:
    matches = find_matches(graph_of(trap(169)))
    layout = chain_layout(matches, matches.components[0])
    chain = WormChain(*layout, np.random.default_rng(1), steps=1_000_000)
    assert chain.run(1_000_000)
    assert np.add.reduceat(chain.shares(), layout[0][:-1]) == pytest.approx(np.ones(169))


def test_the_second_chain_begins_far_away() -> None:
    matches = find_matches(graph_of(np.roll(np.eye(30, dtype=bool), 1, axis=1) | np.eye(30, dtype=bool)))
    starts, columns, row_edge = chain_layout(matches, matches.components[0])
    far = far_matching(starts, columns, row_edge, np.random.default_rng(0))
    assert not set(far.tolist()) & set(row_edge.tolist())
    assert sorted(columns[far].tolist()) == list(range(30))


def test_chains_that_disagree_compute_nothing() -> None:
    """The trap has two kinds of matchings that no chain joins in so few steps."""
    matches = find_matches(graph_of(trap(40)))
    found = posterior(matches, rng=np.random.default_rng(1), exact_size=1, effort=Effort(steps=2_000))
    assert found.apart > 0.05
    assert not found.computed.any()
    blind = 1.0 / matches.graph.degrees()[matches.graph.pseudonym]
    assert found.probability == pytest.approx(blind)


def test_traps_are_computed_exactly() -> None:
    """They are wide, but few states can be reached: no chain is needed, and both halves of the truth are told."""
    found = posterior(find_matches(graph_of(trap(169))), rng=np.random.default_rng(1))
    assert found.computed.all()
    assert (found.sampled, found.difference) == (0, 0.0)
    # The identity, and one matching for each way from the first to the last over some of the 167 between.
    assert found.log_matchings[0] / np.log(2) == pytest.approx(167)
    assert found.of_pairs(np.array([84]), np.array([84]))[0] == pytest.approx(0.5)


def _agree(sizes: list[int]) -> None:
    rng = np.random.default_rng(3)
    for number, size in enumerate(sizes):
        cycle = np.eye(size, dtype=bool) | np.roll(np.eye(size, dtype=bool), 1, axis=1)
        matches = find_matches(graph_of(cycle | (rng.random((size, size)) < 1.5 / size)))
        exact = posterior(matches, rng=np.random.default_rng(number))
        assert exact.sampled == 0
        chains = posterior(matches, rng=np.random.default_rng(number), exact_size=1)
        assert chains.computed.all()
        assert np.abs(chains.probability - exact.probability).max() < 0.02


@pytest.mark.half_second
def test_chains_agree_with_exact_counts() -> None:
    _agree([16, 20, 24, 30])


@pytest.mark.campaign
def test_chains_agree_with_exact_counts_on_a_hundred_graphs(record_property: Callable[[str, object], None]) -> None:
    _agree([20 + number % 11 for number in range(100)])
    record_property("figure", "100 graphs of 20 to 30 pseudonyms: chains within 0.02 of the exact posterior")


def groups(kinds: int, each: int) -> tuple[Bools, Ints]:
    """Identical rows in groups of ``each``, the groups of a circle joined: who is in one fits the next one too."""
    circle = np.eye(kinds, dtype=bool) | np.roll(np.eye(kinds, dtype=bool), 1, axis=1)
    return np.kron(circle, np.ones((each, each), dtype=bool)), np.repeat(np.arange(kinds), each)


def test_identical_histories_share_what_chains_saw_and_lose_its_noise() -> None:
    matrix, kind = groups(8, 3)
    matches = find_matches(graph_of(matrix))
    plain = posterior(matches, rng=np.random.default_rng(1), exact_size=1, effort=Effort(steps=200_000))
    joined = posterior(matches, rng=np.random.default_rng(1), kind=kind, exact_size=1, effort=Effort(steps=200_000))
    assert joined.difference < plain.difference / 2
    shares = joined.probability.reshape(24, 6)
    assert (shares == shares[kind * 3]).all()
    assert shares.max() <= 1 / 3 + 1e-12
    exact = posterior(matches, rng=np.random.default_rng(1))
    assert joined.probability == pytest.approx(exact.probability, abs=0.01)


def test_chains_end_once_they_agree_and_where_they_never_will(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    run = WormChain.run

    def noted(chain: WormChain, upto: int, deadline: float | None = None) -> bool:
        done.append(upto)
        return run(chain, upto, deadline)

    monkeypatch.setattr(WormChain, "run", noted)
    effort = Effort(steps=64_000_000, enough=0.02)
    matrix, kind = groups(8, 3)
    agreed = posterior(
        find_matches(graph_of(matrix)), rng=np.random.default_rng(1), kind=kind, exact_size=1, effort=effort
    )
    assert done == [500_000, 500_000]
    assert 0 < agreed.difference <= 0.02
    done.clear()
    hopeless = posterior(find_matches(graph_of(trap(169))), rng=np.random.default_rng(1), exact_size=1, effort=effort)
    assert max(done) == 1_000_000
    assert not hopeless.computed.any()
    assert hopeless.apart > 0.5


def test_what_was_too_wide_for_a_sweep_is_not_swept_again(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = find_matches(graph_of(groups(8, 3)[0]))
    known = posterior(matches, rng=np.random.default_rng(1), effort=Effort(steps=2_000_000, transitions=100))
    assert (known.sampled, known.wide.tolist()) == (1, [True])
    monkeypatch.setattr(posteriors, "sweep", pytest.fail)
    drawn = posteriors.sample_matchings(matches, known, rng=np.random.default_rng(1), count=20, steps=200_000)[0]
    assert (np.sort(matches.graph.subject[drawn], axis=1) == np.arange(24)).all()
