"""Contest files out: the aligned A of PWS Cup 2018 and its published form A', byte for byte."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from tokumei.data import History, Release, Secret


def aligned_slices(history: History, release: Release, secret: Secret, *, rows: int) -> Iterator[pl.DataFrame]:
    """Yield A as text columns, so many rows at a time: row i is made from record i of the original, or deleted.

    A is secret material: row i of A tells which record of T it was made from.
    """
    position = np.full(len(history), -1, dtype=np.int64)
    real = np.flatnonzero(secret.rows >= 0)
    position[secret.rows[real]] = real
    for start in range(0, max(len(position), 1), rows):
        part = position[start : start + rows]
        published = part >= 0
        text = release.take(part[published]).text(literal=True)
        deleted = pl.DataFrame({name: ["*"] for name in text.columns})
        yield pl.concat([text, deleted])[np.where(published, np.cumsum(published) - 1, text.height)]


def aligned_lines(history: History, release: Release, secret: Secret) -> pl.Series:
    """Return the lines of A."""
    (text,) = aligned_slices(history, release, secret, rows=max(len(history), 1))
    return text.select(pl.concat_str(pl.all(), separator=",").alias("line")).to_series()


def published_bytes(raw: bytes) -> tuple[bytes, int]:
    """Return A' for the bytes of A, and its number of rows (spec B.5).

    Rows that begin with ``*`` are dropped, the others sorted as whole lines by code point (which in UTF-8 is the order
    of the bytes); lines end in LF.
    """
    lines = raw.replace(b"\r\n", b"\n").split(b"\n")
    kept = sorted(line for line in lines if line and not line.startswith(b"*"))
    return b"".join(line + b"\n" for line in kept), len(kept)
