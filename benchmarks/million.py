"""``python -m benchmarks.million DATA [DATA ...]``: anonymize data sets out of core, and what that takes.

Every data set (a folder of Parquet parts, as ``tokumei synth purchases -o FOLDER`` writes it) is anonymized from files
to files. Printed are records, CPU seconds of all processes, seconds by the clock, the peak of the memory of all
processes together (resident, sampled ten times a second) and the loss U; with ``--audit`` also what the audit of the
release with its Secret takes and says. All is kept in ``benchmarks/million.json``, from which ``--pages`` writes the
table of the guide and its chart, in both languages. ``--keep FOLDER`` leaves the releases in that folder.
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

from benchmarks.million_pages import write_pages

__all__ = ["main"]

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


def measured(command: list[str], statuses: tuple[int, ...] = (0,)) -> dict[str, Any]:
    """Run a command with ``--json``; return what it says, with its CPU seconds, clock and peak of memory.

    An audit ends with status 1 if the release is unsafe: what ends with one of ``statuses`` has not failed.
    """
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
        if os.waitstatus_to_exitcode(status) not in statuses:
            sys.exit(f"the command failed: {' '.join(command)}")
        document: dict[str, Any] = json.load(said)
    return document | {
        "cpu": usage.ru_utime + usage.ru_stime,
        "clock": time.perf_counter() - begin,
        "gigabytes": peak[0] / 1e9,
    }


def kept(file: Path) -> list[dict[str, Any]]:
    """Return the runs that were measured so far."""
    runs: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return runs


def keep(file: Path, run: dict[str, Any]) -> None:
    """Keep a run in the place of an earlier one of the same kind."""
    names = ("people", "k", "engine", "workers")
    others = [one for one in kept(file) if [one[name] for name in names] != [run[name] for name in names]]
    runs = sorted([*others, run], key=lambda one: [one[name] for name in names])
    file.write_text(json.dumps(runs, indent=2) + "\n", encoding="utf-8")


def _audited(data: Path, release: Path) -> dict[str, Any]:
    """Audit a release with its Secret; return what that takes and what it says of naming."""
    command = [sys.executable, "-m", "tokumei", "audit", "--original", str(data), "--release", str(release), "--json"]
    said = measured([*command, "--secret", f"{release}.secret", "--fresh"], statuses=(0, 1))
    return {
        "CPU s": round(said["cpu"], 1),
        "clock s": round(said["clock"], 1),
        "peak GB": round(said["gigabytes"], 3),
        "verdict": said["verdict"],
        "proven k": said["proven_k"],
        "surest owner": said["questions"]["naming"]["figure"]["value"],
        "skipped": said["skipped"],
    }


def _run(data: Path, k: int, engine: str, workers: int, release: Path) -> dict[str, Any]:
    load = os.getloadavg()[0]
    # Without grids, as before there were any: the loss of earlier runs can be compared.
    how = ["--k", str(k), "--engine", engine, "--threads", str(workers), "--content", "tight"]
    foreseen = measured([sys.executable, "-m", "tokumei", "anonymize", str(data), *how, "--dry-run", "--json"])
    command = [sys.executable, "-m", "tokumei", "anonymize", str(data), "-o", str(release), "--json"]
    one = measured([*command, *how, "--seed", "1"])
    return {
        "people": one["pseudonyms"],
        "records": one["records_original"],
        "k": k,
        "engine": engine,
        "workers": workers,
        "CPU s": round(one["cpu"], 1),
        "clock s": round(one["clock"], 1),
        "peak GB": round(one["gigabytes"], 3),
        "U": one["utility"]["value"],
        "foreseen CPU s": round(foreseen["estimate"]["cpu_seconds"], 1),
        "foreseen GB": round(foreseen["estimate"]["megabytes"] / 1e3, 3),
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
    }


def main() -> None:
    """Measure every data set, print it, keep it; write the pages if that is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.million", description=__doc__)
    parser.add_argument("data", nargs="*", type=Path)
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--engine", default="threads")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).with_suffix(".json"))
    parser.add_argument("--audit", action="store_true", help="also audit every release with its Secret")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the releases in this folder")
    parser.add_argument("--pages", action="store_true", help="write table and chart of the guide from what is kept")
    given = parser.parse_args()
    for data in given.data:
        with tempfile.TemporaryDirectory(dir=data.parent) as passing:
            release = (given.keep or Path(passing)) / f"{data.name}-k{given.k}"
            release.parent.mkdir(parents=True, exist_ok=True)
            run = _run(data, given.k, given.engine, given.workers, release)
            keep(given.output, run)
            if given.audit:
                run["audit"] = _audited(data, release)
                keep(given.output, run)
        print(json.dumps(run), flush=True)
    if given.pages:
        write_pages(kept(given.output))


if __name__ == "__main__":
    main()
