"""What a notebook shows of a result: a small table without colours of its own, for light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(
    title: str, rows: Iterable[Sequence[object]], *, heads: Sequence[str] = (), lines: Sequence[str] = ()
) -> str:
    """Return a title, lines of text and a table as HTML; every text is escaped.

    >>> html_table("A & B", [["k", 3]])
    '<div><strong>A &amp; B</strong><table><tbody><tr><td>k</td><td>3</td></tr></tbody></table></div>'
    """
    told = "".join(f"<p>{escape(line)}</p>" for line in lines)
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    top = f"<thead><tr>{head}</tr></thead>" if head else ""
    table = f"<table>{top}<tbody>{body}</tbody></table>" if body else ""
    return f"<div><strong>{escape(title)}</strong>{told}{table}</div>"
