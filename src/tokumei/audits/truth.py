"""Who really stands behind every pseudonym, from the Secret; and what a Secret that does not fit the release says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.attacks import Bipartite, Histories, Matches, find_matches
from tokumei.data import History, Release, Secret
from tokumei.errors import InputError

MERGED = -1


def true_owners(history: History, histories: Histories, secret: Secret) -> Ints:
    """Return the subject of every pseudonym; MERGED for one whose records come from several subjects."""
    if len(secret.rows) == len(histories.rows) and len(secret.rows):
        return _owners_by_rows(history, histories, secret)
    return _owners_by_name(history, histories, secret.owners)


def listed_owners(history: History, histories: Histories, owners: pl.DataFrame) -> Ints:
    """Return the subject of every pseudonym after a list of some of them; MERGED for one that it does not have."""
    known = owners.filter(pl.col("subject").is_in(history.subjects.implode())).unique("pseudonym")
    place = pl.DataFrame({"subject": history.subjects.cast(pl.String), "place": np.arange(len(history.subjects))})
    named = pl.DataFrame({"pseudonym": histories.names.cast(pl.String)})
    found = named.join(known, on="pseudonym", how="left", maintain_order="left")
    found = found.join(place, on="subject", how="left", maintain_order="left")
    return found["place"].fill_null(MERGED).to_numpy().astype(np.int64)


def _owners_by_rows(history: History, histories: Histories, secret: Secret) -> Ints:
    """Follow every published record to its original; dummy records say nothing."""
    known = secret.rows >= 0
    if secret.rows.max(initial=-1) >= len(history):
        row = int(secret.rows.max())
        message = (
            f"the secret names row {row + 1} of the original, which has only {len(history)} records; "
            "give the original and the secret that belong to this release"
        )
        raise InputError(message, code="foreign-secret")
    subject = np.where(known, history.subject[np.maximum(secret.rows, 0)], -1)
    low = np.full(len(histories.names), len(history.subjects), dtype=np.int64)
    high = np.full(len(histories.names), -1, dtype=np.int64)
    np.minimum.at(low, histories.owner[known], subject[known])
    np.maximum.at(high, histories.owner[known], subject[known])
    return np.where(low == high, high, MERGED)


def _owners_by_name(history: History, histories: Histories, owners: pl.DataFrame) -> Ints:
    """Look the pseudonyms up in the list of owners."""
    pairs = owners.select(pl.col("pseudonym").cast(pl.String), pl.col("subject").cast(pl.String)).unique()
    missing = histories.names.filter(~histories.names.is_in(pairs["pseudonym"].to_list()))
    if len(missing):
        message = (
            f"the secret has no owner for the pseudonym '{missing[0]}' of the release "
            f"({len(missing)} such pseudonyms); give the secret that was written with this release"
        )
        raise InputError(message, code="foreign-secret")
    unknown = pairs.filter(~pl.col("subject").is_in(history.subjects.to_list()))
    if unknown.height:
        message = (
            f"{unknown.height} owners named by the secret do not occur in the original data; "
            "give the original from which this release was made"
        )
        raise InputError(message, code="foreign-secret")
    place = {name: number for number, name in enumerate(history.subjects.to_list())}
    grouped = pairs.group_by("pseudonym").agg(pl.col("subject").first(), pl.len().alias("count"))
    owner = {name: place[subject] if count == 1 else MERGED for name, subject, count in grouped.iter_rows()}
    return np.array([owner[name] for name in histories.names.to_list()], dtype=np.int64)


def anonymity_level(histories: Histories, owner: Ints | None) -> int:
    """Return the largest k such that no owner has more than 1/k of the pseudonyms of any published history.

    Pseudonyms with identical multisets of records are exchangeable: one of them belongs to somebody with the share of
    them that is his. Where everybody has one pseudonym, k is how many owners every history has at least. Without the
    truth every pseudonym is taken to have an owner of its own.
    """
    whose = np.arange(len(histories.names)) if owner is None else owner
    width = int(whose.max(initial=0)) + 2
    pairs, held = np.unique(histories.kind * width + whose + 1, return_counts=True)
    most = np.zeros(int(histories.kind.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(most, pairs // width, held)
    return int((np.bincount(histories.kind)[most > 0] // most[most > 0]).min(initial=len(histories.names)))


def owners_by_class(histories: Histories, owner: Ints, subjects: int) -> Matches:
    """Return the graph in which a pseudonym may belong to every owner of its history, and nobody else.

    Subjects without a pseudonym get a blank one each, so that all of them are matched.
    """
    names = len(histories.names)
    order = np.argsort(histories.kind, kind="stable")
    sizes = np.bincount(histories.kind)
    sizes = sizes[sizes > 0]
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    # Every pseudonym, in the order of the histories, meets each place of its own history.
    width = np.repeat(sizes, sizes)
    place = np.arange(int(width.sum())) - np.repeat(np.cumsum(width) - width, width) + np.repeat(starts, width)
    pseudonym, subject = np.repeat(order, width), owner[order[place]]
    absent = np.setdiff1d(np.arange(subjects), owner)
    graph = Bipartite.of_edges(
        subjects,
        names + len(absent),
        np.concatenate((subject, absent)),
        np.concatenate((pseudonym, names + np.arange(len(absent)))),
        blanks=len(absent),
    )
    return find_matches(graph)


def separate_records(release: Release, pseudonyms: list[str]) -> Release:
    """Return the release with every record of these pseudonyms under a name of its own."""
    merged = release.pseudonyms.cast(pl.String).is_in(pseudonyms)
    number = pl.Series(np.arange(1, len(release) + 1)).cast(pl.String)
    names = pl.DataFrame({"name": release.pseudonyms.cast(pl.String), "row": number, "merged": merged})
    alone = pl.concat_str("name", pl.lit(" (record "), "row", pl.lit(")"))
    text = names.select(pl.when("merged").then(alone).otherwise("name").alias("pseudonym")).to_series()
    return replace(release, pseudonyms=text, people=None)
