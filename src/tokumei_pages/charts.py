"""Where things stand in a chart; templates draw them as SVG, so that no script is needed and all text is escaped.

Drawn by vl-convert, the chart of 30 teams took 335 ms instead of 21, 34 kB instead of 7 and 76 MB in every web process;
its colours are fixed (the pages have a dark side), and Vega-Lite does not keep names apart.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 24, 24, 56
LETTER, LINE = 7.0, 14.0
LONGEST_LABEL = 18
# Ink on the strongest colour still has a contrast of 4.5 to 1 in light and in dark.
STRONGEST = 0.5
# A range below this share of its numbers is one point.
SMALLEST = 1e-9
CELL, ROW_HEAD, COLUMN_HEAD = 44, 150, 130
BAR_STEP, BAR_THICKNESS, BAR_TEXT = 28, 18, 90
TREND_HEIGHT, TREND_BOTTOM, FEWEST_STEPS, MOST_NUMBERS = 240, 44, 2, 20


@dataclass(frozen=True)
class Tick:
    """A mark on an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class Label:
    """A name beside a dot."""

    x: float
    y: float
    anchor: str
    text: str


@dataclass(frozen=True)
class Dot:
    """One team of a scatter chart; the label is missing where there is no room for it."""

    x: float
    y: float
    name: str
    x_text: str
    y_text: str
    ranked: bool
    own: bool
    label: Label | None


@dataclass(frozen=True)
class Scatter:
    """A chart of two figures."""

    dots: Sequence[Dot]
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM

    @property
    def middle(self) -> tuple[float, float]:
        """The middles of both axes."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


@dataclass(frozen=True)
class HeatCell:
    """One attack; no value: nothing valid was handed in, or it is the own data."""

    x: float
    y: float
    row: str
    column: str
    text: str
    strength: float
    own: bool
    marked: bool


@dataclass(frozen=True)
class HeatMap:
    """A table of attacks in colours."""

    cells: Sequence[HeatCell]
    rows: Sequence[Label]
    columns: Sequence[Label]
    width: int
    height: int
    cell: int = CELL


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return round numbers that cover a range: steps of 1, 2 or 5 times a power of ten.

    >>> ticks(0.0, 0.37)
    [0.0, 0.1, 0.2, 0.3, 0.4]
    >>> ticks(3.0, 3.0)
    [2.0, 2.5, 3.0, 3.5, 4.0]
    """
    if high - low < SMALLEST * max(1.0, abs(low), abs(high)):
        low, high = low - 1.0, high + 1.0
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def _width(text: str) -> float:
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return LETTER * (len(text) + 0.8 * wide)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"


def _number(value: float) -> str:
    return f"{value:g}"


