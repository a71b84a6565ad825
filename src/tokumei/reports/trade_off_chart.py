"""The chart of several releases: information lost to the right, owners named upwards, every point with its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import polars as pl

from tokumei.reports.charts import BLUE, GREY, INK, ORANGE, Spec, legend_gap, percent_axis, text_width
from tokumei.reports.release_charts import GREEN, chart_svg

WIDTH, HEIGHT = 460, 240
LARGEST_LOSS = 1.2
HIGHEST_RISK = 1.05
# Half the size of a point, the height of a line of text, and how far a name stands from its point, in pixels.
POINT, LINE, GAP = 6, 14, 9
# How many lines a name may move away from its point before it is written over others.
FARTHEST = 12
OUTCOMES = ("safe", "not-shown-unsafe", "unsafe")


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the chart in pixels, y downwards."""

    left: float
    right: float
    top: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Return whether two rectangles have a point in common."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def trade_off_chart(rows: pl.DataFrame, *, words: Mapping[str, str]) -> str:
    """Return releases as points (``release``, ``loss``, ``risk``, ``verdict``, ``front``), the front as a line."""
    # Beyond 1 everything could as well be suppressed: points far out stand at the edge.
    largest = min(max([float(loss) for loss in rows["loss"].to_list()], default=1.0) or 1.0, LARGEST_LOSS)
    wide = 1.35 * largest
    x: Spec = {"field": "loss", "type": "quantitative", "title": words["loss"]}
    x |= {"scale": {"domain": [0, wide], "clamp": True}, "axis": {"tickCount": 7}}
    y = {
        "field": "risk",
        "type": "quantitative",
        "title": words["risk"],
        "axis": percent_axis(ticks=6),
        "scale": {"domain": [0, HIGHEST_RISK], "clamp": True},
    }
    told = [words[name] for name in OUTCOMES]
    colours, shapes = [GREEN, BLUE, ORANGE], ["circle", "square", "triangle-up"]
    legend = legend_gap(told)
    values = rows.with_columns(pl.col("verdict").replace(dict(zip(OUTCOMES, told, strict=True))))
    front = values.filter(pl.col("front")).sort("loss", "risk")
    labels = [dict(zip(("x", "y", "name"), place, strict=True)) for place in _placed(rows, wide)]
    layers = [
        {
            "data": {"values": front.to_dicts()},
            "mark": {"type": "line", "color": GREY, "strokeDash": [2, 3], "interpolate": "step-after"},
            "encoding": {"x": x, "y": y},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 100, "opacity": 1},
            "encoding": {
                "x": x,
                "y": y,
                "color": _outcome({"domain": told, "range": colours}, legend),
                "shape": _outcome({"domain": told, "range": shapes}, legend),
            },
        },
        {
            "data": {"values": labels},
            "mark": {"type": "text", "align": "left", "baseline": "middle", "color": INK},
            "encoding": {
                "x": {"field": "x", "type": "quantitative", "scale": None},
                "y": {"field": "y", "type": "quantitative", "scale": None},
                "text": {"field": "name", "type": "nominal"},
            },
        },
    ]
    resolve = {"scale": {"x": "shared", "y": "shared"}}
    data = {"values": values.to_dicts()}
    return chart_svg({"data": data, "width": WIDTH, "height": HEIGHT, "layer": layers, "resolve": resolve})


def _outcome(scale: Spec, legend: Spec) -> Spec:
    return {"field": "verdict", "type": "nominal", "scale": scale, "legend": legend}


def _placed(rows: pl.DataFrame, wide: float) -> list[tuple[float, float, str]]:
    """Return where the name of every point begins and the middle of its line, in pixels, over no point or other name.

    A name stands to the right of its point, or to the left, else as few lines above or below it as it can.
    """
    ordered = rows.sort(["risk", "loss", "release"], descending=[True, False, False])
    points = [
        (min(loss / wide, 1.0) * WIDTH, HEIGHT * (1 - min(risk / HIGHEST_RISK, 1.0)))
        for loss, risk in ordered.select("loss", "risk").iter_rows()
    ]
    taken = [Box(left - POINT, left + POINT, top - POINT, top + POINT) for left, top in points]
    placed = []
    for (left, top), name in zip(points, ordered["release"].to_list(), strict=True):
        box = _free_place(left, top, text_width(name), taken)
        taken.append(box)
        placed.append((box.left, (box.top + box.bottom) / 2, name))
    return placed


def _free_place(x: float, y: float, width: float, taken: list[Box]) -> Box:
    """Return the nearest place for a text beside a point that is inside the chart and meets nothing."""
    lines = sorted(range(-FARTHEST, FARTHEST + 1), key=lambda line: (abs(line), line > 0))
    boxes = []
    for line, left in product(lines, (x + GAP, x - GAP - width)):
        middle = y + line * LINE
        box = Box(left, left + width, middle - LINE / 2, middle + LINE / 2)
        if box.left >= -1 and box.right <= WIDTH + 1 and box.top >= -LINE and box.bottom <= HEIGHT:
            boxes.append(box)
    free = [box for box in boxes if not any(map(box.meets, taken))]
    beside = Box(x + GAP, x + GAP + width, y - LINE / 2, y + LINE / 2)
    return next(iter([*free, *boxes, beside]))
