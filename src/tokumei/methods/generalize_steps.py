"""Generalize every column by a fixed rule: calendar units, bands of numbers, prefixes or hierarchies of categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import MISSING, Cells, Field, History, Kind, RangeCells, Release, Secret, SetCells
from tokumei.methods.column_settings import refused, round_width, settings_by_field, split_settings, steps_of
from tokumei.methods.fresh_release import plain_cells, with_fresh_pseudonyms
from tokumei.methods.hierarchy import ancestors, hierarchy_lines, parse_hierarchy
from tokumei.parts import Method, parameter

_UNITS = {"minute": "1m", "hour": "1h", "day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}
_CLOCK = ("minute", "hour")
_SUPPRESS = "*"
_UP = "up"


def calendar_ranges(codes: Ints, kind: Kind, unit: str) -> RangeCells:
    """Return, for every date or datetime, its week (from Monday), month, ... as a range; missing ones stay so."""
    missing = codes == MISSING
    whole = pl.Series(np.where(missing, 0, codes))
    moments = whole.cast(pl.Int32).cast(pl.Date) if kind is Kind.DATE else (whole * 1000).cast(pl.Datetime("ms"))
    start = moments.dt.truncate(_UNITS[unit])
    ends = (start, start.dt.offset_by(_UNITS[unit]))
    first, after = (
        end.cast(pl.Int64) if kind is Kind.DATE else end.cast(pl.Datetime("ms")).cast(pl.Int64) // 1000 for end in ends
    )
    return RangeCells.of_ranges(first.to_numpy(), after.to_numpy() - 1, missing=missing)


def bands(codes: Ints, width: int) -> RangeCells:
    """Return, for every value, the band [m width; (m + 1) width - 1] that holds it; missing ones stay so.

    If all values are positive, the lowest band starts at 1 step instead of 0: nobody pays or buys nothing.
    """
    missing = codes == MISSING
    low = np.where(missing, 0, codes) // width * width
    positive = bool((codes[~missing] > 0).all())
    high = low + width - 1
    return RangeCells.of_ranges(np.maximum(low, 1) if positive else low, high, missing=missing)


def prefixes(categories: pl.Series, length: int) -> list[str]:
    """Return the first ``length`` characters of each category, or all but the last ``-length`` if it is negative."""
    return categories.str.head(length).to_list()


@dataclass(frozen=True, kw_only=True)
class GeneralizeSteps(Method):
    """Every value becomes the range or the set that its column's rule puts it into, the same for everybody.

    Protects against an attacker who knows values only roughly, and hides the exact value inside its range or set. Does
    not promise that several people look alike: a rare band, or a history of many records, is unique as before; how many
    candidates are left must be measured. Rules taken from the data (the default width) reveal a standard deviation.

    A category is published as the set of all values of the data with the same prefix or ancestor.
    """

    name: ClassVar[str] = "generalize"
    summary: ClassVar[str] = "dates to weeks or months, numbers to bands, categories to prefixes or given hierarchies"
    source: ClassVar[str] = "Samarati, Protecting respondents' identities (2001), domain generalization hierarchies"
    valid_under: ClassVar[frozenset[str]] = frozenset({"pws2018"})

    columns: str = parameter(
        "",
        "rule by column, such as date=month,price=10,goods=-1,city=up1: dates take minute, hour, day, week, month, "
        "quarter, year or a number of days (datetimes: seconds); numbers the width of a band; categories the number of "
        "characters kept (negative: cut off) or upN, N levels of the hierarchy; * suppresses. Empty: every column: "
        "date=month, datetime=day, numbers in round bands of at most one standard deviation, categories=-1",
    )
    hierarchy: str = parameter(
        "", "for upN: value>parent>grandparent, one per value, parted by ';' or newlines; or @FILE with such lines"
    )
    largest: int = parameter(100, "a set of more values is published as *", low=1)

    def __post_init__(self) -> None:
        """Check the parameters and the form of the list."""
        super().__post_init__()
        split_settings(self.name, "columns", self.columns)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the generalized records under pseudonyms, in random order."""
        chosen = settings_by_field(
            self.name, "columns", self.columns, history.schema, treats=lambda _: True, kinds="all kinds"
        )
        cells: dict[str, Cells] = {}
        for spec in history.schema.fields:
            codes = history.codes[spec.name][history.order]
            if spec.name not in chosen:
                cells[spec.name] = plain_cells(history, spec, codes)
            elif chosen[spec.name] == _SUPPRESS:
                everything = np.ones(len(codes), dtype=np.bool_)
                cells[spec.name] = plain_cells(history, spec, codes).suppress(everything)
            elif spec.nominal:
                cells[spec.name] = self._sets(chosen[spec.name], codes, history.categories[spec.name])
            else:
                cells[spec.name] = self._ranges(spec, chosen[spec.name], codes, history.spread(spec.name))
        return with_fresh_pseudonyms(history, history.order, cells, method=self.name, rng=rng)

    def _ranges(self, spec: Field, rule: str, codes: Ints, spread: float) -> RangeCells:
        """Return an ordered column generalized by its rule."""
        if not rule:
            rule = {Kind.DATE: "month", Kind.DATETIME: "day"}.get(spec.kind, "")
        if not rule:
            return bands(codes, round_width(spread))
        if spec.kind not in (Kind.DATE, Kind.DATETIME) or rule[0] in "+-.0123456789":
            return bands(codes, steps_of(self.name, "columns", spec, rule))
        units = [unit for unit in _UNITS if spec.kind is Kind.DATETIME or unit not in _CLOCK]
        if rule not in units:
            allowed = f"{', '.join(units)}, a number or * for the column '{spec.name}'"
            raise refused(self.name, "columns", allowed, rule)
        return calendar_ranges(codes, spec.kind, rule)

    def _sets(self, rule: str, codes: Ints, categories: pl.Series) -> SetCells:
        """Return a category generalized by its rule; sets that are too large are suppressed."""
        labels = pl.Series(self._labels(rule or "-1", categories), dtype=pl.String)
        # A missing category stays alone, whatever the rule makes of the others.
        missing = categories == ""
        grouped = pl.DataFrame([missing.alias("missing"), labels.alias("label")])
        group = grouped.select(pl.struct("missing", "label").rank("dense")).to_series().to_numpy().astype(np.int64) - 1
        members = np.argsort(group, kind="stable")
        sizes = np.bincount(group)
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        sets = SetCells.of_lists(offsets, members, categories, suppressed=sizes > self.largest)
        return sets.take(group[codes])

    def _labels(self, rule: str, categories: pl.Series) -> list[str]:
        """Return what the rule makes of every category: equal labels share a set."""
        level = rule.removeprefix(_UP)
        if rule.startswith(_UP) and level.isdecimal():
            chains = parse_hierarchy(self.name, "hierarchy", hierarchy_lines(self.hierarchy))
            return ancestors(self.name, "hierarchy", chains, categories, int(level))
        try:
            return prefixes(categories, int(rule))
        except ValueError:
            allowed = f"a whole number, upN or * for the column '{categories.name}'"
            raise refused(self.name, "columns", allowed, rule) from None
