"""umark as the contest judges it: the official figures with warnings, or the resolution of the spec (spec F-D7)."""

from __future__ import annotations

from tokumei.contests.pws2021.table import HealthTable
from tokumei.contests.pws2021.utility import UtilityDifferences, utility_differences
from tokumei.errors import InfeasibleError

__all__ = ["utility_marks", "utility_warnings"]


def utility_warnings(found: UtilityDifferences) -> list[tuple[str, str]]:
    """Return (code, sentence) of everything that makes the official figures say less than they seem to."""
    told = []
    if found.missing:
        values = ", ".join(f"{column} '{value}'" for column, value in found.missing)
        told.append(
            (
                "missing-category",
                (
                    f"no row of D has {values}, which B has; the official figures skip what they cannot compare "
                    "(strict: no score at all)"
                ),
            )
        )
    if found.separated:
        told.append(
            (
                "separation",
                (
                    f"D has no finite odds ratio for {', '.join(found.separated)} (a value with no or only positives); "
                    "the official Coef depends on when its iteration stops (strict: no score at all)"
                ),
            )
        )
    return told


def utility_marks(
    original: HealthTable, changed: HealthTable, *, strict: bool = False, files: tuple[str, str] = ("B", "D")
) -> tuple[UtilityDifferences, list[str]]:
    """Return umark with its warnings; ``strict`` raises InfeasibleError where the figures are not meaningful."""
    found = utility_differences(original, changed, files=files)
    told = utility_warnings(found)
    if strict and told:
        code, sentence = told[0]
        message = f"{files[1]}: {sentence.replace(' (strict: no score at all)', '')}; keep at least one such row"
        raise InfeasibleError(message, code=code, file=files[1])
    return found, [sentence for _, sentence in told]
