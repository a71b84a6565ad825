"""Cut off extreme values: everything beyond a limit is published as the limit, or as the range beyond it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from math import ceil
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import MISSING, Cells, Channel, Field, History, Limited, RangeCells, Release, Secret, parse_values
from tokumei.methods.column_settings import is_ordered, refused, settings_by_field, split_settings
from tokumei.methods.fresh_release import plain_cells, with_fresh_pseudonyms
from tokumei.parts import Method, parameter

DEFAULT_LIMITS = "5%..95%"


@dataclass(frozen=True, kw_only=True)
class TopBottomCoding(Method):
    """Values above the upper limit become the upper limit, values below the lower limit the lower one.

    Protects the owners of extreme values from being recognized by these values. Does not protect anybody inside the
    limits, nor an extreme history (many records, rare categories). With ``ranges`` the outer ends of the published
    ranges are the smallest and the largest value of the column, which are thereby published.
    """

    name: ClassVar[str] = "top-bottom-coding"
    summary: ClassVar[str] = "publish values beyond a limit as the limit, or as the range beyond it"
    source: ClassVar[str] = "Hundepool et al., Statistical Disclosure Control (2012), top and bottom coding"

    columns: str = parameter(
        "",
        "limits by column, such as age=18..90,price=..99%,date=2011-01-01..; N% stands for the smallest value that "
        f"is not below N percent of the column; empty: every ordered column, {DEFAULT_LIMITS}",
    )
    ranges: bool = parameter(
        default=False, doc="publish [limit;largest] and [smallest;limit] from the limits on instead of the limits"
    )

    def __post_init__(self) -> None:
        """Check the parameters and the form of the list."""
        super().__post_init__()
        split_settings(self.name, "columns", self.columns)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the coded records under pseudonyms, in random order."""
        limits = self._column_limits(history)
        cells: dict[str, Cells] = {}
        for spec in history.schema.fields:
            codes = history.codes[spec.name][history.order]
            present = np.sort(codes[codes != MISSING])
            if spec.name not in limits:
                cells[spec.name] = plain_cells(history, spec, codes)
                continue
            low, high = limits[spec.name]
            cells[spec.name] = self._coded(codes, low, high, present)
        return with_fresh_pseudonyms(history, history.order, cells, method=self.name, rng=rng)

    def channel(self, history: History) -> Channel | None:
        """Return the limits of every coded column; ranges show what they hold, and need no channel."""
        if self.ranges:
            return None
        limits = self._column_limits(history)
        return Channel(columns={name: Limited(low=low, high=high) for name, (low, high) in limits.items()})

    def _column_limits(self, history: History) -> dict[str, tuple[int | None, int | None]]:
        """Return the limits of every column that is coded and has a value."""
        kinds = "date, datetime, number, place"
        chosen = settings_by_field(self.name, "columns", self.columns, history.schema, treats=is_ordered, kinds=kinds)
        limits = {}
        for name, text in chosen.items():
            present = np.sort(history.codes[name][history.codes[name] != MISSING])
            if len(present):
                limits[name] = self._limits(history.schema.field(name), text or DEFAULT_LIMITS, present)
        return limits

    def _coded(self, codes: Ints, low: int | None, high: int | None, present: Ints) -> RangeCells:
        """Return the column with what lies beyond the limits coded."""
        below = np.zeros(len(codes), dtype=np.bool_) if low is None else codes <= low
        above = np.zeros(len(codes), dtype=np.bool_) if high is None else codes >= high
        missing = codes == MISSING
        start = np.where(above, high if high is not None else 0, codes)
        end = np.where(below, low if low is not None else 0, codes)
        if not self.ranges:
            return RangeCells.of_values(np.where(missing, MISSING, np.where(below, end, start)))
        # A limit beyond the data codes nothing, so the ends of a range are never the wrong way round.
        start = np.where(below, present[0], start)
        end = np.where(above, present[-1], end)
        return RangeCells.of_ranges(start, end, missing=missing)

    def _limits(self, spec: Field, text: str, present: Ints) -> tuple[int | None, int | None]:
        """Return the lower and the upper limit in steps, None where there is none."""
        low_text, dots, high_text = text.partition("..")
        if not dots or not (low_text or high_text):
            allowed = f"low..high, low.. or ..high for the column '{spec.name}'"
            raise refused(self.name, "columns", allowed, text)
        low, high = (self._limit(spec, end.strip(), present) for end in (low_text, high_text))
        if low is not None and high is not None and low > high:
            allowed = f"a lower limit below the upper one for the column '{spec.name}'"
            raise refused(self.name, "columns", allowed, text)
        return low, high

    def _limit(self, spec: Field, text: str, present: Ints) -> int | None:
        """Return one limit: a value of the column, or a percentile by nearest rank."""
        if not text:
            return None
        if text.endswith("%"):
            return int(present[self._rank(spec, text, len(present))])
        codes, bad = parse_values(pl.Series([text]), spec)
        if bad[0]:
            form = f"of the form {spec.format}" if spec.format else f"in steps of {spec.step:.12g}"
            raise refused(self.name, "columns", f"a {spec.kind} {form} for the column '{spec.name}'", text)
        return int(codes[0])

    def _rank(self, spec: Field, text: str, count: int) -> int:
        """Return the position of a percentile among so many sorted values (nearest rank, in exact arithmetic)."""
        try:
            percent = Decimal(text[:-1])
        except InvalidOperation:
            percent = Decimal(-1)
        if not 0 <= percent <= 100:
            raise refused(self.name, "columns", f"a percentage from 0% to 100% for the column '{spec.name}'", text)
        return max(ceil(percent * count / 100) - 1, 0)
