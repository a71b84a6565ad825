"""The table of Adult in the guide, from runs that were measured, in both languages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from benchmarks.inputs import PROJECT

_DOCS = PROJECT / "docs"
_BEGIN, _END = "<!-- measured: python -m benchmarks.adult --pages -->", "<!-- end of Adult -->"
_HEADS = {
    "en": ("k", "loss", "effort", "NCP (beyond)", "NCP (size)", "U", "CPU s", "proven floor of the loss"),
    "ja": ("k", "損失", "effort", "NCP (beyond)", "NCP (size)", "U", "CPU 秒", "証明された損失の下限"),
}
_EFFORTS = ("fast", "normal", "best")
Results = Mapping[str, Mapping[str, float]]


def write_pages(results: Results) -> None:
    """Put the table between the marks of both pages."""
    for language, folder in (("en", _DOCS), ("ja", _DOCS / "ja")):
        page = folder / "k-anonymity.md"
        text = page.read_text(encoding="utf-8")
        before, after = text.split(_BEGIN)[0], text.split(_END)[1]
        page.write_text(f"{before}{_BEGIN}\n\n{_table(results, language)}\n\n{_END}{after}", encoding="utf-8")


def _table(results: Results, language: str) -> str:
    heads = _HEADS[language]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for k, loss, effort in sorted(_runs(results), key=_order):
        told = results[f"adult (k={k}, {loss}, {effort})"]
        floor = results.get(f"adult floor (k={k}, {loss})")
        cells = [str(k), f"`{loss}`", effort, f"{told['beyond']:.5f}", f"{told['ncp']:.4f}", f"{told['U']:.4f}"]
        cells += [f"{told['CPU seconds']:.1f}", "" if floor is None else f"{floor['floor']:.5f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _runs(results: Results) -> list[tuple[int, str, str]]:
    found = (re.fullmatch(r"adult \(k=(\d+), ([\w-]+), (\w+)\)", name) for name in results)
    return [(int(one.group(1)), one.group(2), one.group(3)) for one in found if one is not None]


def _order(run: tuple[int, str, str]) -> tuple[bool, int, str, int]:
    k, loss, effort = run
    return loss == "cell-error", k, loss, _EFFORTS.index(effort)
