"""Addresses of taking part: data, submissions, targets, guesses."""

from __future__ import annotations

from django.urls import URLPattern, path

from tokumei_arena.web import attack, play, questions, submissions
from tokumei_arena.web.converters import CONTEST, ROUND

__all__ = ["urlpatterns"]

ONE = f"{CONTEST}submissions/<uuid:pk>/"

urlpatterns: list[URLPattern] = [
    path(CONTEST, play.contest, name="contest"),
    path(f"{CONTEST}questions/", questions.clarifications, name="clarifications"),
    path(ONE, submissions.submission, name="submission"),
    path(f"{ONE}status/", submissions.submission_status, name="submission_status"),
    path(f"{ONE}file/", submissions.submission_file, name="submission_file"),
    path(f"{ONE}choose/", submissions.choose, name="choose"),
    path(ROUND, play.round_page, name="round"),
    path(f"{ROUND}data/<uuid:pk>/", play.data_file, name="data_file"),
    path(f"{ROUND}targets/", attack.targets, name="targets"),
    path(f"{ROUND}targets/<uuid:pk>/", attack.target, name="target"),
    path(f"{ROUND}targets/<uuid:pk>/files/<uuid:file_pk>/", attack.target_file, name="target_file"),
]
