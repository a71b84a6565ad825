"""Known records against trying everything by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sample_histories import sample
from tokumei.profiles import known_records
from tokumei.profiles.known_records import Holdings, dense_keys, unique_share, wilson_interval

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7)), min_size=1, max_size=40)


def by_hand(pairs: list[tuple[int, int]], known: int) -> float:
    """Return the mean share of sets of ``known`` distinct records that nobody else has all of."""
    subjects = sorted({who for who, _ in pairs})
    held = {who: {record for other, record in pairs if other == who} for who in subjects}
    shares = []
    for who in subjects:
        sets = list(combinations(sorted(held[who]), min(known, len(held[who]))))
        alone = [all(not set(one) <= held[other] for other in subjects if other != who) for one in sets]
        shares.append(sum(alone) / len(alone))
    return sum(shares) / len(shares)


def laid_out(pairs: list[tuple[int, int]]) -> Holdings:
    names, subject = np.unique([who for who, _ in pairs], return_inverse=True)
    return Holdings.of(subject, np.array([record for _, record in pairs]), subjects=len(names))


@given(PAIRS, st.integers(1, 4))
def test_few_sets_are_counted_exactly(pairs: list[tuple[int, int]], known: int) -> None:
    share = unique_share(laid_out(pairs), known)
    assert share.interval is None
    assert share.value == pytest.approx(by_hand(pairs, known))


@pytest.mark.parametrize("known", [2, 3, 5])
def test_drawn_sets_estimate_the_exact_share(monkeypatch: pytest.MonkeyPatch, known: int) -> None:
    rng = np.random.default_rng(3)
    pairs = list(zip(rng.integers(0, 30, 400).tolist(), rng.zipf(1.3, 400).clip(max=40).tolist(), strict=True))
    holdings = laid_out(pairs)
    exact = by_hand(pairs, known)
    monkeypatch.setattr(known_records, "MOST_EXACT_SETS", 0)
    share = unique_share(holdings, known, seed=1)
    assert share.interval is not None
    # Every subject gets as many draws; the interval is of 95 %, so that a little is allowed beyond it.
    assert share.interval.low - 0.01 <= exact <= share.interval.high + 0.01
    assert share.draws == 20_000 // 30 * 30
    assert unique_share(holdings, known, seed=1) == share
    assert unique_share(holdings, known, seed=2) != share


def test_more_subjects_than_draws_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_records, "MOST_EXACT_SETS", 0)
    monkeypatch.setattr(known_records, "DRAWS", 50)
    holdings = laid_out([(who, record) for who in range(200) for record in (who % 2, 10 + who // 100)])
    share = unique_share(holdings, 2)
    assert (share.value, share.draws) == (0.0, 50)


def test_the_interval_of_wilson() -> None:
    """Brown, Cai and DasGupta (2001): 10 of 100 gives 5.52 % to 17.44 %; none and all keep their end."""
    interval = wilson_interval(10, 100)
    assert [interval.low, interval.high] == pytest.approx([0.0552, 0.1744], abs=1e-4)
    assert wilson_interval(0, 10).low == 0.0
    assert wilson_interval(10, 10).high == 1.0


def test_keys_are_equal_exactly_where_the_values_are() -> None:
    history = sample("missing values")
    names = [spec.name for spec in history.schema.fields]
    for chosen in ([], names[:1], names[:2], names):
        keys = dense_keys(history, chosen)
        frame = pl.DataFrame(
            {
                "key": keys,
                "values": pl.Series(
                    [str(row) for row in zip(*(history.codes[n].tolist() for n in chosen), strict=True)]
                    or ["()"] * len(keys)
                ),
            }
        )
        pairs = frame.unique()
        assert pairs["key"].n_unique() == pairs["values"].n_unique() == pairs.height
