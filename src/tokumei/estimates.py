"""Means, rates and regressions from generalized data, with an uncertainty that says what generalization hides.

A published range says that the truth lies in it and nothing more. So every estimate comes with *bounds*: what it would
be if all hidden values lay as low, or as high, as their cells allow (Manski 2003, chapter 1). The *interval* widens the
bounds by the sampling error at both ends (Imbens and Manski 2004, with the larger of the two errors and the usual
two-sided quantile, of Student's distribution: people may be few). Records of one pseudonym are not independent: errors
are counted over pseudonyms. A mean over a filling in the middle would look more certain than anybody can be.

>>> frame = pl.DataFrame({"pseudonym": ["a", "a", "b"], "paid_low": [1.0, 2.0, 3.0], "paid_high": [3.0, 2.0, 5.0]})
>>> estimate_mean(frame, "paid").value, estimate_mean(frame, "paid").bounds
(2.6666666666666665, (2.0, 3.3333333333333335))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from tokumei.arguments import check_names, check_whole
from tokumei.array_types import Bools, Floats, Ints
from tokumei.data import to_polars
from tokumei.errors import ParameterError, did_you_mean

# Both ends of 95 %.
_UPPER = 0.975


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure from generalized data: from middles, what hidden values allow, and that with the sampling error.

    ``withheld`` is the share of records of which nothing is published; their values may be anything that occurs.
    """

    value: float
    bounds: tuple[float, float]
    interval: tuple[float, float]
    records: int
    withheld: float


def estimate_mean(frame: pl.DataFrame, column: str, *, range_of: tuple[float, float] | None = None) -> Estimate:
    """Return the mean of a number in a frame of intervals (`tokumei.read_release`).

    Args:
        frame: What ``read_release(folder)`` returned.
        column: The name of the number, without ``_low`` and ``_high``.
        range_of: What a withheld value may be (default: from the least to the greatest published end).
    """
    frame = _frame(frame)
    low, high, hidden = _ends(frame, column, range_of)
    return _estimate(frame, low, high, hidden, (low + high) / 2)


def estimate_rate(frame: pl.DataFrame, column: str, value: str) -> Estimate:
    """Return the share of records that have a value of a category; a set that holds it may or may not mean it.

    Args:
        frame: What ``read_release(folder)`` returned.
        column: The name of the category.
        value: The value; one that is not published at all has the share 0, with an interval that says how rare it is.
    """
    frame = _frame(frame)
    lists = _column(frame, column)
    if not isinstance(lists.dtype, pl.List):
        message = f"the column '{column}' is no category; take estimate_mean for numbers"
        raise ParameterError(message)
    inside = pl.select(lists.list.contains(value)).to_series().fill_null(value=True)
    alone = inside & (lists.list.len() == 1).fill_null(value=False)
    hidden = lists.is_null().to_numpy()
    low, high = alone.to_numpy().astype(np.float64), inside.to_numpy().astype(np.float64)
    sizes = lists.list.len().cast(pl.Float64).fill_null(2.0).to_numpy()
    middle = np.where(high > low, high / np.maximum(sizes, 1.0), low)
    found = _estimate(frame, low, high, hidden, middle)
    return replace(found, interval=_share_interval(frame["pseudonym"], low, high))


def estimate_regression(
    frame: pl.DataFrame, outcome: str, inputs: Sequence[str], *, draws: int = 20, seed: int = 0
) -> dict[str, Estimate]:
    """Return the coefficients of a linear regression (``intercept`` and the inputs), each with its uncertainty.

    A coefficient is a weighted sum of the outcomes, so that for given inputs its bounds are exact: every outcome lies
    at the end that moves it furthest. Inputs that are ranges themselves are drawn at random ``draws`` times, and the
    bounds are those of all draws; they are then no proof, and wide input ranges pull slopes towards zero. Records with
    a withheld input are left out.

    Args:
        frame: What ``read_release(folder)`` returned.
        outcome: The name of the number that is explained, without ``_low`` and ``_high``.
        inputs: The names of the numbers that explain it, as a list.
        draws: How many times inputs that are ranges are drawn.
        seed: Makes the draws repeatable.
    """
    frame = _frame(frame)
    check_names("inputs", inputs, least=1)
    check_whole("draws", draws, least=1)
    low, high, hidden = _ends(frame, outcome, None)
    ends = [_ends(frame, name, None) for name in inputs]
    kept = ~np.any([one[2] for one in ends], axis=0)
    rng = np.random.default_rng(seed)
    exact = all(np.array_equal(one[0][kept], one[1][kept]) for one in ends)
    groups = frame["pseudonym"].filter(pl.Series(kept)).rank("dense").to_numpy().astype(np.int64) - 1
    low, high, hidden = low[kept], high[kept], hidden[kept]
    found = []
    for number in range(1 if exact else draws + 1):
        columns = [_filled(one[0][kept], one[1][kept], number, rng) for one in ends]
        found.append(_coefficients(np.column_stack([np.ones(len(low)), *columns]), low, high, groups))
    names = ["intercept", *inputs]
    quantile = _quantile(int(groups.max(initial=0)) + 1)
    share = float(hidden.mean()) if len(hidden) else 0.0
    return {
        name: Estimate(
            value=float(found[0][0][at]),
            bounds=(min(float(one[1][at]) for one in found), max(float(one[2][at]) for one in found)),
            interval=(
                min(float(one[1][at] - quantile * one[3][at]) for one in found),
                max(float(one[2][at] + quantile * one[3][at]) for one in found),
            ),
            records=len(low),
            withheld=share,
        )
        for at, name in enumerate(names)
    }


