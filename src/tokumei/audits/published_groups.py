"""Which published histories are equal byte for byte: what everybody can count who has the release, and nothing else."""

from __future__ import annotations

import hashlib

import polars as pl

from tokumei.data import Release

# What stands between cells, records and tables; where a text of the release has them, or the mark, a mark is before.
_CELL, _RECORD, _TABLE = "\x1f", "\x1e", "\x1d"
_MARK, _MARKED = "\x1c", "[\x1c-\x1f]"


def history_groups(release: Release, text: pl.DataFrame | None = None) -> dict[str, int]:
    """Return the SHA-256 of every distinct published history, pseudonym aside, and how many pseudonyms have it.

    A history is the multiset of its records as text and, where there is a table of people, its row there. ``text`` is
    that of the release, if somebody has made it already.
    """
    return group_sizes_of(history_digests(release, text))


def group_sizes_of(digests: pl.DataFrame) -> dict[str, int]:
    """Return every distinct ``digest`` and how many pseudonyms have it."""
    counts = digests.group_by("digest").agg(pl.len().alias("size")).sort("digest")
    return {digest.hex(): size for digest, size in counts.iter_rows()}


def history_digests(release: Release, text: pl.DataFrame | None = None) -> pl.DataFrame:
    """Return the SHA-256 of the history of every pseudonym: ``pseudonym``, ``digest``; no order is meant.

    ``text`` is that of the release, if somebody has made it already.
    """
    texts = _histories(release.text() if text is None else text)
    if release.people is not None:
        people = _histories(release.people.text()).rename({"history": "person"})
        texts = texts.join(people, on="pseudonym", how="full", coalesce=True).select(
            "pseudonym", pl.concat_str(pl.col("history", "person").fill_null(""), separator=_TABLE).alias("history")
        )
    digests = [hashlib.sha256(history.encode()).digest() for history in texts["history"].to_list()]
    return pl.DataFrame({"pseudonym": texts["pseudonym"], "digest": pl.Series(digests, dtype=pl.Binary)})


def _histories(table: pl.DataFrame) -> pl.DataFrame:
    """Return the records of every pseudonym as one text, sorted."""
    names = [str(number) if number else "pseudonym" for number in range(table.width)]
    columns = [table.to_series(0), *(_unmistakable(column) for column in table.get_columns()[1:])]
    text = pl.DataFrame([column.alias(name) for column, name in zip(columns, names, strict=True)])
    record = pl.concat_str(pl.exclude("pseudonym"), separator=_CELL).alias("record")
    lines = text.select("pseudonym", record if text.width > 1 else pl.lit("").alias("record"))
    return lines.group_by("pseudonym").agg(pl.col("record").sort().str.join(_RECORD).alias("history"))


def _unmistakable(column: pl.Series) -> pl.Series:
    """Return cells of which none can be taken for two, or for the end of a record."""
    return column.str.replace_all(f"({_MARKED})", f"{_MARK}${{1}}") if column.str.contains(_MARKED).any() else column
