"""What an analyst would get from a release, beside what the original gives: means, shares, months, correlations ...

Ranges are taken at their middle, sets are split evenly among their values, withheld cells are left out: what anyone
does who loads the release. Every answer says how grave its change is, from 0 (none) to 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Floats, Ints
from tokumei.data import Field, History, Kind, RangeCells, Release
from tokumei.metrics.before_after import correlations, top_values
from tokumei.metrics.distributions import FEWEST_SUBJECTS, value_counts
from tokumei.metrics.midpoints import original_values, published_values
from tokumei.words import Message

# Regressions are made of at most so many numbers, and need so many complete records for each.
MOST_NUMBERS, RECORDS_PER_NUMBER = 8, 10
TOP = 10
FEWEST_FOR_TOP = 12
SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One answer before and after; ``about`` names its columns (and value), ``gravity`` is 0 to 1."""

    kind: str
    about: tuple[str, ...]
    before: float
    after: float
    gravity: float

    def message(self) -> Message:
        """Return it as a sentence."""
        named = {"about": " – ".join(self.about), "before": self.before, "after": self.after}
        return Message(f"use.{self.kind}", {**named, "gravity": self.gravity})

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        values = {"before": self.before, "after": self.after, "gravity": self.gravity}
        return {"kind": self.kind, "about": list(self.about), **values}


def all_changes(history: History, release: Release) -> Iterator[Change]:
    """Yield every answer that this data can give."""
    if len(history) == 0 or len(release) == 0:
        return
    yield from _means(history, release)
    yield from _shares(history, release)
    yield from _months(history, release)
    yield from _correlated(history, release)
    yield from _regressions(history, release)
    yield from _timelines(history, release)


def _bounded(value: float) -> float:
    return float(min(max(value, 0.0), 1.0)) if np.isfinite(value) else 1.0


def _numbers(history: History) -> list[str]:
    places = {name for column in history.schema.columns for name in (column.latitude, column.longitude) if name}
    numbers = [spec for spec in history.schema.fields if spec.kind is Kind.NUMBER and not spec.relative]
    return [spec.name for spec in numbers if spec.name not in places]


def _times(history: History) -> list[Field]:
    """Return the columns of time, those too that are counted from the first record of a person."""
    return [spec for spec in history.schema.fields if spec.source.kind in (Kind.DATE, Kind.DATETIME)]


def _both(history: History, release: Release, names: list[str]) -> Iterator[tuple[str, Floats, Floats]]:
    return zip(names, original_values(history, names), published_values(history, release, names), strict=True)


def _means(history: History, release: Release) -> Iterator[Change]:
    """Yield the mean of every number; grave is a change that is large against the spread of the values."""
    for name, before, after in _both(history, release, _numbers(history)):
        old, new = before[np.isfinite(before)], after[np.isfinite(after)]
        if len(old) == 0:
            continue
        mean, spread = float(old.mean()), float(old.std())
        got = float(new.mean()) if len(new) else 0.0
        change = abs(got - mean) / spread if spread > 0 else float(got != mean)
        yield Change(kind="mean", about=(name,), before=mean, after=got, gravity=_bounded(change if len(new) else 1.0))


def _shares(history: History, release: Release) -> Iterator[Change]:
    """Yield for every category the value whose share changed most, and how many of the most frequent stay so."""
    for spec in history.schema.fields:
        if not spec.nominal:
            continue
        counts = value_counts(history, release, spec.name)
        sides = [counts[side].cast(pl.Float64).to_numpy() for side in ("before", "after")]
        old, new = (side / max(float(side.sum()), 1e-12) for side in sides)
        common = counts["subjects"].to_numpy() >= FEWEST_SUBJECTS
        if not common.any():
            continue
        worst = int(np.argmax(np.where(common, np.abs(new - old), -1.0)))
        value = counts["value"][worst] or ""
        share, got = float(old[worst]), float(new[worst])
        yield Change(
            kind="share", about=(spec.name, value), before=share, after=got, gravity=_bounded(abs(got - share) * 2)
        )
        listed = top_values(history, release, spec.name, top=TOP)
        if len(history.categories[spec.name]) >= FEWEST_FOR_TOP and listed.height == TOP:
            stay = float((listed["rank_after"] <= TOP).sum())
            yield Change(kind="top", about=(spec.name,), before=float(TOP), after=stay, gravity=1.0 - stay / TOP)


