"""Which published histories are equal byte for byte: what everybody can count who has the release, and nothing else."""

from __future__ import annotations

import hashlib

import polars as pl

from tokumei.data import Release

# No text of a release has these bytes: they cannot be mistaken for content.
_CELL, _RECORD, _TABLE = "\x1f", "\x1e", "\x1d"


def history_groups(release: Release) -> dict[str, int]:
    """Return the SHA-256 of every distinct published history, pseudonym aside, and how many pseudonyms have it.

    A history is the multiset of its records as text and, where there is a table of people, its row there.
    """
    texts = _histories(release)
    if release.people is not None:
        people = _histories(release.people).rename({"history": "person"})
        texts = texts.join(people, on="pseudonym", how="full", coalesce=True).select(
            "pseudonym", pl.concat_str(pl.col("history", "person").fill_null(""), separator=_TABLE).alias("history")
        )
    counts = texts.group_by("history").agg(pl.len().alias("size"))
    digests = [hashlib.sha256(history.encode()).hexdigest() for history in counts["history"].to_list()]
    return dict(sorted(zip(digests, counts["size"].to_list(), strict=True)))


def _histories(release: Release) -> pl.DataFrame:
    """Return the records of every pseudonym as one text, sorted."""
    text = release.text()
    text.columns = ["pseudonym", *(str(number) for number in range(1, text.width))]
    record = pl.concat_str(pl.exclude("pseudonym"), separator=_CELL).alias("record")
    lines = text.select("pseudonym", record if text.width > 1 else pl.lit("").alias("record"))
    return lines.group_by("pseudonym").agg(pl.col("record").sort().str.join(_RECORD).alias("history"))
