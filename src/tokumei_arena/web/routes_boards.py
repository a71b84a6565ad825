"""Addresses of boards, rankings and exports."""

from __future__ import annotations

from django.urls import URLPattern, path

from tokumei_arena.web import boards, converters, exports

__all__ = ["urlpatterns"]

# Importing the converters makes their names known to addresses.
assert converters.ExportFormat

ROUND = "c/<slug:slug>/<round_kind:kind>/"

urlpatterns: list[URLPattern] = [
    path(f"{ROUND}board/", boards.board, name="board"),
    path(f"{ROUND}board/part/", boards.board_part, name="board_part"),
    path(f"{ROUND}board.<export_format:ending>", exports.board_export, name="board_export"),
    path("c/<slug:slug>/overall/", boards.overall, name="overall"),
    path("c/<slug:slug>/overall.<export_format:ending>", exports.overall_export, name="overall_export"),
]
