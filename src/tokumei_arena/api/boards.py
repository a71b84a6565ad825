"""Operations that show results: the board of a round, the attack matrix, the overall ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Schema

from tokumei.contests import RoundTable
from tokumei_arena import access, boards
from tokumei_arena.addresses import contest_of, round_of
from tokumei_arena.api.auth import READ, caller
from tokumei_arena.api.router import operations
from tokumei_arena.api.show import document
from tokumei_arena.boards import Table, board_table, overall_table, overall_visible, ranking_tables, visible_tables
from tokumei_arena.errors import NotNowError
from tokumei_arena.models import Contest, Phase
from tokumei_arena.wording import in_language

get, _post = operations("results")


class ColumnOut(Schema):
    """A figure of a table; ``better`` is 'lower', 'higher' or empty."""

    key: str
    title: str
    better: str
    digits: int


class RowOut(Schema):
    """A team in a table."""

    rank: int | None
    team: str
    own: bool
    figures: dict[str, Any]
    remark: str


class TableOut(Schema):
    """A ranking with its rule of ties."""

    name: str
    title: str
    columns: list[ColumnOut]
    rows: list[RowOut]
    rule: str


class BoardOut(Schema):
    """What may be shown of a round now: the utility board until the results are out, then the rankings.

    On a blind board the rows of other teams have no name; ``teams`` are the names of all that take part.
    """

    round: str
    phase: str | None
    feedback: str
    frozen_at: datetime | None
    blind: bool
    teams: list[str]
    complete: bool
    tables: list[TableOut]


class OverallOut(Schema):
    """The round-weighted rankings."""

    tables: list[TableOut]


class MatrixTeamOut(Schema):
    """A team whose data was attacked."""

    team: str
    alias: str


class CellOut(Schema):
    """What an attacker achieved against the owner of a target."""

    owner: str
    attacker: str
    figures: dict[str, Any]


class MatrixOut(Schema):
    """The attacks between teams; ``figure`` is the one that matters most."""

    figure: str
    owners: list[MatrixTeamOut]
    attackers: list[str]
    cells: list[CellOut]


def _table(table: Table) -> TableOut:
    columns = [document(ColumnOut, one, title=in_language(one.title)) for one in table.columns]
    rows = [document(RowOut, row, figures=dict(row.figures)) for row in table.rows]
    return document(TableOut, table, name=table.key, columns=columns, rows=rows)


def _rankings(request: HttpRequest, contest: Contest, table: RoundTable, names: Mapping[str, str]) -> list[TableOut]:
    membership = access.membership(caller(request), contest)
    own = "" if membership is None else str(membership.team_id)
    return [_table(ranking) for ranking in ranking_tables(table, names, own)]


@get("/contests/{slug}/rounds/{kind}/board", auth=READ, response=BoardOut)
def board(request: HttpRequest, slug: str, kind: str) -> BoardOut:
    """Return the board of a round, and its rankings once they are out."""
    round_ = round_of(request, slug, kind)
    person = caller(request)
    found = boards.board(round_, person)
    results = visible_tables(person, round_)
    # Figures are all that the utility board tells here; its rule stands on the page.
    utility = _table(replace(board_table(found), rule=""))
    on = round_.current_phase()
    # Before the attack there is nothing that rankings could tell.
    scored = results is not None and (
        on is None or on.kind in (Phase.Kind.ATTACK, Phase.Kind.SCORING, Phase.Kind.PUBLISHED)
    )
    rankings = _rankings(request, round_.contest, results.table, results.names) if results and scored else []
    return BoardOut(
        round=round_.kind,
        phase=None if on is None else on.kind,
        feedback=found.feedback,
        frozen_at=found.frozen_at,
        blind=found.blind,
        teams=list(found.teams),
        complete=results is not None and results.complete,
        tables=[utility, *rankings],
    )


@get("/contests/{slug}/rounds/{kind}/matrix", auth=READ, response=MatrixOut)
def matrix(request: HttpRequest, slug: str, kind: str) -> MatrixOut:
    """Return who attacked whom, and with what result, once that is out."""
    results = visible_tables(caller(request), round_of(request, slug, kind))
    if results is None:
        raise NotNowError(_("the results are not out yet"), code="not-published")
    found = results.matrix
    cells = [
        CellOut(owner=results.names[owner], attacker=results.names[attacker], figures=dict(figures))
        for (owner, attacker), figures in sorted(found.cells.items(), key=lambda one: one[0])
        if owner in results.names and attacker in results.names
    ]
    return MatrixOut(
        figure=found.figure,
        owners=[MatrixTeamOut(team=one.name, alias=one.alias) for one in found.owners],
        attackers=[one.name for one in found.attackers],
        cells=cells,
    )


@get("/contests/{slug}/overall", auth=READ, response=OverallOut)
def overall(request: HttpRequest, slug: str) -> OverallOut:
    """Return the overall ranking once all rounds are out."""
    contest, person = contest_of(request, slug), caller(request)
    if not overall_visible(person, contest):
        raise NotNowError(_("the results are not out yet"), code="not-published")
    names = {str(team.pk): team.name for team in contest.teams.all()}
    return OverallOut(tables=_rankings(request, contest, overall_table(contest), names))
