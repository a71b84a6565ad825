"""Timelines with and without the calendar: what relative times keep of storm tracks and of patients' visits.

``python -m benchmarks.timelines [--cache FOLDER] [--k K]`` makes a release of each with times as they are and with
times counted from the first record of their subject, and prints a line per column and answer. PBC tells days since
registration only; for the calendar every patient gets a day of registration, drawn (seed 0) from the ten years in which
the trial took patients in (1974 to 1984): the dates are made up, everything else is the study's.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import polars as pl

import tokumei
from benchmarks.practice_data import DATA_SETS, fetch
from tokumei.data import Schema
from tokumei.metrics import Usefulness, measure_usefulness

__all__ = ["compare_times"]

YEARS = 3652
SHOWN = ("interval", "order", "correlation", "monthly")


def compare_times(name: str, cache: Path, k: int) -> dict[str, tuple[float, Usefulness]]:
    """Return loss and usefulness with the calendar and without."""
    data = next(one for one in DATA_SETS if one.name == name)
    table, _ = fetch(data, cache)
    frame = pl.read_csv(table, infer_schema_length=None)
    toml = data.schema()
    if name == "pbc":
        toml = toml.replace('"day" = { kind = "number", step = 1 }', '"day" = { kind = "date" }')
        people = frame["id"].unique().sort()
        first = pl.DataFrame({"id": people, "first": np.random.default_rng(0).integers(0, YEARS, len(people))})
        days = pl.date(1974, 1, 1) + pl.duration(days=pl.col("first") + pl.col("day"))
        frame = frame.join(first, on="id", maintain_order="left").with_columns(days.cast(pl.String).alias("day"))
        frame = frame.drop("first")
    relative = toml.replace('kind = "datetime" }', 'kind = "datetime", relative = true }')
    relative = relative.replace('kind = "date" }', 'kind = "date", relative = true }')
    results = {}
    for times, text in (("calendar", toml), ("relative", relative)):
        made = tokumei.anonymize(frame, schema=Schema.from_toml(text), k=k, seed=1, threads=1)
        results[times] = made.utility.value, measure_usefulness(made.history, made.release)
    return results


def main() -> None:
    """Print both data sets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "tokumei-practice")
    parser.add_argument("--k", type=int, default=3)
    asked = parser.parse_args()
    for name in ("storms", "pbc"):
        for times, (loss, useful) in compare_times(name, asked.cache, asked.k).items():
            sys.stdout.write(f"{name}, {times}: {100 * loss:.1f} % lost\n")
            for column in useful.columns:
                sys.stdout.write(f"  {column.message()}\n")
            for kind in SHOWN:
                found = [one for one in useful.findings if one.kind == kind]
                told = [str(one.message()) for one in found[:3]]
                worst = max((one.gravity for one in found), default=0.0)
                mean = sum(one.gravity for one in found) / max(len(found), 1)
                sys.stdout.write(f"  {kind}: {len(found)}, worst {worst:.2f}, mean {mean:.3f}: {'; '.join(told)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
