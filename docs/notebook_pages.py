"""The example scripts as executed notebooks: run cell by cell while the guide is built, shown with what they gave.

A script is cut at its ``# %%`` lines. What a cell prints, and the value of its last line as a notebook would show it
(``_repr_html_``, else ``repr``), stand below it. Beside every page lies the notebook itself (``.ipynb``, nbformat 4.5)
with the same outputs, for download.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Cell", "cut", "notebook", "page", "run", "write_examples"]

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
# Enough people for a release that shows something, few enough for a build of the guide.
SUBJECTS = "60"


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of a script: prose, or code with what it printed and what its last line gave."""

    kind: str
    source: str
    printed: str = ""
    html: str = ""
    shown: str = ""


def cut(script: str) -> list[Cell]:
    r"""Return the cells of a script; text behind ``# %%`` is prose above its code.

    >>> [(cell.kind, cell.source) for cell in cut("# %% [markdown]\n# # A\n# %% B.\n1")]
    [('markdown', '# A'), ('markdown', 'B.'), ('code', '1')]
    """
    cells: list[Cell] = []
    for piece in re.split(r"^# %%", script, flags=re.MULTILINE)[1:]:
        head, _, body = piece.partition("\n")
        if head.strip() == "[markdown]":
            lines = [line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines()]
            cells.append(Cell("markdown", "\n".join(lines)))
            continue
        if head.strip():
            cells.append(Cell("markdown", head.strip()))
        if body.strip():
            cells.append(Cell("code", re.sub(r"  # noqa: .*", "", body.strip())))
    return cells


def run(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells with what they gave, run one after the other in one namespace."""
    space: dict[str, Any] = {"__name__": "__main__"}
    return [cell if cell.kind == "markdown" else _ran(cell, space) for cell in cells]


def _ran(cell: Cell, space: dict[str, Any]) -> Cell:
    tree = ast.parse(cell.source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec", dont_inherit=True), space)  # noqa: S102 - our own examples
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval", dont_inherit=True), space)  # noqa: S307
    html = value._repr_html_() if hasattr(value, "_repr_html_") else ""
    return Cell("code", cell.source, printed.getvalue(), html, "" if value is None else repr(value))


def notebook(cells: Sequence[Cell]) -> str:
    """Return the cells as a notebook file."""
    made: list[Mapping[str, Any]] = []
    for number, cell in enumerate(cells, start=1):
        common = {"id": f"cell-{number}", "metadata": {}, "source": cell.source.splitlines(keepends=True)}
        if cell.kind == "markdown":
            made.append({"cell_type": "markdown", **common})
            continue
        outputs: list[Mapping[str, Any]] = []
        if cell.printed:
            outputs.append({"output_type": "stream", "name": "stdout", "text": cell.printed.splitlines(keepends=True)})
        if cell.shown:
            data = {"text/plain": cell.shown, **({"text/html": cell.html} if cell.html else {})}
            result = {"output_type": "execute_result", "execution_count": number, "data": data, "metadata": {}}
            outputs.append(result)
        made.append({"cell_type": "code", **common, "execution_count": number, "outputs": outputs})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def page(cells: Sequence[Cell], name: str) -> str:
    """Return the cells as a page of the guide."""
    parts: list[str] = []
    for cell in cells:
        if cell.kind == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        if cell.printed:
            parts.append(f"```text\n{cell.printed.rstrip()}\n```")
        if cell.html:
            # A blank line would end the HTML block.
            told = re.sub(r"\n\s*", " ", cell.html)
            parts.append(f'<div class="output">{told}</div>')
        elif cell.shown:
            parts.append(f"```text\n{cell.shown}\n```")
    # Under the title, the notebook to take home.
    parts.insert(1, f"{{download}}`The notebook <{name}.ipynb>`, run on {SUBJECTS} generated people.")
    return "\n\n".join(parts) + "\n"


def write_examples(folder: Path) -> None:
    """Run every example and write its page and its notebook; what was made from the same script is left."""
    folder.mkdir(parents=True, exist_ok=True)
    before = os.environ.get("TOKUMEI_EXAMPLE_SUBJECTS")
    os.environ["TOKUMEI_EXAMPLE_SUBJECTS"] = SUBJECTS
    try:
        for script in sorted(EXAMPLES.glob("*.py")):
            target = folder / f"example-{script.stem}.md"
            if target.exists() and target.stat().st_mtime > script.stat().st_mtime:
                continue
            cells = run(cut(script.read_text(encoding="utf-8")))
            (folder / f"example-{script.stem}.ipynb").write_text(notebook(cells), encoding="utf-8")
            target.write_text(page(cells, f"example-{script.stem}"), encoding="utf-8")
    finally:
        os.environ.pop("TOKUMEI_EXAMPLE_SUBJECTS", None)
        if before is not None:
            os.environ["TOKUMEI_EXAMPLE_SUBJECTS"] = before
