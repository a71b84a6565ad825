"""What the cells of a release look like, column by column: how many are exact, generalized or suppressed, how wide.

Everything here comes from the release alone, so that it may be told to everybody who has the release.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.data.cells import Cells, RangeCells
from tokumei.data.history import Release
from tokumei.data.schema import Field, Kind
from tokumei.words import three_digits

_UNITS = ((86_400, "days"), (3_600, "hours"), (60, "minutes"), (1, "seconds"))


@dataclass(frozen=True, slots=True)
class CellShares:
    """The shares of exact, generalized and suppressed cells of one column, and how wide a generalized one is."""

    name: str
    exact: float
    generalized: float
    suppressed: float
    typical: str


def cell_shares(release: Release) -> list[CellShares]:
    """Return the shares of every column of a release, in the order of the schema."""
    return [_shares(release.cells[spec.name], spec) for spec in release.schema.fields]


def _shares(cells: Cells, spec: Field) -> CellShares:
    count = max(len(cells), 1)
    suppressed = int(cells.suppressed.sum())
    wide = ~cells.plain & ~cells.suppressed
    generalized = int(wide.sum())
    exact = len(cells) - suppressed - generalized
    typical = _typical(cells, wide, spec) if generalized else ""
    return CellShares(spec.name, exact / count, generalized / count, suppressed / count, typical)


def _typical(cells: Cells, wide: np.ndarray[tuple[int], np.dtype[np.bool_]], spec: Field) -> str:
    """Return the median width of the generalized cells in words."""
    if not isinstance(cells, RangeCells):
        return f"{float(np.median(cells.sizes()[wide])):g} values"
    width = float(np.median(cells.width()[wide]))
    if spec.kind is Kind.DATE:
        return f"{three_digits(width + 1)} days"
    if spec.kind is Kind.DATETIME:
        size, unit = next((size, unit) for size, unit in _UNITS if width >= size or size == 1)
        return f"{three_digits(width / size)} {unit}"
    return f"±{three_digits(width * spec.step / 2)}"
