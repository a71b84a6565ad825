"""Addresses of all pages but those of allauth."""

from __future__ import annotations

from django.urls import URLPattern, path, register_converter
from django.urls.converters import StringConverter
from django.views.i18n import set_language

from tokumei_arena.models import Round
from tokumei_arena.web import (
    accounts,
    archive,
    attack,
    boards,
    ceremony,
    certificates,
    checks,
    desk,
    desk_contests,
    desk_data,
    desk_health,
    desk_log,
    desk_news,
    desk_notices,
    desk_officials,
    desk_pages,
    desk_participants,
    desk_people,
    desk_phases,
    desk_rescores,
    desk_teams,
    exports,
    joining,
    kits,
    log_heads,
    looks,
    pages,
    play,
    referees,
    submissions,
    teams,
)


class RoundKind(StringConverter):
    """The kind of a round; every other word after the contest's name is another page."""

    regex = f"(?:{'|'.join(Round.Kind.values)})(?:-[1-9][0-9]?)?"


class ExportFormat(StringConverter):
    """How an export is written."""

    regex = "csv|json"


class LogFormat(StringConverter):
    """How an extract of the log is written."""

    regex = "csv|jsonl"


register_converter(LogFormat, "log_format")
register_converter(RoundKind, "round_kind")
register_converter(ExportFormat, "export_format")

CONTEST = "c/<slug:slug>/"
ROUND = f"{CONTEST}<round_kind:kind>/"
ENDING = ".<export_format:ending>"
OWN_TEAM = f"{CONTEST}team/"
SUBMISSION = f"{CONTEST}submissions/<uuid:pk>/"
PAGE = f"{CONTEST}pages/<slug:name>/"
RESCORE = f"{CONTEST}rescores/<uuid:pk>/"
PHASE = f"{CONTEST}phases/<uuid:pk>/"

urlpatterns: list[URLPattern] = [
    path("", accounts.home, name="home"),
    path("preferences/", accounts.preferences, name="preferences"),
    path("preferences/erase/", accounts.erase_account, name="erase_account"),
    path("preferences/data/", accounts.own_data, name="own_data"),
    path("tokens/", accounts.tokens_page, name="tokens"),
    path("tokens/<uuid:pk>/revoke/", accounts.revoke_token, name="token_revoke"),
    path("referee/<str:token>/", referees.become_referee, name="become_referee"),
    path("office/<str:token>/", desk_officials.take, name="take_office"),
    path("log/", log_heads.log_heads, name="log_heads"),
    path("language/", set_language, name="language"),
    path("join/<str:token>/", joining.join_team, name="join_team"),
    path(f"{CONTEST}terms/", joining.terms, name="terms"),
    path(f"{CONTEST}teams/new/", joining.team_new, name="team_new"),
    path(OWN_TEAM, teams.team, name="team"),
    path(f"{OWN_TEAM}edit/", teams.edit, name="team_edit"),
    path(f"{OWN_TEAM}invite/", teams.invite, name="team_invite"),
    path(f"{OWN_TEAM}invitations/<uuid:pk>/revoke/", teams.revoke_invitation, name="invitation_revoke"),
    path(f"{OWN_TEAM}members/<uuid:pk>/role/", teams.change_role, name="member_role"),
    path(f"{OWN_TEAM}members/<uuid:pk>/remove/", teams.remove_member, name="member_remove"),
    path(f"{OWN_TEAM}publish/", teams.publish, name="team_publish"),
    path(f"{OWN_TEAM}certificate/", certificates.own_certificate, name="own_certificate"),
    path(f"{OWN_TEAM}leave/", teams.leave, name="team_leave"),
    path(CONTEST, play.contest, name="contest"),
    path(f"{CONTEST}metrics/", play.metrics, name="metrics"),
    path(f"{CONTEST}logo/", looks.logo, name="logo"),
    path(f"{CONTEST}look.css", looks.look, name="look"),
    path(f"{CONTEST}questions/", play.clarifications, name="clarifications"),
    path(f"{CONTEST}pages/", pages.pages, name="pages"),
    path(PAGE, pages.page, name="page"),
    path(f"{PAGE}files/<uuid:pk>/", pages.page_file, name="page_file"),
    path(SUBMISSION, submissions.submission, name="submission"),
    path(f"{SUBMISSION}status/", submissions.submission_status, name="submission_status"),
    path(f"{SUBMISSION}file/", submissions.submission_file, name="submission_file"),
    path(f"{SUBMISSION}choose/", submissions.choose, name="choose"),
    path(ROUND, play.round_page, name="round"),
    path(f"{ROUND}data/<uuid:pk>/", play.data_file, name="data_file"),
    path(f"{ROUND}kit/", kits.kit, name="kit"),
    path(f"{ROUND}check/", checks.release_check, name="release_check"),
    path(f"{ROUND}checks/<uuid:pk>/", checks.check_result, name="check_result"),
    path(f"{ROUND}targets/", attack.targets, name="targets"),
    path(f"{ROUND}targets.zip", kits.all_targets, name="all_targets"),
    path(f"{ROUND}answers/", attack.answers, name="answers"),
    path(f"{ROUND}targets/<uuid:pk>/check/", checks.guesses_check, name="guesses_check"),
    path(f"{ROUND}targets/<uuid:pk>/ask/", attack.ask, name="ask"),
    path(f"{ROUND}targets/<uuid:pk>/", attack.target, name="target"),
    path(f"{ROUND}targets/<uuid:pk>/files/<uuid:file_pk>/", attack.target_file, name="target_file"),
    path(f"{ROUND}board/", boards.board, name="board"),
    path(f"{ROUND}board/part/", boards.board_part, name="board_part"),
    path(f"{ROUND}board{ENDING}", exports.board_export, name="board_export"),
    path(f"{ROUND}ceremony/", ceremony.ceremony, name="ceremony"),
    path(f"{ROUND}ceremony/part/", ceremony.ceremony_part, name="ceremony_part"),
    path(f"{CONTEST}archive/", archive.archive, name="archive"),
    path(f"{CONTEST}archive.json", archive.archive_json, name="archive_json"),
    path(f"{CONTEST}archive/files/<uuid:pk>/", archive.archive_file, name="archive_file"),
    path(f"{CONTEST}overall/", boards.overall, name="overall"),
    path(f"{CONTEST}overall{ENDING}", exports.overall_export, name="overall_export"),
]

