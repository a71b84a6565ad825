"""``python -m benchmarks.adult``: the complete rows of the Adult table, every row a person of its own.

Reports the normalized certainty penalty (sets counted beyond one value, and by size), the contest's utility loss U and
the seconds of the work itself, in a process of its own. ``--bound`` proves how low the loss can be at all (minutes).
Table anonymizers on the same columns were measured elsewhere at 1.8 s (ARX, local recoding) and 64 s (anonypy).
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.apart import aligned_table, merge_results, run_apart
from benchmarks.inputs import PROJECT, SHARED
from benchmarks.strict import THREADS
from tokumei.data.history import History, Release
from tokumei.data.schema import Column, Kind, Schema
from tokumei.methods.grouping.table_bounds import table_bound
from tokumei.methods.k_anonymity import KAnonymity
from tokumei.metrics.cell_error import CellError
from tokumei.metrics.certainty_penalty import CertaintyPenalty

__all__ = ["main", "measure"]

NAMES = ("education", "marital_status", "race", "sex", "native_country", "occupation")
SCHEMA = Schema("row", (Column(name="age", kind=Kind.NUMBER), *(Column(name=name) for name in NAMES)))
HEAD = (
    "k",
    "loss",
    "effort",
    "ncp (beyond)",
    "floor",
    "ncp (size)",
    "U",
    "smallest group",
    "CPU s",
    "wall s",
    "peak GB",
)


def measure(path: Path, effort: str, k: int, loss: str, *, bound: bool = False) -> dict[str, float]:
    """Return penalties, utility loss, smallest group and seconds, and the floor of the loss if asked."""
    whole = pl.read_parquet(path).drop_nulls()
    history = History.from_frame(whole.select("age", *NAMES), SCHEMA)
    wall, cpu = time.perf_counter(), time.process_time()
    method = KAnonymity(k=k, effort=effort, loss=loss, threads=THREADS)
    release, secret = method.anonymize(history, rng=np.random.default_rng(1))
    seconds = {"wall seconds": time.perf_counter() - wall, "CPU seconds": time.process_time() - cpu}
    metrics = {"beyond": CertaintyPenalty(sets="beyond"), "ncp": CertaintyPenalty(), "U": CellError()}
    figures = {name: metric.measure(history, release, secret).value for name, metric in metrics.items()}
    if bound:
        figures["floor"] = table_bound(history, k, loss=loss).value
    return {**figures, "rows": len(history), "smallest group": _smallest(release), **seconds}


def _smallest(release: Release) -> int:
    """Return how many rows the rarest published row has."""
    return int(str(release.text().drop("pseudonym").group_by(pl.all()).len()["len"].min()))


def main() -> None:
    """Measure, print, keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adult", description=__doc__)
    parser.add_argument("--k", nargs="+", type=int, default=[5])
    parser.add_argument("--loss", nargs="+", default=["ncp"], choices=("cell-error", "ncp", "entropy", "variance"))
    parser.add_argument("--effort", nargs="+", default=["fast"], choices=("fast", "normal", "best"))
    parser.add_argument("--bound", action="store_true", help="prove a floor of the loss (not of the cell error)")
    parser.add_argument("--apart", action="store_true", help="measure one effort in this process and print JSON")
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "k-anonymity.json")
    chosen = parser.parse_args()
    path = SHARED / "data" / "adult.parquet"
    if not path.exists():
        parser.error(f"{path} is absent: set TOKUMEI_SHARED")
    if chosen.apart:
        print(json.dumps(measure(path, chosen.effort[0], chosen.k[0], chosen.loss[0], bound=chosen.bound)))
        return
    rows = []
    for k, loss, effort in product(chosen.k, chosen.loss, chosen.effort):
        asked = ["--bound"] if chosen.bound else []
        side = run_apart(["benchmarks.adult", "--apart", "--k", str(k), "--loss", loss, "--effort", effort, *asked])
        told = {**side.figures, "peak GB": side.peak_gb}
        figures = (f"{told[name]:.5f}" if name in told else "" for name in ("beyond", "floor", "ncp", "U"))
        seconds = f"{told['CPU seconds']:.1f}", f"{told['wall seconds']:.1f}"
        rows.append((str(k), loss, effort, *figures, str(told["smallest group"]), *seconds, f"{side.peak_gb:.2f}"))
        merge_results(chosen.output, f"adult (k={k}, {loss}, {effort})", told)
    print(aligned_table(HEAD, rows))


if __name__ == "__main__":
    main()
