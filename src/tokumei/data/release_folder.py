"""A release as a folder for others: data, schema, summary, manifest.

    release/
      data.csv        (or data.parquet) pseudonym and generalized cells, sorted as text
      schema.toml     what the columns mean
      people.csv      (or people.parquet) a table of people, one row per pseudonym, where there is one, and
      people.toml     what its columns mean
      groups.csv      where values of sensitive columns are published apart: the group of every pseudonym, and
      sensitive.csv   how often its members have each value (`tokumei.data.apart`)
      summary.md      for people: what was done, how to read it, what it protects against
      manifest.json   what was done, by which version, with the hashes of the files

The data of a release that was made out of core is a folder of parts (`tokumei.data.release_parts`).

This module writes the folder and reads it back, coded with the dictionaries and steps of the original it is compared
with, or alone. What the files hold, byte by byte, says `tokumei.data.release_files`.
Nothing in it depends on the order of the original rows, on the input file or on the Secret.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.apart import ApartValues, columns_apart
from tokumei.data.cells import Cells, SetCells
from tokumei.data.coarsening import category_labels, expanded
from tokumei.data.columns import Field, Kind
from tokumei.data.csv_text import parse_csv
from tokumei.data.files import atomic_folder
from tokumei.data.history import History, Release
from tokumei.data.raw import Source, to_utf8
from tokumei.data.release_files import MANIFEST_NAME, PEOPLE_SCHEMA_NAME, SCHEMA_NAME, TEXT_PARQUET, folder_files
from tokumei.data.release_frames import is_typed, typed_text
from tokumei.data.release_parts import DATA_FOLDER, ReleasePart, listed_parts
from tokumei.data.schema import Schema
from tokumei.data.tables import open_table
from tokumei.data.written_cells import Fault, WrittenCells, read_cells, written_categories
from tokumei.errors import SHOWN_FINDINGS, ContentError, Finding, SchemaError, UnreadableError

# No text has this byte: it is the name of no column.
_PLACE = "\x00place"
DATA_NAMES, PEOPLE_NAMES = ("data.csv", "data.parquet"), ("people.csv", "people.parquet")
# When a release was made is nobody's business: its files have the earliest time that archives can tell.
FILE_TIME = datetime(1980, 1, 1, 12, tzinfo=UTC).timestamp()


def write_release(
    release: Release,
    folder: Path,
    *,
    parameters: Mapping[str, Any] | None = None,
    data_format: str = "csv",
    summary: str | None = None,
) -> dict[str, Any]:
    """Write the release folder whole or not at all; return its manifest."""
    files, manifest = folder_files(release, parameters=parameters, data_format=data_format, summary=summary)
    with atomic_folder(folder) as temporary:
        for name, content in files.items():
            (temporary / name).write_bytes(content)
            os.utime(temporary / name, (FILE_TIME, FILE_TIME))
    return manifest


@dataclass(frozen=True, eq=False)
class ReleaseFolder:
    """A release folder with what its small files say: what the columns mean, the method and its public parameters.

    ``manifest`` is the whole manifest as it was read, for whoever checks what it states; ``parts`` are those of the
    data, none where it is one file. Every file but the parts is read once (``sources``): what is parsed, compared and
    hashed are the same bytes.
    """

    path: Path
    data: Path
    schema: Schema
    method: str
    parameters: Mapping[str, Any]
    manifest: Mapping[str, Any]
    parts: tuple[ReleasePart, ...] = ()
    sources: dict[str, Source] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, path: Path) -> ReleaseFolder:
        """Read schema and manifest; the data waits for the original it is coded after."""
        if not path.is_dir():
            what = "this is a file" if path.exists() else "there is no such folder"
            message = f"{path}: {what}; name the folder that 'tokumei anonymize' wrote"
            raise UnreadableError(message, file=str(path))
        manifest, sources = path / MANIFEST_NAME, dict[str, Source]()
        schema = _schema(path / SCHEMA_NAME, sources)
        whole = None if (path / DATA_FOLDER).is_dir() else _present(path, DATA_NAMES)
        try:
            sources[MANIFEST_NAME] = Source.read(manifest)
            document = json.loads(sources[MANIFEST_NAME].content())
            method, parameters = str(document.get("method", "")), dict(document.get("parameters", {}))
        except (ValueError, AttributeError, TypeError, RecursionError):
            message = f"{manifest}: this is not the manifest that 'tokumei anonymize' wrote; restore the release folder"
            raise UnreadableError(message, file=str(manifest)) from None
        parts = listed_parts(document, path)
        data = path / DATA_FOLDER if parts else whole or _present(path, DATA_NAMES)
        return cls(path, data, schema, method, parameters, document, parts, sources)

    @cached_property
    def content(self) -> Mapping[str, bytes]:
        """The bytes of every file of the folder by its name, without the parts of the data."""
        names = [entry.name for entry in sorted(self.path.iterdir()) if entry.is_file()]
        return {name: self._source(self.path / name).raw for name in names}

    @property
    def digests(self) -> Mapping[str, str]:
        """The SHA-256 of every file of the folder by its name; parts of the data as they are on the disk now."""
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in self.content.items()}
        for part in self.parts:
            with (self.path / part.name).open("rb") as stream:
                hashes[part.name] = hashlib.file_digest(stream, "sha256").hexdigest()
        return hashes

    def _source(self, file: Path) -> Source:
        """Return a file of the folder, which is read once; of parts nothing is kept."""
        if file.parent != self.path:
            return Source.read(file)
        if file.name not in self.sources:
            self.sources[file.name] = Source.read(file)
        return self.sources[file.name]

    @property
    def data_format(self) -> str:
        """The format of the data: ``csv``, ``parquet``, or Parquet with cells as text."""
        if self.data.suffix != ".parquet":
            return "csv"
        frame = open_table(self._source(self.data)).frame
        return "parquet" if is_typed(frame.schema, self.schema) else TEXT_PARQUET

    def release(self, history: History | None = None) -> Release:
        """Read the data; categories and steps are coded as in ``history``, which must have the same columns.

        Without a history the release is coded after itself alone, as somebody sees it who has nothing else.
        """
        data = [self.path / part.name for part in self.parts] or [self.data]
        release = self._table(data, self.schema, history)
        if columns_apart(self.schema):
            release = replace(release, apart=ApartValues.read(self.content, self.path))
        if not (self.path / PEOPLE_SCHEMA_NAME).is_file():
            return release
        if history is not None and history.people is None:
            message = f"{self.path}: the release has a table of people, and the original as it was read has none"
            raise SchemaError(message, file=str(self.path))
        schema = _schema(self.path / PEOPLE_SCHEMA_NAME, self.sources)
        people = None if history is None else history.people
        return replace(release, people=self._table([_present(self.path, PEOPLE_NAMES)], schema, people))

    def part(self, number: int, history: History | None = None) -> Release:
        """Read one part of the data, as `release` reads all of it; a history without records is enough to code it."""
        return self._table([self.path / self.parts[number].name], self.schema, history)

    def selected(self, chosen: Mapping[int, pl.Series], history: History) -> tuple[Release, list[Ints]]:
        """Read what some parts have under these pseudonyms; return it and, part by part, the places of its records."""
        frames = []
        for number, names in chosen.items():
            # A part of other types is told by its bytes; here it is read as any other.
            text = pl.scan_parquet(self.path / self.parts[number].name, glob=False).select(pl.all().cast(pl.String))
            table = text.with_row_index(_PLACE)
            frames.append(table.filter(pl.col("pseudonym").is_in(names.implode())).collect())
        _refuse_differing([self.path / self.parts[number].name for number in chosen], frames)
        frame = pl.concat(frames)
        places = [part[_PLACE].to_numpy().astype(np.int64) for part in frames]
        return self._decoded(frame.drop(_PLACE), self.data, self.schema, history), places

    def _table(self, files: Sequence[Path], schema: Schema, history: History | None) -> Release:
        data, lines = files[0], None
        if data.suffix == ".parquet":
            frames = [_cells_of(open_table(self._source(file)).frame, schema) for file in files]
            _refuse_differing(files, frames)
            frame = pl.concat(frames)
        else:
            text, _ = to_utf8(self._source(data).content(), str(data))
            records = parse_csv(text, str(data))
            frame, lines = records.frame[1:], records.lines[1:]
            frame.columns = _distinct(records.frame.row(0) if records.frame.height else (), data)
        return self._decoded(frame, data, schema, history, lines)

    def _decoded(
        self, frame: pl.DataFrame, data: Path, schema: Schema, history: History | None, lines: Ints | None = None
    ) -> Release:
        """Return the release of a table of texts, coded after ``history``, or after itself."""
        if history is not None:
            _refuse_other_schema(schema, history.schema, self.path)
            schema = _with_steps(schema, history.schema)
        labels = {} if history is None else category_labels(history, schema)
        categories = _own_categories(frame, schema) if history is None else _with_absence(history.categories)
        names = {name: known.unique().sort() for name, known in labels.items()}
        dictionaries = {**categories, **_with_absence(names)}
        release = release_from_text(frame, schema, dictionaries, file=str(data), lines=lines, method=self.method)
        opened = {
            name: expanded(cells, labels[name], categories[name]) if isinstance(cells, SetCells) else cells
            for name, cells in release.cells.items()
            if name in labels
        }
        return replace(release, parameters=self.parameters, cells={**release.cells, **opened}, labels=labels)


def _schema(file: Path, sources: dict[str, Source]) -> Schema:
    """Return a schema of a release folder, and keep its bytes among its ``sources``."""
    if not file.is_file():
        return Schema.read(file)
    sources[file.name] = source = Source.read(file)
    return Schema.read(file, source.raw)


def _cells_of(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Return the cells of a Parquet table as text, whichever of the two ways it has them."""
    return typed_text(frame, schema) if is_typed(frame.schema, schema) else frame.select(pl.all().cast(pl.String))


