"""Addresses of boards, rankings and exports."""

from __future__ import annotations

from django.urls import URLPattern, path

from tokumei_arena.web import boards, exports
from tokumei_arena.web.converters import CONTEST, ENDING, ROUND

__all__ = ["urlpatterns"]

urlpatterns: list[URLPattern] = [
    path(f"{ROUND}board/", boards.board, name="board"),
    path(f"{ROUND}board/part/", boards.board_part, name="board_part"),
    path(f"{ROUND}board{ENDING}", exports.board_export, name="board_export"),
    path(f"{CONTEST}overall/", boards.overall, name="overall"),
    path(f"{CONTEST}overall{ENDING}", exports.overall_export, name="overall_export"),
]
