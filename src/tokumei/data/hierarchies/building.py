"""Hierarchies built from the data of a column: bands of numbers, calendar units, prefixes, the rarest values.

A rule looks at the distinct values of a column alone (``frequency`` also at how often they occur), never at who has
them. ``auto`` chooses: dates by the calendar, numbers by bands, codes of one length by prefixes, other categories by
frequency.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.data.columns import Field, Kind

# Bands start so wide that a column has at most so many of them, and double until one holds everything.
FINEST_BANDS = 32
# Level by level, the rarest values that have together at most so much of all records become one.
RARE_SHARES = (0.01, 0.05, 0.2, 0.5)
# Codes such as postcodes: at least so many, all of one length.
FEWEST_CODES = 20
_WIDEST = 2**61
_UNITS = {Kind.DATE: ("1mo", "1q", "1y"), Kind.DATETIME: ("1h", "1d", "1mo", "1q", "1y")}


def rule_for(field: Field, values: pl.Series) -> str:
    """Return the rule that ``auto`` means for a column with these distinct values."""
    if field.kind in _UNITS:
        return "dates"
    if not field.nominal:
        return "intervals"
    lengths = values.str.len_chars()
    coded = len(values) >= FEWEST_CODES and lengths.n_unique() == 1 and int(lengths[0]) > 1
    return "prefixes" if coded and bool(values.str.contains(r"\d").all()) else "frequency"


def ordered_levels(field: Field, codes: Ints, rule: str) -> tuple[Ints, Ints]:
    """Return lowest and highest code of the node of every distinct code, level by level."""
    if rule == "dates":
        return _calendar_levels(field.kind, codes)
    low, high = [codes], [codes]
    span = int(codes[-1]) - int(codes[0]) + 1 if len(codes) else 1
    width = _first_width(span)
    # Ends of wider bands would not fit into 64 bits.
    while len(codes) and width < _WIDEST:
        start = codes // width * width
        if start[0] == start[-1]:
            break
        low.append(start)
        high.append(start + width - 1)
        width *= 2
    return _with_whole(low, high)


def _first_width(span: int) -> int:
    """Return the least 2, 5 or 10 times a power of ten that cuts the span into few enough bands."""
    width, powers = 2, (2, 5, 10)
    for exponent in range(19):
        for head in powers:
            width = head * 10**exponent
            if width * FINEST_BANDS >= span:
                return width
    return width


def calendar_ends(kind: Kind, codes: Ints, unit: str) -> tuple[Ints, Ints]:
    """Return the first and the last code of the calendar unit (as polars names it) of every date or moment."""
    whole = pl.Series(codes)
    moments = whole.cast(pl.Int32).cast(pl.Date) if kind is Kind.DATE else (whole * 1000).cast(pl.Datetime("ms"))
    start = moments.dt.truncate(unit)
    first, after = (
        (end.cast(pl.Int64) if kind is Kind.DATE else end.cast(pl.Int64) // 1000).to_numpy()
        for end in (start, start.dt.offset_by(unit))
    )
    return first, after - 1


def _calendar_levels(kind: Kind, codes: Ints) -> tuple[Ints, Ints]:
    low, high = [codes], [codes]
    for unit in _UNITS[kind]:
        first, last = calendar_ends(kind, codes, unit)
        low.append(first)
        high.append(last)
    return _with_whole(low, high)


def _with_whole(low: list[Ints], high: list[Ints]) -> tuple[Ints, Ints]:
    """Return the levels with the whole column on top, without levels that join nothing."""
    codes = low[0]
    ends = (codes[0], codes[-1]) if len(codes) else (0, 0)
    kept = [0] + [at for at in range(1, len(low)) if not np.array_equal(low[at], low[at - 1])]
    kept = [at for at in kept if at == 0 or low[at][0] != low[at][-1]]
    lows = [*(low[at] for at in kept), np.full(len(codes), ends[0])]
    highs = [*(high[at] for at in kept), np.full(len(codes), ends[1])]
    return np.array(lows), np.array(highs)


def width_losses(low: Ints, high: Ints) -> Floats:
    """Return the part of the column's span that every node covers inside it, by width."""
    if not low.shape[1]:
        return np.zeros(low.shape)
    lowest, highest = low[0].min(), high[0].max()
    inside = np.minimum(high, highest) - np.maximum(low, lowest)
    return np.maximum(inside, 0) / max(int(highest - lowest), 1)


def prefix_chains(values: Sequence[str]) -> list[list[str]]:
    """Return every value with one more character hidden at each level.

    >>> prefix_chains(["12", "13"])
    [['12', '1*', '**'], ['13', '1*', '**']]
    """
    longest = max((len(value) for value in values), default=0)
    return [
        [value, *(value[: longest - hidden] + "*" * hidden for hidden in range(1, longest + 1))] for value in values
    ]


def frequency_chains(values: Sequence[str], counts: Ints) -> list[list[str]]:
    """Return every value with the rarest ones joined, more of them at every level; ties go by the text."""
    order = sorted(range(len(values)), key=lambda at: (int(counts[at]), values[at]))
    together = np.cumsum(counts[order]) / max(int(counts.sum()), 1)
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values))
    limits = [int((together <= share).sum()) for share in RARE_SHARES]
    limits = [limit for at, limit in enumerate(limits) if limit > max([1, *limits[:at]])]
    rare = "the rarest"
    return [[value, *(rare if rank[at] < limit else value for limit in limits), "*"] for at, value in enumerate(values)]


CHAINS: dict[str, Callable[[Sequence[str], Ints], list[list[str]]]] = {
    "prefixes": lambda values, _: prefix_chains(values),
    "frequency": frequency_chains,
}
