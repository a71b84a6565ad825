"""Contest files out: the aligned A of PWS Cup 2018 and its published form A', byte for byte."""

from __future__ import annotations

import numpy as np
import polars as pl

from tokumei.history import History, Release, Secret

__all__ = ["DELETED_ROW", "aligned_lines", "published_bytes"]

DELETED_ROW = "*,*,*,*,*"


def aligned_lines(history: History, release: Release, secret: Secret) -> pl.Series:
    """Return A: one line per record of the original, in its order; records that were not published are deleted rows.

    A is secret material: row i of A tells which record of T it was made from.
    """
    text = release.text(literal=True)
    lines = text.select(pl.concat_str(pl.all(), separator=",")).to_series()
    position = np.full(len(history), len(lines), dtype=np.int64)
    real = np.flatnonzero(secret.rows >= 0)
    position[secret.rows[real]] = real
    deleted = ",".join("*" * text.width)
    return pl.concat([lines, pl.Series([deleted])]).gather(position).alias("line")


def published_bytes(raw: bytes) -> tuple[bytes, int]:
    """Return A' for the bytes of A, and its number of rows (spec B.5).

    Rows that begin with ``*`` are dropped, the others sorted as whole lines by code point (which in UTF-8 is the order
    of the bytes); lines end in LF.
    """
    lines = raw.replace(b"\r\n", b"\n").split(b"\n")
    kept = sorted(line for line in lines if line and not line.startswith(b"*"))
    return b"".join(line + b"\n" for line in kept), len(kept)
