"""The sections of a report on utility: scores, columns, RFM, top values, correlations, places; and the trade-off."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from tokumei.flow import COMPARED_MEASURES
from tokumei.reports import release_charts as charts
from tokumei.reports.document import (
    DASH,
    Block,
    Bullets,
    Figure,
    Fold,
    Heading,
    Linked,
    Number,
    Prose,
    Section,
    Table,
    Text,
)
from tokumei.reports.material import Material
from tokumei.reports.trade_off_chart import trade_off_chart
from tokumei.words import Words, percent, plain, signed

FEWEST = 3
MOST_PAIRS = 15
MOST_FINDINGS = 12
MOST_TOP_COLUMNS = 3
_SHARES = frozenset({"records-kept", "discernibility"})


def utility_section(material: Material, words: Words) -> Section:
    """Return everything about the worth of the release, before and after."""
    blocks: list[Block] = [Prose(words("prose.utility")), *_usefulness(material, words), *_scores(material, words)]
    blocks += _columns(material, words)
    for part in (_rfm, _top, _correlations, _map):
        blocks += part(material, words)
    return Section(title=words("report.utility"), anchor="utility", folded=True, blocks=blocks)


def useful_line(material: Material, words: Words) -> list[Prose]:
    """Return in one sentence what an analyst would get; nothing where it was not measured."""
    if material.usefulness is None:
        return []
    told = words("use.stop").join(words.say(message) for message in material.usefulness.headline)
    return [Prose(Linked(words("use.line", told=told[:1].upper() + told[1:]), "useful"))]


def _usefulness(material: Material, words: Words) -> list[Block]:
    """Return what the release is still good for: in a line, the columns in their units, the worst changes."""
    useful = material.usefulness
    if useful is None:
        return []
    columns = [Linked(words.say(column.message()), "useful") for column in useful.columns]
    findings = [Linked(words.say(finding.message()), "useful") for finding in useful.findings[:MOST_FINDINGS]]
    blocks: list[Block] = [Heading(words("use.headline")), *useful_line(material, words)]
    blocks += [Heading(words("use.columns")), Bullets(columns)]
    if findings:
        blocks += [Heading(words("use.findings")), Bullets(findings)]
    return blocks


def _scores(material: Material, words: Words) -> list[Block]:
    table = score_table(material, words)
    if table is None:
        return [Prose(words("prose.no_utility_scores"), "soft")]
    return [Fold(words("report.measures"), [table])]


def score_table(material: Material, words: Words) -> Table | None:
    """Return every score of the release, None where the Secret was not at hand."""
    if not material.scores:
        return None
    known = words.group("term")
    names = [score.name.replace("-", "_") for score in material.scores]
    terms = [name if name in known else "overlap" for name in names]
    titles = [words.named("metric", score.name) for score in material.scores]
    goals = words.each("word", *(score.goal.value for score in material.scores))
    values = [
        Number(score.told, term, percent if score.name in _SHARES else plain)
        for score, term in zip(material.scores, terms, strict=True)
    ]
    return Table(words.each("head", "score", "value", "better"), list(zip(titles, values, goals, strict=True)))


def _columns(material: Material, words: Words) -> list[Block]:
    """Return one row and one chart per column; the two halves of a place have the map instead of charts."""
    columns, table = material.utility.tables["columns"], column_table(material, words)
    if table is None:
        return []
    original, release, others, empty = words.each("word", "original", "release", "others", "empty")
    sides = {"before": original, "after": release, "others": others, "empty": empty, "records": words("axis.records")}
    drawn = columns.filter(~pl.col("place"))
    figures = [
        _column_figure(row, material.utility.tables[f"distribution {row['column']}"], sides, words)
        for row in drawn.iter_rows(named=True)
    ]
    note = words("prose.columns")
    if "values" in columns["scale"].to_list():
        note += " " + words("prose.rare", fewest=FEWEST)
    fold = Fold(words("report.distributions"), [Prose(Linked(note, "rank"), "soft"), *figures])
    return [Heading(words("report.columns")), table, fold]


def column_table(material: Material, words: Words) -> Table | None:
    """Return what is left of every column, None where there is no column."""
    columns = material.utility.tables["columns"]
    if columns.height == 0:
        return None
    error = next((score.parts for score in material.scores if score.name == "cell-error"), {})
    kinds = words.each("kind", *columns["kind"])
    rows = [
        [
            row["column"],
            kind,
            Number(row["exact"], "exact", percent),
            Number(row["hidden"], "hidden", percent),
            Number(row["overlap"], "overlap", percent),
            Number(error.get(row["column"]), "cell_error"),
        ]
        for row, kind in zip(columns.iter_rows(named=True), kinds, strict=True)
    ]
    return Table(words.each("head", "column", "kind", "exact", "hidden", "overlap", "error"), rows)


def column_figure(material: Material, words: Words) -> Figure | None:
    """Return how much of the distribution of every column is left, as bars; None where there is no column."""
    columns = material.utility.tables["columns"]
    if columns.height == 0:
        return None
    shown = columns.select(pl.col("column").alias("what"), pl.col("overlap").alias("share"))
    svg = charts.share_chart(shown, title=words("axis.overlap"))
    lowest = columns.sort("overlap", "column")
    text = words(
        "chart.columns_text", count=columns.height, column=lowest["column"][0], overlap=float(lowest["overlap"][0])
    )
    return Figure(svg, words("chart.columns"), text)


def _column_figure(row: Mapping[str, Any], table: pl.DataFrame, sides: Mapping[str, str], words: Words) -> Figure:
    """Return the two distributions of a column over each other."""
    note: Text = ""
    text = words("chart.column_text", column=row["column"], overlap=row["overlap"])
    title = words("chart.column", column=row["column"])
    if row["scale"] != "values":
        return Figure(charts.ordered_chart(table, kind=row["kind"], scale=row["scale"], words=sides), title, text)
    rest = table.filter(pl.col("value").is_null())
    if rest.height:
        shares = {side: rest[side][0] for side in ("before", "after")}
        note = Linked(words("chart.column_rest", **shares), "overlap")
    return Figure(charts.category_chart(table, words=sides), title, text, note)


def _rfm(material: Material, words: Words) -> list[Block]:
    classes = material.utility.tables.get("rfm classes")
    if classes is None or material.rfm_overlap is None:
        return []
    measures = words.each("word", *classes["measure"])
    rows = zip(
        measures,
        [Number(level, "rfm") for level in classes["class"]],
        _starts(classes, material),
        [Number(count, "rfm") for count in classes["before"]],
        [Number(count, "rfm") for count in classes["after"]],
        strict=True,
    )
    headers = words.each("head", "measure", "class", "from", "before", "after")
    before, after = words.each("head", "before", "after")
    money, recency = words.each("axis", "money_class", "recency_class")
    title, drawn, shown = words("report.rfm"), words("chart.rfm"), words("chart.rfm_text")
    text = Linked(words("prose.rfm", overlap=material.rfm_overlap), "rfm")
    sides = {"before": before, "after": after, "money_class": money, "recency_class": recency}
    svg = charts.grid_chart(material.utility.tables["rfm grid"], words=sides)
    return [Heading(title), Prose(text), Figure(svg, drawn, shown), Table(headers, list(rows))]


def _starts(classes: pl.DataFrame, material: Material) -> list[Number | Linked]:
    """Return where the classes begin: on a day, at a number of records, at an amount."""
    columns = material.utility.tables["columns"]
    dates = columns.filter(pl.col("kind").is_in(["date", "datetime"]))["kind"]
    starts: list[Number | Linked] = []
    for measure, value in classes.select("measure", "from").iter_rows():
        if measure == "recency" and value is not None:
            days = value if dates[0] == "date" else value / charts.SECONDS_PER_DAY
            day = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=days)
            starts.append(Linked(f"{day:%Y-%m-%d}", "rfm", whole=True))
        else:
            starts.append(Number(value, "rfm"))
    return starts


def _top(material: Material, words: Words) -> list[Block]:
    names = [name for name in material.utility.tables if name.startswith("top ")][:MOST_TOP_COLUMNS]
    blocks: list[Block] = []
    empty = words("word.empty")
    headers = words.each("head", "value", "before", "after", "rank_before", "rank_after")
    for name in names:
        rows = [
            [
                row["value"] or empty,
                Number(row["before"], "rank"),
                Number(round(row["after"], 1), "rank"),
                Number(row["rank_before"], "rank"),
                Number(row["rank_after"], "rank"),
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
        [first, second, *(Number(value, "correlation", signed) for value in values)]
        for first, second, *values in largest.select("first", "second", "before", "after", "change")
        .head(MOST_PAIRS)
        .iter_rows()
    ]
    headers = words.each("head", "first", "second", "before", "after", "change")
    text = Linked(words("prose.correlations"), "correlation")
    return [Heading(words("report.correlations")), Prose(text), Table(headers, rows)]


def _map(material: Material, words: Words) -> list[Block]:
    points, boxes = (material.utility.tables.get(name) for name in ("points", "rectangles"))
    if points is None or boxes is None:
        return []
    shown = {"points": points.height, "rectangles": boxes.height}
    text = Linked(words("prose.map", **shown), "place_error")
    title, drawn, told = words("report.map"), words("chart.map"), words("chart.map_text", **shown)
    names = [*words.each("word", "original", "release"), *words.each("axis", "latitude", "longitude")]
    sides = dict(zip(("before", "after", "latitude", "longitude"), names, strict=True))
    return [Heading(title), Prose(text), Figure(charts.map_chart(points, boxes, words=sides), drawn, told)]


def trade_off_section(material: Material, words: Words) -> Section:
    """Return other ways to release the same data, with the best trade-offs."""
    title, anchor = words("report.trade_off"), "trade-off"
    if material.trade_off is None:
        return Section(title=title, anchor=anchor, folded=True, blocks=[Prose(words("prose.trade_off_missing"))])
    blocks = trade_off_blocks(material.trade_off, words, drawn=False)
    return Section(title=title, anchor=anchor, folded=True, blocks=blocks)


def trade_off_svg(rows: pl.DataFrame, words: Words) -> str:
    """Return the chart of several releases; failed ones are not on it."""
    names = {name: words(f"word.{name}") for name in ("safe", "unsafe", "not-shown-unsafe")}
    axes = {"loss": words("axis.loss"), "risk": words("axis.risk")}
    return trade_off_chart(rows.filter(pl.col("failure") == ""), words={**names, **axes})


def trade_off_figure(rows: pl.DataFrame, words: Words) -> Figure | None:
    """Return the chart of several releases with its description; None where all failed."""
    done = rows.filter(pl.col("failure") == "")
    if done.height == 0:
        return None
    text = words("chart.trade_off_text", count=done.height, front=_best(done, words))
    return Figure(trade_off_svg(done, words), words("chart.trade_off"), text)


def _best(done: pl.DataFrame, words: Words) -> str:
    """Return the names of the best trade-offs."""
    front = done.filter(pl.col("front")).sort("loss", "release")["release"].to_list()
    return ", ".join(front) or words("word.none")


def trade_off_blocks(rows: pl.DataFrame, words: Words, *, drawn: bool = True) -> list[Block]:
    """Return the chart (if it is not ``drawn`` elsewhere) and the table of several releases."""
    done = rows.filter(pl.col("failure") == "")
    blocks: list[Block] = [Prose(words("prose.trade_off"))]
    figure = trade_off_figure(rows, words) if drawn else None
    blocks += [] if figure is None else [figure]
    if done.height:
        blocks.append(Prose(Linked(words("report.best", front=_best(done, words)), "front"), "soft"))
    yes, no = words.each("word", "yes", "no")
    table = [
        [
            row["release"],
            Number(row["loss"], "cell_error"),
            Number(row["risk"], "risk", percent),
            words("word.failed", code=row["failure"]) if row["failure"] else words(f"word.{row['verdict']}"),
            DASH if row["failure"] else yes if row["front"] else no,
        ]
        for row in rows.iter_rows(named=True)
    ]
    blocks.append(Table(words.each("head", "release", "loss", "risk", "verdict", "front"), table))
    return [*blocks, *_compared_measures(done, words)]


def _compared_measures(done: pl.DataFrame, words: Words) -> list[Block]:
    """Return a line per measure and a column per release, if anything was measured."""
    measured = [name for name in COMPARED_MEASURES if name in done.columns and done[name].null_count() < done.height]
    if not measured:
        return []
    rows = [
        [
            words.named("metric", name),
            *(Number(value, name.replace("-", "_"), percent if name in _SHARES else plain) for value in done[name]),
        ]
        for name in measured
    ]
    return [Heading(words("report.measures")), Table([words("head.score"), *done["release"].to_list()], rows)]
