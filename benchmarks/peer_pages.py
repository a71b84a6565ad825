"""The pages of the guide on other tools, written from one run: a table and a chart, in both languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.inputs import PROJECT

_DOCS = PROJECT / "docs"
_BEGIN, _END = "<!-- measured: python -m benchmarks.peers --pages -->", "<!-- end -->"
_HEADS = {
    "en": ("data", "tool", "version", "NCP", "SSE/SST", "loss (ARX)", "suppressed", "CPU s", "note"),
    "ja": ("データ", "ツール", "版", "NCP", "SSE/SST", "損失 (ARX)", "抑制", "CPU 秒", "備考"),
}
_NOTES = {
    "not finished in": "制限時間内に終わらず:",
    "absent: no jar (ARX_JAR); see the published figures": "なし: jar がありません (ARX_JAR)。公表値を参照",
    "absent: no R": "なし: R がありません",
    "checks only; k, l, t, alpha, beta, delta equal ours": "検査のみ。k, l, t, alpha, beta, delta は当方と一致",
    "checks only; figures differ from ours": "検査のみ。値は当方と異なります",
    "cannot be installed here": "この環境には導入できません",
}
_BLUE, _GREY, _INK = "#2563a8", "#9aa5b1", "#1f2933"


def write_pages(rows: Sequence[Mapping[str, Any]], *, k: int, limit: int) -> None:
    """Put the table between the marks of both pages and draw the chart."""
    for language, folder in (("en", _DOCS), ("ja", _DOCS / "ja")):
        page = folder / "peers.md"
        text = page.read_text(encoding="utf-8")
        before, after = text.split(_BEGIN)[0], text.split(_END)[1]
        page.write_text(f"{before}{_BEGIN}\n\n{_table(rows, language, k, limit)}\n\n{_END}{after}", encoding="utf-8")
    (_DOCS / "images" / "peers.svg").write_text(_chart(rows), encoding="utf-8")


def _table(rows: Sequence[Mapping[str, Any]], language: str, k: int, limit: int) -> str:
    lead = {
        "en": f"k = {k}; a peer gets {limit} CPU seconds on a table. Lower is better everywhere.",
        "ja": f"k = {k}。各ツールには表ごとに CPU {limit} 秒を与えます。どの値も小さいほど良い値です。",
    }[language]
    heads = _HEADS[language]
    lines = [lead, "", "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in rows:
        shown = [
            row["table"],
            row["tool"],
            row["version"],
            _number(row["ncp"], 4),
            _number(row["error"], 4),
            _number(row["loss"], 3),
            f"{row['suppressed']:,}" if row["suppressed"] else "",
            _number(row["seconds"], 1),
            _note(row["note"], language),
        ]
        lines.append("| " + " | ".join(shown) + " |")
    return "\n".join(lines)


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _note(note: str, language: str) -> str:
    if language == "en":
        return note
    known = next((key for key in _NOTES if note.startswith(key)), None)
    return note if known is None else _NOTES[known] + note.removeprefix(known)


def _chart(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return bars of what every tool loses: NCP of plain tables, SSE/SST of numbers."""
    bars = [(row["table"], row["tool"], row["error"] if row["error"] is not None else row["ncp"]) for row in rows]
    bars = [bar for bar in bars if bar[2] is not None]
    widest: dict[str, float] = {}
    for table, _, value in bars:
        widest[table] = max(widest.get(table, 0.0), value)
    height = 24 * len(bars) + 20
    parts = [f'<rect width="760" height="{height}" fill="#ffffff"/>']
    for at, (table, tool, value) in enumerate(bars):
        y = 10 + 24 * at
        colour = _BLUE if tool.startswith("Tokumei") else _GREY
        width = 320 * value / (widest[table] or 1.0)
        parts.append(f'<text x="10" y="{y + 14}" fill="{_INK}">{table}: {tool}</text>')
        parts.append(f'<rect x="340" y="{y}" width="{width:.1f}" height="18" fill="{colour}"/>')
        parts.append(f'<text x="{346 + width:.1f}" y="{y + 14}" fill="{_INK}">{value:.4f}</text>')
    body = "\n".join(parts)
    title = "What tools lose on the same tables (NCP, or SSE/SST of numbers)"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" role="img" font-family="sans-serif" '
        f'font-size="13">\n<title>{title}</title>\n{body}\n</svg>\n'
    )
