"""umark as the contest judges it: the official figures with warnings, or the resolution of the spec (spec F-D7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tokumei.contests.pws2021.measures import UtilityDifferences, utility_differences
from tokumei.contests.pws2021.table import HOME, HealthTable, health_table
from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.errors import InfeasibleError
from tokumei.parts import Metric, parameter
from tokumei.words import Message

# The figures that the rules limit.
LIMITED = ("rate", "OR", "cor")


def utility_warnings(found: UtilityDifferences) -> dict[str, dict[str, object]]:
    """Return the codes, with values, of all that makes the official figures say less than they seem to."""
    warnings: dict[str, dict[str, object]] = {}
    if found.missing:
        warnings["missing-category"] = {"values": ", ".join(f"{column} '{value}'" for column, value in found.missing)}
    if found.separated:
        warnings["separation"] = {"values": ", ".join(found.separated)}
    return warnings


def utility_marks(
    original: HealthTable, changed: HealthTable, *, strict: bool = False, files: tuple[str, str] = ("B", "D")
) -> tuple[UtilityDifferences, list[Message]]:
    """Return umark with its warnings; ``strict`` raises InfeasibleError where the figures are not meaningful."""
    found = utility_differences(original, changed, files=files)
    warnings = utility_warnings(found)
    if strict and warnings:
        code, values = next(iter(warnings.items()))
        raise InfeasibleError(f"{files[1]}: {Message(f'refusal.{code}', values, HOME)}", code=code, file=files[1])
    return found, [Message(f"warning.{code}", values, HOME) for code, values in warnings.items()]


@dataclass(frozen=True, kw_only=True)
class UtilityMarks(Metric):
    """How far counts, odds ratios and correlations of the release are from those of the original: the largest."""

    name: ClassVar[str] = "umark"
    summary: ClassVar[str] = "the largest difference of rates, odds ratios and correlations"
    source: ClassVar[str] = "PWS Cup 2021"
    needs: ClassVar[tuple[str, ...]] = ("rows",)

    strict: bool = parameter(False, "refuse where a value was lost or an odds ratio has no finite estimate")

    def measure(self, history: History, release: Release, secret: Secret) -> Score:  # noqa: ARG002
        """Compare the statistics of both tables."""
        if len(release) == 0:
            message = f"'{self.name}' compares statistics of rows, and the release has none"
            raise InfeasibleError(message, code="no-rows")
        found, warnings = utility_marks(health_table(history), health_table(release), strict=self.strict)
        value = max(found.largest[name] for name in LIMITED)
        return Score(name=self.name, value=value, goal=Goal.LOWER, parts=dict(found.largest), warnings=tuple(warnings))
