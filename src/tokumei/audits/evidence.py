"""The tables behind an audit: how well every pseudonym is hidden, as histograms and as the worst cases.

They say which guesses are right, so that they are for the publisher's eyes only. Subjects are never named.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.attacks import Histories
from tokumei.data import Evidence

POSTERIOR_BINS = 20
SHOWN = 10
# By so much a posterior may miss its true value because it was computed with floating-point numbers.
ROUNDING = 1e-9


def pseudonym_table(histories: Histories, candidates: Ints, certainty: Floats) -> pl.DataFrame:
    """Return one row per pseudonym: its records, who published the same, its candidates, how sure its owner is.

    ``posterior`` is the probability of the true owner, or of the likeliest candidate where the truth is not known.
    """
    alike = np.bincount(histories.kind)[histories.kind]
    return pl.DataFrame(
        {
            "pseudonym": histories.names.cast(pl.String),
            "records": histories.sizes(),
            "alike": alike,
            "candidates": candidates,
            "posterior": certainty,
        }
    )


def posterior_counts(pseudonyms: pl.DataFrame, *, k: int = 1, bins: int = POSTERIOR_BINS) -> pl.DataFrame:
    """Return a histogram of the posteriors over bins from 0 to 1: ``from``, ``to``, ``pseudonyms``.

    A bin has its upper end in it, and one of them ends at 1/k: who keeps that promise exactly is counted below it.
    """
    below = max(round(bins / k), 1)
    edges = np.concatenate([np.linspace(0.0, 1 / k, below + 1), np.linspace(1 / k, 1.0, bins - below + 1)[1:]])
    place = np.searchsorted(edges[1:-1] + ROUNDING, pseudonyms["posterior"].to_numpy(), side="left")
    return pl.DataFrame({"from": edges[:-1], "to": edges[1:], "pseudonyms": np.bincount(place, minlength=bins)})


def candidate_counts(pseudonyms: pl.DataFrame) -> pl.DataFrame:
    """Return how many pseudonyms have how many candidates, in ascending order."""
    return pseudonyms.group_by("candidates").agg(pl.len().cast(pl.Int64).alias("pseudonyms")).sort("candidates")


def worst_protected(pseudonyms: pl.DataFrame, *, shown: int = SHOWN) -> pl.DataFrame:
    """Return the pseudonyms whose owner is surest; among equals those with fewer candidates, then by name."""
    order = ["posterior", "candidates", "pseudonym"]
    return pseudonyms.sort(order, descending=[True, False, False]).head(shown)


def worst_groups(pseudonyms: pl.DataFrame, *, shown: int = SHOWN) -> pl.DataFrame:
    """Return the pseudonyms whose owner is surest, those that are protected alike in one row.

    ``count`` is how many they are, ``pseudonym`` the first of them by name, ``fewest`` and ``most`` their records.
    """
    alike = ["posterior", "candidates", "alike"]
    rounded = pseudonyms.with_columns((pl.col("posterior") / ROUNDING).round() * ROUNDING)
    grouped = rounded.group_by(alike).agg(
        pl.len().cast(pl.Int64).alias("count"),
        pl.col("pseudonym").min(),
        pl.col("records").min().alias("fewest"),
        pl.col("records").max().alias("most"),
    )
    return grouped.sort(alike, descending=[True, False, False]).head(shown)


def evidence_as_dict(evidence: Evidence, *, k: int = 1) -> dict[str, object]:
    """Return the histograms and the worst cases as plain values for JSON; nothing where there is no evidence."""
    pseudonyms = evidence.tables.get("pseudonyms")
    if pseudonyms is None:
        return {}
    return {
        "posteriors": posterior_counts(pseudonyms, k=k).to_dicts(),
        "candidates": candidate_counts(pseudonyms).to_dicts(),
        "worst_protected": worst_protected(pseudonyms).to_dicts(),
    }
