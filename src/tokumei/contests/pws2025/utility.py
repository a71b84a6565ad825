"""The utility of PWS Cup 2025: 40 + 20 + 20 points of the table, 20 of the model."""

from __future__ import annotations

from typing import Any

from tokumei.contests.pws2025.kruskal import kruskal_difference
from tokumei.contests.pws2025.logistic import fit_logistic, logistic_difference
from tokumei.contests.pws2025.statistics import statistics_difference, worst_terms
from tokumei.contests.pws2025.table import Patients

POINTS = {"stats": 40.0, "LR": 20.0, "KW": 20.0, "model": 20.0}


def measure_table(b: Patients, c: Patients) -> dict[str, Any]:
    """Return the largest differences of the three items with everything behind them, and the points of 80."""
    differences = statistics_difference(b, c)
    largest, terms = worst_terms(differences)
    logistic = logistic_difference(fit_logistic(b), fit_logistic(c))
    kruskal = kruskal_difference(b, c)
    losses = {"stats": largest, "LR": logistic["LR_diff_max"], "KW": kruskal["KW_diff_max"]}
    points = {name: POINTS[name] * max(0.0, 1.0 - loss) for name, loss in losses.items()}
    return {
        "rows": {"B": b.height, "C": c.height},
        "stats_diff_max": largest,
        "stats_worst_terms": terms,
        **logistic,
        **kruskal,
        "points": points,
        "C_utility_80": sum(POINTS[name] * (1.0 - loss) for name, loss in losses.items()),
        "stats_diff": differences,
    }
