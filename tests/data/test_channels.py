"""How methods say that they change values: probabilities that sum to one, and that the methods keep."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables_and_walks import method, table
from tokumei.data.channels import ColumnChannel, Limited, Noisy, Replaced, Rounded, Swapped, Unchanged
from tokumei.flow.making import anonymized

WIDE = np.arange(-2000, 2001)


def total(channel: ColumnChannel, original: int, published: Any) -> float:
    return float(np.exp(channel.log_likelihood(np.array([original]), np.asarray(published))).sum())


@given(st.floats(0.3, 40.0), st.integers(-5, 5), st.booleans())
def test_noise_sums_to_one_with_and_without_limits(scale: float, original: int, clipped: bool) -> None:  # noqa: FBT001
    low, high = (-5, 5) if clipped else (-(10**6), 10**6)
    values = np.arange(low, high + 1) if clipped else WIDE
    assert total(Noisy(scale=scale, low=low, high=high), original, values) == pytest.approx(1.0, abs=1e-6)


@given(st.floats(0.01, 0.99), st.integers(1, 9), st.integers(1, 30), st.sampled_from(["nearest", "down", "random"]))
def test_other_channels_sum_to_one(truth: float, others: int, base: int, style: str) -> None:
    assert total(Replaced(truth=truth, others=others), 0, np.arange(others + 1)) == pytest.approx(1.0)
    assert total(Rounded(base=base, style=style), 17, WIDE) == pytest.approx(1.0)
    assert total(Limited(low=3, high=9), 17, WIDE) == pytest.approx(1.0)
    assert total(Unchanged(), 17, WIDE) == pytest.approx(1.0)


def test_swapping_spreads_what_moves_over_the_ranks_within_reach() -> None:
    values = np.repeat(np.arange(10), 3)
    whole = Swapped(share=0.6, width=len(values) + 1, values=values)
    assert total(whole, 4, np.arange(10)) == pytest.approx(1.0)
    near = Swapped(share=0.6, width=3, values=values)
    told = np.exp(near.log_likelihood(np.array([4]), np.arange(10)))
    assert told[4] == max(told)
    assert (told[[0, 1, 8, 9]] < 1e-9).all()
    assert told[3] == pytest.approx(told[5], abs=0.11)


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("name", "settings", "column"),
    [
        ("laplace-noise", {"columns": "age=6"}, "age"),
        ("randomized-response", {"epsilon": 1.5}, "job"),
        ("rounding", {"columns": "age=10", "style": "random"}, "age"),
        ("top-bottom-coding", {"columns": "age=30..60"}, "age"),
        ("swapping", {"share": 0.5}, "town"),
    ],
)
def test_methods_do_what_their_channel_says(name: str, settings: dict[str, Any], column: str) -> None:
    """The mean log-likelihood of what comes out is that of the channel itself, as near as 100 runs can tell.

    Of swapping it says a little too much: a value that finds no partner stays where it is.
    """
    history, part = table(60), method(name, **settings)
    channel = part.channel(history)
    assert channel is not None
    assert channel.kept == 1.0
    change = channel.columns[column]
    found = []
    for seed in range(100):
        published, secret = anonymized(history, part, seed=seed)
        cells = published.cells[column]
        codes = cells.lo if hasattr(cells, "lo") else cells.codes
        found.append(change.log_likelihood(history.codes[column][secret.rows], codes))
    originals = history.codes[column][secret.rows]
    margin = 0 if name == "laplace-noise" else 20  # noise is kept within the smallest and the largest value
    values = np.arange(originals.min() - margin, originals.max() + margin + 1)
    if hasattr(cells, "codes"):
        values = np.arange(len(history.categories[column]))
    told = change.log_likelihood(originals[:, None], values[None, :])
    entropy = float((np.exp(told) * told).sum(axis=1).mean())
    assert float(np.concatenate(found).mean()) == pytest.approx(entropy, abs=0.2 if name == "swapping" else 0.1)


def test_methods_without_such_a_statement_have_no_channel() -> None:
    history = table(20)
    assert method("k-anonymity").channel(history) is None
    assert method("top-bottom-coding", ranges=True).channel(history) is None
    sampled = method("record-sampling", share=0.3).channel(history)
    assert sampled is not None
    assert sampled.kept == 0.3
    bounded = method("record-sampling", most=2).channel(history)
    assert bounded is not None
    assert bounded.kept is None
