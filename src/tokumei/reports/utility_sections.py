"""The sections of a report on utility: scores, columns, RFM, top values, correlations, places; and the trade-off."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from tokumei.reports import release_charts as charts
from tokumei.reports.document import Block, Figure, Heading, Prose, Section, Table
from tokumei.reports.links import DASH, linked, mixed_numbers, numbers, with_links
from tokumei.reports.material import Material
from tokumei.words import Words, percent, plain, signed

FEWEST = 3
MOST_PAIRS = 15
MOST_TOP_COLUMNS = 3
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
    known = words.group("term")
    names = [score.name.replace("-", "_") for score in material.scores]
    terms = [name if name in known else "overlap" for name in names]
    forms = [percent if score.name in _SHARES else plain for score in material.scores]
    values = mixed_numbers(zip([score.value for score in material.scores], terms, forms, strict=True))
    titles = [words.named("metric", score.name) for score in material.scores]
    goals = [words(f"word.{score.goal.value}") for score in material.scores]
    rows = list(zip(titles, values, goals, strict=True))
    return [Table([words("head.score"), words("head.value"), words("head.better")], rows)]


def _columns(material: Material, words: Words) -> list[Block]:
    """Return one row and one chart per column; the two halves of a place have the map instead of charts."""
    columns = material.utility.tables["columns"]
    if columns.height == 0:
        return []
    error = next((score.parts for score in material.scores if score.name == "cell-error"), {})
    rows = zip(
        columns["column"].to_list(),
        [words(f"kind.{kind}") for kind in columns["kind"]],
        numbers(columns["exact"], "exact", form=percent),
        numbers(columns["hidden"], "hidden", form=percent),
        numbers(columns["overlap"], "overlap", form=percent),
        numbers([error.get(name) for name in columns["column"]], "cell_error"),
        strict=True,
    )
    headers = [words(f"head.{name}") for name in ("column", "kind", "exact", "hidden", "overlap", "error")]
    sides = {"before": words("word.original"), "after": words("word.release"), "records": words("axis.records")}
    sides |= {"others": words("word.others"), "empty": words("word.empty")}
    blocks: list[Block] = [Heading(words("report.columns")), Table(headers, list(rows))]
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
    rows = zip(
        [words(f"word.{measure}") for measure in classes["measure"]],
        numbers(classes["class"], "rfm"),
        _starts(classes, material),
        numbers(classes["before"], "rfm"),
        numbers(classes["after"], "rfm"),
        strict=True,
    )
    headers = [words(f"head.{name}") for name in ("measure", "class", "from", "before", "after")]
    sides = {"before": words("head.before"), "after": words("head.after")}
    sides |= {"money_class": words("axis.money_class"), "recency_class": words("axis.recency_class")}
    svg = charts.grid_chart(material.utility.tables["rfm grid"], words=sides)
    text = with_links(words("prose.rfm", overlap=percent(material.rfm_overlap)), "rfm")
    return [
        Heading(words("report.rfm")),
        Prose(text),
        Figure(svg, words("chart.rfm"), words("chart.rfm_text")),
        Table(headers, list(rows)),
    ]


def _starts(classes: pl.DataFrame, material: Material) -> list[str]:
    """Return where the classes begin: on a day, at a number of records, at an amount."""
    shown: list[str] = list(numbers(classes["from"], "rfm"))
    columns = material.utility.tables["columns"]
    dates = columns.filter(pl.col("kind").is_in(["date", "datetime"]))["kind"]
    for place, (measure, value) in enumerate(classes.select("measure", "from").iter_rows()):
        if measure == "recency" and value is not None:
            days = value if dates[0] == "date" else value / charts.SECONDS_PER_DAY
            shown[place] = linked(f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=days):%Y-%m-%d}", "rfm")
    return shown


def _top(material: Material, words: Words) -> list[Block]:
    names = [name for name in material.utility.tables if name.startswith("top ")][:MOST_TOP_COLUMNS]
    blocks: list[Block] = []
    empty = words("word.empty")
    headers = [words(f"head.{name}") for name in ("value", "before", "after", "rank_before", "rank_after")]
    for name in names:
        table = material.utility.tables[name]
        rows = zip(
            [value or empty for value in table["value"]],
            numbers(table["before"], "rank"),
            numbers([round(value, 1) for value in table["after"]], "rank"),
            numbers(table["rank_before"], "rank"),
            numbers(table["rank_after"], "rank"),
            strict=True,
        )
        if table.height:
            blocks.append(Table(headers, list(rows), caption=name.removeprefix("top ")))
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
    shown = largest.head(MOST_PAIRS)
    columns = [numbers(shown[name], "correlation", form=signed) for name in ("before", "after", "change")]
    rows = zip(shown["first"], shown["second"], *columns, strict=True)
    headers = [words(f"head.{name}") for name in ("first", "second", "before", "after", "change")]
    text = with_links(words("prose.correlations"), "correlation")
    return [Heading(words("report.correlations")), Prose(text), Table(headers, list(rows))]


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
    ways = list(rows.iter_rows(named=True))
    table = zip(
        rows["release"].to_list(),
        numbers(rows["loss"], "cell_error"),
        numbers(rows["risk"], "risk", form=percent),
        [
            words("word.failed", code=way["failure"]) if way["failure"] else words(f"word.{way['verdict']}")
            for way in ways
        ],
        [DASH if way["failure"] else words("word.yes" if way["front"] else "word.no") for way in ways],
        strict=True,
    )
    headers = [words(f"head.{name}") for name in ("release", "loss", "risk", "verdict", "front")]
    return [*blocks, Table(headers, list(table))]
