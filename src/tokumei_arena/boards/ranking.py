"""Boards and rankings in one form of table, for pages, exports and the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from tokumei.contests import Column, RoundTable, Row
from tokumei_arena.boards.standings import Board
from tokumei_arena.wording import in_language


@dataclass(frozen=True)
class TableRow:
    """A team of a table."""

    rank: int | None
    team: str
    figures: Mapping[str, Any]
    remark: str = ""
    own: bool = False


@dataclass(frozen=True)
class Table:
    """A ranking: its key (in exports), its title, how ties are broken, its columns and rows."""

    key: str
    title: str
    rule: str
    columns: Sequence[Column]
    rows: Sequence[TableRow]

    @property
    def remarks(self) -> bool:
        """Whether any row says something."""
        return any(row.remark for row in self.rows)


def board_table(board: Board) -> Table:
    """Return the utility board as a table."""
    rows = [
        TableRow(row.rank, row.name, row.figures, remark=_("disqualified") if row.disqualified else "", own=row.own)
        for row in board.rows
    ]
    rule = _("By the first column; teams that are equal share a rank. Of a team the release counts that it chose.")
    if board.blind:
        rule = " ".join((rule, _("Whose figures are whose is told with the results.")))
    return Table("utility", _("Utility"), rule, board.columns, rows)


def ranking_tables(table: RoundTable, names: Mapping[str, str], own: str = "") -> list[Table]:
    """Return the rankings of anonymizers and attackers as tables."""

    def made(key: str, title: str, rule: str, columns: Sequence[Column], rows: Sequence[Row]) -> Table:
        listed = [
            TableRow(
                row.rank, names.get(row.team, ""), row.figures, remark=in_language(row.remark), own=row.team == own
            )
            for row in rows
        ]
        # Teams that share a rank stand in the order of their names; those without one as the rules give them.
        listed.sort(key=lambda row: (row.rank is None, row.rank or 0, row.team if row.rank else ""))
        return Table(key, title, rule, columns, listed)

    anonymizer_rule, attacker_rule = in_language(table.anonymizer_rule), in_language(table.attacker_rule)
    return [
        made("anonymizers", _("Anonymizers"), anonymizer_rule, table.anonymizer_columns, table.anonymizers),
        made("attackers", _("Attackers"), attacker_rule, table.attacker_columns, table.attackers),
    ]
