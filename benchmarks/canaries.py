"""``python -m benchmarks.canaries``: what epsilon canaries find of differentially private tables, beside the claim.

Generated purchases by month; the claim is what OpenDP proves for the part that is tried, the bound what the game of the
canary shows at least (95 % sure).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import polars as pl

import tokumei
from benchmarks.apart import aligned_table
from benchmarks.inputs import SEED
from tokumei.aggregates import Measure, NoiseName, TableRequest, key_columns, make_table
from tokumei.flow import try_canaries
from tokumei.synth.writing import write_synthetic

__all__ = ["main"]

HEAD = ("measure", "noise", "cells", "claimed", "at least")
CASES = (
    ("people", NoiseName.LAPLACE, 1, 1.0),
    ("people", NoiseName.LAPLACE, 4, 1.0),
    ("sum:price:0:50", NoiseName.LAPLACE, 1, 3.0),
    ("records", NoiseName.GAUSSIAN, 4, 3.0),
    ("keys", NoiseName.LAPLACE, 1, 2.0),
)


def main() -> None:
    """Make tables, try canaries, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.canaries", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    chosen = parser.parse_args()
    begun = time.process_time()
    with tempfile.TemporaryDirectory(prefix="tokumei-bench-") as folder:
        write_synthetic("purchases", Path(folder) / "all.csv", subjects=200, seed=SEED)
        history = tokumei.read_history(Path(folder) / "all.csv")
    months = key_columns(history, ("date:month",)).unique()
    rows = [_row(history, months, *case, runs=chosen.runs) for case in CASES]
    print(aligned_table(HEAD, rows))
    print(f"\n{chosen.runs} runs with and as many without canary; {time.process_time() - begun:.0f} CPU seconds")


def _row(  # noqa: PLR0917 - one case
    history: tokumei.History,
    months: pl.DataFrame,
    measure: str,
    noise: NoiseName,
    cells: int,
    epsilon: float,
    *,
    runs: int,
) -> tuple[str, ...]:
    keys = measure == "keys"
    request = TableRequest(
        by=("date:month",),
        measures=(Measure.of("people" if keys else measure),),
        epsilon=epsilon,
        delta=1e-3 if keys or noise is NoiseName.GAUSSIAN else 0.0,
        cells=cells,
        records=1,
        noise=noise,
    )
    made = make_table(history, request, keys=None if keys else months)
    bound = try_canaries(made, runs=runs)
    return (measure, noise.value, str(cells), f"{made.spent[-1].cost.epsilon:.3f}", f"{bound.epsilon:.3f}")


if __name__ == "__main__":
    main()
