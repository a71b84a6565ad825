"""A release as a folder for others: data, schema, summary, manifest.

    release/
      data.csv        (or data.parquet) pseudonym and generalized cells, sorted as text
      schema.toml     what the columns mean
      people.csv      (or people.parquet) a table of people, one row per pseudonym, where there is one, and
      people.toml     what its columns mean
      summary.md      for people: what was done, how to read it, what it protects against
      manifest.json   what was done, by which version, with the hashes of the files

This module writes the folder and reads it back, coded with the dictionaries of the original it is compared with.
Nothing in it depends on the order of the original rows, on the input file or on the Secret.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.cell_text import Fault, WrittenCells, read_cells
from tokumei.data.cells import Cells, SetCells
from tokumei.data.csv_text import parse_csv
from tokumei.data.files import atomic_folder
from tokumei.data.history import History, Release
from tokumei.data.raw import Source, read_bytes, to_utf8
from tokumei.data.schema import Field, Kind, Schema
from tokumei.data.tables import open_table
from tokumei.errors import SHOWN_FINDINGS, ContentError, Finding, ParameterError, SchemaError, UnreadableError

DATA_NAMES, SCHEMA_NAME, SUMMARY_NAME, MANIFEST_NAME = (
    ("data.csv", "data.parquet"),
    "schema.toml",
    "summary.md",
    "manifest.json",
)
PEOPLE_NAMES, PEOPLE_SCHEMA_NAME = ("people.csv", "people.parquet"), "people.toml"


def _refuse_control_characters(release: Release) -> None:
    """Raise ParameterError if categories hold bytes that no CSV text has; Parquet input may bring them."""
    for name, cells in release.cells.items():
        if isinstance(cells, SetCells) and cells.categories.str.contains("[\\x00-\\x08]").any():
            message = f"the column '{name}' holds control characters, which CSV cannot carry; write Parquet (--format)"
            raise ParameterError(message)


def write_release(
    release: Release,
    folder: Path,
    *,
    parameters: Mapping[str, Any] | None = None,
    data_format: str = "csv",
    summary: str | None = None,
) -> dict[str, Any]:
    """Write the release folder whole or not at all; return its manifest."""
    with atomic_folder(folder) as temporary:
        _write_table(release, temporary / f"data.{data_format}", temporary / SCHEMA_NAME)
        if release.people is not None:
            _write_table(release.people, temporary / f"people.{data_format}", temporary / PEOPLE_SCHEMA_NAME)
        if summary is not None:
            (temporary / SUMMARY_NAME).write_text(summary, encoding="utf-8")
        records = len(release)
        manifest = {
            "tokumei": version("tokumei"),
            "versions": {name: version(name) for name in ("numpy", "polars")},
            "method": release.method,
            "parameters": dict(parameters or {}),
            "records": records,
            "pseudonyms": release.pseudonyms.n_unique(),
            "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(temporary.iterdir())},
        }
        manifest_text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        (temporary / MANIFEST_NAME).write_text(manifest_text, encoding="utf-8")
    return manifest


def _write_table(release: Release, data: Path, schema: Path) -> None:
    if data.suffix == ".csv":
        _refuse_control_characters(release)
    text = release.text()
    # Polars opens no file whose name is no text; Python does.
    with data.open("wb") as file:
        if data.suffix == ".parquet":
            text.write_parquet(file)
        else:
            text.write_csv(file)
    schema.write_text(release.schema.to_toml(), encoding="utf-8")


@dataclass(frozen=True, eq=False)
class ReleaseFolder:
    """A release folder with what its small files say: what the columns mean, the method and its public parameters."""

    path: Path
    data: Path
    schema: Schema
    method: str
    parameters: Mapping[str, Any]

    @classmethod
    def open(cls, path: Path) -> ReleaseFolder:
        """Read schema and manifest; the data waits for the original it is coded after."""
        if not path.is_dir():
            what = "this is a file" if path.exists() else "there is no such folder"
            message = f"{path}: {what}; name the folder that 'tokumei anonymize' wrote"
            raise UnreadableError(message, file=str(path))
        schema, manifest = Schema.read(path / SCHEMA_NAME), path / MANIFEST_NAME
        data = _present(path, DATA_NAMES)
        try:
            document = json.loads(read_bytes(manifest))
            return cls(path, data, schema, str(document.get("method", "")), dict(document.get("parameters", {})))
        except (ValueError, AttributeError, TypeError):
            message = f"{manifest}: this is not the manifest that 'tokumei anonymize' wrote; restore the release folder"
            raise UnreadableError(message, file=str(manifest)) from None

    def release(self, history: History) -> Release:
        """Read the data; categories are coded as in ``history``, which must have the same columns."""
        _refuse_other_schema(self.schema, history.schema, self.path)
        release = self._table(self.data, self.schema, history)
        if not (self.path / PEOPLE_SCHEMA_NAME).is_file():
            return release
        if history.people is None:
            message = f"{self.path}: the release has a table of people, and the original as it was read has none"
            raise SchemaError(message, file=str(self.path))
        schema = Schema.read(self.path / PEOPLE_SCHEMA_NAME)
        _refuse_other_schema(schema, history.people.schema, self.path)
        return replace(release, people=self._table(_present(self.path, PEOPLE_NAMES), schema, history.people))

    def _table(self, data: Path, schema: Schema, history: History) -> Release:
        source, lines = Source.read(data), None
        if data.suffix == ".parquet":
            frame = open_table(source).frame.select(pl.all().cast(pl.String))
        else:
            text, _ = to_utf8(source.content(), str(data))
            records = parse_csv(text, str(data))
            frame, lines = records.frame[1:], records.lines[1:]
            frame.columns = _distinct(records.frame.row(0) if records.frame.height else (), data)
        categories = _with_absence(history.categories)
        return release_from_text(frame, schema, categories, file=str(data), lines=lines, method=self.method)


def _present(folder: Path, names: Sequence[str]) -> Path:
    """Return the file of a release that is there under one of two names."""
    data = next((folder / name for name in names if (folder / name).is_file()), None)
    if data is None:
        message = f"{folder} holds neither {' nor '.join(names)}; name the folder that 'tokumei anonymize' wrote"
        raise UnreadableError(message, file=str(folder))
    return data


def read_release(folder: str | Path, history: History) -> Release:
    """Read the release in a folder that ``tokumei anonymize`` wrote.

    ``history`` is the original it is compared with: it must have the same columns, and categories are coded as in it.
    """
    return ReleaseFolder.open(Path(folder)).release(history)


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
            f"read the original with the schema of the release: --schema {folder / SCHEMA_NAME}"
        )
        raise SchemaError(message, file=str(folder))


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
