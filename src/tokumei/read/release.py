"""A release folder back into a Release, coded with the dictionaries of the original it is compared with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.cells import Cells
from tokumei.celltext import Fault, WrittenCells, read_cells
from tokumei.errors import SHOWN_FINDINGS, ContentError, Finding, UnreadableError
from tokumei.history import Field, History, Release, Schema

__all__ = ["read_release", "release_from_text"]

Ints = npt.NDArray[np.int64]
_DATA_NAMES = ("data.csv", "data.parquet")


def read_release(folder: Path, history: History) -> Release:
    """Read the release in a folder; categories are coded as in ``history``."""
    if not folder.is_dir():
        message = f"{folder} is no release folder; name the folder that 'tokumei anonymize' wrote"
        raise UnreadableError(message, file=str(folder))
    data = next((folder / name for name in _DATA_NAMES if (folder / name).is_file()), None)
    if data is None:
        message = f"{folder} holds neither data.csv nor data.parquet; is it a release folder?"
        raise UnreadableError(message, file=str(folder))
    schema = Schema.read(folder / "schema.toml")
    try:
        frame = pl.read_parquet(data) if data.suffix == ".parquet" else pl.read_csv(data, infer_schema=False)
        method = json.loads((folder / "manifest.json").read_text(encoding="utf-8")).get("method", "")
    except (OSError, pl.exceptions.PolarsError, ValueError, AttributeError):
        message = f"{folder}: data or manifest cannot be read; the folder is damaged"
        raise UnreadableError(message, file=str(folder)) from None
    return release_from_text(frame, schema, history.categories, file=str(data), method=method)


def release_from_text(
    frame: pl.DataFrame,
    schema: Schema,
    categories: Mapping[str, pl.Series],
    *,
    file: str,
    lines: Ints | None = None,
    method: str = "",
    literal: bool = False,
) -> Release:
    """Decode text columns ``pseudonym`` and the fields of the schema; all faulty cells are reported together.

    ``lines`` gives the line of each row in its file; without it the rows stand under a header line.
    """
    line_numbers = np.arange(2, frame.height + 2) if lines is None else lines
    names = ["pseudonym", *(spec.name for spec in schema.fields)]
    missing = [name for name in names if name not in frame.columns]
    if missing:
        message = f"{file} has no column '{missing[0]}'; it must have {', '.join(names)}"
        raise UnreadableError(message, file=file)
    cells: dict[str, Cells] = {}
    findings: list[Finding] = []
    total = 0
    for position, spec in enumerate(schema.fields, start=2):
        written = read_cells(frame[spec.name], spec, categories.get(spec.name), literal=literal)
        total += int((written.fault > 0).sum())
        findings += _faults(frame[spec.name], written, spec, position, line_numbers)
        if not written.fault.any():
            cells[spec.name] = written.to_cells(spec, categories.get(spec.name))
    if findings:
        raise ContentError(file, sorted(findings, key=lambda one: (one.line or 0, one.column or 0)), total=total)
    return Release(schema, frame["pseudonym"].cast(pl.String), cells, method)


def _faults(text: pl.Series, written: WrittenCells, spec: Field, position: int, lines: Ints) -> list[Finding]:
    """Describe the first faulty cells of a column."""
    findings = []
    for row in np.flatnonzero(written.fault)[:SHOWN_FINDINGS]:
        fault = Fault(int(written.fault[row]))
        value = str(text[int(row)] or "")
        shown = value if len(value) <= 40 else value[:37] + "..."
        code = fault.name.lower().replace("_", "-")
        message = f"'{shown}': {fault.reason(spec)}"
        findings.append(Finding(code, message, int(lines[row]), position, spec.name, value))
    return findings
