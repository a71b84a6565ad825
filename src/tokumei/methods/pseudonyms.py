"""Pseudonyms: keyed or random, one per subject or renewed by period or count, exchanged, or standing for a set.

All functions return texts; which subject a text stands for is the caller's Secret. No pseudonym shows an order: keyed
ones are digests, random ones are drawn without looking at the subjects.
"""

from __future__ import annotations

import hmac
import secrets

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.errors import ParameterError

LARGEST_NUMBER = 999_999_999
SHORTEST_DIGEST, LONGEST_DIGEST = 8, 64


def new_key() -> bytes:
    """Return 32 bytes of the operating system's entropy."""
    return secrets.token_bytes(32)


def keyed_pseudonyms(subjects: pl.Series, key: bytes, *, length: int = 16) -> pl.Series:
    """Return HMAC-SHA-256(key, subject) in hexadecimal, cut to ``length`` digits (PWS Cup 2016, spec A.1.4).

    The same key gives the same pseudonyms, so that releases of several periods can be joined by who holds the key.
    """
    if not SHORTEST_DIGEST <= length <= LONGEST_DIGEST:
        message = f"the length of a keyed pseudonym must be from {SHORTEST_DIGEST} to {LONGEST_DIGEST}, got {length}"
        raise ParameterError(message)
    digests = [hmac.digest(key, subject.encode(), "sha256").hex()[:length] for subject in subjects.to_list()]
    if len(set(digests)) < len(digests):
        raise ParameterError(f"two subjects get the same pseudonym at {length} digits; use a larger length")
    return pl.Series("pseudonym", digests, dtype=pl.String)


def draw_pseudonyms(count: int, *, rng: np.random.Generator, avoid: pl.Series | None = None) -> pl.Series:
    """Return distinct random numbers from 1 to 999,999,999 as texts, none of them in ``avoid``."""
    taken = pl.Series(dtype=pl.String) if avoid is None else avoid.cast(pl.String).unique()
    if count > (LARGEST_NUMBER - len(taken)) // 2:
        raise ParameterError(f"{count} pseudonyms are too many for numbers of nine digits")
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < count:
        # Duplicates are dropped by first appearance, so that the draw stays uniform and its order random.
        more = np.concatenate((drawn, rng.integers(1, LARGEST_NUMBER + 1, size=count - len(drawn) + 16)))
        _, first = np.unique(more, return_index=True)
        drawn = more[np.sort(first)]
        text = pl.Series(drawn).cast(pl.String)
        drawn = drawn[~text.is_in(taken.implode()).to_numpy()]
    return pl.Series("pseudonym", drawn[:count]).cast(pl.String)


def renewed_by_period(subject: Ints, day: Ints, *, period: str) -> Ints:
    """Return, per record, the number of its (subject, period) pair, for a pseudonym that changes with the calendar.

    ``day`` counts days since 1970-01-01; ``period`` is ``day``, ``week``, ``month`` or ``year``.
    """
    units = {"day": "1d", "week": "1w", "month": "1mo", "year": "1y"}
    if period not in units:
        raise ParameterError(f"the period of a pseudonym must be one of {', '.join(units)}, got '{period}'")
    start = pl.Series(day).cast(pl.Int32).cast(pl.Date).dt.truncate(units[period]).cast(pl.Int32)
    return _numbered(subject, start.to_numpy().astype(np.int64))


def renewed_by_count(subject: Ints, rank: Ints, *, count: int) -> Ints:
    """Return, per record, the number of its chunk: a subject gets a new pseudonym after every ``count`` records.

    ``rank`` is the position of the record within its subject's history, from 0.
    """
    if count < 1:
        raise ParameterError(f"a pseudonym must last for at least 1 record, got {count}")
    return _numbered(subject, rank // count)


def renewals(subject: Ints, when: Ints, *, period: str, count: int) -> tuple[Ints, Ints]:
    """Return, per record, the number of the chunk that one pseudonym covers, and of the period that it falls into.

    ``when`` is the day of the record for a renewal by calendar; with the ``period`` ``never`` it is the record's place
    in the history of its subject, for a renewal after every ``count`` records.
    """
    if period == "never":
        return renewed_by_count(subject, when, count=count), when // count
    return renewed_by_period(subject, when, period=period), renewed_by_period(0 * subject, when, period=period)


def exchange_by_period(holder: Ints, period: Ints, *, share: float, rng: np.random.Generator, begin: int = 0) -> Ints:
    """Return, per chunk, whose pseudonym it is published under: within a period a share of them changes hands.

    Exchange begins with the period at place ``begin``; before it everybody has the own pseudonym.
    """
    slot = holder.copy()
    for number in np.unique(period)[begin:]:
        present = np.flatnonzero(period == number)
        slot[present] = exchange(slot[present], share=share, rng=rng)
    return slot


def _numbered(subject: Ints, part: Ints) -> Ints:
    """Return dense numbers of the distinct (subject, part) pairs, ordered by subject and part."""
    order = np.lexsort((part, subject))
    change = np.ones(len(order), dtype=np.bool_)
    change[1:] = (np.diff(subject[order]) != 0) | (np.diff(part[order]) != 0)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(change) - 1
    return number


def exchange(holder: Ints, *, share: float, rng: np.random.Generator) -> Ints:
    """Return the holders after a share of them exchanged pseudonyms at random (never with themselves).

    ``holder[i]`` is the subject behind pseudonym i; the result is a permutation of it.
    """
    if not 0 <= share <= 1:
        raise ParameterError(f"the share of exchanged pseudonyms must be from 0 to 1, got {share}")
    chosen = rng.permutation(len(holder))[: round(share * len(holder))]
    result = holder.copy()
    if len(chosen) > 1:
        # A cyclic shift of a random order moves everyone who was chosen.
        result[chosen] = holder[np.roll(chosen, 1)]
    return result


def generalized_pseudonyms(
    members: pl.Series, *, rng: np.random.Generator, avoid: pl.Series | None = None
) -> tuple[pl.Series, pl.DataFrame]:
    """Return a fresh random pseudonym per distinct set of pseudonyms, and what each stands for.

    ``members`` is a list column; equal sets share one id (k-concealment for histories, Def 3.6; spec F-C6). The frame
    has one row ``pseudonym``, ``member`` per element.
    """
    sets = members.list.unique().list.sort().alias("member")
    distinct = pl.DataFrame([sets]).unique().sort("member")
    taken = sets.explode() if avoid is None else pl.concat([sets.explode().cast(pl.String), avoid.cast(pl.String)])
    fresh = draw_pseudonyms(distinct.height, rng=rng, avoid=taken)
    table = distinct.with_columns(fresh)
    row = pl.DataFrame([sets]).join(table, on="member", how="left", maintain_order="left")
    return row["pseudonym"], table.explode("member").select("pseudonym", "member")
