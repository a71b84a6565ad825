"""The tables and the chart of the page "Contents", from rows that were measured, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.contents import FIGURES, PROFILES, line
from benchmarks.inputs import PROJECT
from tokumei.reports import Spec, to_svg

_DOCS = PROJECT / "docs"
_END = "<!-- end -->"
_FILES = {"en": "contents.svg", "ja": "contents.ja.svg"}
_HEADS = {"en": {"release": "release", "CPU s": "CPU s"}, "ja": {"release": "公開データ", "CPU s": "CPU 秒"}}
_WORDS = {
    "en": {"U": "lost (U)", "learned": "learned", "profile": "contents"},
    "ja": {"U": "失われた割合 (U)", "learned": "知られる割合", "profile": "内容"},
}
_PANELS = {
    "en": {"days": "days", "goods": "goods", "single": "singled out", "AUC": "membership (AUC)"},
    "ja": {"days": "日", "goods": "商品", "single": "一人に絞られる割合", "AUC": "在籍（AUC）"},
}
# Orange, yellow, blue and green that people with any colour vision tell apart (Okabe and Ito 2008).
_COLOURS = ["#D55E00", "#E69F00", "#0072B2", "#009E73"]
Rows = Mapping[str, Mapping[str, Any]]


def write_pages(rows: Rows, *, people: int, thorough: bool = False) -> None:
    """Put the table between its marks in both pages; of some customers draw the chart too."""
    words = f"--people {people} {'--thorough ' if thorough else ''}--pages"
    begin = f"<!-- measured: python -m benchmarks.contents T.csv {words} -->"
    for language, folder in (("en", _DOCS), ("ja", _DOCS / "ja")):
        page = folder / "contents.md"
        before, rest = page.read_text(encoding="utf-8").split(begin)
        after = rest.split(_END, 1)[1]
        page.write_text(f"{before}{begin}\n{table(rows, language)}\n{_END}{after}", encoding="utf-8")
        if people and not thorough:
            (_DOCS / "images" / _FILES[language]).write_text(to_svg(chart(rows, language)), encoding="utf-8")


def table(rows: Rows, language: str) -> str:
    """Return the rows as a Markdown table, first what is learned without a release."""
    words = _HEADS[language]
    heads = [words["release"], "U", *FIGURES, words["CPU s"]]
    first = next(iter(rows.values()))
    nothing = ["" if first[key][1] is None or key == "single" else f"{first[key][1]:.3f}" for key in FIGURES]
    lines = [
        "| " + " | ".join(heads) + " |",
        "|---" * len(heads) + "|",
        f"| | | {' | '.join(nothing)} | |",
        *(line(name, row) for name, row in rows.items()),
    ]
    return "\n".join(lines)


def chart(rows: Rows, language: str) -> Spec:
    """Return the frontier: what is lost against what is learned, a panel for each figure."""
    words, panels = _WORDS[language], _PANELS[language]
    points = [
        {"profile": profile, "k": name.rsplit(" ", 1)[1], "U": row["U"], "panel": title, "learned": row[figure][0]}
        for name, row in rows.items()
        for profile in PROFILES
        if name.startswith(f"{profile}, k = ")
        for figure, title in panels.items()
    ]
    place: Spec = {
        "x": {"field": "U", "type": "quantitative", "title": words["U"], "scale": {"zero": False}},
        "y": {"field": "learned", "type": "quantitative", "title": words["learned"], "scale": {"domain": [0, 1]}},
        "color": {
            "field": "profile",
            "type": "nominal",
            "title": words["profile"],
            "sort": list(PROFILES),
            "scale": {"domain": list(PROFILES), "range": _COLOURS},
        },
    }
    curve = {"mark": {"type": "line", "point": True}, "encoding": place}
    # Lines lie close to each other: k stands at the outer two.
    label = {
        "transform": [{"filter": {"field": "profile", "oneOf": ["tight", "strong"]}}],
        "mark": {"type": "text", "dy": -8, "fontSize": 9},
        "encoding": {**place, "text": {"field": "k"}},
    }
    facet = {"field": "panel", "type": "nominal", "sort": list(panels.values()), "title": None}
    spec = {"layer": [curve, label], "width": 260, "height": 200}
    # The legend stands at the right edge, and its title may be wider in the reader's font.
    padding = {"left": 5, "top": 5, "right": 30, "bottom": 5}
    return {"data": {"values": points}, "facet": facet, "columns": 2, "spec": spec, "padding": padding}
