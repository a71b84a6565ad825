"""E1 and E2 of 2017: how far the similarities of goods are off (spec B.10.3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from math import sqrt

from benchmarks import plain
from benchmarks.harness import Benchmark
from benchmarks.inputs import Inputs
from tokumei.contests.pws2017.files import FILES
from tokumei.contests.pws2017.utility import utility_2017
from tokumei.contests.reading import read_contest

__all__ = ["Table", "benchmark", "distance", "retail", "totals", "wholesale"]

Table = dict[str, dict[str, int]]
Similarities = dict[tuple[str, str], float]


def benchmark(inputs: Inputs) -> Benchmark:
    """Return the benchmark; the library computes E1 to E6."""
    t, at = read_contest(inputs.t17, FILES["T"]), read_contest(inputs.at17, FILES["AT"])

    def library() -> dict[str, float]:
        figures = utility_2017(t, at).figures()
        return {name: figures[name] for name in ("E1", "E2")}

    def by_hand() -> dict[str, float]:
        t_totals, at_totals = (
            totals((row[0], row[4], int(row[6])) for row in plain.read_rows(path) if row[0] != "DEL")
            for path in (inputs.t17, inputs.at17)
        )
        return {"E1": distance(t_totals, at_totals, wholesale), "E2": distance(t_totals, at_totals, retail)}

    return Benchmark(
        name="E1+E2",
        summary="2017 similarities of goods (library: E1 to E6)",
        library=library,
        plain=by_hand,
        limit=0.5,
    )


def totals(bought: Iterable[tuple[str, str, int]]) -> Table:
    """Return the total quantity per customer and goods."""
    table: Table = defaultdict(lambda: defaultdict(int))
    for customer, goods, quantity in bought:
        table[customer][goods] += quantity
    return table


def wholesale(quantity: int) -> int:
    """Return whole dozens, at most six."""
    return min(quantity // 12, 6)


def retail(quantity: int) -> int:
    """Return quantities below a dozen."""
    return quantity if quantity < 12 else 0


def similarities(table: Table, score: Callable[[int], int]) -> Similarities:
    """Return the cosine of every pair of goods with a common customer."""
    dot: Similarities = defaultdict(float)
    square: dict[str, int] = defaultdict(int)
    for bought in table.values():
        scores = sorted((goods, value) for goods, quantity in bought.items() if (value := score(quantity)))
        for position, (goods, value) in enumerate(scores):
            square[goods] += value * value
            for other, other_value in scores[position + 1 :]:
                dot[goods, other] += value * other_value
    return {pair: value / sqrt(square[pair[0]] * square[pair[1]]) for pair, value in dot.items()}


def distance(before: Table, after: Table, score: Callable[[int], int]) -> float:
    """Return the sum of differences over the pairs of the original, relative to the sum of its similarities."""
    one, other = similarities(before, score), similarities(after, score)
    apart = sum(abs(value - other.get(pair, 0.0)) for pair, value in one.items())
    return min(1.0, apart / sum(one.values()))