# Below desk/.
desk_patterns: list[URLPattern] = [
    path("", desk.home, name="desk"),
    path("contests/new/", desk_contests.new, name="desk_contest_new"),
    path("messages/", desk_people.messages, name="desk_messages"),
    path("messages/<uuid:pk>/done/", desk_people.message_done, name="desk_message_done"),
    path("referees/", desk_people.referees, name="desk_referees"),
    path("referees/link/", desk_people.referee_link, name="desk_referee_link"),
    path("referees/<uuid:pk>/resign/", desk_people.resign, name="desk_referee_resign"),
    path("accounts/erase/", desk_people.erase, name="desk_erase"),
    path("log/", desk_log.log, name="desk_log"),
    path("log.<log_format:ending>", desk_log.log_export, name="desk_log_export"),
    path("health/", desk_health.health_page, name="desk_health"),
    path("operations/", desk_people.operations, name="desk_operations"),
    path(CONTEST, desk.contest, name="desk_contest"),
    path(f"{CONTEST}live/", desk.live, name="desk_live"),
    path(f"{CONTEST}failed/", desk.failed, name="desk_failed"),
    path(f"{CONTEST}submissions/<uuid:pk>/again/", desk.evaluate_again, name="desk_again"),
    path(f"{CONTEST}targets/<uuid:pk>/again/", desk.publish_again, name="desk_target_again"),
    path(f"{CONTEST}open/", desk.show, name="desk_open"),
    path(f"{CONTEST}edit/", desk_contests.edit, name="desk_edit"),
    path(f"{CONTEST}clone/", desk_contests.clone, name="desk_clone"),
    path(f"{CONTEST}rounds/add/", desk_contests.round_add, name="desk_round_add"),
    path(f"{CONTEST}log/", desk_log.contest_log, name="desk_contest_log"),
    path(f"{CONTEST}log.<log_format:ending>", desk_log.contest_log_export, name="desk_contest_log_export"),
    path(f"{CONTEST}officials/", desk_officials.officials, name="desk_officials"),
    path(f"{CONTEST}officials/offer/", desk_officials.offer, name="desk_official_offer"),
    path(f"{CONTEST}officials/<uuid:pk>/change/", desk_officials.change, name="desk_official_change"),
    path(f"{CONTEST}officials/<uuid:pk>/end/", desk_officials.end, name="desk_official_end"),
    path(f"{CONTEST}news/", desk_news.news, name="desk_news"),
    path(f"{CONTEST}news/<uuid:pk>/test/", desk_news.test, name="desk_webhook_test"),
    path(f"{CONTEST}news/<uuid:pk>/remove/", desk_news.remove, name="desk_webhook_remove"),
    path(f"{CONTEST}results/", ceremony.results, name="desk_results"),
    path(f"{CONTEST}results/archive/", ceremony.archive_make, name="desk_archive_make"),
    path(f"{CONTEST}results/archive/remove/", ceremony.archive_remove, name="desk_archive_remove"),
    path(f"{CONTEST}participants/", desk_participants.participants, name="desk_participants"),
    path(f"{CONTEST}extensions/", desk_teams.extend, name="desk_extend_team"),
    path(f"{CONTEST}extensions/<uuid:pk>/end/", desk_teams.end_extra_time, name="desk_extension_end"),
    path(f"{CONTEST}certificates/<uuid:pk>/", certificates.desk_certificate, name="desk_certificate"),
    path(f"{CONTEST}look/", looks.edit_look, name="desk_look"),
    path(f"{CONTEST}phases/", desk_phases.phases, name="desk_phases"),
    path(f"{PHASE}extend/", desk_phases.extend, name="desk_phase_extend"),
    path(f"{PHASE}close/", desk_phases.close, name="desk_phase_close"),
    path(f"{CONTEST}teams/", desk_teams.teams, name="desk_teams"),
    path(f"{CONTEST}teams/<uuid:pk>/<slug:decision>/", desk_teams.decide, name="desk_team_decide"),
    path(f"{CONTEST}pages/", desk_pages.pages, name="desk_pages"),
    path(PAGE, desk_pages.page, name="desk_page"),
    path(f"{PAGE}remove/", desk_pages.remove, name="desk_page_remove"),
    path(f"{PAGE}files/new/", desk_pages.attach_file, name="desk_page_attach"),
    path(f"{PAGE}files/<uuid:pk>/remove/", desk_pages.detach_file, name="desk_page_detach"),
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
    path(f"{ROUND}remove/", desk_contests.round_remove, name="desk_round_remove"),
    path(f"{ROUND}ceremony/reveal/", ceremony.reveal, name="desk_reveal"),
    path(f"{ROUND}ceremony/end/", ceremony.end, name="desk_ceremony_end"),
    path(f"{ROUND}times/", desk_phases.move, name="desk_times"),
    path(f"{ROUND}data/", desk_data.data, name="desk_data"),
    path(f"{ROUND}data/generate/", desk_data.generate, name="desk_generate"),
    path(f"{ROUND}data/remove/", desk_data.remove, name="desk_data_remove"),
]
