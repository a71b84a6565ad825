"""Runs benchmarks, checks that both sides agree, prints the table of ratios and writes it as JSON.

CPU seconds of the process with its threads and children are compared, so that other work on the machine matters
little. The library runs once to warm up and then several times, of which the best counts; the plain program runs once.
"""

from __future__ import annotations

import json
import math
import os
import platform
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Benchmark", "Result", "cpu_seconds", "run", "table", "write_results"]

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """What is measured: the library, and the plain Python program of the same formulas.

    ``work`` says how many times more work the library does (ten draws against one); ``limit`` is the CPU time that
    the project promises on the real data. Every figure of the plain program must agree with the library's within
    ``tolerance`` (relative). With ``runs`` of 1 there is no warm-up.
    """

    name: str
    summary: str
    library: Callable[[], Figures]
    plain: Callable[[], Figures]
    work: float = 1.0
    limit: float | None = None
    tolerance: float = 1e-9
    runs: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """CPU seconds of both sides, and by how much the library is faster for the same work."""

    name: str
    summary: str
    library_seconds: float
    plain_seconds: float
    work: float
    limit_seconds: float | None
    agrees: bool
    figures: Figures

    @property
    def ratio(self) -> float:
        """How many times the plain program takes as long."""
        return self.plain_seconds * self.work / self.library_seconds

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return {
            "name": self.name,
            "summary": self.summary,
            "library_cpu_seconds": round(self.library_seconds, 4),
            "plain_cpu_seconds": round(self.plain_seconds, 4),
            "work": self.work,
            "ratio": round(self.ratio, 2),
            "limit_cpu_seconds": self.limit_seconds,
            "agrees": self.agrees,
            "figures": dict(self.figures),
        }


def cpu_seconds(call: Callable[[], Figures], *, runs: int = 1) -> tuple[float, Figures]:
    """Return the least CPU time of several calls after a first one, or of a single call, and what the last one gave."""
    if runs > 1:
        call()
    best = math.inf
    figures: Figures = {}
    for _ in range(runs):
        start = _cpu_clock()
        figures = call()
        best = min(best, _cpu_clock() - start)
    return best, figures


def _cpu_clock() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def run(benchmark: Benchmark) -> Result:
    """Measure both sides."""
    library_seconds, figures = cpu_seconds(benchmark.library, runs=benchmark.runs)
    plain_seconds, expected = cpu_seconds(benchmark.plain)
    agrees = all(
        math.isclose(figures.get(name, math.nan), value, rel_tol=benchmark.tolerance, abs_tol=1e-12)
        for name, value in expected.items()
    )
    return Result(
        name=benchmark.name,
        summary=benchmark.summary,
        library_seconds=library_seconds,
        plain_seconds=plain_seconds,
        work=benchmark.work,
        limit_seconds=benchmark.limit,
        agrees=agrees,
        figures=figures,
    )


def table(results: Sequence[Result]) -> str:
    """Return the results as aligned text."""
    rows = [("benchmark", "library", "plain Python", "ratio", "limit", "figures")]
    for result in results:
        times = "" if result.work == 1 else f" x {result.work:g}"
        limit = "" if result.limit_seconds is None else f"{result.limit_seconds:g} s"
        if result.limit_seconds is not None and result.library_seconds > result.limit_seconds:
            limit += " (over)"
        rows.append(
            (
                result.name,
                f"{result.library_seconds:.3f} s",
                f"{result.plain_seconds:.3f} s{times}",
                f"{result.ratio:.1f}",
                limit,
                "agree" if result.agrees else "DIFFER",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def write_results(path: Path, results: Sequence[Result], *, data: str) -> None:
    """Write the results as JSON; the file appears whole or not at all."""
    document = {
        "baseline": "plain Python (csv module and loops) of the same formulas, measured in the same run",
        "data": data,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "results": [result.as_dict() for result in results],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)
