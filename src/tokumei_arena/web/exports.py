"""Boards and rankings as CSV and JSON.

A cell of text that a spreadsheet would take for a formula gets an apostrophe in front (OWASP, CSV injection); numbers
are left as they are. JSON is read by programs and holds the texts unchanged.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from tokumei_arena.addresses import contest_of, round_of
from tokumei_arena.boards import (
    Matrix,
    Table,
    board,
    board_table,
    overall_table,
    overall_visible,
    ranking_tables,
    visible_tables,
)
from tokumei_arena.models import Contest, Round
from tokumei_arena.wording import in_language

FORMULA = ("=", "+", "-", "@", "\t", "\r")
# Spreadsheets take a file for UTF-8 only with this mark; programs skip it ("utf-8-sig").
MARK = "\ufeff"


def neutral(value: Any) -> Any:
    """Return a cell that no spreadsheet computes.

    >>> neutral("=1+1"), neutral(-1.5), neutral("-"), neutral(None)
    ("'=1+1", -1.5, "'-", '')
    """
    if value is None:
        return ""
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value


def csv_bytes(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Return a table as CSV, its cells neutralised."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([neutral(name) for name in head])
    writer.writerows([neutral(cell) for cell in row] for row in rows)
    return f"{MARK}{text.getvalue()}".encode()


@require_GET
def board_export(request: HttpRequest, slug: str, kind: str, ending: str) -> HttpResponse:
    """Give the board of a round: JSON holds everything, CSV the table asked for (default: the most telling one)."""
    round_ = round_of(request, slug, kind)
    found = visible_tables(request.user, round_)
    tables = [board_table(board(round_, request.user))]
    matrix = None
    if found is not None:
        tables = [*ranking_tables(found.table, found.names), *tables]
        matrix = found.matrix
    name = f"{round_.contest.slug}-{round_.kind}"
    if ending == "json":
        return _json(name, {**_about(round_), **_document(tables, matrix)})
    return _csv(request, name, tables, matrix)


@require_GET
def overall_export(request: HttpRequest, slug: str, ending: str) -> HttpResponse:
    """Give the overall ranking, once it may be seen."""
    contest = contest_of(request, slug)
    if not overall_visible(request.user, contest):
        raise Http404
    names = {str(team.pk): team.name for team in contest.teams.all()}
    tables = ranking_tables(overall_table(contest), names)
    name = f"{contest.slug}-overall"
    if ending == "json":
        return _json(name, {**_about_contest(contest), **_document(tables, None)})
    return _csv(request, name, tables, None)


def _about_contest(contest: Contest) -> dict[str, Any]:
    return {"contest": contest.slug, "name": contest.name, "rule_set": contest.rule_set}


def _about(round_: Round) -> dict[str, Any]:
    now = round_.current_phase()
    return {**_about_contest(round_.contest), "round": round_.kind, "phase": None if now is None else now.kind}


def _plain(value: Any) -> Any:
    """Return a value that strict JSON can hold."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _document(tables: Sequence[Table], matrix: Matrix | None) -> dict[str, Any]:
    document: dict[str, Any] = {
        "tables": {
            table.key: {
                "rule": table.rule,
                "columns": [
                    {"key": column.key, "title": in_language(column.title), "better": column.better}
                    for column in table.columns
                ],
                "rows": [
                    {
                        "rank": row.rank,
                        "team": row.team,
                        "figures": {column.key: _plain(row.figures.get(column.key)) for column in table.columns},
                        "remark": row.remark,
                    }
                    for row in table.rows
                ],
            }
            for table in tables
        }
    }
    if matrix is not None:
        names = {one.team: one.name for one in (*matrix.owners, *matrix.attackers)}
        document["matrix"] = {
            "figure": matrix.figure,
            "pairs": [
                {
                    "attacker": names.get(attacker, ""),
                    "owner": names.get(owner, ""),
                    "figures": {key: _plain(value) for key, value in figures.items()},
                }
                for (owner, attacker), figures in sorted(matrix.cells.items())
            ],
        }
    return document


def _csv(request: HttpRequest, name: str, tables: Sequence[Table], matrix: Matrix | None) -> HttpResponse:
    wanted = request.GET.get("table", "") or tables[0].key
    if wanted == "matrix" and matrix is not None:
        data = _matrix_csv(matrix)
    else:
        table = next((one for one in tables if one.key == wanted), None)
        if table is None:
            raise Http404
        data = _table_csv(table)
    response = HttpResponse(data, content_type="text/csv; charset=utf-8")
    return _as_file(response, f"{name}-{wanted}.csv")


def _table_csv(table: Table) -> bytes:
    keys = [column.key for column in table.columns]
    rows = [[row.rank, row.team, *(row.figures.get(key) for key in keys), row.remark] for row in table.rows]
    return csv_bytes(["rank", "team", *keys, "remark"], rows)


def _matrix_csv(matrix: Matrix) -> bytes:
    rows = [
        [one.name, *(matrix.cells.get((owner.team, one.team), {}).get(matrix.figure) for owner in matrix.owners)]
        for one in matrix.attackers
    ]
    return csv_bytes([f"{matrix.figure}: attacker / owner", *(owner.name for owner in matrix.owners)], rows)


def _json(name: str, document: dict[str, Any]) -> HttpResponse:
    text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    return _as_file(HttpResponse(text, content_type="application/json; charset=utf-8"), f"{name}.json")


def _as_file(response: HttpResponse, name: str) -> HttpResponse:
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