@dataclass(frozen=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def _place(x: float, y: float, name: str, taken: list[_Box]) -> Label | None:
    """Return the name beside a dot where it covers nothing: on a side, above, below, or nowhere."""
    text = _short(name)
    width = _width(text)
    for anchor, left, base in (
        ("start", x + 10, y + 4),
        ("end", x - 10 - width, y + 4),
        ("middle", x - width / 2, y - 10),
        ("middle", x - width / 2, y + 20),
        # Dots in a corner of the chart.
        ("end", x + 6 - width, y - 10),
        ("start", x, y - 10),
    ):
        box = _Box(left, base - LINE + 3, left + width, base + 3)
        inside = box.left >= LEFT and box.right <= WIDTH - 2 and box.top >= 2 and box.bottom <= HEIGHT - BOTTOM
        if inside and not any(box.meets(other) for other in taken):
            taken.append(box)
            at = {"start": left, "end": left + width, "middle": x}[anchor]
            return Label(round(at, 1), round(base, 1), anchor, text)
    return None


def _from_nothing(values: Sequence[float]) -> list[float]:
    """Return the ticks of an axis that holds 0 and these values; where all are 0 it goes up to 1."""
    low, high = min(0.0, *values), max(0.0, *values)
    return ticks(low, high if low < high else 1.0)


def scatter(points: Sequence[tuple[str, float, float, bool, bool]]) -> Scatter | None:
    """Return a chart of (name, x, y, ranked, own); None without points."""
    usable = [point for point in points if math.isfinite(point[1]) and math.isfinite(point[2])]
    if not usable:
        return None
    across, upward = (_from_nothing(values) for values in zip(*(point[1:3] for point in usable), strict=True))
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def place_x(value: float) -> float:
        return round(LEFT + (right - LEFT) * (value - across[0]) / (across[-1] - across[0]), 1)

    def place_y(value: float) -> float:
        return round(bottom - (bottom - TOP) * (value - upward[0]) / (upward[-1] - upward[0]), 1)

    spots = [(place_x(point[1]), place_y(point[2])) for point in usable]
    taken = [_Box(x - 7, y - 7, x + 7, y + 7) for x, y in spots]
    dots = [
        Dot(x, y, name, _number(given_x), _number(given_y), ranked, own, _place(x, y, name, taken))
        for (x, y), (name, given_x, given_y, ranked, own) in zip(spots, usable, strict=True)
    ]
    return Scatter(
        dots,
        [Tick(place_x(value), _number(value)) for value in across],
        [Tick(place_y(value), _number(value)) for value in upward],
    )


def heat_map(
    rows: Sequence[tuple[str, str]],
    columns: Sequence[tuple[str, str]],
    values: Mapping[tuple[str, str], float],
    marked: frozenset[tuple[str, str]] = frozenset(),
) -> HeatMap | None:
    """Return attacks in colours: rows and columns are (key, name), values by (row key, column key)."""
    if not rows or not columns:
        return None
    most = max((abs(value) for value in values.values() if math.isfinite(value)), default=0.0) or 1.0
    cells = []
    for down, (row, row_name) in enumerate(rows):
        for across, (column, column_name) in enumerate(columns):
            value = values.get((row, column))
            known = value is not None and math.isfinite(value)
            cells.append(
                HeatCell(
                    ROW_HEAD + across * CELL,
                    COLUMN_HEAD + down * CELL,
                    row_name,
                    column_name,
                    f"{value:.4g}" if known else "",
                    round(STRONGEST * abs(value or 0.0) / most, 3) if known else 0.0,
                    own=row == column,
                    marked=(row, column) in marked,
                )
            )
    heads = [
        Label(ROW_HEAD - 8, COLUMN_HEAD + (down + 0.5) * CELL + 4, "end", _short(name))
        for down, (_key, name) in enumerate(rows)
    ]
    tops = [
        Label(ROW_HEAD + (across + 0.5) * CELL + 4, COLUMN_HEAD - 8, "start", _short(name))
        for across, (_key, name) in enumerate(columns)
    ]
    return HeatMap(cells, heads, tops, ROW_HEAD + len(columns) * CELL + 90, COLUMN_HEAD + len(rows) * CELL + 10)


@dataclass(frozen=True)
class Bar:
    """One line of a bar chart: where its bar ends, what stands before and behind it."""

    y: float
    length: float
    name: str
    text: str
    own: bool

    @property
    def end(self) -> float:
        """Where the bar ends."""
        return ROW_HEAD + self.length


@dataclass(frozen=True)
class Bars:
    """A bar chart: the names stand left of the bars, the figures at their ends."""

    bars: Sequence[Bar]
    height: int
    width: int = WIDTH
    left: int = ROW_HEAD
    thickness: int = BAR_THICKNESS


def bars(rows: Sequence[tuple[str, float, str, bool]]) -> Bars | None:
    """Return a bar chart of (name, value, text, own) in this order; None without a value."""
    usable = [row for row in rows if math.isfinite(row[1])]
    if not usable:
        return None
    most = max(abs(row[1]) for row in usable) or 1.0
    room = WIDTH - ROW_HEAD - BAR_TEXT
    drawn = [
        Bar(TOP + number * BAR_STEP, round(room * abs(value) / most, 1), _short(name), text, own)
        for number, (name, value, text, own) in enumerate(usable)
    ]
    return Bars(drawn, TOP + len(drawn) * BAR_STEP + BAR_STEP // 2)


@dataclass(frozen=True)
class Step:
    """One point of a history: where it stands, what is said about it, and whether it is the one that counts."""

    x: float
    y: float
    text: str
    marked: bool


@dataclass(frozen=True)
class Trend:
    """Values in their order, joined by a line."""

    steps: Sequence[Step]
    path: str
    y_ticks: Sequence[Tick]
    x_ticks: Sequence[Tick]
    width: int = WIDTH
    height: int = TREND_HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = TREND_HEIGHT - TREND_BOTTOM


def trend(points: Sequence[tuple[float, str, bool]]) -> Trend | None:
    """Return a chart of (value, text, marked) in their order; None for fewer than two, which show no history."""
    usable = [point for point in points if math.isfinite(point[0])]
    if len(usable) < FEWEST_STEPS:
        return None
    upward = ticks(min(point[0] for point in usable), max(point[0] for point in usable), 4)
    right, bottom = WIDTH - RIGHT, TREND_HEIGHT - TREND_BOTTOM
    gap = (right - LEFT - 2 * LINE) / (len(usable) - 1)
    spots = [
        (
            round(LEFT + LINE + gap * number, 1),
            round(bottom - (bottom - TOP) * (value - upward[0]) / (upward[-1] - upward[0]), 1),
        )
        for number, (value, _text, _marked) in enumerate(usable)
    ]
    steps = [Step(x, y, text, marked) for (x, y), (_value, text, marked) in zip(spots, usable, strict=True)]
    every = max(1, math.ceil(len(usable) / MOST_NUMBERS))
    return Trend(
        steps,
        "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in spots),
        [
            Tick(round(bottom - (bottom - TOP) * (value - upward[0]) / (upward[-1] - upward[0]), 1), _number(value))
            for value in upward
        ],
        [Tick(spots[number][0], str(number + 1)) for number in range(0, len(spots), every)],
    )
