"""``python -m benchmarks.microaggregation``: loss of MDAV and of the searches below it on Tarragona and Census.

Every column is standardized; loss is 100 SSE / SST. Each figure comes with a floor that no partition into groups of at
least k can undercut, and with the CPU seconds of the search.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.apart import aligned_table, merge_results
from benchmarks.inputs import PROJECT, SHARED
from tokumei.methods.grouping.points import ROUNDS, refine
from tokumei.methods.mdav import mdav_groups

__all__ = ["main", "measure"]

HEAD = ("data", "k", "effort", "loss %", "floor %", "CPU s")


def measure(path: Path, k: int, effort: str) -> dict[str, float]:
    """Return the loss, its floor and the seconds."""
    values = pl.read_csv(path).to_numpy().astype(np.float64)
    points = ((values - values.mean(axis=0)) / values.std(axis=0)).T
    begin = time.process_time()
    found = refine(points, mdav_groups(points, k), k, rounds=ROUNDS[effort])
    return {"loss": 100 * found.loss, "floor": 100 * found.floor, "CPU seconds": time.process_time() - begin}


def main() -> None:
    """Measure, print, keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.microaggregation", description=__doc__)
    parser.add_argument("--k", nargs="+", type=int, default=[3, 5, 10])
    parser.add_argument("--effort", nargs="+", default=["mdav", "normal"], choices=tuple(ROUNDS))
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "microaggregation.json")
    chosen = parser.parse_args()
    rows = []
    for name in ("tarragona", "census"):
        path = SHARED / "data" / f"microaggregation_{name}.csv"
        if not path.exists():
            parser.error(f"{path} is absent: set TOKUMEI_SHARED")
        for k in chosen.k:
            for effort in chosen.effort:
                told = measure(path, k, effort)
                figures = f"{told['loss']:.3f}", f"{told['floor']:.3f}", f"{told['CPU seconds']:.1f}"
                rows.append((name, str(k), effort, *figures))
                merge_results(chosen.output, f"{name} (k={k}, {effort})", told)
    print(aligned_table(HEAD, rows))


if __name__ == "__main__":
    main()
