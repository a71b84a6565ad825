"""Figures 8 to 12 of the paper on k-concealment for history data, redrawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokumei.array_types import Floats
from tokumei.reports import BLUE, GREY, ORANGE, Rows, Spec, to_svg
from tokumei.words import Words

SERIES = [BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
BINS = 40


def _bars(values: Floats, edges: Floats) -> list[dict[str, object]]:
    heights, _ = np.histogram(values, edges)
    return [
        {"from": float(low), "to": float(high), "count": int(height)}
        for low, high, height in zip(edges[:-1], edges[1:], heights, strict=True)
    ]


def _binned(title: str) -> Spec:
    return {"x": {"field": "from", "type": "quantitative", "title": title, "bin": "binned"}, "x2": {"field": "to"}}


def distance_histogram(distances: Floats, words: Words) -> str:
    """Return figure 8: how far people are from each other."""
    edges = np.linspace(0.0, max(float(distances.max(initial=0.0)), 1e-9), BINS + 1)
    y = {"field": "count", "type": "quantitative", "title": words("axis.pairs")}
    spec = {
        "data": {"values": _bars(distances, edges)},
        "width": 520,
        "height": 220,
        "mark": {"type": "bar", "color": BLUE},
        "encoding": {**_binned(words("axis.distance")), "y": y},
    }
    return to_svg(spec)


def error_curves(rows: Rows, y: str, title: str, words: Words) -> str:
    """Return figure 9: the error against the number of people; rows have ``people``, ``method`` and the field ``y``."""
    values = [dict(row) for row in rows]
    methods = list(dict.fromkeys(str(row["method"]) for row in values))
    sizes = {"values": list(dict.fromkeys(row["people"] for row in values)), "grid": False}
    # The last line is broken: it covers the one before where no cycle is longer than three.
    dashes = {"domain": methods, "range": [[1, 0]] * (len(methods) - 1) + [[5, 5]]}
    encoding = {
        "x": {
            "field": "people",
            "type": "quantitative",
            "title": words("axis.people"),
            "scale": {"type": "log"},
            "axis": sizes,
        },
        "y": {"field": y, "type": "quantitative", "title": title, "scale": {"zero": False}},
        "color": _method_colour(methods),
        "strokeDash": {"field": "method", "type": "nominal", "scale": dashes, "legend": None},
    }
    mark = {"type": "line", "point": True}
    return to_svg({"data": {"values": values}, "width": 520, "height": 300, "mark": mark, "encoding": encoding})


def error_histograms(errors: Sequence[tuple[str, Floats]], words: Words) -> str:
    """Return figure 10: how the error is distributed over people, one histogram per method."""
    largest = max((float(values.max(initial=0.0)) for _, values in errors), default=1.0)
    edges = np.linspace(0.0, max(largest, 1e-9), BINS + 1)
    values = [{**bar, "method": method} for method, found in errors for bar in _bars(found, edges)]
    means = [{"method": method, "mean": float(found.mean())} for method, found in errors]
    row = {
        "field": "method",
        "type": "nominal",
        "title": None,
        "sort": [method for method, _ in errors],
        "header": {"labelOrient": "top", "labelAnchor": "start"},
    }
    layers = [
        {
            "mark": {"type": "bar", "color": BLUE},
            "encoding": {
                **_binned(words("axis.person-error")),
                "y": {"field": "count", "type": "quantitative", "title": words("axis.people")},
            },
        },
        {
            "transform": [{"filter": "datum.mean != null"}],
            "mark": {"type": "rule", "color": ORANGE, "strokeWidth": 2},
            "encoding": {"x": {"field": "mean", "type": "quantitative"}},
        },
    ]
    whole = {"data": {"values": [*values, *means]}, "facet": {"row": row}}
    return to_svg({**whole, "spec": {"width": 440, "height": 90, "layer": layers}})


def box_map(points: Floats, low: Floats, high: Floats, words: Words) -> str:
    """Return a map of figures 11 and 12: black points are originals, red rectangles what is published.

    All are lines of latitude and longitude.
    """
    boxes = [
        {"south": south, "west": west, "north": north, "east": east}
        for (south, west), (north, east) in zip(low.tolist(), high.tolist(), strict=True)
    ]
    dots = [{"lat": lat, "lon": lon} for lat, lon in points.tolist()]
    axis = {"type": "quantitative", "scale": {"zero": False}}
    layers = [
        {
            "data": {"values": boxes},
            "mark": {"type": "rect", "fill": "red", "fillOpacity": 0.01, "stroke": "red", "strokeOpacity": 0.5},
            "encoding": {
                "x": {"field": "west", "title": words("axis.longitude"), **axis},
                "x2": {"field": "east"},
                "y": {"field": "south", "title": words("axis.latitude"), **axis},
                "y2": {"field": "north"},
            },
        },
        {
            "data": {"values": dots},
            "mark": {"type": "circle", "color": "black", "size": 14, "opacity": 0.9},
            "encoding": {"x": {"field": "lon", **axis}, "y": {"field": "lat", **axis}},
        },
    ]
    return to_svg(
        {"width": 420, "height": 420, "layer": layers, "config": {"axis": {"gridColor": GREY, "gridOpacity": 0.2}}}
    )


def _method_colour(methods: Sequence[str]) -> Spec:
    return {
        "field": "method",
        "type": "nominal",
        "title": None,
        "scale": {"domain": methods, "range": SERIES},
        "legend": {"labelLimit": 400, "orient": "bottom", "columns": 1},
    }
