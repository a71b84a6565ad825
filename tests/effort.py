"""How much a run of the tests tries: ``TOKUMEI_EFFORT`` is quick, usual or campaign.

A quick run answers within a minute, a usual one decides, a campaign looks for what neither would meet. Whatever repeats
with other random data says here how often it usually does.
"""

from __future__ import annotations

import os

__all__ = ["EFFORT", "examples"]

FACTORS = {"quick": 0.2, "usual": 1.0, "campaign": 20.0}
EFFORT = os.environ.get("TOKUMEI_EFFORT", "usual")


def examples(usual: int) -> int:
    """Return how many examples this run tries of what usually has so many."""
    return max(1, round(usual * FACTORS[EFFORT]))
