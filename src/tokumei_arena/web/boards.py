"""Boards: utility while a round is on; rankings, trade-off and attack matrix once its results are out."""

from __future__ import annotations

import hashlib
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from tokumei.contests import Contest as Rules
from tokumei.contests import find_contest
from tokumei_arena import access, boards
from tokumei_arena.addresses import contest_of, round_of
from tokumei_arena.boards import (
    Board,
    Matrix,
    Tables,
    board_state,
    board_table,
    overall_table,
    overall_visible,
    ranking_tables,
    visible_tables,
)
from tokumei_arena.models import Contest, Feedback, Phase, Round
from tokumei_arena.templatetags.arena import Heading, headings, shown
from tokumei_arena.web.frame import frame
from tokumei_arena.web.page_cache import recent
from tokumei_arena.web.timeline import next_deadline, round_lines
from tokumei_arena.wording import in_language
from tokumei_pages.charts import bars, heat_map, scatter

OVERVIEW, ATTACKERS, MATRIX, UTILITY = TABS = ("overview", "attackers", "matrix", "utility")


@require_GET
def board(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show the board of a round."""
    shared = frame(request, contest_of(request, slug), "board")
    # The tabs need all rounds anyhow; this page is asked for most of all.
    round_ = next((one for one in shared["rounds"] if one.kind == kind), None)
    if round_ is None:
        raise Http404
    own = _own_team(shared)
    context = {
        **shared,
        "round": round_,
        "line": round_lines([round_])[0],
        "deadline": next_deadline(round_),
        "attack_began": round_.has_begun(Phase.Kind.ATTACK),
        "part": _part(request, round_, own),
    }
    return render(request, "boards/board.html", context)


@require_GET
def board_part(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show the part of a board that changes; a browser that has it already is told so."""
    round_ = round_of(request, slug, kind)
    found = access.membership(request.user, round_.contest)
    part = _part(request, round_, "" if found is None else str(found.team_id))
    tag = f'"{hashlib.sha256(part.encode()).hexdigest()[:32]}"'
    known = request.headers.get("If-None-Match") == tag
    response: HttpResponse = HttpResponseNotModified() if known else HttpResponse(part)
    response["ETag"], response["Cache-Control"] = tag, "private, no-cache"
    patch_vary_headers(response, ("Cookie", "Accept-Language"))
    return response


def _own_team(shared: dict[str, Any]) -> str:
    return "" if shared["membership"] is None else str(shared["membership"].team_id)


def _part(request: HttpRequest, round_: Round, own: str) -> SafeString:
    """Return the board as HTML, made at most every few seconds for all who see the same."""
    viewer = "referee" if access.sees_all(request.user, round_.contest) else own
    zone = timezone.get_current_timezone_name()
    now = round_.current_phase()
    # What was made a moment before a phase ended is not shown a moment after.
    show = _shown_tab(request)
    key = f"part:{round_.pk}:{viewer}:{get_language()}:{zone}:{now.kind if now else ''}:{show}"

    def make() -> SafeString:
        return render_to_string("boards/part.html", _context(request.user, round_, own, show))

    return recent(key, make, state=lambda: board_state(round_))


def _shown_tab(request: HttpRequest) -> str:
    """Return which part of a board is asked for; any other word is the first one."""
    wanted = request.GET.get("show", "")
    return wanted if wanted in TABS else OVERVIEW


def _context(viewer: access.Viewer, round_: Round, own: str, show: str) -> dict[str, Any]:
    rules, utility = find_contest(round_.contest.rule_set), boards.board(round_, viewer)
    table, found = board_table(utility), visible_tables(viewer, round_)
    # Whether the board still changes from minute to minute.
    live = not round_.results_out()
    context: dict[str, Any] = {
        "contest": round_.contest,
        "round": round_,
        "live": live,
        "frozen_at": utility.frozen_at,
        "told": Feedback(utility.feedback).label,
        "board": table,
        "blind": utility.blind,
        "board_teams": utility.teams,
        "board_rows": list(zip(table.rows, utility.rows, strict=True)),
        "early": found is not None and live,
        "show": show,
    }
    if found is None:
        return {**context, **_bars(rules, utility), "show": OVERVIEW}
    anonymizers, attackers = ranking_tables(found.table, found.names, own)
    context |= {
        "complete": found.complete,
        "tabs": [
            (OVERVIEW, _("Overview")),
            (ATTACKERS, attackers.title),
            (MATRIX, _("Attack matrix")),
            (UTILITY, _("Utility board")),
        ],
        "exported": [anonymizers, attackers],
    }
    if show == MATRIX:
        context["matrix"] = recent(
            f"matrix:{round_.pk}:{get_language()}:{live}",
            lambda: render_to_string("boards/parts/heat.html", matrix_context(rules, found.matrix)),
            state=lambda: board_state(round_),
        )
    elif show == OVERVIEW:
        context |= {"rankings": [anonymizers], **trade_off(rules, found, own)}
    elif show == ATTACKERS:
        context["rankings"] = [attackers]
    return context


def _bars(rules: type[Rules], utility: Board) -> dict[str, Any]:
    """Return the utility of all releases as bars, as far as it is told in numbers."""
    column = next((one for one in utility.columns if one.key == rules.utility_figure), None)
    if column is None:
        return {}
    (head,) = headings([column])
    rows = [
        (
            row.name or _("another team"),
            float(row.figures[column.key]),
            shown(row.figures[column.key], column.digits),
            row.own,
        )
        for row in utility.rows
        if isinstance(row.figures.get(column.key), (int, float))
    ]
    return {"bars": bars(rows), "bars_title": head.title, "bars_better": head.better}


def trade_off(rules: type[Rules], found: Tables, own: str) -> dict[str, Any]:
    """Return the chart of utility against safety."""
    axes = headings(found.table.anonymizer_columns)
    titles = {column.key: head for column, head in zip(found.table.anonymizer_columns, axes, strict=True)}
    points = [(one.name, one.utility, one.safety, one.ranked, one.team == own) for one in found.points]
    return {
        "scatter": scatter(points),
        "points": [(one.name, shown(one.utility), shown(one.safety)) for one in found.points],
        "utility_axis": titles.get(rules.utility_figure, Heading(rules.utility_figure, "")),
        "safety_axis": titles.get(rules.safety_figure, Heading(rules.safety_figure, "")),
    }


def matrix_context(rules: type[Rules], matrix: Matrix) -> dict[str, Any]:
    """Return the attack matrix, which is the same for everybody who sees it."""
    values, unsafe = {}, set()
    for (owner, attacker), figures in matrix.cells.items():
        if matrix.figure in figures:
            values[attacker, owner] = float(figures[matrix.figure])
        if figures.get("unsafe"):
            unsafe.add((attacker, owner))
    attackers = [(one.team, one.name) for one in matrix.attackers]
    owners = [(one.team, one.name) for one in matrix.owners]
    titles = {column.key: in_language(column.title) for column in rules.guess_columns}
    return {
        "heat": heat_map(attackers, owners, values, frozenset(unsafe)),
        "has_unsafe": bool(unsafe),
        "matrix": matrix,
        "matrix_title": titles.get(matrix.figure, matrix.figure),
        "matrix_lines": [(one.name, _figures(matrix, one.team)) for one in matrix.attackers],
    }


def _figures(matrix: Matrix, attacker: str) -> list[str]:
    """Return what an attacker achieved against every owner; own data is a dash."""
    cells = (matrix.cells.get((owner.team, attacker), {}) for owner in matrix.owners)
    return [shown(figures.get(matrix.figure), 4) for figures in cells]


@require_GET
def overall(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rankings over all rounds that count."""
    contest = contest_of(request, slug)
    shared = frame(request, contest, "overall")
    context = {
        **shared,
        "weights": [one for one in shared["rounds"] if one.counts],
        "rankings": _overall_tables(request, contest, _own_team(shared)),
    }
    return render(request, "boards/overall.html", context)


def _overall_tables(request: HttpRequest, contest: Contest, own: str) -> list[Any]:
    if not overall_visible(request.user, contest):
        return []
    names = {str(team.pk): team.name for team in contest.teams.all()}
    return ranking_tables(overall_table(contest), names, own)
