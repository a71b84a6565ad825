"""``python -m benchmarks.customers``: 50,000 generated customers, about four million records, from file to file.

Runs the command ``tokumei pws2018 anonymize k-anonymity`` (reading, 2-anonymity, the check of A, U, writing) in a
process of its own and tells wall and CPU seconds and the peak of its memory.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.apart import aligned_table, merge_results, run_apart
from benchmarks.inputs import PROJECT, SEED
from benchmarks.strict import THREADS
from tokumei.synth.writing import write_synthetic

__all__ = ["main"]

SUBJECTS = 50_000
WALL_LIMIT, MEMORY_LIMIT = 150.0, 2.0
HEAD = ("subjects", "records", "U", "deleted", "CPU s", "wall s", "peak GB")


def main() -> None:
    """Measure, print, keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.customers", description=__doc__)
    parser.add_argument("--subjects", type=int, default=SUBJECTS)
    parser.add_argument("--k", type=int, default=2)
    # At normal effort 4,000 customers take twice the CPU time for 0.4 % less loss.
    parser.add_argument("--effort", default="fast", choices=("fast", "normal", "best"))
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "k-anonymity.json")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tokumei-bench-") as folder:
        t, a = Path(folder) / "T.csv", Path(folder) / "A.csv"
        records = write_synthetic("purchases", t, subjects=chosen.subjects, seed=SEED, header=False).records
        words = [
            "--k",
            str(chosen.k),
            "--seed",
            "1",
            "--set",
            f"threads={THREADS}",
            "--set",
            f"effort={chosen.effort}",
            "--json",
        ]
        side = run_apart(["tokumei", "pws2018", "anonymize", "k-anonymity", str(t), "-o", str(a), *words])
    told = {
        "subjects": chosen.subjects,
        "records": records,
        **{name: side.figures[name] for name in ("U", "deleted", "pseudonyms")},
        "CPU seconds": side.cpu_seconds,
        "wall seconds": side.wall_seconds,
        "peak GB": side.peak_gb,
        "wall limit on two idle cores": WALL_LIMIT,
        "memory limit GB": MEMORY_LIMIT,
    }
    sizes = f"{chosen.subjects:,}", f"{records:,}", f"{told['U']:.6f}", f"{told['deleted']:,}"
    print(aligned_table(HEAD, [(*sizes, f"{side.cpu_seconds:.1f}", f"{side.wall_seconds:.1f}", f"{side.peak_gb:.2f}")]))
    merge_results(chosen.output, f"customers (k={chosen.k}, {chosen.effort})", told)


if __name__ == "__main__":
    main()
