"""The synthetic shop: a calendar of open days and a catalogue of goods, shared by all its customers.

Modelled on a gift wholesaler's year (the data behind PWS Cup 2016 to 2018): closed on Saturdays and holidays, busiest
on Thursdays, trade doubling before Christmas; a catalogue whose popularity falls like a power of the rank with an
early end, goods that appear during the year, and a few themes that sell for Christmas. The numbers below are rounded
summaries of such a year, not records.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.synth.blocks import draw

FIRST_DAY = date(2010, 12, 1)
GOODS = 3700
THEMES = 150
CHRISTMAS_THEMES = 12
SEGMENTS = 40
SEGMENT_THEMES = 5
LETTERS = ("", "A", "B", "C", "D", "L", "E", "F")
LETTER_SHARES = (0.80, 0.055, 0.06, 0.03, 0.02, 0.015, 0.01, 0.01)
# Leading digits of the goods ids: most of the catalogue is numbered 20000 to 23999.
ID_RANGES = ((20000, 24000), (82000, 86000), (35000, 36000), (47000, 49000), (72000, 73000), (16000, 18000))
ID_RANGE_SHARES = (0.70, 0.17, 0.03, 0.04, 0.02, 0.04)

_WEEKDAY_SHARES = (0.154, 0.175, 0.188, 0.212, 0.149, 0.0, 0.122)  # Monday first; baskets, not records
_MONTH_SALES = (70, 56, 51, 71, 59, 74, 71, 71, 70, 105, 129, 173, 45)  # December to the next December, 1 to 9
_HOLIDAYS = (
    *(date(2010, 12, day) for day in range(24, 32)),
    *(date(2011, 1, day) for day in range(1, 4)),
    *(date(2011, 4, day) for day in (22, 24, 25, 29)),
    date(2011, 5, 2),
    date(2011, 5, 30),
    date(2011, 8, 29),
)
_SUNDAY_BASKET = 1.35

# Price points in hundredths and their share of the records, in per mille.
_PRICES: tuple[tuple[int, float], ...] = (
    (12, 2), (14, 1), (19, 6), (21, 4), (29, 12), (36, 3), (39, 16), (42, 49), (55, 21), (65, 21), (72, 4), (79, 6),
    (83, 13), (85, 70), (95, 6), (106, 5), (125, 120), (145, 34), (149, 4), (165, 98), (169, 11), (179, 5), (195, 34),
    (208, 40), (210, 46), (225, 5), (249, 6), (255, 34), (289, 8), (295, 70), (325, 8), (329, 4), (339, 4), (375, 47),
    (395, 9), (415, 15), (425, 20), (465, 4), (495, 48), (545, 5), (575, 4), (595, 22), (625, 5), (675, 8), (695, 5),
    (750, 3), (795, 20), (825, 10), (850, 15), (895, 4), (995, 15), (1095, 4), (1250, 4), (1275, 10), (1495, 4),
    (1695, 4), (1800, 2), (1995, 1), (2495, 0.7), (2995, 0.5), (3995, 0.4), (4995, 0.3), (7500, 0.2), (12500, 0.1),
    (16500, 0.1), (29500, 0.05),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Calendar:
    """The open days, as days after `FIRST_DAY`, with how much is sold on them."""

    day: Ints
    weight: Floats
    month: Ints
    basket_factor: Floats

    @property
    def months(self) -> int:
        """The number of calendar months that the open days touch."""
        return int(self.month[-1]) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """The goods, sorted by theme, with what they cost and how they sell in every month.

    ``cumulative`` holds one running sum over all months and goods: goods of theme ``t`` in month ``m`` are drawn by a
    uniform number between its values at ``bounds[m, t]`` and ``bounds[m, t + 1]``. ``segments`` holds the themes that
    each kind of customer likes: florists, toy shops and the like buy alike.
    """

    ids: pl.Series
    price: Ints
    bulk_price: Ints
    bulk_value: Floats
    old_price: Ints
    change_day: Ints
    pack: Floats
    segments: Ints
    cumulative: Floats
    bounds: Ints

    def draw(self, uniforms: Floats, month: Ints, theme: Ints) -> Ints:
        """Draw goods of a theme (-1: of the whole catalogue) as they sell in a month."""
        whole = theme < 0
        start = self.bounds[month, np.where(whole, 0, theme)]
        end = self.bounds[month, np.where(whole, THEMES, theme + 1)]
        low, high = self.cumulative[start], self.cumulative[end]
        found = np.searchsorted(self.cumulative, low + uniforms * (high - low), side="right") - 1
        return np.clip(found, start, end - 1) % len(self.price)


def make_calendar(last_day: date, rng: np.random.Generator) -> Calendar:
    """Return the open days up to the last day."""
    every = [FIRST_DAY + timedelta(number) for number in range((last_day - FIRST_DAY).days + 1)]
    open_days = [one for one in every if _WEEKDAY_SHARES[one.weekday()] > 0 and one not in _HOLIDAYS]
    month = np.array([(one.year - FIRST_DAY.year) * 12 + one.month - FIRST_DAY.month for one in open_days])
    weekday = np.array([one.weekday() for one in open_days])
    weight = np.array(_WEEKDAY_SHARES)[weekday] * rng.lognormal(0.0, 0.12, len(open_days))
    weight *= (np.array(_MONTH_SALES)[: month[-1] + 1] / np.bincount(month, weights=weight))[month]
    return Calendar(
        day=np.array([(one - FIRST_DAY).days for one in open_days], dtype=np.int64),
        weight=weight,
        month=month.astype(np.int64),
        basket_factor=np.where(weekday == 6, _SUNDAY_BASKET, 1.0),
    )


def make_catalogue(months: int, rng: np.random.Generator) -> Catalogue:
    """Return the goods of one shop."""
    rank = np.arange(1, GOODS + 1)
    popularity = (rank + 6.0) ** -0.55 * np.exp(-((rank / 2150.0) ** 2.6))
    price = _prices(rng)
    theme = draw(rng.uniform(size=GOODS), rng.gamma(3.0, size=THEMES))
    theme[:THEMES] = rng.permutation(THEMES)  # no theme is empty
    by_theme = np.argsort(theme, kind="stable")
    theme, popularity, price = theme[by_theme], popularity[by_theme], price[by_theme]
    sales = popularity * _season(theme, months, rng)
    edges = np.searchsorted(theme, np.arange(THEMES + 1))
    liking = rng.uniform(size=SEGMENTS * SEGMENT_THEMES)
    changed = rng.uniform(size=GOODS) < 0.22
    return Catalogue(
        ids=_ids(rng),
        price=price,
        bulk_price=_point_below(price, 0.89),
        bulk_value=rng.lognormal(np.log(70.0), 0.5, GOODS),
        old_price=_point_below(price, 0.96),
        change_day=np.where(changed, rng.integers(20, 120, GOODS), -1),
        pack=rng.normal(0.0, 1.0, GOODS),
        segments=draw(liking, np.bincount(theme, weights=popularity)).reshape(SEGMENTS, SEGMENT_THEMES),
        cumulative=np.concatenate(([0.0], np.cumsum(sales.ravel()))),
        bounds=edges[None, :] + GOODS * np.arange(months)[:, None],
    )


def _prices(rng: np.random.Generator) -> Ints:
    """Give goods price points so that every band of popularity holds the whole spread of prices."""
    values, shares = (np.array(column) for column in zip(*_PRICES, strict=True))
    band = 50
    parts = [(rng.permutation(band) + rng.uniform(size=band)) / band for _ in range(GOODS // band)]
    return values[draw(np.concatenate(parts), shares)].astype(np.int64)


def _point_below(price: Ints, factor: float) -> Ints:
    """Return the highest price point that is at most ``factor`` of the price."""
    points = np.array([point for point, _ in _PRICES])
    return points[np.maximum(np.searchsorted(points, price * factor, side="right") - 1, 0)].astype(np.int64)


def _season(theme: Ints, months: int, rng: np.random.Generator) -> Floats:
    """Return how much better than on average each of the goods sells in each month."""
    month = np.arange(months)[:, None]
    appears = np.floor(rng.uniform(size=GOODS) ** 4 * 11 - 1.0)
    season = np.where(month >= appears, 1.0, 0.01)
    to_christmas = np.minimum(np.abs(month % 12 - 11), month % 12 + 1)
    festive = np.isin(theme, rng.choice(THEMES, CHRISTMAS_THEMES, replace=False))
    season = np.where(festive, season * np.where(to_christmas <= 2, 2.2, 0.35), season)
    return season * rng.lognormal(0.0, 0.35, (months, GOODS))


def _ids(rng: np.random.Generator) -> pl.Series:
    """Return distinct ids: five digits, some with a letter for the colour."""
    pool = np.concatenate([np.arange(low, high) for low, high in ID_RANGES])
    shares = np.concatenate(
        [
            np.full(high - low, share / (high - low))
            for (low, high), share in zip(ID_RANGES, ID_RANGE_SHARES, strict=True)
        ]
    )
    numbers = rng.choice(pool, GOODS, replace=False, p=shares / shares.sum())
    letters: npt.NDArray[np.str_] = np.array(LETTERS)[draw(rng.uniform(size=GOODS), LETTER_SHARES)]
    return pl.Series("goods", numbers).cast(pl.String) + pl.Series(letters.tolist(), dtype=pl.String)
