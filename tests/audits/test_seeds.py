"""A release made from a small seed is made again: by the method's own numbers first, else by running it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.sample_histories import mixed_frame, sample
from tokumei.audits.audit import audit_release
from tokumei.audits.seeds import find_seed
from tokumei.data.history import Release, Secret
from tokumei.data.results import Outcome
from tokumei.flow import Opened, make_method
from tokumei.flow.making import anonymized
from tokumei.flow.replaying import replay_of

HISTORY = sample("mixed")
METHODS = ["k-anonymity", "pseudonymize", "laplace-noise", "swapping", "k-concealment-assignment", "microaggregation"]


@pytest.mark.parametrize("name", METHODS)
def test_the_seed_of_every_kind_of_method_is_found_by_one_run(name: str) -> None:
    """The numbers alone tell the seed, wherever in the stream the method draws its pseudonyms."""
    method = make_method(name)
    release, secret = anonymized(HISTORY, method, seed=7)
    runs = []

    def replay(seed: int) -> tuple[Release, Secret]:
        runs.append(seed)
        return anonymized(HISTORY, method, seed=seed)

    found = find_seed(HISTORY, release, 10, replay)
    assert (found.seed, found.left, runs) == (7, 0, [7])
    assert found.secret is not None
    assert found.secret.owners.equals(secret.owners)


def test_pseudonyms_that_are_no_drawn_numbers_are_found_by_running() -> None:
    """A keyed method: its pseudonyms come from a key of its own, so that no seed makes them again."""
    method = make_method("pseudonymize", {"style": "keyed"})
    release, _ = anonymized(HISTORY, method, seed=7)
    tried = find_seed(HISTORY, release, 3, lambda seed: anonymized(HISTORY, method, seed=seed))
    assert tried.seed is None
    late = find_seed(HISTORY, release, 3, lambda _: (release, Secret.__new__(Secret)), deadline=time.monotonic() - 1)
    assert (late.seed, late.left) == (None, 3)


@pytest.mark.half_second
@pytest.mark.parametrize("with_secret", [True, False])
def test_a_found_seed_is_unsafe_whatever_else_holds(with_secret: bool) -> None:  # noqa: FBT001
    method = make_method("k-anonymity", {"k": 3, "effort": "fast"})
    release, secret = anonymized(HISTORY, method, seed=7)
    opened = Opened(history=HISTORY, release=release, parameters={"k": 3, "effort": "fast"})
    known = secret if with_secret else None
    result = audit_release(HISTORY, release, known, guess_seeds=10, replay=replay_of(opened))
    assert result.verdict.outcome is Outcome.UNSAFE
    assert result.verdict.reasons[0].sentence == (
        "the release was made from the seed 7: running the method with it gives the same bytes and names every owner"
    )
    assert result.reidentified["replayed-seed"].share == 1.0
    assert result.proven_k is None
    missed = audit_release(HISTORY, release, known, guess_seeds=7, replay=replay_of(opened))
    assert missed.verdict.outcome is (Outcome.NOT_SHOWN_UNSAFE if with_secret else Outcome.SAFE)


@pytest.mark.half_second
def test_what_cannot_be_run_again_is_told() -> None:
    release, secret = anonymized(HISTORY, make_method("k-anonymity", {"effort": "fast"}), seed=7)
    for parameters in ({"k": "many"}, {"hierarchies": "@private.toml"}):
        assert replay_of(Opened(history=HISTORY, release=release, parameters=parameters)) is None
    result = audit_release(HISTORY, release, secret, guess_seeds=2)
    assert "no-replay" in [reason.code for reason in result.verdict.skipped]


@pytest.mark.half_second
def test_the_command_finds_the_seed(run: Run, tmp_path: Path) -> None:
    mixed_frame().write_csv(tmp_path / "t.csv")
    made = run(
        "anonymize", tmp_path / "t.csv", "--subject", "customer", "--k", "3", "--seed", "7", "-o", tmp_path / "r"
    )
    assert "can be handed out" not in made.out
    assert "would be safe" in made.out
    audited = run(
        "audit", "--original", tmp_path / "t.csv", "--release", tmp_path / "r", "--guess-seeds", "10", "--json"
    )
    assert audited.status == 1
    assert audited.json["reasons"][0]["code"] == "seed-found"
