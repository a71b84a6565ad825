"""Four million rows: read T, read and decode a generalized A, compute U, in a process of its own; its peak memory.

The plain program does the first hundred thousand rows only; its time is multiplied. Only run when it is named.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks import plain
from benchmarks.harness import Benchmark
from benchmarks.inputs import SEED, Inputs, generalized
from tokumei.contests.pws2018.files import FILES, SCHEMA
from tokumei.contests.pws2018.rules import Anonymized, Original, Rules2018
from tokumei.contests.reading import read_contest
from tokumei.data.history import History
from tokumei.synth.writing import write_synthetic

__all__ = ["benchmark", "measure"]

SUBJECTS = 49_000
PLAIN_ROWS = 100_000


def benchmark(inputs: Inputs) -> Benchmark:
    """Return the benchmark; both files are made here, which takes a minute."""
    folder = inputs.a.parent
    t, a = folder / "T_large.csv", folder / "A_large.csv"
    write_synthetic("purchases", t, subjects=SUBJECTS, seed=SEED, header=False)
    history = History.from_frame(read_contest(t, FILES["T"]), SCHEMA)
    rng = np.random.default_rng(SEED)
    generalized(history, rng.permutation(SUBJECTS) + 100_001, rng).write_csv(a, include_header=False)
    rows = len(history)
    head_t, head_a = (_head(path) for path in (t, a))

    def library() -> dict[str, float]:
        command = [sys.executable, "-m", "benchmarks.scale", *map(str, (t, a, head_t, head_a))]
        told: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        return told

    return Benchmark(
        name=f"scale ({rows:,} rows)",
        summary="read T and a generalized A, compute U, in a process of its own (imports included)",
        library=library,
        plain=lambda: {"U of the first rows": plain.utility(head_t, head_a)["U"]},
        work=rows / PLAIN_ROWS,
        limit=20.0,
        runs=1,
    )


def _head(path: Path) -> Path:
    """Return a file with the first rows."""
    head = path.with_name(f"head_{path.name}")
    with path.open("rb") as whole, head.open("wb") as part:
        part.writelines(next(whole) for _ in range(PLAIN_ROWS))
    return head


def measure(t: Path, a: Path, head_t: Path, head_a: Path) -> dict[str, float]:
    """Return what a run takes in this process, and U of the whole files and of their first rows."""
    start = time.perf_counter()
    whole = _utility(t, a)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {"U": whole, "wall seconds": seconds, "peak GB": peak, "U of the first rows": _utility(head_t, head_a)}


def _utility(t: Path, a: Path) -> float:
    return Rules2018().utility(Original.read(t), Anonymized.read(a)).value


if __name__ == "__main__":
    print(json.dumps(measure(*map(Path, sys.argv[1:]))))