def _filled(low: Floats, high: Floats, number: int, rng: np.random.Generator) -> Floats:
    """Return the middles first, then random fillings."""
    return (low + high) / 2 if number == 0 else low + rng.random(len(low)) * (high - low)


def _coefficients(design: Floats, low: Floats, high: Floats, groups: Ints) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the coefficients of the middles, their least and greatest, and errors that know who belongs together.

    The errors are those of Liang and Zeger (1986) for clusters, of the residuals of the middles.
    """
    weights = np.linalg.pinv(design)
    middle = (low + high) / 2
    values = weights @ middle
    half = np.abs(weights) @ ((high - low) / 2)
    scores = weights * (middle - design @ values)
    sums = np.zeros((design.shape[1], int(groups.max(initial=-1)) + 1))
    np.add.at(sums.T, groups, scores.T)
    clusters = max(sums.shape[1], 2)
    # Residuals of a fit are smaller than errors: the usual correction for few records (CR1).
    rest = len(middle) - design.shape[1]
    scale = clusters / (clusters - 1) * ((len(middle) - 1) / rest if rest > 0 else 1.0)
    errors = np.sqrt((sums**2).sum(axis=1) * scale)
    return values, values - half, values + half, errors


def _estimate(frame: pl.DataFrame, low: Floats, high: Floats, hidden: Bools, middle: Floats) -> Estimate:
    error = max(_cluster_error(frame["pseudonym"], low), _cluster_error(frame["pseudonym"], high))
    bounds = (float(low.mean()), float(high.mean()))
    quantile = _quantile(frame["pseudonym"].n_unique())
    return Estimate(
        value=float(middle.mean()),
        bounds=bounds,
        interval=(bounds[0] - quantile * error, bounds[1] + quantile * error),
        records=len(low),
        withheld=float(hidden.mean()),
    )


def _cluster_error(pseudonyms: pl.Series, values: Floats) -> float:
    """Return the standard error of a mean whose records belong together under their pseudonyms."""
    rest = pl.DataFrame({"who": pseudonyms, "rest": values - values.mean()}).group_by("who").agg(pl.col("rest").sum())
    people = max(rest.height, 2)
    return float(np.sqrt((rest["rest"].to_numpy() ** 2).sum() * people / (people - 1)) / len(values))


def _share_interval(pseudonyms: pl.Series, low: Floats, high: Floats) -> tuple[float, float]:
    """Return the interval of a share between its bounds: Wilson's (1927), with the number of independent records.

    That number is the one that would have the error counted over pseudonyms (Korn and Graubard 1998). Where nothing
    varies (a value that nobody or everybody has) it is the number of pseudonyms: an error of nothing would be a claim
    that rare values do not exist.
    """
    people = float(max(pseudonyms.n_unique(), 1))
    quantile, ends = _quantile(int(people)), []
    for values, side in ((low, -1.0), (high, 1.0)):
        share, error = float(values.mean()), _cluster_error(pseudonyms, values)
        number = min(max(share * (1 - share) / error**2, 1.0), float(len(values))) if error > 0 else people
        square = quantile**2 / number
        middle = (share + square / 2) / (1 + square)
        half = quantile * np.sqrt(share * (1 - share) / number + square / (4 * number)) / (1 + square)
        ends.append(float(np.clip(middle + side * half, 0.0, 1.0)))
    return ends[0], ends[1]


def _quantile(people: int) -> float:
    """Return the quantile for 95 % with errors of so many people: Student's, which of few people is much wider."""
    from scipy.special import stdtrit  # noqa: PLC0415 - loaded by whoever estimates

    return float(stdtrit(max(people - 1, 1), _UPPER))


def _frame(frame: object) -> pl.DataFrame:
    """Return what `tokumei.read_release` gave, of polars or pandas, as polars; refuse what is none of it."""
    read = to_polars(frame)
    if "pseudonym" not in read.columns:
        message = "the frame has no column 'pseudonym'; read it with tokumei.read_release(folder)"
        raise ParameterError(message)
    if read.height == 0:
        message = "the release has no records to estimate from"
        raise ParameterError(message)
    return read


def _column(frame: pl.DataFrame, name: str) -> pl.Series:
    if name not in frame.columns:
        hint = did_you_mean(name, frame.columns)
        message = f"the frame has no column '{name}'{hint}; read it with tokumei.read_release(folder)"
        raise ParameterError(message)
    return frame[name]


def _ends(frame: pl.DataFrame, column: str, range_of: tuple[float, float] | None) -> tuple[Floats, Floats, Bools]:
    """Return both ends of every cell, those of withheld ones as wide as can be, and which are withheld."""
    if range_of is not None and not range_of[0] <= range_of[1]:
        message = f"range_of must be the least and the greatest value, got {range_of!r}"
        raise ParameterError(message)
    low, high = (_column(frame, f"{column}_{end}").cast(pl.Float64) for end in ("low", "high"))
    hidden = low.is_null().to_numpy()
    least, most = range_of or (float(low.min() or 0.0), float(high.max() or 0.0))  # type: ignore[arg-type]
    return low.fill_null(least).to_numpy(), high.fill_null(most).to_numpy(), hidden
