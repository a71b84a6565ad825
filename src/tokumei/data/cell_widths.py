"""What the cells of a release look like, column by column: how many are exact, generalized or suppressed, how wide.

Everything here comes from the release alone, so that it may be told to everybody who has the release.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tokumei.data.columns import Field, Kind
from tokumei.data.release_facts import ReleaseFacts
from tokumei.words import three_digits

_UNITS = ((86_400, "days"), (3_600, "hours"), (60, "minutes"), (1, "seconds"))


@dataclass(frozen=True, slots=True)
class CellShares:
    """The shares of exact, generalized and suppressed cells of one column, and how wide a generalized one is.

    A missing cell says no value exactly; ``plain`` is the share of both, as the summary of a release states it.
    """

    name: str
    exact: float
    generalized: float
    suppressed: float
    typical: str
    plain: float


def cell_shares(facts: ReleaseFacts) -> list[CellShares]:
    """Return the shares of every column of a release, in the order of the schema."""
    rows = max(facts.records, 1)
    found = []
    for spec in facts.schema.fields:
        column = facts.columns[spec.name]
        generalized, suppressed = column.generalized, column.suppressed
        typical = _typical(column.typical(), spec) if generalized else ""
        plain = facts.records - suppressed - generalized
        exact = (plain - column.missing) / rows
        found.append(CellShares(spec.name, exact, generalized / rows, suppressed / rows, typical, plain / rows))
    return found


def _typical(width: float, spec: Field) -> str:
    """Return the median width of the generalized cells in words."""
    if spec.nominal:
        return f"{width + 1:g} values"
    if spec.kind is Kind.DATE:
        return f"{three_digits(width + 1)} days"
    if spec.kind is Kind.DATETIME:
        size, unit = next((size, unit) for size, unit in _UNITS if width >= size or size == 1)
        return f"{three_digits(width / size)} {unit}"
    # Exactly, so that the same widths read the same in every step (a release states a coarser one than its original).
    return f"±{three_digits(float(Decimal(repr(spec.step)) * Decimal(width) / 2))}"
