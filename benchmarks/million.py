"""``python -m benchmarks.million DATA [DATA ...]``: anonymize data sets out of core, and what that takes.

Every data set (a folder of Parquet parts, as ``tokumei synth purchases -o FOLDER`` writes it) is anonymized from files
to files. Printed are records, CPU seconds of all processes, seconds by the clock, the peak of the memory of all
processes together (resident, sampled ten times a second) and the loss U.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

__all__ = ["main"]

HEAD = "| data | k | engine | workers | records | CPU s | µs per record | clock s | peak GB | U |"
SAMPLE_SECONDS = 0.1


def _resident(root: int) -> int:
    """Return the resident bytes of a process and all that it began."""
    parents: dict[int, int] = {}
    pages: dict[int, int] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stat = Path(entry.path, "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)], pages[int(entry.name)] = int(stat[1]), int(stat[21])
    total = 0
    for pid, count in pages.items():
        ancestor = pid
        while ancestor not in (root, 0):
            ancestor = parents.get(ancestor, 0)
        total += count if ancestor == root else 0
    return total * os.sysconf("SC_PAGE_SIZE")


def measured(command: list[str]) -> dict[str, Any]:
    """Run a command with ``--json``; return what it says, with its CPU seconds, clock and peak of memory."""
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        run = subprocess.Popen(command, stdout=said, stderr=subprocess.DEVNULL)
        peak, done = [0], threading.Event()

        def watch() -> None:
            while not done.wait(SAMPLE_SECONDS):
                peak[0] = max(peak[0], _resident(run.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        _, status, usage = os.wait4(run.pid, 0)
        done.set()
        watcher.join()
        said.seek(0)
        if status:
            sys.exit(f"the command failed: {' '.join(command)}")
        document: dict[str, Any] = json.load(said)
    return document | {
        "cpu": usage.ru_utime + usage.ru_stime,
        "clock": time.perf_counter() - begin,
        "gigabytes": peak[0] / 1e9,
    }


def main() -> None:
    """Print a line of the table for every data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--engine", default="threads")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    print(HEAD, "|" + "---|" * 10, sep="\n", flush=True)
    for data in given.data:
        with tempfile.TemporaryDirectory(dir=data.parent) as folder:
            command = [sys.executable, "-m", "tokumei", "anonymize", str(data), "-o", f"{folder}/release", "--json"]
            command += ["--k", str(given.k), "--engine", given.engine, "--threads", str(given.workers), "--seed", "1"]
            one = measured(command)
        records = one["records_original"]
        cells = [data.name, given.k, given.engine, given.workers, f"{records:,}", f"{one['cpu']:.0f}"]
        cells += [f"{one['cpu'] / records * 1e6:.1f}", f"{one['clock']:.0f}", f"{one['gigabytes']:.2f}"]
        cells.append(f"{one['utility']['value']:.6f}")
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
