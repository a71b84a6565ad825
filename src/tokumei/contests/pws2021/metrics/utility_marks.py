"""umark as the contest judges it: the official figures with warnings, or the resolution of the spec (spec F-D7)."""

from __future__ import annotations

from tokumei.contests.pws2021.table import HOME, HealthTable
from tokumei.contests.pws2021.utility import UtilityDifferences, utility_differences
from tokumei.errors import InfeasibleError
from tokumei.words import Message

__all__ = ["utility_marks", "utility_warnings"]


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
        message = f"{files[1]}: {Message(f'refusal.{code}', values, HOME)}"
        raise InfeasibleError(message, code=code, file=files[1])
    return found, [Message(f"warning.{code}", values, HOME) for code, values in warnings.items()]
