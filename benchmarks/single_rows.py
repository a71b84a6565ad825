"""``python -m benchmarks.single_rows``: generated tables of one record per person, k = 5, in a process of its own.

Ages, incomes and four categories with skewed shares; reports the certainty penalty, seconds and peak memory.
``--files`` measures `tokumei anonymize` from file to file instead: reading, grouping, gate, quick audit, writing.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.apart import aligned_table, merge_results, run_apart
from benchmarks.inputs import PROJECT
from benchmarks.strict import THREADS
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.methods.k_anonymity import KAnonymity
from tokumei.metrics.certainty_penalty import CertaintyPenalty

__all__ = ["generated", "main", "measure"]

CATEGORIES = {"education": 16, "region": 47, "job": 14, "sex": 2}
NUMBERS = ("age", "income")
SCHEMA = Schema(
    "row", (*(Column(name=name, kind=Kind.NUMBER) for name in NUMBERS), *(Column(name=name) for name in CATEGORIES))
)
HEAD = ("rows", "ncp (beyond)", "CPU s", "wall s", "peak GB")


def generated(rows: int) -> pl.DataFrame:
    """Return a table of so many people."""
    rng = np.random.default_rng(1)
    age = np.clip(rng.gamma(6.0, 7.0, rows), 0, 100).astype(np.int64)
    columns = {"age": age, "income": np.round(rng.lognormal(8.0, 0.6, rows) * (1 + age / 100), -2).astype(np.int64)}
    for name, size in CATEGORIES.items():
        shares = 1.0 / np.arange(1, size + 1)
        columns[name] = rng.choice(size, rows, p=shares / shares.sum())
    return pl.DataFrame(columns)


def measure(rows: int, k: int) -> dict[str, float]:
    """Return the penalty and the seconds."""
    history = History.from_frame(generated(rows), SCHEMA)
    wall, cpu = time.perf_counter(), time.process_time()
    release, secret = KAnonymity(k=k, threads=THREADS).anonymize(history, rng=np.random.default_rng(1))
    seconds = {"wall seconds": time.perf_counter() - wall, "CPU seconds": time.process_time() - cpu}
    return {"beyond": CertaintyPenalty(sets="beyond").measure(history, release, secret).value, **seconds}


def file_to_file(rows: int, k: int) -> dict[str, float]:
    """Return what the command takes, all of it, and the share of information that is lost (cell error)."""
    with tempfile.TemporaryDirectory() as folder:
        data, schema = Path(folder) / "people.csv", Path(folder) / "schema.toml"
        generated(rows).write_csv(data)
        schema.write_text(SCHEMA.to_toml(), encoding="utf-8")
        words = [str(data), "--schema", str(schema), "--k", str(k), "-o", str(Path(folder) / "release"), "--json"]
        side = run_apart(["tokumei", "anonymize", *words])
    seconds = {"CPU seconds": side.cpu_seconds, "wall seconds": side.wall_seconds}
    return {"cell error": side.figures["utility"]["value"], **seconds, "peak GB": side.peak_gb}


def main() -> None:
    """Measure, print, keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.single_rows", description=__doc__)
    parser.add_argument("--rows", nargs="+", type=int, default=[1_000_000])
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--apart", action="store_true", help="measure one table in this process and print JSON")
    parser.add_argument("--files", action="store_true", help="measure the command from file to file")
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "k-anonymity.json")
    chosen = parser.parse_args()
    if chosen.apart:
        print(json.dumps(measure(chosen.rows[0], chosen.k)))
        return
    lines = []
    for rows in chosen.rows if chosen.files else ():
        told = file_to_file(rows, chosen.k)
        print(", ".join(f"{name} {value:.3f}" for name, value in told.items()))
        merge_results(chosen.output, f"single rows, file to file ({rows}, k={chosen.k})", told)
    for rows in () if chosen.files else chosen.rows:
        side = run_apart(["benchmarks.single_rows", "--apart", "--rows", str(rows), "--k", str(chosen.k)])
        told = {**side.figures, "peak GB": side.peak_gb}
        seconds = f"{told['CPU seconds']:.1f}", f"{told['wall seconds']:.1f}"
        lines.append((f"{rows:,}", f"{told['beyond']:.4f}", *seconds, f"{side.peak_gb:.2f}"))
        merge_results(chosen.output, f"single rows ({rows}, k={chosen.k})", told)
    if lines:
        print(aligned_table(HEAD, lines))


if __name__ == "__main__":
    main()
