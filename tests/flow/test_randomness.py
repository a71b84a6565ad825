"""Random choices that nobody can compute: the stream of ChaCha20, its use by numpy and numba, and the keys of plans."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import tokumei
from tests.sample_histories import mixed_frame, sample
from tokumei.errors import ParameterError
from tokumei.flow import Plan, release, seeded
from tokumei.flow.plan import fresh_key
from tokumei.flow.randomness import ChaCha, key_generator, next_block

KEY = "5e" * 32


def test_a_block_is_that_of_the_standard() -> None:
    """RFC 8439, section 2.3.2."""
    state = np.zeros(33, dtype=np.uint32)
    state[:4] = np.frombuffer(b"expand 32-byte k", dtype="<u4")
    state[4:12] = np.frombuffer(bytes(range(32)), dtype="<u4")
    state[12:16] = np.frombuffer(bytes.fromhex("01000000 00000009 0000004a 00000000"), dtype="<u4")
    next_block(state)
    assert state[16:32].astype("<u4").tobytes().hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )


@njit(cache=False)
def _drawn(rng: np.random.Generator) -> float:
    return rng.random() + rng.integers(0, 10)


@pytest.mark.half_second
def test_numpy_and_numba_draw_from_it() -> None:
    rng = key_generator(bytes(32))
    values = rng.random(100_000)
    assert abs(values.mean() - 0.5) < 0.005
    assert 0 <= _drawn(rng) < 11
    assert sorted(rng.permutation(9).tolist()) == list(range(9))
    # A large draw crosses many blocks; words are handed out one by one.
    again = key_generator(bytes(32))
    assert np.concatenate((again.random(7), again.random(99_993))).tolist() == values.tolist()


def test_a_key_repeats_and_its_children_are_others() -> None:
    streams = [key_generator(bytes.fromhex(KEY)) for _ in range(2)]
    children = [child.random() for rng in streams for child in rng.spawn(2) + rng.spawn(1)]
    assert children[:3] == children[3:]
    assert len({*children, streams[0].random()}) == 4
    assert seeded(None).random() != seeded(None).random()
    assert seeded(3).random() == np.random.default_rng(3).random()


def test_the_state_is_not_written_down() -> None:
    with pytest.raises(TypeError, match="is a secret and is not written"):
        pickle.dumps(ChaCha(bytes(32)))
    with pytest.raises(ValueError, match="a key has 32 bytes, got 3"):
        ChaCha(b"abc")


def test_keys_cannot_be_guessed() -> None:
    assert len({fresh_key() for _ in range(100)}) == 100
    assert len(fresh_key()) == 64


def test_a_plan_with_its_key_makes_the_release_again_and_is_no_seed(tmp_path: Path) -> None:
    history = sample("mixed")
    made = release(history, Plan(method="k-anonymity", parameters={"k": 2, "effort": "fast"}))
    path = tmp_path / "p.toml"
    path.write_text(made.plan.to_toml(), encoding="utf-8")
    again = release(history, Plan.read(path))
    assert again.data.equals(made.data)
    assert (again.secret.seed, again.plan.key) == (None, made.plan.key)
    assert made.verdict is not None
    assert made.verdict.outcome.value == "safe"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('key = "abc"', "'key' must be 64 hexadecimal digits; leave it out for a fresh one"),
        (f'key = "{KEY}"\nseed = 1', "a plan has a key or a seed, not both; delete one of the lines"),
    ],
)
def test_a_wrong_key_is_refused(tmp_path: Path, lines: str, message: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f'method = "k-anonymity"\n{lines}\n', encoding="utf-8")
    with pytest.raises(ParameterError, match=message):
        Plan.read(path)


def test_a_seeded_release_is_never_called_safe_but_its_proof_is_told() -> None:
    made = tokumei.anonymize(mixed_frame(), subject="customer", k=3, seed=1, effort="fast")
    assert made.audit is not None
    assert made.verdict is not None
    assert made.verdict.outcome.value == "not-shown-unsafe"
    assert [reason.code for reason in made.verdict.reasons][:2] == ["seed", "k-anonymous"]
    assert (made.audit.proven_k, made.audit.as_dict()["proven_k"]) == (3, 3)
