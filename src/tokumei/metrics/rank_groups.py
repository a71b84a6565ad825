"""Do groups still differ as they did? The Kruskal-Wallis family of figures, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import MISSING, Goal, History, Release, Score, Secret, SetCells
from tokumei.errors import InfeasibleError
from tokumei.metrics.chosen_columns import nominal_column, ordered_names
from tokumei.metrics.midpoints import original_values, published_values
from tokumei.parts import Metric, parameter

RANK_FIGURES = ("H_norm", "minus_log10_p_norm", "epsilon2", "eta2_kw", "rank_eta2", "A_pair_avg", "A_pair_sym")
# A column of goods makes thousands of groups, whose pairs say nothing.
MOST_GROUPS = 20


def rank_figures(values: Floats, groups: Ints) -> list[float]:
    """Return the seven figures of values in ordered groups; all 0 if fewer than two groups have two rows."""
    from scipy.stats import rankdata  # noqa: PLC0415 - takes half a second, and is needed here alone

    names, counts = np.unique(groups, return_counts=True)
    kept = names[counts >= 2]
    chosen = np.isin(groups, kept)
    values, groups = values[chosen], groups[chosen]
    if len(kept) < 2:
        return [0.0] * len(RANK_FIGURES)
    ranks = rankdata(values)
    n, degrees = len(values), len(kept) - 1
    sizes = np.array([(groups == name).sum() for name in kept], dtype=np.float64)
    means = np.array([ranks[groups == name].mean() for name in kept])
    middle = (n + 1) / 2.0
    _, repeats = np.unique(values, return_counts=True)
    correction = 1.0 - float((repeats.astype(np.float64) ** 3 - repeats).sum()) / (n**3 - n)
    superior, weights = _superiority(values, groups, kept)
    pairs = [
        float(np.average(superior, weights=weights)),
        float(np.average(2.0 * np.abs(superior - 0.5), weights=weights)),
    ]
    if correction <= 0:
        # All values are equal: nothing can be tested, but every pair of groups is even.
        return [0.0] * 5 + pairs
    h = 12.0 / (n * (n + 1)) * float((sizes * (means - middle) ** 2).sum()) / correction
    before = np.concatenate([[0.0], np.cumsum(sizes)[:-1]])
    apart = before + (sizes + 1.0) / 2.0
    largest = 12.0 / (n * (n + 1)) * float((sizes * (apart - middle) ** 2).sum())
    evidence = -_log_chance(h, degrees) / np.log(10.0)
    between = float((sizes * (means - middle) ** 2).sum())
    total = float(((ranks - middle) ** 2).sum())
    return [
        float(np.clip(h / largest, 0.0, 1.0)),
        float(2.0 / np.pi * np.arctan(evidence / 10.0)),
        float(np.clip((h - degrees) / (n - degrees), 0.0, 1.0)),
        float(np.clip((h - degrees) / (n - 1), 0.0, 1.0)),
        between / total,
        *pairs,
    ]


def _log_chance(h: float, degrees: int) -> float:
    """Return the logarithm of p; where it underflows, that of Wilson and Hilferty's normal approximation.

    It is taken on both sides (PNAS 17, 1931): so does PWS Cup 2025, as golden cases of 10,000 rows show.
    """
    from scipy.special import log_ndtr  # noqa: PLC0415 - as above
    from scipy.stats import chi2  # noqa: PLC0415 - as above

    exact = float(chi2.logsf(h, degrees))
    if np.isfinite(exact):
        return exact
    spread = 2.0 / (9.0 * degrees)
    return float(log_ndtr(-((h / degrees) ** (1.0 / 3.0) - (1.0 - spread)) / np.sqrt(spread)) + np.log(2.0))


def _superiority(values: Floats, groups: Ints, names: Ints) -> tuple[Floats, Floats]:
    """Return Vargha and Delaney's A of every pair of groups, and the product of their sizes."""
    from scipy.stats import rankdata  # noqa: PLC0415 - takes half a second, and is needed here alone

    found, weights = [], []
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            x, y = values[groups == one], values[groups == other]
            total = float(rankdata(np.concatenate([x, y]))[: len(x)].sum())
            found.append((total / len(x) - (len(x) + 1) / 2.0) / len(y))
            weights.append(float(len(x) * len(y)))
    return np.array(found), np.array(weights)


@dataclass(frozen=True, kw_only=True)
class RankGroups(Metric):
    """Largest change of how far groups differ in an ordered column (Kruskal-Wallis, effect sizes, pairs of groups).

    Seven figures between 0 and 1 are computed for every ordered column by the values of one category: H over its
    largest value, its evidence, epsilon², eta², eta² of the ranks, and Vargha and Delaney's A over all pairs, as it is
    and as a distance from one half. Ranges count at their middle; sets of several values belong to no group.
    """

    name: ClassVar[str] = "rank-groups"
    summary: ClassVar[str] = "largest change of rank figures between groups (Kruskal-Wallis family)"
    source: ClassVar[str] = "Kruskal and Wallis (1952); Vargha and Delaney (2000); PWS Cup 2025"

    group: str = parameter("", "the category that makes the groups; left out: the first")

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the largest change, with the one of every column as a part."""
        del secret
        group, names = nominal_column(history, self.group, most=MOST_GROUPS), ordered_names(history)
        if not names:
            raise InfeasibleError("there is no ordered column that groups could differ in")
        own = history.codes[group].astype(np.int64)
        cells = release.cells[group]
        assert isinstance(cells, SetCells)
        single = (cells.sizes() == 1) & ~cells.suppressed
        theirs = np.full(len(release), MISSING, dtype=np.int64)
        theirs[single] = cells.codes[cells.offsets[:-1][single]]
        parts = {}
        pairs = zip(names, original_values(history, names), published_values(history, release, names), strict=True)
        for name, before, after in pairs:
            mine = rank_figures(*_known(before, own))
            parts[name] = float(np.abs(np.subtract(rank_figures(*_known(after, theirs)), mine)).max())
        return Score(name=self.name, value=max(parts.values()), goal=Goal.LOWER, lowest=0.0, highest=1.0, parts=parts)


def _known(values: Floats, groups: Ints) -> tuple[Floats, Ints]:
    known = np.isfinite(values) & (groups != MISSING)
    return values[known], groups[known]
