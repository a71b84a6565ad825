"""The table and the chart of the page "A million people", from runs that were measured, in both languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.inputs import PROJECT
from tokumei.reports.charts import BLUE, GREY, ORANGE, log_axis, to_svg

_DOCS = PROJECT / "docs"
_BEGIN, _END = "<!-- measured: python -m benchmarks.million DATA --pages -->", "<!-- end -->"
_HEADS = {
    "en": (
        *("people", "records", "k", "CPU s", "µs per record", "clock", "load of the machine"),
        *("peak of all processes", "U", "foreseen by `--dry-run`", "audit of the release; surest owner"),
    ),
    "ja": (
        "人数",
        "レコード数",
        "k",
        "CPU 秒",
        "レコードあたり µs",
        "実時間",
        "負荷",
        "全プロセスの最大メモリー",
        "U",
        "`--dry-run` の見込み",
        "リリースの監査、最も確かな持ち主",
    ),
}
_TITLES = {
    "en": {"people": "people", "cpu": "CPU seconds", "memory": "peak memory (GB)", "k": "k"},
    "ja": {"people": "人数", "cpu": "CPU 秒", "memory": "最大メモリー (GB)", "k": "k"},
}
_FILES = {"en": "million.svg", "ja": "million.ja.svg"}
Runs = Sequence[dict[str, Any]]


def write_pages(runs: Runs) -> None:
    """Put the table between the marks of both pages and draw the charts."""
    for language, folder in (("en", _DOCS), ("ja", _DOCS / "ja")):
        page = folder / "million.md"
        text = page.read_text(encoding="utf-8")
        before, after = text.split(_BEGIN)[0], text.split(_END)[1]
        page.write_text(f"{before}{_BEGIN}\n\n{table(runs, language)}\n\n{_END}{after}", encoding="utf-8")
        (_DOCS / "images" / _FILES[language]).write_text(to_svg(chart(runs, language)), encoding="utf-8")


def table(runs: Runs, language: str) -> str:
    """Return the table of all runs."""
    heads = _HEADS[language]
    lines = ["| " + " | ".join(heads) + " |", "|" + " ---: |" * len(heads)]
    for run in runs:
        low, high = min(run["load"]), max(run["load"])
        cells = [
            f"{run['people']:,}",
            f"{run['records']:,}",
            str(run["k"]),
            f"{run['CPU s']:,.0f}",
            f"{run['CPU s'] / run['records'] * 1e6:.1f}",
            f"{run['clock s'] / 60:.0f} min" if run["clock s"] else "",
            f"{low:.0f}" if round(low) == round(high) else f"{low:.0f} – {high:.0f}",
            f"{run['peak GB']:.2f} GB",
            f"{run['U']:.6f}",
            f"{run['foreseen CPU s']:,.0f} s, {run['foreseen GB']:.2f} GB",
            _audit(run.get("audit")),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _audit(took: dict[str, Any] | None) -> str:
    """Return what an audit took, and how surely it names the owner of any pseudonym; nothing if there was none."""
    if took is None:
        return ""
    sizes = f"{took['CPU s']:,.0f} s, {took['clock s'] / 60:.0f} min, {took['peak GB']:.2f} GB"
    return f"{sizes}; {took['surest owner']:.3g}"


def chart(runs: Runs, language: str) -> dict[str, Any]:
    """Return CPU seconds and memory by people, one line for every k."""
    words = _TITLES[language]
    rows = [
        {"people": run["people"], "cpu": run["CPU s"], "memory": run["peak GB"], "k": str(run["k"])} for run in runs
    ]

    sizes = sorted({str(run["k"]) for run in runs})

    def panel(name: str, scale: str) -> dict[str, Any]:
        values = [float(row[name]) for row in rows]
        axis = log_axis(min(values) / 2, max(values) * 2) if scale == "log" else {}
        return {
            "width": 320,
            "height": 240,
            "mark": {"type": "line", "point": {"size": 60}},
            "encoding": {
                "x": {
                    "field": "people",
                    "type": "quantitative",
                    "scale": {"type": "log"},
                    "axis": {"values": [10_000, 50_000, 200_000, 1_000_000], "format": ",~g"},
                    "title": words["people"],
                },
                "y": {
                    "field": name,
                    "type": "quantitative",
                    "scale": {"type": scale},
                    "axis": axis,
                    "title": words[name],
                },
                "color": {
                    "field": "k",
                    "type": "nominal",
                    "title": words["k"],
                    "scale": {"domain": sizes, "range": [BLUE, ORANGE, GREY][: len(sizes)]},
                },
            },
        }

    return {"data": {"values": rows}, "hconcat": [panel("cpu", "log"), panel("memory", "linear")]}
