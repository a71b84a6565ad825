"""The sections of a report on utility: scores, columns, RFM, top values, correlations, places; and the trade-off."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from tokumei.reports import release_charts as charts
from tokumei.reports.document import Block, Figure, Heading, Prose, Section, Table
from tokumei.reports.language import Words
from tokumei.reports.material import Material
from tokumei.reports.numbers import DASH, linked, number, with_links
from tokumei.words import percent

__all__ = ["FEWEST", "trade_off_blocks", "trade_off_section", "trade_off_svg", "utility_section"]

FEWEST = 3
MOST_PAIRS = 15
MOST_TOP_COLUMNS = 3
_TERM_OF_METRIC = {"cell-error": "cell_error", "place-error": "place_error"}
_SHARES = frozenset({"records-kept"})


def utility_section(material: Material, words: Words) -> Section:
    """Return everything about the worth of the release, before and after."""
    blocks: list[Block] = [Prose(words("prose.utility")), *_scores(material, words)]
    blocks += _columns(material, words)
    for part in (_rfm, _top, _correlations, _map):
        blocks += part(material, words)
    return Section(title=words("report.utility"), anchor="utility", blocks=blocks)


def _scores(material: Material, words: Words) -> list[Block]:
    if not material.scores:
        return [Prose(words("prose.no_utility_scores"), "soft")]
    rows = []
    known = words.terms()
    for score in material.scores:
        term = _TERM_OF_METRIC.get(score.name, score.name.replace("-", "_"))
        value = number(score.value, term if term in known else "overlap", share=score.name in _SHARES)
        rows.append([words.named("metric", score.name), value, words(f"word.{score.goal.value}")])
    return [Table([words("head.score"), words("head.value"), words("head.better")], rows)]


def _columns(material: Material, words: Words) -> list[Block]:
    """Return one row and one chart per column; the two halves of a place have the map instead of charts."""
    columns = material.utility.tables["columns"]
    if columns.height == 0:
        return []
    error = next((score.parts for score in material.scores if score.name == "cell-error"), {})
    rows = [
        [
            row["column"],
            words(f"kind.{row['kind']}"),
            number(row["exact"], "exact", share=True),
            number(row["hidden"], "hidden", share=True),
            number(row["overlap"], "overlap", share=True),
            number(error.get(row["column"]), "cell_error"),
        ]
        for row in columns.iter_rows(named=True)
    ]
    headers = [words(f"head.{name}") for name in ("column", "kind", "exact", "hidden", "overlap", "error")]
    sides = {"before": words("word.original"), "after": words("word.release"), "records": words("axis.records")}
    sides |= {"others": words("word.others"), "empty": words("word.empty")}
    blocks: list[Block] = [Heading(words("report.columns")), Table(headers, rows)]
    drawn = columns.filter(~pl.col("place"))
    blocks += [
        _column_figure(row, material.utility.tables[f"distribution {row['column']}"], sides, words)
        for row in drawn.iter_rows(named=True)
    ]
    note = words("prose.columns")
    if "values" in columns["scale"].to_list():
        note += " " + words("prose.rare", fewest=FEWEST)
    return [*blocks, Prose(with_links(note, "rank"), "soft")]


def _column_figure(row: Mapping[str, Any], table: pl.DataFrame, sides: Mapping[str, str], words: Words) -> Figure:
    """Return the two distributions of a column over each other."""
    note: str = ""
    if row["scale"] == "values":
        svg = charts.category_chart(table, words=sides)
        rest = table.filter(pl.col("value").is_null())
        if rest.height:
            shares = {side: percent(rest[side][0]) for side in ("before", "after")}
            note = with_links(words("chart.column_rest", **shares), "overlap")
    else:
        svg = charts.ordered_chart(table, kind=row["kind"], scale=row["scale"], words=sides)
    text = words("chart.column_text", column=row["column"], overlap=percent(row["overlap"]))
    return Figure(svg, words("chart.column", column=row["column"]), text, note)


def _rfm(material: Material, words: Words) -> list[Block]:
    classes = material.utility.tables.get("rfm classes")
    if classes is None or material.rfm_overlap is None:
        return []
    rows = [
        [
            words(f"word.{row['measure']}"),
            number(row["class"], "rfm"),
            _start(row["measure"], row["from"], material),
            number(row["before"], "rfm"),
            number(row["after"], "rfm"),
        ]
        for row in classes.iter_rows(named=True)
    ]
    headers = [words(f"head.{name}") for name in ("measure", "class", "from", "before", "after")]
    sides = {"before": words("head.before"), "after": words("head.after")}
    sides |= {"money_class": words("axis.money_class"), "recency_class": words("axis.recency_class")}
    svg = charts.grid_chart(material.utility.tables["rfm grid"], words=sides)
    text = with_links(words("prose.rfm", overlap=percent(material.rfm_overlap)), "rfm")
    return [
        Heading(words("report.rfm")),
        Prose(text),
        Figure(svg, words("chart.rfm"), words("chart.rfm_text")),
        Table(headers, rows),
    ]


def _start(measure: str, value: float | None, material: Material) -> str:
    """Return where a class begins: a day, a number of records, an amount."""
    if value is None:
        return DASH
    if measure != "recency":
        return number(value, "rfm")
    columns = material.utility.tables["columns"]
    first = columns.filter(pl.col("kind").is_in(["date", "datetime"]))["kind"][0]
    day = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(
        days=value if first == "date" else value / charts.SECONDS_PER_DAY
    )
    return linked(f"{day:%Y-%m-%d}", "rfm")


def _top(material: Material, words: Words) -> list[Block]:
    names = [name for name in material.utility.tables if name.startswith("top ")][:MOST_TOP_COLUMNS]
    blocks: list[Block] = []
    headers = [words(f"head.{name}") for name in ("value", "before", "after", "rank_before", "rank_after")]
    for name in names:
        rows = [
            [
                row["value"] or words("word.empty"),
                number(row["before"], "rank"),
                number(round(row["after"], 1), "rank"),
                number(row["rank_before"], "rank"),
                number(row["rank_after"], "rank"),
            ]
            for row in material.utility.tables[name].iter_rows(named=True)
        ]
        if rows:
            blocks.append(Table(headers, rows, caption=name.removeprefix("top ")))
    return [Heading(words("report.top")), *blocks] if blocks else []


def _correlations(material: Material, words: Words) -> list[Block]:
    """Return the pairs that changed most; pairs without correlation on both sides say nothing."""
    table = material.utility.tables.get("correlations")
    if table is None:
        return []
    change = (pl.col("after") - pl.col("before")).alias("change")
    known = table.filter(pl.col("before").is_not_null() | pl.col("after").is_not_null()).with_columns(change)
    if known.height == 0:
        return []
    largest = known.sort(pl.col("change").abs(), "first", "second", descending=[True, False, False], nulls_last=True)
    rows = [
        [row["first"], row["second"], *(_signed(row[name]) for name in ("before", "after", "change"))]
        for row in largest.head(MOST_PAIRS).iter_rows(named=True)
    ]
    headers = [words(f"head.{name}") for name in ("first", "second", "before", "after", "change")]
    text = with_links(words("prose.correlations"), "correlation")
    return [Heading(words("report.correlations")), Prose(text), Table(headers, rows)]


def _signed(value: float | None) -> str:
    return DASH if value is None else linked(f"{value:+.2f}".replace("-0.00", "+0.00"), "correlation")


def _map(material: Material, words: Words) -> list[Block]:
    points, boxes = (material.utility.tables.get(name) for name in ("points", "rectangles"))
    if points is None or boxes is None:
        return []
    sides = {"before": words("word.original"), "after": words("word.release")}
    sides |= {name: words(f"axis.{name}") for name in ("latitude", "longitude")}
    svg = charts.map_chart(points, boxes, words=sides)
    shown = {"points": f"{points.height:,}", "rectangles": f"{boxes.height:,}"}
    return [
        Heading(words("report.map")),
        Prose(with_links(words("prose.map", **shown), "place_error")),
        Figure(svg, words("chart.map"), words("chart.map_text", **shown)),
    ]


def trade_off_section(material: Material, words: Words) -> Section:
    """Return other ways to release the same data, with the best trade-offs."""
    title, anchor = words("report.trade_off"), "trade-off"
    if material.trade_off is None:
        return Section(title=title, anchor=anchor, blocks=[Prose(words("prose.trade_off_missing"))])
    return Section(title=title, anchor=anchor, blocks=trade_off_blocks(material.trade_off, words))


def trade_off_svg(rows: pl.DataFrame, words: Words) -> str:
    """Return the chart of several releases; failed ones are not on it."""
    names = {name: words(f"word.{name}") for name in ("safe", "unsafe", "not-shown-unsafe")}
    axes = {"loss": words("axis.loss"), "risk": words("axis.risk")}
    return charts.trade_off_chart(rows.filter(pl.col("failure") == ""), words={**names, **axes})


def trade_off_blocks(rows: pl.DataFrame, words: Words) -> list[Block]:
    """Return the chart and the table of several releases."""
    done = rows.filter(pl.col("failure") == "")
    blocks: list[Block] = [Prose(words("prose.trade_off"))]
    if done.height:
        svg = trade_off_svg(done, words)
        front = ", ".join(done.filter(pl.col("front")).sort("loss", "release")["release"].to_list())
        text = words("chart.trade_off_text", count=done.height, front=front or words("word.none"))
        blocks.append(Figure(svg, words("chart.trade_off"), text))
        blocks.append(Prose(with_links(f"{words('word.front')}: {front}", "front"), "soft"))
    table = [
        [
            row["release"],
            number(row["loss"], "cell_error"),
            number(row["risk"], "risk", share=True),
            words("word.failed", code=row["failure"]) if row["failure"] else words(f"word.{row['verdict']}"),
            DASH if row["failure"] else words("word.yes" if row["front"] else "word.no"),
        ]
        for row in rows.iter_rows(named=True)
    ]
    headers = [words(f"head.{name}") for name in ("release", "loss", "risk", "verdict", "front")]
    return [*blocks, Table(headers, table)]
