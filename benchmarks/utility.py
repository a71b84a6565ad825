"""Read T, read and decode A, and compute U."""

from __future__ import annotations

from benchmarks import plain
from benchmarks.harness import Benchmark
from benchmarks.inputs import Inputs
from tokumei.contests.pws2018.rules import Anonymized, Original, Rules2018

__all__ = ["benchmark"]


def benchmark(inputs: Inputs) -> Benchmark:
    """Return the benchmark."""

    def library() -> dict[str, float]:
        score = Rules2018().utility(Original.read(inputs.t), Anonymized.read(inputs.a))
        return {"U": score.value, **score.parts}

    return Benchmark(
        name="utility",
        summary="read T and a fully generalized A, compute U",
        library=library,
        plain=lambda: plain.utility(inputs.t, inputs.a),
        limit=0.15,
    )