def _refuse_differing(files: Sequence[Path], frames: Sequence[pl.DataFrame]) -> None:
    """Raise UnreadableError if the parts of a table have not all the same columns."""
    for file, frame in zip(files, frames, strict=True):
        if frame.columns != frames[0].columns:
            message = f"{file}: this part has other columns than {files[0].name}; restore the release folder"
            raise UnreadableError(message, code="parts-differ", file=str(file))


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


def _own_categories(frame: pl.DataFrame, schema: Schema) -> dict[str, pl.Series]:
    """Return the dictionaries of a release that nothing else is known of."""
    nominal = [field.name for field in schema.fields if field.nominal and field.name in frame.columns]
    return {name: written_categories(frame[name]) for name in nominal}


def _refuse_other_schema(published: Schema, original: Schema, folder: Path) -> None:
    """Raise SchemaError if the columns of a release are not those of the original it is compared with.

    A release states the coarsest step that its own numbers allow (`ReleaseFacts.published_schema`).
    """
    ours, theirs = ({field.name: field for field in schema.fields} for schema in (published, original))
    differing = [
        name
        for name in sorted(ours.keys() | theirs.keys())
        if name not in ours or name not in theirs or not _comparable(ours[name], theirs[name])
    ]
    if differing:
        message = (
            f"{folder}: the release and the original as it was read differ in the column '{differing[0]}'; "
            f"read the original with the schema of the release: --schema {folder / SCHEMA_NAME}"
        )
        raise SchemaError(message, file=str(folder))


def _comparable(published: Field, original: Field) -> bool:
    """Return whether a field has the same kind in both, and steps of which one counts the other."""
    if published.kind is not original.kind:
        return False
    return published.kind is not Kind.NUMBER or Decimal(repr(published.step)) % Decimal(repr(original.step)) == 0


def _with_steps(published: Schema, original: Schema) -> Schema:
    """Return the schema of a release with the steps of the original, in which both are coded."""
    steps = {field.column: field.step for field in original.fields}
    columns = [replace(column, step=steps.get(column.name, column.step)) for column in published.columns]
    return replace(published, columns=tuple(columns))


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
