"""Read T into coded columns, with the dictionary of goods and the standard deviations."""

from __future__ import annotations

from benchmarks import plain
from benchmarks.harness import Benchmark
from benchmarks.inputs import Inputs
from tokumei.contests.pws2018.rules import Original

__all__ = ["benchmark"]


def benchmark(inputs: Inputs) -> Benchmark:
    """Return the benchmark."""

    def library() -> dict[str, float]:
        history = Original.read(inputs.t).history
        spreads = {name: history.spread(name) for name in ("date", "price", "quantity")}
        return {"rows": len(history), "goods": len(history.categories["goods"]), **spreads}

    def by_hand() -> dict[str, float]:
        rows = plain.parse_rows(plain.read_rows(inputs.t))
        dictionary = {goods: code for code, goods in enumerate(sorted({row[2] for row in rows}))}
        codes = [dictionary[row[2]] for row in rows]
        spread = plain.spreads(rows)
        figures = {"date": spread[1], "price": spread[3], "quantity": spread[4]}
        return {"rows": len(codes), "goods": len(dictionary), **figures}

    return Benchmark(name="read T", summary="read T into coded columns", library=library, plain=by_hand)
