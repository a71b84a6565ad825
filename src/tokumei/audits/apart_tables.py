"""Whether the tables of values that are published apart say what they may: groups of at least k equal histories.

The proof of naming is about pseudonyms that nothing tells apart. A table of groups could tell them apart: if a group
has fewer than k of them, or pseudonyms whose records differ. The numbers of groups and the order of rows are those that
the content gives; what differs from it is found byte by byte (`tokumei.audits.published_bytes`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from tokumei.audits.byte_differences import finding
from tokumei.audits.published_groups import history_digests
from tokumei.data import (
    GROUPS_NAME,
    SENSITIVE_NAME,
    ApartValues,
    History,
    Reason,
    Release,
    ReleaseFolder,
    Secret,
    category_labels,
    columns_apart,
)


def apart_findings(folder: ReleaseFolder, release: Release) -> list[Reason]:
    """Return what of the tables is not as it must be."""
    apart = release.apart
    if apart is None:
        return []
    findings = []
    groups, names = apart.groups, release.pseudonyms.cast(pl.String).unique().sort()
    if not groups["pseudonym"].equals(names) or groups["group"].null_count():
        return [finding("apart-people", file=GROUPS_NAME)]
    k = folder.parameters.get("k")
    findings += small_groups(release, k if isinstance(k, int) else 1)
    canonical = ApartValues.numbered(groups, apart.values)
    columns = apart.values.group_by("group", "column").agg(pl.col("value").n_unique() == pl.len())
    whole = len(canonical.groups["group"].unique()) * len(columns_apart(release.schema))
    known = set(apart.values["column"].to_list()) == set(columns_apart(release.schema))
    same = canonical.groups.equals(groups) and canonical.values.equals(apart.values)
    if not (same and known and columns.height == whole and columns["value"].all() and _counted(apart)):
        findings.append(finding("apart-table", file=SENSITIVE_NAME))
    return findings


def small_groups(release: Release, k: int) -> list[Reason]:
    """Return the first group of the tables that has fewer than k pseudonyms, or some whose records differ.

    Equal histories of more people are no cover: whoever joins the tables sees the smaller group.
    """
    if release.apart is None:
        return []
    digests = history_digests(release).join(release.apart.groups, on="pseudonym")
    behind = digests.group_by("group").agg(pl.col("digest").n_unique(), pl.len().alias("members"))
    few = behind.filter((pl.col("members") < k) | (pl.col("digest") > 1)).sort("group")
    return [finding("apart-groups", file=GROUPS_NAME, group=few["group"][0], k=k)] if few.height else []


def untrue_values(history: History, release: Release, secret: Secret) -> tuple[Reason, ...]:
    """Return the first group whose values are not those of its members in the original: counts could be a message."""
    apart = release.apart
    if apart is None:
        return ()
    owners = secret.owners.select(pl.col("pseudonym").cast(pl.String), pl.col("subject").cast(pl.String))
    numbers = pl.DataFrame({"subject": history.subjects.cast(pl.String), "unit": np.arange(len(history.subjects))})
    behind = apart.groups.join(owners, on="pseudonym").join(numbers, on="subject")
    group = np.full(len(history.subjects), -1, dtype=np.int64)
    group[behind["unit"].to_numpy()] = behind["group"].to_numpy()
    labels = category_labels(history, release.schema)
    texts = {name: labels.get(name, history.categories[name]) for name in columns_apart(release.schema)}
    seen = replace(history, schema=release.schema, categories={**history.categories, **texts})
    true, stated = ApartValues.of(seen, secret, group).values, apart.values
    keys = list(true.columns)
    only = [one.join(other, on=keys, how="anti")["group"] for one, other in ((true, stated), (stated, true))]
    unlike = pl.concat(only)
    if not len(unlike):
        return ()
    return (finding("apart-values", file=SENSITIVE_NAME, group=unlike.sort()[0]),)


def _counted(apart: ApartValues) -> bool:
    """Return whether every value is there at least once, and every column of a group has as many records."""
    records = apart.values.group_by("group", "column").agg(pl.col("records").sum())
    alike = records.group_by("group").agg(pl.col("records").n_unique() == 1)
    return bool((apart.values["records"] > 0).all()) and bool(alike["records"].all())
