"""Item 1 of PWS Cup 2025: means, spreads, quartiles, shares and correlations, each file scaled by itself."""

from __future__ import annotations

import numpy as np

from tokumei.contests.pws2025.table import Patients

QUARTILES = {"q25": 25, "q50": 50, "q75": 75}


def statistics(table: Patients) -> dict[str, float]:
    """Return every term of a table by its official name; a figure that cannot be computed is 0."""
    numeric = table.mostly_numeric()
    found: dict[str, float] = {}
    columns = {name: table.numbers(name) for name in numeric}
    raw: dict[str, dict[str, float]] = {"mean": {}, "std": {}, **{name: {} for name in QUARTILES}}
    for name, values in columns.items():
        known = values[np.isfinite(values)]
        raw["mean"][name] = float(known.mean())
        raw["std"][name] = float(known.std(ddof=1)) if len(known) > 1 else np.nan
        for quartile, percent in QUARTILES.items():
            raw[quartile][name] = float(np.percentile(known, percent))
    for statistic, by_column in raw.items():
        values = np.array(list(by_column.values()))
        low, high = (np.nanmin(values), np.nanmax(values)) if len(values) else (0.0, 0.0)
        for name, value in by_column.items():
            found[f"NUM:{statistic}:{name}"] = float((value - low) / (high - low)) if high > low else 0.0
    for name in table.frame.columns:
        if name not in numeric:
            counts = table.frame[name].value_counts().rows()
            found |= {f"CAT:{name}={value}": count / table.height for value, count in counts}
    for at, one in enumerate(numeric):
        for other in numeric[at + 1 :]:
            found[f"CORR:{one}|{other}"] = _correlation(columns[one], columns[other])
    return {name: value if np.isfinite(value) else 0.0 for name, value in found.items()}


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    both = np.isfinite(one) & np.isfinite(other)
    x, y = one[both], other[both]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    size = np.sqrt((x @ x) * (y @ y))
    return float(np.clip((x @ y) / size, -1.0, 1.0)) if size > 0 else 0.0


def statistics_difference(b: Patients, c: Patients) -> dict[str, float]:
    """Return C minus B for every term of either; a missing term is 0."""
    mine, theirs = statistics(b), statistics(c)
    return {name: theirs.get(name, 0.0) - mine.get(name, 0.0) for name in sorted({*mine, *theirs})}


def worst_terms(differences: dict[str, float]) -> tuple[float, list[str]]:
    """Return the largest difference and the terms that have it."""
    largest = max((abs(value) for value in differences.values()), default=0.0)
    return largest, [name for name, value in differences.items() if abs(value) == largest]
