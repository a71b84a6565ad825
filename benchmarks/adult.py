"""``python -m benchmarks.adult``: the complete rows of the Adult table, every row a person of its own.

Reports the normalized certainty penalty (sets counted beyond one value, and by size), the contest's utility loss U and
the seconds of the work itself, in a process of its own. ``--bound`` proves how low the loss can be at all (minutes).
The table of the guide is ``--k 2 3 5 10 25 --loss ncp cell-error --effort fast normal best --bound --pages``.
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

from benchmarks.adult_pages import write_pages
from benchmarks.apart import aligned_table, merge_results, run_apart
from benchmarks.inputs import PROJECT, SHARED
from benchmarks.strict import THREADS
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release
from tokumei.data.schema import Schema
from tokumei.methods.grouping.table_bounds import table_bound
from tokumei.methods.k_anonymity import KAnonymity
from tokumei.metrics.cell_error import CellError
from tokumei.metrics.certainty_penalty import CertaintyPenalty

__all__ = ["main", "measure"]

NAMES = ("education", "marital_status", "race", "sex", "native_country", "occupation")
SCHEMA = Schema("row", (Column(name="age", kind=Kind.NUMBER), *(Column(name=name) for name in NAMES)))
HEAD = ("k", "loss", "effort", "ncp (beyond)", "ncp (size)", "U", "smallest group", "CPU s", "wall s", "peak GB")


def _history(path: Path) -> History:
    return History.from_frame(pl.read_parquet(path).drop_nulls().select("age", *NAMES), SCHEMA)


def measure(path: Path, effort: str, k: int, loss: str) -> dict[str, float]:
    """Return penalties, utility loss, smallest group and seconds."""
    history = _history(path)
    wall, cpu = time.perf_counter(), time.process_time()
    method = KAnonymity(k=k, effort=effort, loss=loss, threads=THREADS)
    release, secret = method.anonymize(history, rng=np.random.default_rng(1))
    seconds = {"wall seconds": time.perf_counter() - wall, "CPU seconds": time.process_time() - cpu}
    metrics = {"beyond": CertaintyPenalty(sets="beyond"), "ncp": CertaintyPenalty(), "U": CellError()}
    figures = {name: metric.measure(history, release, secret).value for name, metric in metrics.items()}
    return {**figures, "rows": len(history), "smallest group": _smallest(release), **seconds}


def prove(path: Path, k: int, loss: str) -> dict[str, float]:
    """Return the floor of the loss that any k-anonymity has, and the seconds of its proof."""
    history = _history(path)
    cpu = time.process_time()
    floor = table_bound(history, k, loss=loss).value
    return {"floor": floor, "floor CPU seconds": time.process_time() - cpu}


def _smallest(release: Release) -> int:
    """Return how many rows the rarest published row has."""
    return int(str(release.text().drop("pseudonym").group_by(pl.all()).len()["len"].min()))


def main() -> None:
    """Measure, print, keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adult", description=__doc__)
    parser.add_argument("--k", nargs="+", type=int, default=[5])
    parser.add_argument("--loss", nargs="+", default=["ncp"], choices=("cell-error", "ncp", "entropy", "variance"))
    parser.add_argument("--effort", nargs="*", default=["fast"], choices=("fast", "normal", "best"))
    parser.add_argument("--bound", action="store_true", help="prove a floor of the loss (not of the cell error)")
    parser.add_argument("--apart", action="store_true", help="measure one effort in this process and print JSON")
    parser.add_argument("--pages", action="store_true", help="write the table of the guide from all figures kept")
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "k-anonymity.json")
    chosen = parser.parse_args()
    path = SHARED / "data" / "adult.parquet"
    if not path.exists():
        parser.error(f"{path} is absent: set TOKUMEI_SHARED")
    if chosen.apart:
        k, loss = chosen.k[0], chosen.loss[0]
        print(json.dumps(prove(path, k, loss) if chosen.bound else measure(path, chosen.effort[0], k, loss)))
        return
    rows = []
    for k, loss in product(chosen.k, chosen.loss):
        words = ["benchmarks.adult", "--apart", "--k", str(k), "--loss", loss]
        for effort in chosen.effort:
            side = run_apart([*words, "--effort", effort])
            told = {**side.figures, "peak GB": side.peak_gb}
            figures = (f"{told[name]:.5f}" for name in ("beyond", "ncp", "U"))
            seconds = f"{told['CPU seconds']:.1f}", f"{told['wall seconds']:.1f}"
            rows.append((str(k), loss, effort, *figures, str(told["smallest group"]), *seconds, f"{side.peak_gb:.2f}"))
            merge_results(chosen.output, f"adult (k={k}, {loss}, {effort})", told, report=_quiet)
        if chosen.bound and loss != "cell-error":
            floor = run_apart([*words, "--bound"]).figures
            print(f"k = {k}, {loss}: at least {floor['floor']:.5f}, proven in {floor['floor CPU seconds']:.0f} CPU s")
            merge_results(chosen.output, f"adult floor (k={k}, {loss})", floor, report=_quiet)
    print(aligned_table(HEAD, rows))
    if chosen.pages:
        write_pages(json.loads(chosen.output.read_text(encoding="utf-8")))


def _quiet(_message: str) -> None:
    """Tell nothing of a file that is written after every run."""


if __name__ == "__main__":
    main()
