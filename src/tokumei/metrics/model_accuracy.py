"""Model accuracy: a model learned from the release, tried on people whom it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import Field, Goal, History, Release, Score, Secret, SetCells
from tokumei.errors import InfeasibleError, did_you_mean
from tokumei.metrics.features import Encoder, content_hashes, sampled
from tokumei.metrics.record_weights import weighted_mean
from tokumei.metrics.softmax import fit_softmax
from tokumei.parts import Metric, parameter

HELD_OUT = 0.3
# A model of more categories (goods of a shop) would take minutes and say little.
MOST_CATEGORIES = 50
_PARTS = 1000


@dataclass(frozen=True, kw_only=True)
class ModelAccuracy(Metric):
    """Share of held-out original records whose category a model predicts that learned from published records.

    A logistic regression on all other columns learns from the published records of seven people in ten and is tried on
    the original records of the others; who is held out depends on the content of their records alone. Beside it, as
    parts: the same model learned from the original (``original``), and always the most frequent category (``blind``).
    It tells how much of one relation is left, not of others.
    """

    name: ClassVar[str] = "model-accuracy"
    summary: ClassVar[str] = "accuracy of a model learned from the release, on held-out original records"
    source: ClassVar[str] = "LeFevre et al., Workload-aware anonymization (2006)"

    target: str = parameter(
        "", "the category to predict; left out: the sensitive column, or the last of at most 50 values"
    )

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the accuracy with those of the original and of the most frequent category."""
        target = self._target(history)
        encoder = Encoder(history, tuple(field for field in history.schema.fields if field is not target))
        real = np.flatnonzero(secret.rows >= 0)
        hashes = content_hashes(history)[history.subject]
        held = hashes % _PARTS < HELD_OUT * _PARTS
        learned, tried = (sampled(np.flatnonzero(side), hashes) for side in (~held, held))
        inside = np.zeros(len(history), dtype=np.bool_)
        inside[learned] = True
        at = real[inside[secret.rows[real]]]
        if not len(at) or not len(tried) or not encoder.fields:
            message = "too few records are published to learn a model from them and to hold others out"
            raise InfeasibleError(message)
        shown = release.take(at)
        truth = history.codes[target.name]
        cells = history.cells(target.name)
        published, original = shown.cells[target.name], cells.take(learned)
        assert isinstance(published, SetCells)
        assert isinstance(original, SetCells)
        test = encoder.original(tried)
        accuracy = []
        for design, labels in (
            (encoder.cells(dict(shown.cells), len(shown)), published),
            (encoder.original(learned), original),
        ):
            chosen = _predicted(design, _shares(labels, truth), test)
            accuracy.append(weighted_mean(history.take(tried), (chosen == truth[tried]).astype(np.float64)))
        common = np.bincount(truth[learned]).argmax()
        blind = weighted_mean(history.take(tried), (truth[tried] == common).astype(np.float64))
        parts = {"original": accuracy[1], "blind": blind}
        return Score(name=self.name, value=accuracy[0], goal=Goal.HIGHER, highest=1.0, parts=parts, baseline=blind)

    def _target(self, history: History) -> Field:
        """Return the category to predict."""
        nominal = [field for field in history.schema.fields if field.nominal]
        if self.target:
            named = [field for field in nominal if field.name == self.target]
            if not named:
                known = [field.name for field in nominal]
                hint = did_you_mean(self.target, known)
                message = (
                    f"there is no category '{self.target}' to predict{hint}; the categories are {', '.join(known)}"
                )
                raise InfeasibleError(message)
            return named[0]
        marked = {column.name for column in history.schema.columns if column.sensitive}
        few = [field for field in nominal if len(history.categories[field.name]) <= MOST_CATEGORIES]
        wanted = [field for field in few if field.column in marked] or few[-1:]
        if not wanted:
            message = f"there is no category of at most {MOST_CATEGORIES} values that a model could predict"
            raise InfeasibleError(message)
        return wanted[0]


def _shares(cells: SetCells, truth: Ints) -> Floats:
    """Return the share of every category in every cell; a suppressed cell has those of the original."""
    size = max(len(cells.categories), int(truth.max(initial=0)) + 1)
    overall = np.bincount(truth, minlength=size) / max(len(truth), 1)
    shares = np.where(cells.suppressed[:, None], overall, 0.0)
    owner = cells.owners()
    shares[owner, cells.codes] = 1.0 / np.maximum(cells.sizes(), 1)[owner]
    return shares


def _predicted(design: Floats, labels: Floats, test: Floats) -> Ints:
    """Return the likeliest category of every row of ``test`` by a model of the design."""
    occurring = np.flatnonzero(labels.sum(axis=0) > 0)
    order = np.lexsort((*labels[:, occurring].T, *design.T[::-1]))
    weights = fit_softmax(design[order], labels[order][:, occurring])
    # Nearly equal scores go to the first category, whatever the last digits.
    return occurring[np.round(test @ weights, 6).argmax(axis=1)].astype(np.int64)
