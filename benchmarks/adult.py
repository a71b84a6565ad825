"""``python -m benchmarks.adult``: k = 5 on the complete rows of the Adult table, every row a person of its own.

Reports the normalized certainty penalty and the seconds of the work itself, in a process of its own. Table anonymizers
on the same columns were measured elsewhere at 1.8 s (ARX, local recoding) and 64 s (anonypy): issue 4.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.apart import aligned_table, merge_results, run_apart
from benchmarks.inputs import PROJECT, SHARED
from benchmarks.strict import THREADS
from tokumei.data.history import History, Release
from tokumei.data.schema import Column, Kind, Schema
from tokumei.methods.k_anonymity import KAnonymity
from tokumei.metrics.certainty_penalty import CertaintyPenalty

__all__ = ["main", "measure"]

NAMES = ("education", "marital_status", "race", "sex", "native_country", "occupation")
SCHEMA = Schema("row", (Column(name="age", kind=Kind.NUMBER), *(Column(name=name) for name in NAMES)))
HEAD = ("effort", "rows", "ncp", "smallest group", "CPU s", "wall s", "peak GB")


def measure(path: Path, effort: str, k: int) -> dict[str, float]:
    """Return the penalty, the smallest group and the seconds."""
    whole = pl.read_parquet(path).drop_nulls()
    history = History.from_frame(whole.select("age", *NAMES), SCHEMA)
    wall, cpu = time.perf_counter(), time.process_time()
    method = KAnonymity(k=k, effort=effort, threads=THREADS)
    release, secret = method.anonymize(history, rng=np.random.default_rng(1))
    seconds = {"wall seconds": time.perf_counter() - wall, "CPU seconds": time.process_time() - cpu}
    penalty = CertaintyPenalty().measure(history, release, secret)
    return {"ncp": penalty.value, "rows": len(history), "smallest group": _smallest(release), **seconds}


def _smallest(release: Release) -> int:
    """Return how many rows the rarest published row has."""
    return int(str(release.text().drop("pseudonym").group_by(pl.all()).len()["len"].min()))


def main() -> None:
    """Measure, print, keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adult", description=__doc__)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--effort", nargs="+", default=["fast"], choices=("fast", "normal", "best"))
    parser.add_argument("--apart", action="store_true", help="measure one effort in this process and print JSON")
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "k-anonymity.json")
    chosen = parser.parse_args()
    path = SHARED / "data" / "adult.parquet"
    if not path.exists():
        parser.error(f"{path} is absent: set TOKUMEI_SHARED")
    if chosen.apart:
        print(json.dumps(measure(path, chosen.effort[0], chosen.k)))
        return
    rows = []
    for effort in chosen.effort:
        side = run_apart(["benchmarks.adult", "--apart", "--k", str(chosen.k), "--effort", effort])
        told = {**side.figures, "peak GB": side.peak_gb}
        seconds = f"{told['CPU seconds']:.1f}", f"{told['wall seconds']:.1f}"
        smallest = str(told["smallest group"])
        rows.append((effort, f"{told['rows']:,}", f"{told['ncp']:.4f}", smallest, *seconds, f"{side.peak_gb:.2f}"))
        merge_results(chosen.output, f"adult (k={chosen.k}, {effort})", told)
    print(aligned_table(HEAD, rows))


if __name__ == "__main__":
    main()
