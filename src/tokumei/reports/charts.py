"""Charts as SVG, each made from one Vega-Lite specification; nothing is fetched from anywhere.

The palette is the one of Okabe and Ito, which people with colour-blindness can tell apart.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import vl_convert

Spec = dict[str, Any]
Rows = Sequence[Mapping[str, object]]
BLUE, ORANGE, GREY, INK = "#0072B2", "#D55E00", "#767676", "#333333"
SHARE = {"domain": [0, 1]}
# A power of ten on a logarithmic axis is divided at these multiples, the more the shorter the axis is.
WIDE_DECADES, DIVISIONS, WIDE_DIVISIONS = 3, (1, 2, 5), (1,)

# The widest letters of usual fonts, in parts of their size: a chart is drawn here and read where other fonts are.
WIDE_LETTER, NARROW_LETTER = 1.0, 0.62
# What a drawing program without fonts for a script takes for the width of its letters.
UNKNOWN_LETTER = 0.45
LABEL_SIZE, LEGEND_SIZE = 11, 12


def text_width(text: str, size: float = LABEL_SIZE) -> float:
    """Return how wide a text may become in points, whatever fonts there are: letters of East Asia are squares.

    >>> round(text_width("abc", 10), 6), round(text_width("仮名", 10))
    (18.6, 20)
    """
    wide = sum(unicodedata.east_asian_width(letter) in "WFA" for letter in text)
    return size * (WIDE_LETTER * wide + NARROW_LETTER * (len(text) - wide))


def label_axis(labels: Iterable[str], *, limit: int = 260) -> Spec:
    """Return an axis of names that keeps the place its names need, also where its maker had no font for them."""
    widest = max(map(text_width, labels), default=0.0)
    # What is cut to the limit by one font is wider in another.
    return {"labelLimit": limit, "minExtent": round(min(widest, 1.4 * limit)) + 8}


def legend_gap(labels: Iterable[str]) -> Spec:
    """Return a legend whose names do not run into each other, also where its maker had no font for them."""
    unseen = [text_width(label, LEGEND_SIZE) - UNKNOWN_LETTER * LEGEND_SIZE * len(label) for label in labels]
    return {"columnPadding": 12 + round(max(unseen, default=0.0))}


def to_svg(spec: Spec) -> str:
    """Return a Vega-Lite specification as SVG text."""
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "background": "white", **spec}
    return str(vl_convert.vegalite_to_svg(whole))


def percent_axis(*, ticks: int | None = None) -> Spec:
    """Return an axis of shares whose labels are written as all percentages here are, with a space."""
    axis: Spec = {"labelExpr": "format(100 * datum.value, '.2~f') + ' %'", "labelSeparation": 8}
    return axis if ticks is None else {**axis, "tickCount": ticks}


def log_axis(low: float, high: float) -> Spec:
    """Return a logarithmic axis from ``low`` to ``high`` with few round ticks, so that no label touches another."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(max(high, low)))
    steps = DIVISIONS if last - first <= WIDE_DECADES else WIDE_DIVISIONS
    ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return {"values": [tick for tick in ticks if low <= tick <= high], "format": ",~g"}


def _values(rows: Rows) -> Spec:
    return {"values": [dict(row) for row in rows]}


def histogram(values: Sequence[float], *, label: str, counted: str = "subjects", bins: int = 30) -> str:
    """Return a histogram on a logarithmic axis, as histories are heavy-tailed; values must be positive."""
    data = np.asarray(values, dtype=np.float64)
    edges = np.geomspace(1.0, max(float(data.max(initial=1.0)), 10.0) * 1.0001, bins + 1)
    heights, _ = np.histogram(data, edges)
    rows = [
        {"from": float(low), "to": float(high), "count": int(height)}
        for low, high, height in zip(edges[:-1], edges[1:], heights, strict=True)
    ]
    spec = {
        "data": _values(rows),
        "width": 520,
        "height": 220,
        "mark": {"type": "bar", "color": BLUE},
        "encoding": {
            "x": {
                "field": "from",
                "type": "quantitative",
                "title": label,
                "scale": {"type": "log", "nice": False},
                "bin": "binned",
                "axis": log_axis(1.0, float(edges[-1])),
            },
            "x2": {"field": "to"},
            "y": {"field": "count", "type": "quantitative", "title": counted},
        },
    }
    return to_svg(spec)


def curves(rows: Rows, *, x: str, y: str, series: str, dash: str, titles: tuple[str, str]) -> str:
    """Return lines of ``y`` over ``x``, coloured by ``series`` and dashed by ``dash``; ``titles`` name the axes."""
    encoding = {
        "x": {"field": x, "type": "quantitative", "title": titles[0]},
        "y": {"field": y, "type": "quantitative", "title": titles[1], "scale": SHARE},
        "color": {"field": series, "type": "nominal", "scale": {"range": [BLUE, ORANGE, "#009E73", "#CC79A7"]}},
        "strokeDash": {"field": dash, "type": "nominal"},
    }
    return to_svg({"data": _values(rows), "width": 520, "height": 280, "mark": "line", "encoding": encoding})
