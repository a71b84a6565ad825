"""Item 3 of PWS Cup 2025: how far counts differ between age groups, by seven rank figures (Kruskal-Wallis family)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tokumei.contests.pws2025.table import Patients
from tokumei.metrics import RANK_FIGURES, rank_figures

EDGES = (18.0, 45.0, 65.0, 75.0)
MEASURED = ("encounter_count", "num_medications", "num_procedures", "num_immunizations", "num_devices")


def kruskal_table(table: Patients) -> dict[str, list[float]]:
    """Return the figures of the five counts by age group."""
    age = table.numbers("AGE") if "AGE" in table.frame.columns else np.full(table.height, np.nan)
    groups = np.digitize(age, EDGES)
    found = {}
    for name in MEASURED:
        values = table.numbers(name) if name in table.frame.columns else np.full(table.height, np.nan)
        known = np.isfinite(values) & np.isfinite(age) & (age >= 0)
        found[name] = rank_figures(values[known], groups[known]) if known.any() else [0.0] * len(RANK_FIGURES)
    return found


def kruskal_difference(b: Patients, c: Patients) -> dict[str, Any]:
    """Return the largest difference of 5 x 7 figures, and where."""
    mine, theirs = kruskal_table(b), kruskal_table(c)
    gaps = np.array([np.subtract(theirs[name], mine[name]) for name in MEASURED])
    at = np.unravel_index(int(np.abs(gaps).argmax()), gaps.shape)
    return {
        "KW_diff_max": float(np.abs(gaps).max()),
        "KW_worst": [MEASURED[at[0]], RANK_FIGURES[at[1]]],
        "KW": {"columns": list(RANK_FIGURES), "B": mine, "C": theirs},
    }
