"""Boards and rankings: what everybody sees during a round, and the tables, matrix and chart points after it.

Everything here is computed from submissions, evaluations, choices and teams, and from nothing else; the same rows
give the same standings. A board follows the feedback rule of its round and freezes before the end; referees see all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import caches
from django.db.models import Max

from tokumei.contests import Column, Entry, Pair, RoundTable
from tokumei_arena import access, clock
from tokumei_arena.models import Contest, Feedback, LogEntry, Phase, Round, Submission, Target, Team
from tokumei_arena.rules import parameters_of, rules_in, rules_of
from tokumei_arena.work import (
    chosen_releases,
    coarse_figures,
    feedback_policy,
    figures_under,
    release_counts,
    secret_number,
)

KEPT_SECONDS = 600


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A team on the board: its best release as far as it is shown, how many it handed in, and when the last came.

    On a blind board the rows of other teams have no name, no count and no time.
    """

    team: str
    name: str
    rank: int | None
    figures: Mapping[str, Any]
    submissions: int | None
    last_at: datetime | None
    disqualified: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """The utility board of a round; ``frozen_at`` is set while it stands still.

    A ``blind`` one has figures without names, and the names of all teams, by the alphabet, without figures.
    """

    columns: tuple[Column, ...]
    rows: tuple[BoardRow, ...]
    feedback: str
    frozen_at: datetime | None = None
    blind: bool = False
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatrixTeam:
    """A team in the attack matrix; ``alias`` is the name under which its data was attacked."""

    team: str
    name: str
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """What each attacker achieved against each target: ``cells[(owner, attacker)]`` holds the figures of a pair."""

    owners: tuple[MatrixTeam, ...]
    attackers: tuple[MatrixTeam, ...]
    cells: Mapping[tuple[str, str], Mapping[str, Any]]
    figure: str


