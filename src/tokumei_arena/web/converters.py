"""What may stand in addresses: kinds of rounds and formats of exports."""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import StringConverter

from tokumei_arena.models import Round

__all__ = ["CONTEST", "ENDING", "ROUND", "ExportFormat", "RoundKind"]


class RoundKind(StringConverter):
    """The kind of a round; every other word after the contest's name is another page."""

    regex = "|".join(Round.Kind.values)


class ExportFormat(StringConverter):
    """How an export is written."""

    regex = "csv|json"


register_converter(RoundKind, "round_kind")
register_converter(ExportFormat, "export_format")

# How the addresses of contests, rounds and exports begin and end.
CONTEST = "c/<slug:slug>/"
ROUND = f"{CONTEST}<round_kind:kind>/"
ENDING = ".<export_format:ending>"
