"""Likelihoods with one assignment name what the nearest history misses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from tests.leaky_releases import purchases
from tests.tables_and_walks import made, table, walks
from tokumei.attacks import LikelihoodMatching, NearestHistory, published_histories
from tokumei.attacks.likelihood_matching import channel_of
from tokumei.attacks.matching import likelihoods, one_assignment
from tokumei.attacks.matching.likelihoods import likelihood_rows
from tokumei.audits.audit import audit_release
from tokumei.data.history import History
from tokumei.data.results import Outcome
from tokumei.flow import attack_success


@pytest.mark.parametrize(
    ("history", "name", "settings", "least"),
    [
        (table(150), "randomized-response", {"epsilon": 3.0}, 0.1),
        (walks(100), "laplace-noise", {"epsilon": 10.0}, 0.1),
        (walks(100), "rounding", {"style": "random"}, 0.05),
    ],
    ids=["random answers", "noise", "random rounding"],
)
def test_it_names_more_than_the_nearest_history(
    history: History, name: str, settings: dict[str, Any], least: float
) -> None:
    """Randomized response on Adult: 24 % against 75 %; Laplace noise on trajectories: 0.7 % against 8 %."""
    released = made(history, name, **settings)
    likely = attack_success(released, LikelihoodMatching()).value
    nearest = attack_success(released, NearestHistory()).value
    assert likely > nearest + least
    result = audit_release(history, released.release, released.secret)
    assert result.reidentified["likelihood-matching"].share == pytest.approx(likely)
    assert result.verdict.outcome is (Outcome.UNSAFE if likely > 0.5 else Outcome.NOT_SHOWN_UNSAFE)
    assert "likelihood-matching" in [reason.code for reason in result.verdict.reasons]


def brute_force(history: History, released: Any) -> Any:
    """Return the log-likelihoods by the formula, pair by pair."""
    histories = published_histories(released.release)
    channel = channel_of(history, released.release)
    assert channel is not None
    rows = []
    for pseudonym in range(len(histories.names)):
        line = []
        for subject in range(len(history.subjects)):
            own = np.flatnonzero(history.subject == subject)
            value = 0.0 if len(histories.rows_of(pseudonym)) == len(own) else -30.0
            for record in histories.rows_of(pseudonym):
                likelihood = np.zeros(len(own))
                for spec in history.schema.fields:
                    cells = released.release.cells[spec.name]
                    told = cells.codes if spec.nominal else cells.lo
                    original = history.codes[spec.name][own]
                    change = channel.columns.get(spec.name)
                    if change is None:
                        likelihood += np.where(original == told[record], 0.0, -30.0)
                    else:
                        likelihood += change.log_likelihood(original, told[[record]])
                value += np.log(np.exp(likelihood).mean())
            line.append(value)
        rows.append(line)
    return np.array(rows)


def test_rows_of_likelihoods_follow_the_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    history = walks(12)
    released = made(history, "laplace-noise", epsilon=5.0)
    channel = channel_of(history, released.release)
    assert channel is not None
    expected = brute_force(history, released)
    histories = published_histories(released.release)
    for at_once in (likelihoods.PAIRS_AT_ONCE, 100):
        monkeypatch.setattr(likelihoods, "PAIRS_AT_ONCE", at_once)
        blocks = list(likelihood_rows(history, released.release, histories, channel))
        assert np.allclose(np.concatenate([rows for _, rows in blocks]), expected)
    monkeypatch.setattr(likelihoods, "MOST_PAIRS", 1)
    fewer = np.concatenate([rows for _, rows in likelihood_rows(history, released.release, histories, channel)])
    assert fewer.shape == expected.shape


def test_large_tables_are_assigned_by_their_best_subjects(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(2).normal(size=(40, 45))
    best = linear_sum_assignment(scores, maximize=True)[1]
    blocks = [(0, scores[:15]), (15, scores[15:])]
    assert one_assignment.assigned_by_blocks(blocks, 40, 45).tolist() == best.tolist()
    monkeypatch.setattr(one_assignment, "MOST_PAIRS", 10)
    assert one_assignment.assigned_by_blocks(blocks, 40, 45).tolist() == best.tolist()
    # Everybody likes one subject only: the best pairing within the lists, and for the others what they like.
    monkeypatch.setattr(one_assignment, "NEIGHBOURS", 1)
    liked = one_assignment.assigned_by_blocks(blocks, 40, 45)
    assert liked.tolist() == scores.argmax(axis=1).tolist()


def test_a_method_that_declares_nothing_leaves_a_blind_guess() -> None:
    released = made(purchases(), "k-anonymity", k=2, effort="fast")
    assert attack_success(released, LikelihoodMatching(), seed=1).value < 0.8
    assert channel_of(released.history, released.release) is None