def _months(history: History, release: Release) -> Iterator[Change]:
    """Yield records and sums by month of the first column of time: by how much they are off together."""
    times = [spec for spec in _times(history) if not spec.relative]
    if not times:
        return
    ((_, before, after),) = _both(history, release, [times[0].name])
    old, new = (_month_numbers(side, times[0]) for side in (before, after))
    ones = np.ones(len(before)), np.ones(len(after))
    totals = [("", *ones), *_both(history, release, _numbers(history))]
    for name, was, got in totals:
        yearly = _by_month(old, was), _by_month(new, got)
        months = sorted({*yearly[0], *yearly[1]})
        one, other = (np.array([side.get(month, 0.0) for month in months]) for side in yearly)
        whole = float(np.abs(one).sum())
        if len(months) < 2 or whole == 0:
            continue
        off = float(np.abs(one - other).sum()) / whole
        about = (times[0].name, name) if name else (times[0].name,)
        yield Change(kind="monthly", about=about, before=whole, after=float(np.abs(other).sum()), gravity=_bounded(off))


def _month_numbers(values: Floats, spec: Field) -> Ints:
    """Return the month of every time since 1970, -1 where it is not told (no month before it is common to all)."""
    days = values / (SECONDS_PER_DAY if spec.kind is Kind.DATETIME else 1.0)
    known = np.isfinite(days)
    stamps = np.where(known, np.floor(days), 0).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return np.where(known, stamps, np.iinfo(np.int64).min)


def _by_month(months: Ints, values: Floats) -> dict[int, float]:
    known = (months > np.iinfo(np.int64).min) & np.isfinite(values)
    names, place = np.unique(months[known], return_inverse=True)
    return dict(zip(names.tolist(), np.bincount(place, weights=values[known], minlength=len(names)), strict=True))


def _correlated(history: History, release: Release) -> Iterator[Change]:
    for first, second, before, after in correlations(history, release).iter_rows():
        if before is not None:
            got = after or 0.0
            yield Change(
                kind="correlation", about=(first, second), before=before, after=got, gravity=_bounded(abs(got - before))
            )


def _regressions(history: History, release: Release) -> Iterator[Change]:
    """Yield how much of each number the other numbers explain (R squared of a linear regression)."""
    names = _numbers(history)[:MOST_NUMBERS]
    if len(names) < 3:
        return
    sides = [
        np.stack(values) for values in (original_values(history, names), published_values(history, release, names))
    ]
    for line, name in enumerate(names):
        before, after = (_explained(side, line) for side in sides)
        if before is not None:
            got = after or 0.0
            yield Change(
                kind="regression", about=(name,), before=before, after=got, gravity=_bounded(abs(got - before))
            )


def _explained(values: Floats, line: int) -> float | None:
    complete = values[:, np.isfinite(values).all(axis=0)]
    if complete.shape[1] < RECORDS_PER_NUMBER * len(values):
        return None
    centred = complete - complete.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1)
    if spread[line] == 0:
        return None
    scaled = centred / np.where(spread > 0, spread, 1.0)[:, None]
    others = np.delete(scaled, line, axis=0).T
    weights, *_ = np.linalg.lstsq(others, scaled[line], rcond=None)
    return float(max(0.0, 1.0 - ((scaled[line] - others @ weights) ** 2).mean()))


def _timelines(history: History, release: Release) -> Iterator[Change]:
    """Yield the mean time between two records of a person, and how many neighbours can still be put in order."""
    for spec in _times(history):
        cells = release.cells[spec.name]
        assert isinstance(cells, RangeCells)
        codes = history.cells(spec.name)
        assert isinstance(codes, RangeCells)
        names = release.pseudonyms.rank("dense").to_numpy().astype(np.int64)
        sides = (
            _gaps(history.subject, codes.lo, codes.hi, ~codes.suppressed),
            _gaps(names, cells.lo, cells.hi, ~cells.suppressed),
        )
        (gap, ordered), (got, still) = sides
        if gap is None or ordered is None:
            continue
        scale = spec.step / (SECONDS_PER_DAY if spec.source.kind is Kind.DATETIME else 1.0)
        change = abs((got or 0.0) - gap) / gap if gap > 0 else float(bool(got))
        yield Change(
            kind="interval",
            about=(spec.name,),
            before=gap * scale,
            after=(got or 0.0) * scale,
            gravity=_bounded(change),
        )
        yield Change(
            kind="order",
            about=(spec.name,),
            before=ordered,
            after=still or 0.0,
            gravity=_bounded(ordered - (still or 0.0)),
        )


def _gaps(who: Ints, low: Ints, high: Ints, known: Bools) -> tuple[float | None, float | None]:
    """Return the mean gap between neighbouring records of a person, and the share of neighbours in a certain order."""
    who, low, high = who[known], low[known], high[known]
    middle = (low + high) / 2.0
    order = np.lexsort((high, middle, who))
    same = np.diff(who[order]) == 0
    if not same.any():
        return None, None
    gap = np.diff(middle[order])[same]
    certain = high[order][:-1][same] < low[order][1:][same]
    return float(gap.mean()), float(certain.mean())
