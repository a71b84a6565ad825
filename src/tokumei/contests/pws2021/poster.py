"""The tables of team 06's poster of 2021 computed again: errors of odds ratios, candidate counts, penalties.

The poster's own release is not public: its figures stand beside ours, which are of a release of the same pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tokumei.contests.pws2021.attacks.loss_band import LossBand, PenalizedBand, band_counts
from tokumei.contests.pws2021.measures import fit_odds
from tokumei.contests.pws2021.metrics.linkage_marks import NORMAL_95, LinkageMarks
from tokumei.contests.pws2021.rows import pair_losses
from tokumei.contests.pws2021.table import HealthTable, same_levels

# The errors that the poster prints: all of .08 or more, and the one it names beside them.
PRINTED_ODDS_ERRORS: Mapping[str, float] = {
    "edu[T.HighSchool]": 0.094440,
    "mar[T.Married]": 0.087104,
    "edu[T.Graduate]": 0.086284,
    "mar[T.Widowed]": 0.083402,
    "mar[T.Parther]": 0.082219,
    "mar[T.Never]": 0.080587,
    "gen[T.Male]": 0.068148,
}
# Share of the test rows that were found, by penalty.
PRINTED_PENALTIES: Mapping[float, float] = {0.5: 0.038, 0.25: 0.042, 0.0: 0.051, -0.25: 0.042}
READINGS = ("either", "both")


def odds_errors(original: HealthTable, changed: HealthTable) -> list[dict[str, Any]]:
    """Return the odds ratio of every label in both tables and its error, the largest first, beside the poster's."""
    before, after = (fit_odds(table, file=name).as_dict() for table, name in ((original, "B"), (changed, "D")))
    rows = [
        {
            "label": term,
            "original": before[term]["OR"],
            "changed": after[term]["OR"],
            "error": abs(before[term]["OR"] - after[term]["OR"]),
            "poster": PRINTED_ODDS_ERRORS.get(term),
        }
        for term in before
        if term in after
    ]
    return sorted(rows, key=lambda row: (-float(row["error"]), str(row["label"])))


def candidate_counts(test: HealthTable, published: HealthTable, attack: LossBand) -> list[dict[str, Any]]:
    """Return for every test row how many rows of D are within reach, in the band and near, and what that answers."""
    left, right = same_levels([test, published])
    counts = band_counts(pair_losses(left, right), low=attack.low, high=attack.high, near=attack.near)
    rows = []
    for place, (reachable, band, near) in enumerate(counts.tolist()):
        answer = "out-of-reach" if reachable == 0 else "decoys" if near >= attack.decoys else "three-of-the-band"
        rows.append({"row": place, "reachable": reachable, "band": band, "near": near, "answer": answer})
    return rows


def penalty_rows(measure: Callable[[PenalizedBand], Sequence[LinkageMarks]]) -> list[dict[str, Any]]:
    """Return the share of found test rows by penalty and reading, its 95 % interval over draws, and the poster's."""
    rows = []
    for reading in READINGS:
        for penalty, printed in PRINTED_PENALTIES.items():
            found = np.array([mark.topk for mark in measure(PenalizedBand(penalty=penalty, differ=reading))])
            error = NORMAL_95 * float(found.std(ddof=1)) / np.sqrt(len(found))
            mean = float(found.mean())
            rows.append(
                {
                    "reading": reading,
                    "penalty": penalty,
                    "found": mean,
                    "low": max(mean - error, 0.0),
                    "high": mean + error,
                    "poster": printed,
                }
            )
    return rows
