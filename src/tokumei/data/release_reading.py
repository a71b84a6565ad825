"""A release folder back into a Release, coded with the dictionaries of the original it is compared with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.cell_text import Fault, WrittenCells, read_cells
from tokumei.data.cells import Cells
from tokumei.data.csv_text import parse_csv
from tokumei.data.history import Field, History, Kind, Release, Schema
from tokumei.data.raw import read_bytes, to_utf8
from tokumei.data.tables import read_table
from tokumei.errors import SHOWN_FINDINGS, ContentError, Finding, SchemaError, UnreadableError

__all__ = ["read_release", "read_release_schema", "release_from_text"]

_SCHEMA_NAME, _PEOPLE_SCHEMA_NAME, _MANIFEST_NAME = "schema.toml", "people.toml", "manifest.json"


def read_release_schema(folder: Path) -> Schema:
    """Read what the columns of the release in a folder mean."""
    if not folder.is_dir():
        what = "this is a file" if folder.exists() else "there is no such folder"
        message = f"{folder}: {what}; name the folder that 'tokumei anonymize' wrote"
        raise UnreadableError(message, file=str(folder))
    return Schema.read(folder / _SCHEMA_NAME)


def read_release(folder: Path, history: History) -> Release:
    """Read the release in a folder; categories are coded as in ``history``, which must have the same columns."""
    schema = read_release_schema(folder)
    _refuse_other_schema(schema, history.schema, folder)
    method = _method(folder / _MANIFEST_NAME)
    release = _read_table(folder, "data", schema, history, method)
    if not (folder / _PEOPLE_SCHEMA_NAME).is_file():
        return release
    if history.people is None:
        message = f"{folder}: the release has a table of people, and the original as it was read has none"
        raise SchemaError(message, file=str(folder))
    schema = Schema.read(folder / _PEOPLE_SCHEMA_NAME)
    _refuse_other_schema(schema, history.people.schema, folder)
    return replace(release, people=_read_table(folder, "people", schema, history.people, method))


def _read_table(folder: Path, stem: str, schema: Schema, history: History, method: str) -> Release:
    names = (f"{stem}.csv", f"{stem}.parquet")
    data = next((folder / name for name in names if (folder / name).is_file()), None)
    if data is None:
        message = f"{folder} holds neither {names[0]} nor {names[1]}; name the folder that 'tokumei anonymize' wrote"
        raise UnreadableError(message, file=str(folder))
    categories = _with_absence(history.categories)
    if data.suffix == ".parquet":
        frame = read_table(data).select(pl.all().cast(pl.String))
        return release_from_text(frame, schema, categories, file=str(data), method=method)
    text, _ = to_utf8(read_bytes(data), str(data))
    records = parse_csv(text, str(data))
    frame = records.frame[1:]
    frame.columns = _distinct(records.frame.row(0) if records.frame.height else (), data)
    return release_from_text(frame, schema, categories, file=str(data), lines=records.lines[1:], method=method)


def _with_absence(categories: Mapping[str, pl.Series]) -> dict[str, pl.Series]:
    """Return the dictionaries with the empty text last, where they lack it: how a method may say "no record here"."""
    empty = pl.Series([""], dtype=pl.String)
    return {
        name: values if (values == "").any() else pl.concat([values.cast(pl.String), empty.alias(values.name)])
        for name, values in categories.items()
    }


def _refuse_other_schema(published: Schema, original: Schema, folder: Path) -> None:
    """Raise SchemaError if the columns of a release are not those of the original it is compared with."""

    def meaning(field: Field) -> tuple[str, str, float]:
        return field.name, field.kind.value, field.step if field.kind is Kind.NUMBER else 1.0

    differing = {meaning(field) for field in published.fields} ^ {meaning(field) for field in original.fields}
    if differing:
        message = (
            f"{folder}: the release and the original as it was read differ in the column '{min(differing)[0]}'; "
            f"read the original with the schema of the release: --schema {folder / _SCHEMA_NAME}"
        )
        raise SchemaError(message, file=str(folder))


def _method(manifest: Path) -> str:
    """Return the method that the manifest names."""
    try:
        return str(json.loads(read_bytes(manifest)).get("method", ""))
    except (ValueError, AttributeError):
        message = f"{manifest}: this is not the manifest that 'tokumei anonymize' wrote; restore the release folder"
        raise UnreadableError(message, file=str(manifest)) from None


def _distinct(names: Sequence[str], data: Path) -> list[str]:
    repeated = [name for position, name in enumerate(names) if name in names[:position]]
    if repeated:
        message = f"{data}, line 1: the header names the column '{repeated[0]}' twice; restore the release folder"
        raise UnreadableError(message, file=str(data), line=1)
    return list(names)


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
        message = f"{file} has no column '{missing[0]}'; it must have the columns {', '.join(names)}"
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
