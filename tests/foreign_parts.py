"""Parts as another package might write them: annotations are evaluated, and one metric is broken."""

# No "from __future__ import annotations": the types of parameters are objects here, not texts.
from dataclasses import dataclass
from typing import ClassVar, Optional

import numpy as np

from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.methods.pseudonymize import Pseudonymize
from tokumei.parts import Method, Metric, parameter


@dataclass(frozen=True, kw_only=True)
class ForeignMethod(Method):
    """Pseudonyms, with parameters of every type."""

    name: ClassVar[str] = "foreign-method"
    summary: ClassVar[str] = "pseudonyms by another package"
    source: ClassVar[str] = "tests"

    most: int | None = parameter(None, "a number that may be absent", low=1)
    least: Optional[int] = parameter(None, "the same, written as in older code", low=1)  # noqa: UP045
    share: float = parameter(0.5, "a share", low=0.0, high=1.0)
    loud: bool = parameter(False, "a flag")
    word: str = parameter("a", "a choice", choices=("a", "b"))

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Leave it to another method."""
        return Pseudonymize().anonymize(history, rng=rng)


@dataclass(frozen=True, kw_only=True)
class BrokenMetric(Metric):
    """Fails on every release."""

    name: ClassVar[str] = "broken-metric"
    summary: ClassVar[str] = "fails"
    source: ClassVar[str] = "tests"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:  # noqa: ARG002
        """Fail with a text that holds data."""
        return Score(name=self.name, value=float(f"secret {history.subjects[0]}"), goal=Goal.LOWER)


@dataclass(frozen=True, kw_only=True)
class ListMetric(BrokenMetric):
    """Declares a parameter of a type that no setting can have."""

    name: ClassVar[str] = "list-metric"

    sizes: list[int] = parameter((), "several numbers")  # noqa: RUF009
