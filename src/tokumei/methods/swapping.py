"""Exchange values between records, column by column, between neighbours in rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.data import MISSING, Channel, Field, History, Release, Secret, Swapped
from tokumei.methods.column_settings import refused, settings_by_field, share_of, split_settings
from tokumei.methods.fresh_release import plain_cells, with_fresh_pseudonyms
from tokumei.parts import Method, parameter

DEFAULT_WINDOW = 0.1


def swapped(values: Ints, *, share: float, width: int, rng: np.random.Generator) -> Ints:
    """Return the values after a share of them changed places in pairs; partners are fewer than ``width`` ranks apart.

    Ranks are cut into blocks of ``width`` at a random offset; the chosen values of a block are paired at random. A
    block with an odd number of chosen values leaves one where it is. Equal values are ranked at random.
    """
    count = len(values)
    rank = np.empty(count, dtype=np.int64)
    rank[np.lexsort((rng.random(count), values))] = np.arange(count)
    chosen = rng.permutation(count)[: round(share * count)]
    block = (rank[chosen] + rng.integers(0, width)) // width
    # The permutation above is already random, so a stable sort by block leaves every block in random order.
    order = np.argsort(block, kind="stable")
    chosen, block = chosen[order], block[order]
    place = np.arange(len(block)) - np.searchsorted(block, block)
    first = np.flatnonzero((place[:-1] % 2 == 0) & (block[:-1] == block[1:]))
    left, right = chosen[first], chosen[first + 1]
    result = values.copy()
    result[left], result[right] = values[right], values[left]
    return result


def _width(window: float, count: int) -> int:
    """Return the width of a block of ranks; the nearest is always allowed, or nothing would change in small data."""
    return max(int(window * count), 1) + 1


@dataclass(frozen=True, kw_only=True)
class Swapping(Method):
    """In every column a share of the values changes places, each with a value of nearly the same rank.

    Protects against the certainty that a published value belongs to its record; every column keeps its distribution
    exactly. Does not protect records that were not drawn (1 - share of each column), nor histories of many records:
    the values that stayed still point at their owner. Categories have no ranks and are exchanged with any other.
    """

    name: ClassVar[str] = "swapping"
    summary: ClassVar[str] = "exchange values between records of similar rank, column by column"
    source: ClassVar[str] = "Dalenius and Reiss, Data-swapping (1982); Moore, Controlled data-swapping (1996)"

    share: float = parameter(0.2, "share of the values of a column that change places", low=0.0, high=1.0)
    columns: str = parameter(
        "",
        "largest distance of the ranks by column, as a share of the records, such as price=0.05,goods=1 "
        f"(a category takes 1: it has no ranks); empty: every column, ordered ones with {DEFAULT_WINDOW}",
    )

    def __post_init__(self) -> None:
        """Check the parameters and the form of the list."""
        super().__post_init__()
        split_settings(self.name, "columns", self.columns)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the records with exchanged values under pseudonyms, in random order."""
        windows = self._windows(history)
        cells = {}
        for spec in history.schema.fields:
            codes = history.codes[spec.name][history.order]
            present = np.flatnonzero(codes != MISSING)
            if spec.name in windows:
                width = _width(windows[spec.name], len(present))
                codes[present] = swapped(codes[present], share=self.share, width=width, rng=rng)
            cells[spec.name] = plain_cells(history, spec, codes)
        return with_fresh_pseudonyms(history, history.order, cells, method=self.name, rng=rng)

    def channel(self, history: History) -> Channel:
        """Return which values a moved one may become, in every column that is swapped."""
        columns = {}
        for name, window in self._windows(history).items():
            present = history.codes[name][history.codes[name] != MISSING]
            columns[name] = Swapped(share=self.share, width=_width(window, len(present)), values=present)
        return Channel(columns=columns)

    def _windows(self, history: History) -> dict[str, float]:
        """Return the largest distance of ranks of every column that is swapped."""
        chosen = settings_by_field(
            self.name, "columns", self.columns, history.schema, treats=lambda _: True, kinds="all kinds"
        )
        return {name: self._window(history.schema.field(name), text) for name, text in chosen.items()}

    def _window(self, spec: Field, text: str) -> float:
        """Return the largest distance of ranks as a share of the records."""
        if not text:
            return 1.0 if spec.nominal else DEFAULT_WINDOW
        window = share_of(self.name, "columns", spec, text)
        if spec.nominal and window < 1.0:
            raise refused(self.name, "columns", f"1 for the category '{spec.name}', which has no ranks", text)
        return window
