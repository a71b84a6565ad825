"""Pseudonyms: distinct, unordered, repeatable from a key or a seed, renewed and exchanged as asked."""

from __future__ import annotations

import hashlib
import hmac
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.errors import ParameterError
from tokumei.methods.pseudonyms import (
    draw_pseudonyms,
    exchange,
    generalized_pseudonyms,
    keyed_pseudonyms,
    new_key,
    renewed_by_count,
    renewed_by_period,
)

KEY = bytes(range(32))


def _rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_keyed_pseudonym_is_the_digest_of_the_subject() -> None:
    found = keyed_pseudonyms(pl.Series(["alice", "ぼぶ"]), KEY, length=20).to_list()
    wanted = [hmac.new(KEY, name.encode(), hashlib.sha256).hexdigest()[:20] for name in ("alice", "ぼぶ")]
    assert found == wanted


def test_keys_are_fresh_and_long() -> None:
    assert len(new_key()) == 32
    assert new_key() != new_key()


@pytest.mark.parametrize("length", [7, 65, 0, -1])
def test_a_digest_has_8_to_64_digits(length: int) -> None:
    with pytest.raises(ParameterError, match=f"must be from 8 to 64, got {length}"):
        keyed_pseudonyms(pl.Series(["a"]), KEY, length=length)


def test_two_subjects_never_share_a_keyed_pseudonym(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hmac.digest", lambda *_: b"\0" * 32)
    with pytest.raises(ParameterError, match="two subjects get the same pseudonym at 16 digits; use a larger length"):
        keyed_pseudonyms(pl.Series(["a", "b"]), KEY)


@given(st.integers(0, 300), st.integers(0, 2**32))
def test_drawn_pseudonyms_are_distinct_numbers_repeated_by_the_seed(count: int, seed: int) -> None:
    found = draw_pseudonyms(count, rng=_rng(seed))
    assert len(found) == found.n_unique() == count
    numbers = found.cast(pl.Int64)
    assert ((numbers >= 1) & (numbers <= 999_999_999)).all()
    assert found.equals(draw_pseudonyms(count, rng=_rng(seed)))


def test_drawn_pseudonyms_avoid_what_is_taken() -> None:
    first = draw_pseudonyms(50, rng=_rng())
    again = draw_pseudonyms(50, rng=_rng(), avoid=first)
    assert not again.is_in(first.implode()).any()
    assert again.n_unique() == 50


def test_drawn_pseudonyms_show_no_order() -> None:
    numbers = draw_pseudonyms(1000, rng=_rng()).cast(pl.Int64).to_numpy()
    ascending = (np.diff(numbers) > 0).mean()
    assert 0.4 < ascending < 0.6


def test_more_pseudonyms_than_numbers_are_refused() -> None:
    with pytest.raises(ParameterError, match="500000000 pseudonyms are too many for numbers of nine digits"):
        draw_pseudonyms(500_000_000, rng=_rng())


@pytest.mark.parametrize(
    ("period", "wanted"),
    [("day", [0, 1, 2, 3, 4]), ("week", [0, 0, 1, 1, 2]), ("month", [0, 0, 0, 1, 2]), ("year", [0, 0, 0, 1, 2])],
)
def test_a_pseudonym_changes_with_the_calendar(period: str, wanted: list[int]) -> None:
    """Saturday, Sunday and Monday of 2011 and a day of 2012 of one subject; another subject."""
    days = [date(2011, 12, 24), date(2011, 12, 25), date(2011, 12, 26), date(2012, 1, 1), date(2011, 12, 24)]
    codes = np.array([(day - date(1970, 1, 1)).days for day in days])
    found = renewed_by_period(np.array([0, 0, 0, 0, 1]), codes, period=period)
    assert found.tolist() == wanted


def test_an_unknown_period_is_refused() -> None:
    with pytest.raises(ParameterError, match="must be one of day, week, month, year, got 'hour'"):
        renewed_by_period(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), period="hour")


def test_a_pseudonym_changes_after_so_many_records() -> None:
    subject, rank = np.array([1, 0, 0, 0, 1]), np.array([0, 0, 1, 2, 1])
    assert renewed_by_count(subject, rank, count=2).tolist() == [2, 0, 0, 1, 2]
    with pytest.raises(ParameterError, match="must last for at least 1 record, got 0"):
        renewed_by_count(subject, rank, count=0)


@given(st.integers(0, 60), st.floats(0, 1), st.integers(0, 1000))
def test_an_exchange_moves_its_share_and_loses_nobody(count: int, share: float, seed: int) -> None:
    holder = _rng(seed).permutation(count).astype(np.int64)
    moved = exchange(holder, share=share, rng=_rng(seed))
    assert sorted(moved.tolist()) == sorted(holder.tolist())
    chosen = round(share * count)
    assert int((moved != holder).sum()) == (chosen if chosen > 1 else 0)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_outside_0_to_1_is_refused(share: float) -> None:
    with pytest.raises(ParameterError, match="the share of exchanged pseudonyms must be from 0 to 1"):
        exchange(np.arange(3), share=share, rng=_rng())


def test_equal_sets_get_one_fresh_pseudonym() -> None:
    members = pl.Series([["a", "b"], ["c"], ["b", "a", "a"]])
    rows, table = generalized_pseudonyms(members, rng=_rng(), avoid=pl.Series(["x"]))
    assert rows[0] == rows[2] != rows[1]
    stands_for = {name: sorted(group["member"].to_list()) for (name,), group in table.group_by("pseudonym")}
    assert stands_for == {rows[0]: ["a", "b"], rows[1]: ["c"]}
    assert not rows.is_in(pl.Series(["a", "b", "c", "x"]).implode()).any()


def test_no_sets_give_no_pseudonyms() -> None:
    rows, table = generalized_pseudonyms(pl.Series([], dtype=pl.List(pl.String)), rng=_rng())
    assert len(rows) == table.height == 0