@dataclass(frozen=True, slots=True)
class Point:
    """A release on the chart of utility against safety."""

    team: str
    name: str
    utility: float
    safety: float
    ranked: bool


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything about a scored round; ``complete`` is False while evaluations are still under way."""

    table: RoundTable
    matrix: Matrix
    points: tuple[Point, ...]
    names: Mapping[str, str]
    complete: bool


def board(round_: Round, viewer: access.Viewer) -> Board:
    """Return the utility board as this viewer may see it now."""
    if access.sees_all(viewer, round_.contest):
        return _board(round_, Feedback.EXACT, None)
    rule = feedback_policy(round_, Submission.Kind.RELEASE)
    frozen = _frozen_at(round_)
    since = "" if frozen is None else frozen.timestamp()
    blind = round_.blind and not round_.results_out()
    key = f"board:{round_.pk}:{rule}:{since}:{blind}:{_log_number()}"
    common: Board | None = caches["pages"].get(key)
    if common is None:
        common = _board(round_, rule, frozen)
        caches["pages"].set(key, common, KEPT_SECONDS)
    membership = access.membership(viewer, round_.contest)
    own = "" if membership is None else str(membership.team_id)
    marked = replace(common, rows=tuple(replace(row, own=row.team == own) for row in common.rows))
    return _blind(round_, marked) if blind else marked


def _blind(round_: Round, full: Board) -> Board:
    """Return a board of which nobody learns whose figures are whose, but for the own ones.

    Figures can be computed from the files that are published, and who looks often can keep what was shown before: so
    names and figures are apart from the beginning, and nothing that changes with a submission stands beside a name.
    """
    teams = tuple(sorted(row.name for row in full.rows if not row.disqualified))
    rows = [row for row in full.rows if row.own or (row.figures and not row.disqualified)]
    hidden = [
        row if row.own else replace(row, team="", name="", submissions=None, last_at=None)
        # Equal ranks in an order that says nothing about names.
        for row in sorted(rows, key=lambda row: secret_number(round_, f"row:{row.team}"))
    ]
    hidden.sort(key=lambda row: (row.rank is None, row.rank or 0))
    return replace(full, rows=tuple(hidden), blind=True, teams=teams)


def board_state(round_: Round) -> tuple[int, datetime | None]:
    """Return what tells whether a board may have changed since."""
    return _log_number(), _frozen_at(round_)


def _log_number() -> int:
    """Return the number of the last log entry: whatever changes a contest writes one, so it names a state."""
    return int(LogEntry.objects.aggregate(last=Max("number"))["last"] or 0)


def _frozen_at(round_: Round) -> datetime | None:
    """Return since when the board stands still: shortly before the end of anonymization, until that end."""
    phase = round_.phase_of(Phase.Kind.ANONYMIZE)
    if phase is None or phase.ends_at is None or not round_.freeze_minutes:
        return None
    since = phase.ends_at - timedelta(minutes=round_.freeze_minutes)
    return since if since <= clock.now() < phase.ends_at else None


def _board(round_: Round, rule: Feedback, frozen: datetime | None) -> Board:
    rules = rules_of(round_.contest)
    best = chosen_releases(round_, until=frozen)
    counts = release_counts(round_, until=frozen)
    rows = []
    for team in _teams(round_.contest):
        release = best.get(team.pk)
        count, last = counts.get(team.pk, (0, None))
        figures = {} if release is None or release.evaluation is None else release.evaluation.figures
        # What is hidden must not show in the order either.
        told = coarse_figures(figures, rule)
        order = rules.release_order(told) if told else None
        out = team.disqualified_at is not None
        row = BoardRow(str(team.pk), team.name, None, figures_under(figures, rule), count, last, out)
        rows.append((row, None if out else order))
    return Board(rules.release_columns, _ranked(rows), rule.value, frozen)


def _ranked(rows: Iterable[tuple[BoardRow, float | None]]) -> tuple[BoardRow, ...]:
    """Return rows by their order, equal ones sharing a rank; those without one come last, by name."""
    listed = list(rows)
    known = sorted(((order, row.name, row) for row, order in listed if order is not None), key=lambda one: one[:2])
    orders = [order for order, _, _ in known]
    ranked = [replace(row, rank=1 + orders.index(order)) for order, _, row in known]
    others = sorted((row for row, order in listed if order is None), key=lambda row: row.name)
    return (*ranked, *others)


def _teams(contest: Contest) -> list[Team]:
    return list(Team.objects.filter(contest=contest, approved_at__isnull=False).order_by("number"))


def _entries(round_: Round, teams: Iterable[Team]) -> list[Entry]:
    """Return every team with the release with which it competes: its target, or what would become one."""
    published = {
        target.team_id: target.submission
        for target in Target.objects.filter(round=round_).select_related("submission__evaluation")
    }
    chosen = published or chosen_releases(round_)
    found = []
    for team in teams:
        release = chosen.get(team.pk)
        evaluation = None if release is None else release.evaluation
        usable = evaluation is not None and evaluation.valid
        found.append(
            Entry(
                team=str(team.pk),
                figures=evaluation.figures if usable and evaluation is not None else None,
                received_at=release.received_at if release is not None and usable else None,
                disqualified=team.disqualified_at is not None,
            )
        )
    return found


def _pairs(round_: Round) -> list[Pair]:
    """Return the best valid attempt of every attacker at every target."""
    rules = rules_of(round_.contest)
    guesses = (
        Submission.objects.filter(
            round=round_, kind=Submission.Kind.GUESSES, verdict=Submission.Verdict.VALID, evaluation__isnull=False
        )
        .order_by("received_at", "pk")
        .values_list("team_id", "target__team_id", "evaluation__figures")
    )
    best: dict[tuple[str, str], Mapping[str, Any]] = {}
    for attacker, owner, figures in guesses:
        key = (str(attacker), str(owner))
        if key not in best or rules.guess_order(figures) < rules.guess_order(best[key]):
            best[key] = figures
    return [
        Pair(attacker, owner, figures) for (attacker, owner), figures in sorted(best.items(), key=lambda one: one[0])
    ]


def round_table(round_: Round) -> RoundTable:
    """Return the rankings of a round as its evaluations stand now."""
    return tables(round_).table


def matrix(round_: Round) -> Matrix:
    """Return the attack matrix as the evaluations stand now."""
    return tables(round_).matrix


def tables(round_: Round) -> Tables:
    """Return everything about a round; for referees, and for everybody through `visible_tables`."""
    key = f"tables:{round_.pk}:{_log_number()}"
    found: Tables | None = caches["pages"].get(key)
    if found is None:
        found = _tables(round_)
        caches["pages"].set(key, found, KEPT_SECONDS)
    return found


def _tables(round_: Round) -> Tables:
    rules = rules_of(round_.contest)
    teams = _teams(round_.contest)
    entries, pairs = _entries(round_, teams), _pairs(round_)
    table = rules_in(round_.contest.rule_set, parameters_of(round_)).rank_round(entries, pairs)
    names = {str(team.pk): team.name for team in teams}
    aliases = {str(owner): alias for owner, alias in round_.targets.values_list("team_id", "alias")}
    everybody = tuple(MatrixTeam(team, name) for team, name in names.items())
    owners = tuple(MatrixTeam(team, name, aliases[team]) for team, name in names.items() if team in aliases)
    cells = {(pair.owner, pair.attacker): pair.figures for pair in pairs}
    points = tuple(
        Point(
            row.team,
            names[row.team],
            float(row.figures[rules.utility_figure]),
            float(row.figures[rules.safety_figure]),
            row.rank is not None,
        )
        for row in table.anonymizers
        if rules.utility_figure in row.figures and rules.safety_figure in row.figures
    )
    pending = round_.submissions.filter(state__in=("queued", "running")).exists()
    return Tables(table, Matrix(owners, everybody, cells, rules.matrix_figure), points, names, not pending)


def visible_tables(viewer: access.Viewer, round_: Round) -> Tables | None:
    """Return the tables of a round if this viewer may see them now: everybody once they are out, referees always."""
    if access.sees_all(viewer, round_.contest) or round_.results_out():
        return tables(round_)
    return None


def overall_visible(viewer: access.Viewer, contest: Contest) -> bool:
    """Return whether the overall ranking may be shown: all counted rounds are out, or the viewer is a referee."""
    rounds = counted_rounds(contest)
    return bool(rounds) and all(visible_tables(viewer, round_) is not None for round_ in rounds)


def counted_rounds(contest: Contest) -> list[Round]:
    """Return the rounds that count: practice is for trying things out."""
    rounds = Round.objects.filter(contest=contest).select_related("contest").prefetch_related("phases")
    return [round_ for round_ in rounds if round_.counts]


def overall_table(contest: Contest) -> RoundTable:
    """Return the round-weighted rankings of a contest."""
    weighted = [(float(round_.weight), round_table(round_)) for round_ in counted_rounds(contest)]
    return rules_of(contest).rank_overall(weighted)
