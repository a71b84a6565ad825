"""How long a release will take and how much memory: an estimate from measured runs, told before long work begins.

The figures were measured in November 2026 on two shared cores of a server, in CPU seconds: generated purchases
of 300 to 3,000 customers, generated trajectories, a health table, with k = 2, 3 and 5. The time of
k-anonymity has a part per subject (whom to group with whom) and a part per record that grows with the root of the
length of its history (aligning histories). For data of these kinds the estimate was within `FACTOR` of what a run took.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tokumei.history import History
from tokumei.parts import Anonymizer

__all__ = ["Estimate", "estimate", "spoken"]

FACTOR = 3.0
# Loading the libraries and compiled kernels.
START_SECONDS = 1.5
READ_PER_RECORD, AUDIT_PER_RECORD, PUBLISH_PER_RECORD = 3e-6, 6e-6, 6e-6
BASE_MEGABYTES, MEGABYTES_PER_RECORD = 290.0, 1e-3
# CPU seconds per subject, and per record and root of its history's length.
_GROUPING = {
    ("fast", 2): (0.0006, 3e-6),
    ("normal", 2): (0.0012, 6e-6),
    ("fast", 3): (0.0016, 1e-5),
    ("normal", 3): (0.0033, 3e-5),
    ("fast", 4): (0.0026, 1e-5),
    ("normal", 4): (0.03, 3e-5),
}
HURRIED_RECORDS = 1_000_000
# CPU seconds per record of the methods that pass over the data once.
_PER_RECORD = {
    "ano-random": 5e-6,
    "generalize": 4e-6,
    "laplace-noise": 2e-6,
    "microaggregation": 8e-6,
    "pseudonymize": 2e-6,
    "randomized-response": 2e-6,
    "record-sampling": 2e-6,
    "rounding": 2e-6,
    "swapping": 3e-6,
    "top-bottom-coding": 2e-6,
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds by the clock of every stage, and megabytes at the peak; None where nothing was measured."""

    stages: Mapping[str, float | None]
    megabytes: float

    @property
    def seconds(self) -> float | None:
        """How long all stages take together, None if it is not known of one."""
        known = [seconds for seconds in self.stages.values() if seconds is not None]
        return sum(known) if len(known) == len(self.stages) else None

    def sentence(self) -> str:
        """Return the estimate in words, with how far it may be off."""
        memory = f"{max(self.megabytes / 1000, 0.1):.1f} GB of memory"
        if self.seconds is None:
            return f"Estimate: about {memory}; how long this method takes was not measured."
        return (
            f"Estimate: about {spoken(self.seconds)} ({spoken(self.seconds / FACTOR)} to "
            f"{spoken(self.seconds * FACTOR)}) and {memory}, from runs measured on other data."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"seconds": self.seconds, "factor": FACTOR, "megabytes": self.megabytes, "stages": dict(self.stages)}


def estimate(history: History, method: Anonymizer, *, audit: bool = True) -> Estimate:
    """Return how long a method will take on this data, with the reading and writing around it."""
    records = len(history)
    stages = {
        "read": START_SECONDS + READ_PER_RECORD * records,
        "anonymize": _method_seconds(history, method),
        "audit": AUDIT_PER_RECORD * records if audit else 0.0,
        "publish": PUBLISH_PER_RECORD * records,
    }
    return Estimate(stages, BASE_MEGABYTES + MEGABYTES_PER_RECORD * records)


def _method_seconds(history: History, method: Anonymizer) -> float | None:
    """Return the seconds by the clock of the method alone."""
    records = len(history)
    if method.name in _PER_RECORD:
        return _PER_RECORD[method.name] * records
    if method.name != "k-anonymity":
        return None
    effort = str(getattr(method, "effort", ""))
    if effort == "normal" and records > HURRIED_RECORDS:
        effort = "fast"
    wanted = int(getattr(method, "k", 3))
    figures = _GROUPING.get((effort, min(wanted, 4)))
    if figures is None:
        return None
    per_subject, per_record = figures
    # Histories of one record need no alignment.
    lengths = history.counts().astype(np.float64)
    aligned = float((lengths**1.5)[lengths > 1].sum())
    threads = min(int(getattr(method, "threads", 1)), os.cpu_count() or 1)
    return (per_subject * len(lengths) + per_record * aligned) / (1 + (threads - 1) / 2)


def spoken(seconds: float | None) -> str:
    """Return a time in words.

    >>> spoken(0.3), spoken(42.4), spoken(200), spoken(8000), spoken(None)
    ('1 s', '42 s', '3 min', '2.2 h', '')
    """
    if seconds is None:
        return ""
    if seconds < 100:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
