"""Figures as pages show them: the columns of the contest, in the reader's language, with fixed digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from tokumei.contests import Column
from tokumei_arena.templatetags.arena import figure
from tokumei_arena.wording import in_language

__all__ = ["Cell", "Heading", "cells", "headings", "shown"]


@dataclass(frozen=True)
class Heading:
    """The head of a column: its title and which way is better, in words."""

    title: str
    better: str


@dataclass(frozen=True)
class Cell:
    """A figure under its title."""

    title: str
    text: str


def headings(columns: Sequence[Column]) -> list[Heading]:
    """Return the heads of these columns."""
    ways = {"lower": _("lower is better"), "higher": _("higher is better")}
    return [Heading(in_language(column.title), ways.get(column.better, "")) for column in columns]


def cells(columns: Sequence[Column], figures: Mapping[str, Any]) -> list[Cell]:
    """Return the figures under these columns; what is not told is a dash."""
    return [Cell(in_language(column.title), shown(figures.get(column.key), column.digits)) for column in columns]


def shown(value: Any, digits: int = 6) -> str:
    """Return one figure as text."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, (list, dict)):
        return ""
    return figure(value, digits)
