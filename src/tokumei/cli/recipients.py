"""``tokumei anonymize --recipient``: what was tried for a recipient, told as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokumei.cli.language import heads
from tokumei.cli.output import show_table
from tokumei.words import percent

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.audits import Limits
    from tokumei.data import History
    from tokumei.flow import Made, Plan, Tried


def found_for(history: History, plan: Plan, limits: Limits, *, threads: int | None) -> tuple[Made, Sequence[Tried]]:
    """Return the release that keeps to the limits of a recipient, and all that was tried; refuse if there is none."""
    from tokumei.flow import release_for

    searched = release_for(history, plan, limits, threads=threads)
    return searched.required(limits), searched.tried


def show_tried(console: Console, tried: Sequence[Tried]) -> None:
    """Print the choices that were tried, with what they lose and what the limits say of them."""
    if tried:
        rows = [
            [one.step.name(), "" if one.loss is None else percent(one.loss), one.outcome, "; ".join(one.reasons)]
            for one in tried
        ]
        show_table(console, heads("tried", "lost", "limits", "why"), rows)
