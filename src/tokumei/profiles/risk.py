"""The risk of the raw data: how few records, which totals and which columns single a person out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import MISSING, History, Kind
from tokumei.profiles.known_records import Holdings, Share, dense_keys, unique_share
from tokumei.progress import stage

MOST_KNOWN_RECORDS = 5
# Pairs are formed of so many columns, those that identify most alone.
PAIRED_COLUMNS = 10


@dataclass(frozen=True, slots=True)
class ColumnRisk:
    """How much one value of these columns tells: chosen at random, and chosen as the most telling one."""

    columns: tuple[str, ...]
    share: float
    most_telling: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRisk:
    """Shares of the subjects that somebody with a little knowledge would find alone in the raw data.

    ``known[m]`` is for m records of a subject, chosen at random; ``facts`` for what is known of the whole history.
    ``columns`` and ``pairs`` are ordered, the most identifying first.
    """

    known: Mapping[int, Share]
    most_telling_record: float
    facts: Mapping[str, float]
    columns: tuple[ColumnRisk, ...]
    pairs: tuple[ColumnRisk, ...]
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "known_records": [
                {
                    "records": records,
                    "share": share.value,
                    "exact": share.interval is None,
                    "interval": None if share.interval is None else [share.interval.low, share.interval.high],
                    "draws": share.draws,
                }
                for records, share in self.known.items()
            ],
            "most_telling_record": self.most_telling_record,
            "facts": dict(self.facts),
            "columns": [_plain(one) for one in self.columns],
            "pairs": [_plain(one) for one in self.pairs],
            "seed": self.seed,
        }


def _plain(one: ColumnRisk) -> dict[str, Any]:
    return {"columns": list(one.columns), "share": one.share, "most_telling": one.most_telling}


def raw_risk(history: History, *, seed: int = 0) -> RawRisk:
    """Measure the raw risk; ``seed`` draws the known records where there are too many to try all."""
    subjects = len(history.subjects)
    with stage("risk: known records"):
        record = dense_keys(history, [spec.name for spec in history.schema.fields])
        holdings = Holdings.of(history.subject, record, subjects=subjects)
        most = min(MOST_KNOWN_RECORDS, int(holdings.distinct().max(initial=1)))
        known = {number: unique_share(holdings, number, seed=seed) for number in range(1, most + 1)}
        telling = _identifies(history, record, ()).most_telling
    with stage("risk: columns"):
        keys = {
            column.name: dense_keys(history, [spec.name for spec in column.fields()])
            for column in history.schema.columns
            if not column.drop
        }
        columns = ranked_risks([_identifies(history, key, (name,)) for name, key in keys.items()])
        pairs = _pairs(history, keys, [one.columns[0] for one in columns[:PAIRED_COLUMNS]])
    return RawRisk(
        known=known, most_telling_record=telling, facts=_facts(history), columns=columns, pairs=pairs, seed=seed
    )


def _pairs(history: History, keys: Mapping[str, Ints], names: Sequence[str]) -> tuple[ColumnRisk, ...]:
    sizes = {name: int(keys[name].max(initial=0)) + 1 for name in names}
    return ranked_risks(
        [
            _identifies(history, keys[first] * sizes[second] + keys[second], (first, second))
            for first, second in combinations(names, 2)
        ]
    )


def ranked_risks(risks: Sequence[ColumnRisk]) -> tuple[ColumnRisk, ...]:
    """Return the risks in order, the most identifying first."""
    return tuple(sorted(risks, key=lambda one: (-one.share, -one.most_telling, one.columns)))


def _identifies(history: History, key: Ints, columns: tuple[str, ...]) -> ColumnRisk:
    """Return how often a value that one subject alone has is met: in a random record, and anywhere."""
    subjects = len(history.subjects)
    if len(history) == 0:
        return ColumnRisk(columns, 0.0, 0.0)
    subject = pl.col("subject")
    values = (
        pl.DataFrame({"key": key, "subject": history.subject})
        .group_by("key")
        .agg(low=subject.min(), high=subject.max(), times=pl.len())
        .filter(pl.col("low") == pl.col("high"))
    )
    own = np.bincount(values["low"].to_numpy(), weights=values["times"].to_numpy(), minlength=subjects)
    return ColumnRisk(columns, float(np.mean(own / np.maximum(history.counts(), 1))), float(np.mean(own > 0)))


def _facts(history: History) -> dict[str, float]:
    """Return the share of subjects alone with their number of records, with a total, and with all of these."""
    totals = {}
    for column in history.schema.columns:
        if column.drop or column.kind is not Kind.NUMBER:
            continue
        codes = history.codes[column.name]
        totals[column.name] = np.zeros(len(history.subjects), dtype=np.int64)
        np.add.at(totals[column.name], history.subject, np.where(codes == MISSING, 0, codes))
    return facts_of(history.counts(), totals)


def facts_of(counts: Ints, totals: Mapping[str, Ints]) -> dict[str, float]:
    """Return the share of subjects alone with their number of records, with a total, and with all of these."""
    if len(counts) == 0:
        return {}
    known = {"number of records": counts}
    # Where everybody has one record, a total would be its value again.
    if int(counts.max()) > 1:
        known |= {f"total of {name}": total for name, total in totals.items()}
    shares = {what: alone_share([key]) for what, key in known.items()}
    if len(known) > 1:
        shares["number of records and all totals"] = alone_share(list(known.values()))
    return shares


def alone_share(keys: Sequence[Ints]) -> float:
    """Return the share of subjects whose combination of values nobody else has."""
    frame = pl.DataFrame({str(number): key for number, key in enumerate(keys)})
    return frame.filter(frame.is_unique()).height / frame.height
