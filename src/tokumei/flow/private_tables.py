"""A differentially private table, from the history to its folder, with its cost in the ledger.

A table is no release: it has no pseudonyms, no record of anybody and so no Secret. Its folder has the table and a
manifest that says what was promised; both may be handed out.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.aggregates import (
    Contributions,
    NoiseName,
    PrivateTable,
    Spent,
    TableRequest,
    bounded,
    make_table,
    noisy,
    shared_keys,
)
from tokumei.array_types import Floats, Ints
from tokumei.audits import CONFIDENCE, CanaryBound, canary_bound
from tokumei.data import MANIFEST_NAME, History, atomic_folder
from tokumei.ledgers import Budget, Ledger, declared, refuse_overspending, spend

TABLE_NAME = "table.csv"
# The canary brings so many times what one may bring: a bound that does not hold is seen.
_TOO_MUCH = 3


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MadeTable:
    """A table that was made; with a ledger, what is left of its budget."""

    table: PrivateTable
    ledger: Ledger | None = None

    @property
    def budget(self) -> Budget | None:
        """The budget after this table, None without a ledger."""
        return None if self.ledger is None else Budget.of(self.ledger)

    def write(self, folder: Path) -> dict[str, Any]:
        """Write the folder whole or not at all; return its manifest."""
        buffer = io.BytesIO()
        self.table.data.write_csv(buffer)
        content = buffer.getvalue()
        manifest = {**self.table.manifest(), "files": {TABLE_NAME: hashlib.sha256(content).hexdigest()}}
        with atomic_folder(folder) as temporary:
            (temporary / TABLE_NAME).write_bytes(content)
            (temporary / MANIFEST_NAME).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
        return manifest


def private_table(
    history: History,
    request: TableRequest,
    *,
    keys: pl.DataFrame | None = None,
    ledger: Ledger | None = None,
    budget: Budget | None = None,
) -> MadeTable:
    """Make a table; with a ledger it is refused beyond the budget, and booked before anybody sees it."""
    if ledger is None:
        return MadeTable(table=make_table(history, request, keys=keys))
    book = declared(ledger, budget)
    refuse_overspending(book, request.epsilon, request.delta)
    table = make_table(history, request, keys=keys)
    what = {"by": list(request.by), "measures": [measure.name for measure in request.measures]}
    return MadeTable(table=table, ledger=spend(book, table.epsilon, table.delta, what))


def try_canaries(made: PrivateTable, *, runs: int, seed: int = 0) -> CanaryBound:
    """Play the game of the canary with the mechanism of a table: of its last measure, or of its keys alone.

    Two canaries are tried, and the one that is recognized better counts: one in as many cells as one may be in, and one
    in more. Both have more records than one may have, each with the largest value, and go through the bounding and the
    noise of the table. What others bring is the same in both data sets and is left out.
    """
    delta, confidence = made.spent[-1].cost.delta, 1 - (1 - CONFIDENCE) / 2
    bounds = []
    for factor in (1, _TOO_MUCH):
        present, absent = _scores(made, factor, runs, np.random.default_rng([seed, factor]))
        bounds.append(canary_bound(present, absent, delta=delta, confidence=confidence))
    return max(bounds, key=lambda one: one.epsilon)


def _scores(made: PrivateTable, factor: int, runs: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return how likely the canary is in the data for the attacker, of runs with it and of runs without."""
    request, part = made.request, made.spent[-1]
    cells, records, games = request.cells * factor, request.records * _TOO_MUCH, 2 * runs
    # Everybody of many canaries plays a game of its own: one bounds what each brings, as in a table of all of them.
    person = np.repeat(np.arange(games), cells * records)
    cell = np.tile(np.repeat(np.arange(cells), records), games)
    kept = bounded(person, cell, Contributions(request.cells, request.records), rng=rng)
    brought = np.bincount(person[kept] * cells + cell[kept], minlength=games * cells).reshape(games, cells)
    changes = np.minimum(brought, 1) if part.of_people else brought * (part.largest // request.records)
    # Keys are seen at all only if others have them too.
    others = part.cost.threshold + 3 * math.ceil(part.cost.scale) if part.cost.threshold else 0

    def score(change: Ints) -> float:
        seen = _released(request, part, others + change) - others
        # The likelihood ratio of Laplace noise, up to a factor; of Gaussian noise it is the sum.
        if request.noise is NoiseName.GAUSSIAN and not part.cost.threshold:
            return float(seen.sum())
        return float((np.abs(seen) - np.abs(seen - part.largest)).sum())

    present = np.array([score(change) for change in changes])
    return present, np.array([score(0 * change) for change in changes])


def _released(request: TableRequest, part: Spent, values: Ints) -> Ints:
    """Run the mechanism of a part once more; a key that is not published counts as nothing."""
    epsilon, delta = part.share
    if part.cost.threshold:
        counts = {str(place): int(value) for place, value in enumerate(values)}
        found, _ = shared_keys(counts, cells=part.cells, epsilon=epsilon, delta=delta)
        return np.array([found.get(str(place), 0) for place in range(len(values))])
    return noisy(values, cells=part.cells, largest=part.largest, epsilon=epsilon, delta=delta, noise=request.noise)[0]
