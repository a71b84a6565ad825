"""Decode a fully generalized A: ranges to their ends, sets to dictionary codes."""

from __future__ import annotations

from benchmarks import plain
from benchmarks.harness import Benchmark
from benchmarks.inputs import Inputs
from tokumei.contests.pws2018.rules import Anonymized, Original
from tokumei.data.cells import RangeCells, SetCells

__all__ = ["benchmark"]


def benchmark(inputs: Inputs) -> Benchmark:
    """Return the benchmark; T is read before."""
    history = Original.read(inputs.t).history
    dictionary = {goods: code for code, goods in enumerate(history.categories["goods"].to_list())}

    def library() -> dict[str, float]:
        release = Anonymized.read(inputs.a).release(history)
        figures: dict[str, float] = {"rows": len(release)}
        for name, cells in release.cells.items():
            if isinstance(cells, RangeCells):
                figures[f"{name} width"] = int(cells.width().sum())
            elif isinstance(cells, SetCells):
                figures[f"{name} codes"] = int(cells.codes.sum())
        return figures

    def by_hand() -> dict[str, float]:
        rows = [row for row in plain.read_rows(inputs.a) if not row[0].startswith("*")]
        figures: dict[str, float] = {"rows": len(rows)}
        for column, name in ((1, "date"), (2, "goods"), (3, "price"), (4, "quantity")):
            if name == "goods":
                sets = [_codes(row[column], dictionary) for row in rows]
                figures["goods codes"] = sum(sum(one) for one in sets)
                continue
            ranges = [plain.parse_range(row[column], plain.PARSERS[column]) for row in rows]
            figures[f"{name} width"] = sum(ends[1] - ends[0] for ends in ranges if ends)
        return figures

    return Benchmark(name="decode A", summary="read and decode a generalized A", library=library, plain=by_hand)


def _codes(text: str, dictionary: dict[str, int]) -> list[int]:
    if text == "*":
        return []
    return sorted({dictionary[one] for one in (text[1:-1].split(";") if text.startswith("{") else [text])})
