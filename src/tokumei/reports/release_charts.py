"""The charts of a release report: Vega-Lite specifications without background, in the few colours the page knows.

Texts come in from outside, so that a chart speaks the language of its page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from tokumei.reports.charts import (
    BLUE,
    GREY,
    INK,
    LABEL_SIZE,
    LEGEND_SIZE,
    ORANGE,
    Spec,
    label_axis,
    legend_gap,
    log_axis,
    percent_axis,
    to_svg,
)
from tokumei.words import percent

GREEN, GRID = "#00684A", "#dddddd"
WIDTH, HEIGHT, ATTACK_WIDTH = 400, 190, 460
SECONDS_PER_DAY = 86_400
# How dates are written on an axis: alike in every language.
DATES = {"date": "%Y-%m-%d", "datetime": "%m-%d %H:%M"}
LONGEST_LABEL = 28
# To the right there is room for a percentage in a wider font than that it was measured with.
PADDING = {"left": 5, "top": 5, "bottom": 5, "right": 18}
FEWEST_BINS = 8
MAP_HEIGHT = 420
# How wide a percentage beside the bar of an attack is, as a share of the axis.
FIGURE = 0.1
LONG_SPAN_DAYS = 3
CONFIG: Spec = {
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": GREY,
        "tickColor": GREY,
        "gridColor": GRID,
        "titleFontWeight": "normal",
        "labelFontSize": LABEL_SIZE,
        "titleFontSize": 12,
        "labelLimit": 260,
        "labelSeparation": 8,
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "orient": "top",
        "title": None,
        "labelFontSize": LEGEND_SIZE,
        "labelLimit": 400,
        "symbolOpacity": 1,
    },
    "header": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12},
    "text": {"color": INK},
}


def chart_svg(spec: Spec) -> str:
    """Return a chart of a report as SVG text, without background."""
    return to_svg({"background": None, "padding": PADDING, "config": CONFIG, **spec})


def _data(table: pl.DataFrame) -> Spec:
    return {"values": table.to_dicts()}


def _limit(value: float, *, axis: str = "x") -> Spec:
    """Return a dashed line at the value that was promised."""
    return {
        "data": {"values": [{"limit": value}]},
        "mark": {"type": "rule", "color": INK, "strokeDash": [5, 4]},
        "encoding": {axis: {"field": "limit", "type": "quantitative"}},
    }


def stairs(table: pl.DataFrame, *, x: str, y: str, limit: float | None = None, share: bool = False) -> str:
    """Return a histogram of ``pseudonyms`` over bins (``from``, ``to``), with the promised limit as a dashed line."""
    axis = percent_axis(ticks=5) if share else {"format": ",d", "tickMinStep": 1}
    # A few bins alone would become as wide as the chart.
    domain = [0, 1] if share else [table["from"].min(), max(table["to"].max(), table["from"].min() + FEWEST_BINS)]  # type: ignore[operator,type-var]
    bars = {
        "data": _data(table),
        "mark": {"type": "bar", "color": BLUE},
        "encoding": {
            "x": {
                "field": "from",
                "type": "quantitative",
                "title": x,
                "bin": "binned",
                "axis": axis,
                "scale": {"domain": domain, "nice": False},
            },
            "x2": {"field": "to"},
            "y": {"field": "pseudonyms", "type": "quantitative", "title": y},
        },
    }
    layers = [bars] if limit is None else [bars, _limit(limit)]
    return chart_svg({"width": WIDTH, "height": HEIGHT, "layer": layers})


def attack_chart(rows: pl.DataFrame, *, limit: float, words: Mapping[str, str]) -> str:
    """Return bars of attack success (``attack``, ``share``, ``baseline``), each with the mark of blind guessing."""
    y = {"field": "attack", "type": "nominal", "title": None, "sort": None, "axis": label_axis(rows["attack"])}
    share = {
        "field": "share",
        "type": "quantitative",
        "title": None,
        "axis": percent_axis(ticks=6),
        "scale": {"domain": [0, 1]},
    }
    named = [words["share"], words["random"]]
    marks = {"domain": named, "range": [ORANGE, BLUE]}
    colour = {**_named(words, 0), "scale": marks, "legend": legend_gap(named)}
    bar = {"mark": {"type": "bar", "height": {"band": 0.55}}, "encoding": {"x": share, "y": y, "color": colour}}
    tick = {
        "mark": {"type": "tick", "thickness": 3, "height": 18},
        "encoding": {"x": {"field": "baseline", "type": "quantitative"}, "y": y, "color": _named(words, 1)},
    }
    text = {
        "mark": {"type": "text", "align": "left", "dx": 6, "color": INK},
        "encoding": {
            "x": {"field": "end", "type": "quantitative"},
            "y": y,
            "text": {"field": "shown", "type": "nominal"},
        },
    }
    shown = pl.Series("shown", [percent(value) for value in rows["share"].to_list()], dtype=pl.String)
    end = pl.max_horizontal("share", "baseline")
    # A figure that the dashed line would cross stands behind it.
    crossed = end.is_between(limit - FIGURE, limit)
    values = rows.with_columns(pl.when(crossed).then(pl.lit(limit)).otherwise(end).alias("end"), shown)
    spec = {"data": _data(values), "width": ATTACK_WIDTH, "height": {"step": 24}}
    return chart_svg({**spec, "layer": [bar, tick, _limit(limit), text]})


def _named(words: Mapping[str, str], position: int) -> dict[str, Any]:
    return {"datum": words[("share", "random")[position]], "type": "nominal"}


def _sides(words: Mapping[str, str]) -> Spec:
    return {
        "field": "side",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": [words["before"], words["after"]], "range": [BLUE, ORANGE]},
        "legend": legend_gap([words["before"], words["after"]]),
    }


def _both(table: pl.DataFrame, index: list[str], words: Mapping[str, str]) -> pl.DataFrame:
    """Return one row per bar or point: the index, the side by its name, the share."""
    long = table.unpivot(["before", "after"], index=index, variable_name="side", value_name="share")
    return long.with_columns(pl.col("side").replace({"before": words["before"], "after": words["after"]}))


def ordered_chart(table: pl.DataFrame, *, kind: str, scale: str, words: Mapping[str, str]) -> str:
    """Return the distributions of an ordered column before and after as two steps over each other."""
    x: Spec = {"field": "at", "type": "quantitative", "title": None, "scale": {"zero": False, "nice": False}}
    if scale == "log":
        x |= {"scale": {"type": "log", "nice": False}, "axis": log_axis(table["from"][0], table["to"][-1])}
    ends = table.tail(1).with_columns(pl.col("to").alias("from"))
    steps = pl.concat([table, ends]).with_columns(pl.col("from").alias("at"))
    if kind in DATES:
        unit = 1000 * (SECONDS_PER_DAY if kind == "date" else 1)
        # Bins begin half a step before their first value.
        steps = steps.with_columns(((pl.col("from") + 0.5) * unit).alias("at"))
        span = float(table["to"][-1] - table["from"][0]) * unit / (1000 * SECONDS_PER_DAY)
        form = DATES["date" if kind == "date" or span > LONG_SPAN_DAYS else "datetime"]
        axis = {"format": form, "tickCount": 5, "labelOverlap": True}
        x = {"field": "at", "type": "temporal", "title": None, "scale": {"type": "utc"}, "axis": axis}
    y = {"field": "share", "type": "quantitative", "title": words["records"], "axis": percent_axis(ticks=4)}
    encoding = {"x": x, "y": {**y, "stack": None}, "color": _sides(words)}
    layers = [
        {"mark": {"type": "area", "interpolate": "step-after", "opacity": 0.22}},
        {"mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2}},
    ]
    data = _data(_both(steps, ["at"], words))
    return chart_svg({"data": data, "width": WIDTH, "height": HEIGHT, "encoding": encoding, "layer": layers})


def category_chart(table: pl.DataFrame, *, words: Mapping[str, str]) -> str:
    """Return the shares of the most frequent values before and after as pairs of bars."""
    largest = table.filter(pl.col("value").is_not_null()).select(pl.max_horizontal("before", "after").max()).item()
    # All others together may be so many that nothing else could be seen beside them.
    fits = pl.col("value").is_not_null() | (pl.max_horizontal("before", "after") <= 2 * (largest or 1.0))
    named = table.filter(fits).with_columns(
        pl.when(pl.col("value").is_null())
        .then(pl.lit(words["others"]))
        .when(pl.col("value") == "")
        .then(pl.lit(words["empty"]))
        .when(pl.col("value").str.len_chars() > LONGEST_LABEL)
        .then(pl.concat_str(pl.col("value").str.head(LONGEST_LABEL - 1), pl.lit("…")))
        .otherwise("value")
        .alias("value")
    )
    # Bars under one label would be added up: values that look alike are numbered.
    number = pl.concat_str("value", pl.lit(" ("), pl.int_range(1, pl.len() + 1).over("value"), pl.lit(")"))
    named = named.with_columns(pl.when(pl.len().over("value") > 1).then(number).otherwise("value").alias("value"))
    encoding = {
        "y": {"field": "value", "type": "nominal", "title": None, "sort": None, "axis": label_axis(named["value"])},
        "yOffset": {"field": "side", "sort": None},
        "x": {"field": "share", "type": "quantitative", "title": words["records"], "axis": percent_axis(ticks=6)},
        "color": _sides(words),
    }
    spec = {"data": _data(_both(named, ["value"], words)), "width": 320, "height": {"step": 9, "for": "offset"}}
    return chart_svg({**spec, "mark": "bar", "encoding": encoding})


def grid_chart(table: pl.DataFrame, *, words: Mapping[str, str]) -> str:
    """Return customers by recency and money as two tables side by side, darker where there are more."""
    long = table.unpivot(["before", "after"], index=["recency", "monetary"], variable_name="side", value_name="share")
    long = long.with_columns(pl.col("side").replace({"before": words["before"], "after": words["after"]}))
    size = {"field": "share", "type": "quantitative", "legend": None, "scale": {"range": [0, 900]}}
    x = {"field": "monetary", "type": "ordinal", "title": words["money_class"], "axis": {"labelAngle": 0}}
    y = {"field": "recency", "type": "ordinal", "title": words["recency_class"], "sort": "descending"}
    layers = [
        {"mark": {"type": "circle", "color": BLUE, "opacity": 0.35}, "encoding": {"x": x, "y": y, "size": size}},
        {
            "mark": {"type": "text", "color": INK},
            "encoding": {"x": x, "y": y, "text": {"field": "share", "type": "quantitative", "format": ","}},
        },
    ]
    column = {"field": "side", "type": "nominal", "title": None, "sort": [words["before"], words["after"]]}
    inner = {"width": 210, "height": 210, "layer": layers}
    return chart_svg({"data": _data(long), "facet": {"column": column}, "spec": inner})


def map_chart(points: pl.DataFrame, rectangles: pl.DataFrame, *, words: Mapping[str, str]) -> str:
    """Return original places as dots and published rectangles over them; north is up, degrees are true to scale."""
    axis = {"type": "quantitative", "scale": {"zero": False, "nice": False}, "axis": {"tickCount": 5}}
    sides = {"domain": [words["before"], words["after"]], "range": [BLUE, ORANGE]}
    boxes = {
        "data": _data(rectangles),
        "mark": {"type": "rect", "fillOpacity": 0.07, "strokeOpacity": 0.8, "strokeWidth": 1},
        "encoding": {
            "x": {"field": "west", "title": words["longitude"], **axis},
            "x2": {"field": "east"},
            "y": {"field": "south", "title": words["latitude"], **axis},
            "y2": {"field": "north"},
            "color": {"datum": words["after"], "type": "nominal", "scale": sides},
            "stroke": {"datum": words["after"], "type": "nominal", "scale": sides},
        },
    }
    dots = {
        "data": _data(points),
        "mark": {"type": "circle", "size": 16, "opacity": 0.75},
        "encoding": {
            "x": {"field": "longitude", **axis},
            "y": {"field": "latitude", **axis},
            "color": {"datum": words["before"], "type": "nominal", "scale": sides},
        },
    }
    return chart_svg({"width": _map_width(points, rectangles), "height": MAP_HEIGHT, "layer": [boxes, dots]})


def _map_width(points: pl.DataFrame, rectangles: pl.DataFrame) -> int:
    """Return the width at which a kilometre is as long to the east as to the north, within what a page can show."""
    if points.height == 0 or rectangles.height == 0:
        return MAP_HEIGHT
    north = [*points["latitude"].to_list(), *rectangles["south"].to_list(), *rectangles["north"].to_list()]
    east = [*points["longitude"].to_list(), *rectangles["west"].to_list(), *rectangles["east"].to_list()]
    high, wide = max(north) - min(north), max(east) - min(east)
    shape = wide * math.cos(math.radians((max(north) + min(north)) / 2)) / high if high > 0 else 1.0
    return round(min(max(MAP_HEIGHT * shape, MAP_HEIGHT / 2), 1.5 * MAP_HEIGHT))


def measured_chart(rows: pl.DataFrame, *, words: Mapping[str, str]) -> str:
    """Return a bar per question (``what``, ``value``, ``without``, ``limit``): the figure, without the release, limit.

    ``words`` names ``value``, ``without`` and ``limit``; a figure that nobody measured or limited has no mark.
    """
    marks = {"value": ORANGE, "without": BLUE, "limit": INK}
    # A legend names only what is drawn.
    drawn = [field for field in marks if rows[field].null_count() < rows.height]
    names = [words[field] for field in drawn]
    colours = {"domain": names, "range": [marks[field] for field in drawn]}
    y = {"field": "what", "type": "nominal", "title": None, "sort": None, "axis": label_axis(rows["what"])}
    x = {"type": "quantitative", "title": None, "axis": percent_axis(ticks=6), "scale": {"domain": [0, 1]}}

    def layer(mark: Spec, field: str) -> Spec:
        colour = {"datum": words[field], "type": "nominal", "scale": colours, "legend": legend_gap(names)}
        known = [{"filter": f"isValid(datum.{field})"}]
        return {"mark": mark, "transform": known, "encoding": {"x": {"field": field, **x}, "y": y, "color": colour}}

    shown = pl.Series("shown", [_or_dash(value) for value in rows["value"]], dtype=pl.String)
    end = pl.max_horizontal("value", "without", "limit").fill_null(0.0).alias("end")
    text = {
        "mark": {"type": "text", "align": "left", "dx": 7, "color": INK},
        "encoding": {"x": {"field": "end", **x}, "y": y, "text": {"field": "shown", "type": "nominal"}},
    }
    forms: dict[str, Spec] = {
        "value": {"type": "bar", "height": {"band": 0.5}},
        "without": {"type": "tick", "thickness": 3, "height": 18},
        "limit": {"type": "tick", "thickness": 3, "height": 24},
    }
    layers = [*(layer(forms[field], field) for field in drawn), text]
    data = _data(rows.with_columns(shown, end))
    return chart_svg({"data": data, "width": 300, "height": {"step": 30}, "layer": layers})


def _or_dash(share: float | None) -> str:
    return "–" if share is None else percent(share)


def share_chart(rows: pl.DataFrame, *, title: str) -> str:
    """Return a bar per name (``what``, ``share``) with its percentage."""
    y = {"field": "what", "type": "nominal", "title": None, "sort": None, "axis": label_axis(rows["what"], limit=180)}
    x = {"field": "share", "type": "quantitative", "title": title, "axis": percent_axis(ticks=6)}
    x["scale"] = {"domain": [0, 1]}
    text = {"text": {"field": "shown", "type": "nominal"}}
    layers = [
        {"mark": {"type": "bar", "color": BLUE, "height": {"band": 0.6}}, "encoding": {"x": x, "y": y}},
        {"mark": {"type": "text", "align": "left", "dx": 4, "color": INK}, "encoding": {"x": x, "y": y, **text}},
    ]
    shown = pl.Series("shown", [percent(share) for share in rows["share"]], dtype=pl.String)
    data = _data(rows.with_columns(shown))
    # Many columns share the height of a chart.
    step = max(min(HEIGHT / max(rows.height, 1), 30), LABEL_SIZE + 3)
    return chart_svg({"data": data, "width": 280, "height": {"step": step}, "layer": layers})
