"""Evaluate one A with thirteen F': check, utility, and the verdict of every file of guesses."""

from __future__ import annotations

from pathlib import Path

from benchmarks import plain
from benchmarks.check import count_errors
from benchmarks.harness import Benchmark
from benchmarks.inputs import Inputs
from benchmarks.thresholds import official, sharp
from tokumei.contests.pws2018.rules import Original, Rules2018

__all__ = ["benchmark"]


def benchmark(inputs: Inputs) -> Benchmark:
    """Return the benchmark."""

    def library() -> dict[str, float]:
        result = Rules2018().evaluate(Original.read(inputs.t), inputs.a, inputs.guesses)
        safety = result["safety"]
        return {
            "errors": result["error_count"],
            "U": result["utility"]["U"],
            "hits": sum(one["hits"] for one in safety),
            "unsafe": sum(one["unsafe"] for one in safety),
            "sharp unsafe": sum(one["sharp_unsafe"] for one in safety),
        }

    return Benchmark(
        name="evaluate",
        summary=f"check, utility and {len(inputs.guesses)} files of guesses",
        library=library,
        plain=lambda: _by_hand(inputs),
        limit=3.0,
    )


def _by_hand(inputs: Inputs) -> dict[str, float]:
    truth: dict[str, str] = {}
    for row, cells in zip(plain.read_rows(inputs.t), plain.read_rows(inputs.a), strict=True):
        if not cells[0].startswith("*"):
            truth.setdefault(cells[0], row[0])
    found = [_hits(path, truth) for path in inputs.guesses]
    return {
        "errors": count_errors(inputs.t, inputs.a),
        "U": plain.utility(inputs.t, inputs.a)["U"],
        "hits": sum(hits for hits, _ in found),
        "unsafe": sum(hits >= official(n) for hits, n in found),
        "sharp unsafe": sum(hits >= sharp(n) for hits, n in found),
    }


def _hits(path: Path, truth: dict[str, str]) -> tuple[int, int]:
    guesses = plain.read_rows(path)
    return sum(truth.get(pseudonym) == customer for pseudonym, customer in guesses), len(guesses)
