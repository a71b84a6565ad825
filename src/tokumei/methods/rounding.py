"""Round ordered values to multiples of a base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.data import MISSING, Channel, History, Release, Rounded, Secret
from tokumei.methods.column_settings import is_ordered, round_width, settings_by_field, split_settings, steps_of
from tokumei.methods.fresh_release import plain_cells, with_fresh_pseudonyms
from tokumei.parts import Method, parameter


def rounded(codes: Ints, base: int, *, style: str, rng: np.random.Generator) -> Ints:
    """Return multiples of the base; missing values stay missing.

    ``nearest`` rounds halves up, ``down`` to the multiple below, and ``random`` up with probability remainder / base,
    so that the expected value is the original one (unbiased random rounding).
    """
    lower, rest = np.divmod(codes, base)
    if style == "random":
        up = rng.integers(0, base, size=len(codes)) < rest
    else:
        up = (2 * rest >= base) & (style == "nearest")
    return np.where(codes == MISSING, MISSING, (lower + up) * base)


@dataclass(frozen=True, kw_only=True)
class Rounding(Method):
    """Every value of an ordered column becomes a multiple of the column's base.

    Protects against an attacker who recognizes a value by its exact digits. Does not protect a history whose rounded
    records are still unique together, nor the categories, and says nothing about how many others look alike. The true
    value is not further away than the base (half of it with style ``nearest``), and whoever knows the base knows that.
    """

    name: ClassVar[str] = "rounding"
    summary: ClassVar[str] = "round dates, numbers and places to multiples of a base"
    source: ClassVar[str] = "Hundepool et al., Statistical Disclosure Control (2012), rounding"

    columns: str = parameter(
        "",
        "base by column in its unit (dates: days, datetimes: seconds), such as price=5,date=7; "
        "empty: every ordered column, to a round number of at most one standard deviation",
    )
    style: str = parameter("nearest", "which multiple is taken", choices=("nearest", "down", "random"))

    def __post_init__(self) -> None:
        """Check the parameters and the form of the list."""
        super().__post_init__()
        split_settings(self.name, "columns", self.columns)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the records with rounded values under pseudonyms, in random order."""
        bases = self._bases(history)
        cells = {}
        for spec in history.schema.fields:
            codes = history.codes[spec.name][history.order]
            if spec.name in bases:
                codes = rounded(codes, bases[spec.name], style=self.style, rng=rng)
            cells[spec.name] = plain_cells(history, spec, codes)
        return with_fresh_pseudonyms(history, history.order, cells, method=self.name, rng=rng)

    def channel(self, history: History) -> Channel:
        """Return the base of every column that is rounded."""
        return Channel(
            columns={name: Rounded(base=base, style=self.style) for name, base in self._bases(history).items()}
        )

    def _bases(self, history: History) -> dict[str, int]:
        """Return the base of every column that is rounded, in steps."""
        kinds = "date, datetime, number, place"
        chosen = settings_by_field(self.name, "columns", self.columns, history.schema, treats=is_ordered, kinds=kinds)
        return {
            name: steps_of(self.name, "columns", history.schema.field(name), text)
            if text
            else round_width(history.spread(name))
            for name, text in chosen.items()
        }
