"""Runs one measurement in a process of its own: wall and CPU seconds and peak memory of that process alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.inputs import PROJECT

__all__ = ["Measured", "aligned_table", "merge_results", "run_apart"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a process took, imports included, and the figures that it printed as JSON."""

    wall_seconds: float
    cpu_seconds: float
    peak_gb: float
    figures: Mapping[str, Any]


def run_apart(command: Sequence[str]) -> Measured:
    """Run a Python module with its words; its standard output must be one JSON document."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([sys.executable, "-m", *command], stdout=output, cwd=PROJECT)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        output.seek(0)
        figures = json.loads(output.read())
    # Linux counts the peak in KiB.
    peak = used.ru_maxrss * 1024 / 1e9
    return Measured(wall_seconds=seconds, cpu_seconds=used.ru_utime + used.ru_stime, peak_gb=peak, figures=figures)


def aligned_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a Markdown table with aligned columns."""
    widths = [max(len(line[place]) for line in (head, *rows)) for place in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def merge_results(path: Path, name: str, result: Mapping[str, Any], report: Callable[[str], Any] = print) -> None:
    """Put a result under its name into a JSON file that keeps the others; the file appears whole or not at all."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known[name] = dict(result)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    unfinished.replace(path)
    report(f"\nwritten to {path}")
