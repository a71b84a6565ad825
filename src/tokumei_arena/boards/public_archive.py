"""The public archive of a finished contest: its results as they were when it was made, and files of teams that agreed.

What is kept is plain values in both languages, so that neither a new version of the rules nor a re-scoring changes what
was said. Of a team's files the archive holds what the other teams attacked, never what it handed in to the judge.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from tokumei.contests import Column, RoundTable, Row, find_contest
from tokumei_arena import access, clock
from tokumei_arena.boards.standings import Matrix, MatrixTeam, Point, Tables, counted_rounds, overall_table, tables
from tokumei_arena.errors import NotAllowedError, NotNowError, RefusedError
from tokumei_arena.models import Blob, Contest, Membership, Person, PublicFile, Round, TargetFile, Team
from tokumei_arena.records import record

FORMAT = 1


def agree_to_publish(team: Team, *, agrees: bool, by: Person) -> None:
    """Note whether the files of a team may stand in the public archive; captains say so, until that is made."""
    if not team.memberships.filter(person=by, role=Membership.Role.CAPTAIN).exists():
        raise NotAllowedError(_("only captains of the team may do this"), code="not-captain")
    with transaction.atomic():
        # Whoever makes the archive locks the contest too.
        contest = Contest.objects.select_for_update().get(pk=team.contest_id)
        if contest.archived_at is not None:
            message = _("the archive is made; ask the referees if something in it must go")
            raise NotNowError(message, code="archived")
        if Team.objects.filter(pk=team.pk).exclude(publishes=agrees).update(publishes=agrees):
            record("team.publish" if agrees else "team.keep-private", team, actor=by)
    team.publishes = agrees


def archive_ready(contest: Contest) -> bool:
    """Return whether everything that an archive tells is known: the results of all rounds that count are out."""
    rounds = counted_rounds(contest)
    return bool(rounds) and all(round_.results_out() for round_ in rounds)


def make_archive(contest: Contest, *, by: Person) -> None:
    """Make the public archive; from then on everybody who sees the contest finds it, unchanged."""
    access.need_owner(by, contest)
    with transaction.atomic():
        contest = Contest.objects.select_for_update().get(pk=contest.pk)
        if contest.archived_at is not None:
            raise NotNowError(_("the archive is made already"), code="archived")
        if not archive_ready(contest):
            raise NotNowError(_("the results of a round are not out yet"), code="not-published")
        rounds = counted_rounds(contest)
        document = _document(contest, rounds)
        contest.archive, contest.archived_at = document, clock.now()
        contest.save(update_fields=["archive", "archived_at"])
        files = [_file(one) for one in _files(rounds)]
        PublicFile.objects.bulk_create(files)
        record("archive.make", contest, actor=by, sha256=_sha256(document), files=len(files))


def remove_archive(contest: Contest, *, by: Person, reason: str) -> None:
    """Take the archive back, for instance because a team asks; it can be made again."""
    access.need_owner(by, contest)
    told = access.need_reason(reason)
    with transaction.atomic():
        contest = Contest.objects.select_for_update().get(pk=contest.pk)
        if contest.archived_at is None:
            raise RefusedError(_("there is no archive"), code="no-archive")
        contest.archive = contest.archived_at = None
        contest.save(update_fields=["archive", "archived_at"])
        # The bytes stay: they are those of the targets.
        PublicFile.objects.filter(round__contest=contest).delete()
        record("archive.remove", contest, actor=by, reason=told)


def _sha256(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _files(rounds: list[Round]) -> list[TargetFile]:
    """Return the published files of teams that agreed; neither ground truth nor files for single attackers."""
    found = TargetFile.objects.filter(target__round__in=rounds, target__team__publishes=True, team=None)
    found = found.filter(target__team__disqualified_at=None, blob__area=Blob.Area.PUBLISHED)
    return list(found.select_related("target", "blob").order_by("target__team__number", "name"))


def _file(one: TargetFile) -> PublicFile:
    return PublicFile(round_id=one.target.round_id, team_id=one.target.team_id, name=one.name, blob=one.blob)


def _document(contest: Contest, rounds: list[Round]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "format": FORMAT,
        "rule_set": contest.rule_set,
        "rule_version": find_contest(contest.rule_set).version(),
        "rounds": [],
        "overall": None,
    }
    for round_ in rounds:
        found = tables(round_)
        document["rounds"].append({"kind": round_.kind, "name": round_.name, **_written(found)})
    if len(rounds) > 1:
        names = {str(team.pk): team.name for team in contest.teams.all()}
        document["overall"] = {"table": _table(overall_table(contest)), "names": names}
    # As JSON gives it back, so that its hash can be computed again.
    plain: dict[str, Any] = json.loads(json.dumps(document))
    return plain


def _written(found: Tables) -> dict[str, Any]:
    matrix = found.matrix
    return {
        "table": _table(found.table),
        "names": dict(found.names),
        "points": [[one.team, one.name, one.utility, one.safety, one.ranked] for one in found.points],
        "matrix": {
            "figure": matrix.figure,
            "owners": [[one.team, one.name, one.alias] for one in matrix.owners],
            "attackers": [[one.team, one.name] for one in matrix.attackers],
            "cells": [[owner, attacker, _flat(figures)] for (owner, attacker), figures in sorted(matrix.cells.items())],
        },
    }


def _flat(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures that tables can show; lists of details are left out."""
    return {key: value for key, value in figures.items() if not isinstance(value, (list, dict))}


def _table(table: RoundTable) -> dict[str, Any]:
    def rows(listed: tuple[Row, ...]) -> list[Any]:
        return [[one.team, one.rank, _flat(one.figures), dict(one.remark) if one.remark else None] for one in listed]

    def columns(listed: tuple[Column, ...]) -> list[Any]:
        return [[one.key, dict(one.title), one.better, one.digits] for one in listed]

    return {
        "anonymizers": rows(table.anonymizers),
        "attackers": rows(table.attackers),
        "anonymizer_columns": columns(table.anonymizer_columns),
        "attacker_columns": columns(table.attacker_columns),
        "anonymizer_rule": dict(table.anonymizer_rule),
        "attacker_rule": dict(table.attacker_rule),
    }


def archived_table(document: Mapping[str, Any]) -> RoundTable:
    """Return the rankings of an archive as they were."""

    def rows(key: str) -> tuple[Row, ...]:
        return tuple(Row(team, rank, figures, remark) for team, rank, figures, remark in document[key])

    def columns(key: str) -> tuple[Column, ...]:
        return tuple(Column(name, title, better, digits) for name, title, better, digits in document[key])

    return RoundTable(
        rows("anonymizers"),
        rows("attackers"),
        columns("anonymizer_columns"),
        columns("attacker_columns"),
        document["anonymizer_rule"],
        document["attacker_rule"],
    )


def archived_tables(document: Mapping[str, Any]) -> Tables:
    """Return everything about a round of an archive as it was."""
    kept = document["matrix"]
    matrix = Matrix(
        tuple(MatrixTeam(*one) for one in kept["owners"]),
        tuple(MatrixTeam(*one) for one in kept["attackers"]),
        {(owner, attacker): figures for owner, attacker, figures in kept["cells"]},
        kept["figure"],
    )
    points = tuple(Point(*one) for one in document["points"])
    return Tables(archived_table(document["table"]), matrix, points, document["names"], complete=True)
