"""Answer truthfully only with some probability: categories are replaced at random."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import ClassVar

import numpy as np

from tokumei.data import Channel, Field, History, Release, Replaced, Secret
from tokumei.methods.column_settings import refused, settings_by_field, split_settings
from tokumei.methods.fresh_release import plain_cells, with_fresh_pseudonyms
from tokumei.parts import Method, parameter

SMALLEST_EPSILON = 1e-6


def truth_probability(epsilon: float, categories: int) -> float:
    """Return the probability e^epsilon / (e^epsilon + m - 1) that one of m categories is kept (Kairouz et al. 2014).

    >>> round(truth_probability(0.0, 4), 6), truth_probability(1000.0, 4)
    (0.25, 1.0)
    """
    return 1.0 / (1.0 + (categories - 1) * exp(-epsilon))


@dataclass(frozen=True, kw_only=True)
class RandomizedResponse(Method):
    """Every category is kept with probability p and else replaced by one of the others, all equally likely.

    Protects each single cell: no published category is more than e^epsilon times as likely for one original than for
    another (local differential privacy). Does not protect a history at this level: the losses of all cells of a person
    add up, and repeated answers about the same fact average out. Dates, numbers and places stay as they are. Which
    categories exist at all is published.

    The true share of a category is estimated without bias by (published share - q) / (p - q), q = (1 - p) / (m - 1).
    """

    name: ClassVar[str] = "randomized-response"
    summary: ClassVar[str] = "replace categories at random, keeping the truth with a known probability"
    source: ClassVar[str] = "Warner, Randomized response (1965); Kairouz, Oh and Viswanath, Extremal mechanisms (2014)"

    epsilon: float = parameter(1.0, "privacy loss of every published cell", low=SMALLEST_EPSILON)
    columns: str = parameter(
        "", "epsilon by column, such as goods=2,city=0.5; empty: every category, with the epsilon above"
    )

    def __post_init__(self) -> None:
        """Check the parameters and the form of the list."""
        super().__post_init__()
        split_settings(self.name, "columns", self.columns)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the records with random categories under pseudonyms, in random order."""
        losses = self._losses(history)
        cells = {}
        for spec in history.schema.fields:
            codes = history.codes[spec.name][history.order]
            categories = len(history.categories[spec.name]) if spec.nominal else 0
            if spec.name in losses and categories > 1:
                lies = rng.random(len(codes)) >= truth_probability(losses[spec.name], categories)
                codes = (codes + lies * rng.integers(1, categories, size=len(codes))) % categories
            cells[spec.name] = plain_cells(history, spec, codes)
        return with_fresh_pseudonyms(history, history.order, cells, method=self.name, rng=rng)

    def channel(self, history: History) -> Channel:
        """Return the probability of the truth in every column that is answered at random."""
        sizes = {name: len(history.categories[name]) for name in self._losses(history)}
        return Channel(
            columns={
                name: Replaced(truth=truth_probability(loss, sizes[name]), others=sizes[name] - 1)
                for name, loss in self._losses(history).items()
                if sizes[name] > 1
            }
        )

    def _losses(self, history: History) -> dict[str, float]:
        """Return the epsilon of every column that is answered at random."""
        chosen = settings_by_field(
            self.name, "columns", self.columns, history.schema, treats=lambda spec: spec.nominal, kinds="category"
        )
        return {name: self._epsilon(history.schema.field(name), text) for name, text in chosen.items()}

    def _epsilon(self, spec: Field, text: str) -> float:
        """Return the epsilon of a column."""
        if not text:
            return self.epsilon
        try:
            epsilon = float(text)
        except ValueError:
            epsilon = 0.0
        if not SMALLEST_EPSILON <= epsilon < float("inf"):
            allowed = f"a number of at least {SMALLEST_EPSILON:g} for the column '{spec.name}'"
            raise refused(self.name, "columns", allowed, text)
        return epsilon
