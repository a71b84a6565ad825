"""Figures that a match graph shows by itself: candidates, components, a hub, how sure owners are, joint risk."""

from __future__ import annotations

from typing import Any

import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks import Bipartite, Consistency, Matches
from tokumei.audits.joint_risk import JointRisk, joint_risk
from tokumei.audits.reasons import Hub
from tokumei.audits.thresholds import official_thresholds, sharp_thresholds

LONGEST_TABLE = 1_000
# An owner who is known with more than this is as good as named.
SURE = 0.95
HUB_TIMES = 5


def graph_shape(matches: Matches, names: int) -> dict[str, Any]:
    """Return candidates and components of the first ``names`` pseudonyms; the others are blanks."""
    sizes = [len(component) for component in matches.components]
    return {
        "k_concealment": int(matches.graph.subject_degrees()[matches.subject_of[:names]].min()),
        "mean_candidates": float(matches.graph.degrees()[:names].mean()),
        "components": len(sizes),
        "largest_component": max(sizes),
    }


def certainty_figures(certain: Floats, largest: Floats) -> dict[str, float]:
    """Return how sure owners are, from the probability of the owner and the largest one of every pseudonym."""
    return {
        "max_posterior": float(certain.max()),
        "share_posterior_over_95": float((certain > SURE).mean()),
        "expected_hits": float(largest.sum()),
    }


def contest_risk(
    matches: Matches, names: int, *, rng: np.random.Generator, draws: Ints | None = None, wide: Bools | None = None
) -> dict[str, JointRisk]:
    """Return how many guesses at once pass the contest's test, by its own and by the sharp threshold."""
    longest = min(names, LONGEST_TABLE)
    tables = {"official": official_thresholds(longest), "sharp": sharp_thresholds(longest)}
    return joint_risk(matches, tables, rng=rng, worlds=draws, wide=wide)


def hub_of(graph: Bipartite, consistency: Consistency) -> Hub | None:
    """Return the pseudonym with the most candidates, if it has far more than half of the others."""
    histories = consistency.histories
    degrees = graph.degrees()[: len(histories.names)]
    most = int(np.argmax(degrees))
    if degrees[most] < HUB_TIMES * np.median(degrees):
        return None
    rows = histories.rows_of(most)
    hidden = bool((consistency.index.field[rows] < 0).all())
    return Hub(histories.names[most], len(rows), int(degrees[most]), hidden)
