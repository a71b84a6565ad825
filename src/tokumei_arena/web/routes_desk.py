"""Addresses of the referee desk."""

from __future__ import annotations

from django.urls import URLPattern, path

from tokumei_arena.web import (
    desk,
    desk_contests,
    desk_data,
    desk_notices,
    desk_people,
    desk_phases,
    desk_rescores,
    desk_teams,
)
from tokumei_arena.web.converters import CONTEST, ROUND

__all__ = ["urlpatterns"]

RESCORE = f"{CONTEST}rescores/<uuid:pk>/"
PHASE = f"{CONTEST}phases/<uuid:pk>/"

urlpatterns: list[URLPattern] = [
    path("", desk.home, name="desk"),
    path("contests/new/", desk_contests.new, name="desk_contest_new"),
    path("messages/", desk_people.messages, name="desk_messages"),
    path("messages/<uuid:pk>/done/", desk_people.message_done, name="desk_message_done"),
    path("referees/", desk_people.referees, name="desk_referees"),
    path("referees/link/", desk_people.referee_link, name="desk_referee_link"),
    path("referees/<uuid:pk>/resign/", desk_people.resign, name="desk_referee_resign"),
    path("accounts/erase/", desk_people.erase, name="desk_erase"),
    path("log/", desk_people.log, name="desk_log"),
    path("operations/", desk_people.operations, name="desk_operations"),
    path(CONTEST, desk.contest, name="desk_contest"),
    path(f"{CONTEST}live/", desk.live, name="desk_live"),
    path(f"{CONTEST}failed/", desk.failed, name="desk_failed"),
    path(f"{CONTEST}submissions/<uuid:pk>/again/", desk.evaluate_again, name="desk_again"),
    path(f"{CONTEST}targets/<uuid:pk>/again/", desk.publish_again, name="desk_target_again"),
    path(f"{CONTEST}open/", desk.show, name="desk_open"),
    path(f"{CONTEST}edit/", desk_contests.edit, name="desk_edit"),
    path(f"{CONTEST}phases/", desk_phases.phases, name="desk_phases"),
    path(f"{PHASE}extend/", desk_phases.extend, name="desk_phase_extend"),
    path(f"{PHASE}close/", desk_phases.close, name="desk_phase_close"),
    path(f"{CONTEST}teams/", desk_teams.teams, name="desk_teams"),
    path(f"{CONTEST}teams/<uuid:pk>/<slug:decision>/", desk_teams.decide, name="desk_team_decide"),
    path(f"{CONTEST}notices/", desk_notices.notices, name="desk_notices"),
    path(f"{CONTEST}notices/new/", desk_notices.announce, name="desk_announce"),
    path(f"{CONTEST}notices/<uuid:pk>/withdraw/", desk_notices.withdraw, name="desk_withdraw"),
    path(f"{CONTEST}questions/<uuid:pk>/answer/", desk_notices.answer, name="desk_answer"),
    path(f"{CONTEST}rescores/", desk_rescores.rescores, name="desk_rescores"),
    path(RESCORE, desk_rescores.rescore, name="desk_rescore"),
    path(f"{RESCORE}part/", desk_rescores.part, name="desk_rescore_part"),
    path(f"{RESCORE}apply/", desk_rescores.apply, name="desk_rescore_apply"),
    path(f"{RESCORE}discard/", desk_rescores.discard, name="desk_rescore_discard"),
    path(f"{ROUND}rescore/", desk_rescores.start, name="desk_rescore_start"),
    path(f"{ROUND}times/", desk_phases.move, name="desk_times"),
    path(f"{ROUND}data/", desk_data.data, name="desk_data"),
    path(f"{ROUND}data/generate/", desk_data.generate, name="desk_generate"),
    path(f"{ROUND}data/remove/", desk_data.remove, name="desk_data_remove"),
]
