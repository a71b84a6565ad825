"""iloss: how far the rows of D are from the rows of C they came from (spec D.5.2, F-D6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tokumei.contests.pws2021.rows import row_losses
from tokumei.contests.pws2021.table import HealthTable, health_table
from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.errors import InfeasibleError
from tokumei.parts import Metric

PARTS = ("age", "bmi", "cat")


@dataclass(frozen=True, slots=True)
class InformationLoss:
    """Mean and largest |age difference|, |bmi difference| and number of changed columns, and their maxima."""

    mean: dict[str, float]
    largest: dict[str, float]

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Return the rows ``mean`` and ``max``."""
        return {"mean": dict(self.mean), "max": dict(self.largest)}


def information_loss(
    before: HealthTable, after: HealthTable, *, files: tuple[str, str] = ("C", "D")
) -> InformationLoss:
    """Compare the tables row by row; the value that the rules limit is ``largest["max"]``."""
    if before.height != after.height:
        message = (
            f"{files[0]} has {before.height} rows and {files[1]} has {after.height}; row i of one must come from "
            "row i of the other, so give tables of equal length"
        )
        raise InfeasibleError(message, code="row-count", file=files[1])
    losses = row_losses(before, after)
    found = []
    for figures in (losses.mean(axis=0), losses.max(axis=0)):
        row = dict(zip(PARTS, figures.tolist(), strict=True))
        found.append({**row, "max": max(row.values())})
    return InformationLoss(*found)


@dataclass(frozen=True, kw_only=True)
class RowLoss(Metric):
    """The largest change of a row: of its age, of its bmi, or of the number of its other columns that changed."""

    name: ClassVar[str] = "iloss"
    summary: ClassVar[str] = "the largest change of a row in age, bmi or number of changed columns"
    source: ClassVar[str] = "PWS Cup 2021"
    needs: ClassVar[tuple[str, ...]] = ("rows",)

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Compare every row with the one that stood in its place."""
        if len(release) == 0:
            raise InfeasibleError(f"'{self.name}' compares rows, and the release has none", code="no-rows")
        found = information_loss(health_table(history).take(secret.rows), health_table(release))
        parts = {f"{what} {name}": row[name] for what, row in found.as_dict().items() for name in PARTS}
        return Score(name=self.name, value=found.largest["max"], goal=Goal.LOWER, parts=parts)
