"""The table of the sample anonymizers as Markdown, and its place in a page of the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokumei.errors import UnreadableError

BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """Return one line per anonymizer: metrics, attacks, highest rate, whether P belongs to the data."""
    metrics, attacks = list(rows[0]["utility"]), list(rows[0]["attacks"])
    header = ["anonymizer", "n'", *metrics, *attacks, "max", "P consistent"]
    lines = [_line(header), _line(["---", *["---:"] * (len(header) - 2), "---"])]
    for row in rows:
        figures = [f"{row['utility'][name]:.4f}" for name in metrics] + [
            f"{row['attacks'][name]:.4f}" for name in attacks
        ]
        consistent = "yes" if row["consistent"] else "**no**"
        lines.append(_line([row["anonymizer"], f"{row['n']:,}", *figures, f"{row['reid_max']:.4f}", consistent]))
    return "".join(lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |\n"


def renewed(page: Path, table: str) -> str:
    """Return the text of the page with the table between its marks replaced."""
    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        message = f"{page}: the marks {BEGIN.strip()} and {END.strip()} are missing; put them where the table belongs"
        raise UnreadableError(message, file=str(page))
    return before + begin + table + end + after
