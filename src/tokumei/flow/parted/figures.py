"""The figures of all parts added up: what got lost, what cells look like, how many records each unit publishes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import CellShares, ColumnFacts, Goal, ReleaseFacts, Score, Survey, cell_shares


@dataclass(frozen=True, eq=False, slots=True)
class Figures:
    """What is known of a release without its records; ``published`` counts the records of every unit."""

    release: ReleaseFacts
    utility: Score
    deleted: int
    published: Ints

    @property
    def shares(self) -> list[CellShares]:
        """How many cells of every column are exact, generalized or withheld."""
        return cell_shares(self.release)


def joined_figures(files: Sequence[Path], survey: Survey, *, method: str) -> Figures:
    """Add up the figures of all parts; sums of errors are exact to the last digit, whatever the order of the parts."""
    published = np.zeros(len(survey.subjects), dtype=np.int64)
    fields = survey.schema.fields
    errors: list[list[float]] = [[] for _ in fields]
    facts: list[ColumnFacts] = []
    real = 0
    for file in files:
        with np.load(file) as stored:
            published[stored["units"]] += stored["published"]
            real += int(stored["real"])
            part = [_facts(stored, number) for number in range(len(fields))]
            facts = [ours + theirs for ours, theirs in zip(facts, part, strict=True)] if facts else part
            for number in range(len(fields)):
                errors[number] += stored[f"errors-{number}"].tolist()
    names = [field.name for field in fields]
    deleted = survey.records - real
    lost = [(math.fsum(some) + deleted) / max(survey.records, 1) for some in errors]
    utility = Score(
        name="cell-error",
        value=float(np.mean(lost)) if lost else 0.0,
        goal=Goal.LOWER,
        parts=dict(zip(names, lost, strict=True)),
    )
    columns = dict(zip(names, facts, strict=True))
    release = ReleaseFacts(survey.schema, method, int(published.sum()), int((published > 0).sum()), columns)
    return Figures(release, utility, deleted, published)


def _facts(stored: Mapping[str, Ints], number: int) -> ColumnFacts:
    suppressed, divisor, missing = stored[f"facts-{number}"].tolist()
    widths = pl.DataFrame(stored[f"widths-{number}"], schema={"width": pl.Int64, "cells": pl.Int64})
    return ColumnFacts(suppressed, widths, divisor, missing)
