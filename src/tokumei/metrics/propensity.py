"""Propensity score: how well a model tells published records from original ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.errors import InfeasibleError
from tokumei.metrics.features import Encoder, content_hashes, sampled
from tokumei.metrics.softmax import fit_softmax, probabilities
from tokumei.parts import Metric


@dataclass(frozen=True, kw_only=True)
class Propensity(Metric):
    """pMSE: mean squared distance of the propensity from the share of published records; 0 nobody can tell them apart.

    A logistic regression on all columns (main effects) is asked which records are published. Its largest value is
    c (1 - c) with c the share of published records, 0.25 for equally many. The part ``ratio`` is the value over what
    chance alone gives if both came from one distribution (1 is perfect). It sees shifted means and vanished values,
    not lost relations between columns.
    """

    name: ClassVar[str] = "propensity"
    summary: ClassVar[str] = "how well a logistic regression tells published from original records (pMSE)"
    source: ClassVar[str] = "Woo et al. (2009); Snoke et al., General and specific utility measures (2018)"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return pMSE; parts: its ratio to the expectation under chance, the share of published records."""
        real = np.flatnonzero(secret.rows >= 0)
        if not len(real):
            message = "nothing is published, which could be told from the original"
            raise InfeasibleError(message)
        hashes = content_hashes(history)[history.subject]
        rows = sampled(np.arange(len(history)), hashes)
        inside = np.zeros(len(history), dtype=np.bool_)
        inside[rows] = True
        shown = release.take(real[inside[secret.rows[real]]])
        encoder = Encoder(history, history.schema.fields)
        before = encoder.original(np.sort(rows))
        design = np.concatenate((before, encoder.cells(dict(shown.cells), len(shown))))
        published = np.zeros((len(design), 2))
        published[: len(before), 0], published[len(before) :, 1] = 1.0, 1.0
        # In the order of their content: sums must not depend on that of the file.
        order = np.lexsort((*design.T[::-1], published[:, 1]))
        design, published = design[order], published[order]
        share = len(shown) / len(design)
        scores = probabilities(design, fit_softmax(design, published))[:, 1]
        value = float(np.sort((scores - share) ** 2).mean())
        chance = (np.linalg.matrix_rank(design) - 1) * (1 - share) ** 2 * share / len(design)
        parts = {"ratio": value / chance if chance > 0 else 0.0, "published": share}
        return Score(name=self.name, value=value, goal=Goal.LOWER, lowest=0.0, highest=0.25, parts=parts)
