"""``python -m benchmarks.workers DATA``: one worker of a Dask cluster against two, on the same data.

The blocks of a data set (a folder of Parquet parts) are grouped by one and by two worker processes of a local cluster.
Every task tells its CPU seconds and when it began and ended. By the clock, two workers are as fast as the machine lets
them. By CPU seconds, the work of all tasks with one worker is set against that of the busier of two, and against what
two workers on idle cores would have to do who each take the next task when they are done. The releases must be the
same to the byte.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from tokumei.flow import Running, places_of, plan_of, release_in_parts
from tokumei.flow.parted import making
from tokumei.methods import SolveJob, solve_part

__all__ = ["main"]

_FOLDER = "TOKUMEI_TASK_TIMES"


def solve_timed(job: SolveJob) -> None:
    """Group a part and tell what that took."""
    begin, used = time.time(), time.process_time()
    solve_part(job)
    told = {"worker": os.getpid(), "cpu": time.process_time() - used, "begin": begin, "end": time.time()}
    Path(os.environ[_FOLDER], f"{job.number}.json").write_text(json.dumps(told), encoding="utf-8")


def measured(data: Path, workers: int, effort: str, k: int) -> dict[str, Any]:
    """Make a release with so many workers; return what its block stage took, and a digest of its bytes."""
    with tempfile.TemporaryDirectory() as times, tempfile.TemporaryDirectory(dir=data.parent) as place:
        os.environ[_FOLDER] = times
        begin = time.perf_counter()
        plan = plan_of("k-anonymity", {"k": k, "effort": effort}, seed=1)
        with mock.patch.object(making, "solve_part", solve_timed):
            release_in_parts(data, plan, places_of(Path(place) / "release"), Running(engine="dask", workers=workers))
        clock = time.perf_counter() - begin
        tasks = [json.loads(file.read_text(encoding="utf-8")) for file in Path(times).iterdir()]
        files = sorted((Path(place) / "release").rglob("*.parquet"))
        digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    shares: dict[int, float] = {}
    for task in tasks:
        shares[task["worker"]] = shares.get(task["worker"], 0.0) + task["cpu"]
    return {
        "workers": workers,
        "tasks": len(tasks),
        "CPU s of every task": [round(task["cpu"], 2) for task in sorted(tasks, key=lambda task: float(task["begin"]))],
        "task CPU s": sum(shares.values()),
        "busiest worker CPU s": max(shares.values()),
        "block stage s": max(task["end"] for task in tasks) - min(task["begin"] for task in tasks),
        "whole run s": clock,
        "load": os.getloadavg()[0],
        "digest": digest,
    }


def shared(costs: Sequence[float], workers: int) -> float:
    """Return how long idle workers take who each take the next task when they are done."""
    ends = [0.0] * workers
    for cost in costs:
        ends[ends.index(min(ends))] += cost
    return max(ends)


def main() -> None:
    """Print both runs and their quotients as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workers", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--k", type=int, default=2)
    given = parser.parse_args()
    one, two = (measured(given.data, workers, given.effort, given.k) for workers in (1, 2))
    if one.pop("digest") != two.pop("digest"):
        parser.exit(1, "the releases differ\n")
    costs = one["CPU s of every task"]
    quotients = {
        "speed-up of the block stage on two idle cores, from the CPU of one worker's tasks": sum(costs)
        / shared(costs, 2),
        "speed-up of the block stage, CPU": one["task CPU s"] / two["busiest worker CPU s"],
        "speed-up of the block stage, clock": one["block stage s"] / two["block stage s"],
        "speed-up of the whole run, clock": one["whole run s"] / two["whole run s"],
    }
    print(json.dumps({"one": one, "two": two, **quotients}, indent=2))


if __name__ == "__main__":
    main()
