"""The check of iPWS Cup 2023: a health table of the shape of B (spec 6)."""

from __future__ import annotations

from tokumei.contests.column_rules import ColumnRule, check_cells, plain_rows
from tokumei.contests.findings import Findings
from tokumei.contests.pws2021.table import COLUMNS, DOMAINS

LIMITS = {"age": ("13", "87"), "bmi": ("8", "91")}
# Always 0 in the data, and not checked.
_FREE = dict.fromkeys(("gh", "mets"), ("-Infinity", "Infinity"))
RULES = tuple(
    ColumnRule(name, tuple(DOMAINS.get(name, ())), *{**LIMITS, **_FREE}.get(name, ("0", "1"))) for name in COLUMNS
)


def check_table(raw: bytes, rows: int) -> Findings:
    """Return the faults of an anonymized table."""
    found, table = Findings(), plain_rows(raw)
    if len(table) != rows:
        found.add("row-count", "anonymized", rows=len(table), wanted=rows)
    check_cells(found, "anonymized", RULES, table)
    return found
