"""The bytes of a release: one text for one content, so that a file can say nothing beside what it says.

Cells have one text (`tokumei.data.cell_text`), rows are sorted as text, CSV is quoted only where it must be, the schema
and the manifest have one layout. Whoever writes a release takes its files from here; whoever judges one makes them
again and demands equality byte by byte (`tokumei.audits.published_bytes`).
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from importlib.metadata import version
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.cells import RangeCells, SetCells
from tokumei.data.history import Release
from tokumei.data.schema import Column, Kind, Schema
from tokumei.errors import ParameterError

SCHEMA_NAME, SUMMARY_NAME, MANIFEST_NAME, PEOPLE_SCHEMA_NAME = (
    "schema.toml",
    "summary.md",
    "manifest.json",
    "people.toml",
)
# Rows per group of a Parquet file; stated, because a default may change.
ROW_GROUP = 262_144


def made_by() -> dict[str, str]:
    """Return the versions that write a release now: tokumei and the libraries that its bytes depend on."""
    return {name: version(name) for name in ("tokumei", "numpy", "polars")}


def text_order(release: Release) -> Ints:
    """Return the rows sorted as text, column by column."""
    text = release.text()
    # A stable sort breaks ties between equal records: it moves rows that nobody can tell apart.
    # Columns go by number: a name of the data could mean something to polars.
    text.columns = [str(number) for number in range(text.width)]
    return text.select(pl.arg_sort_by(text.columns, maintain_order=True)).to_series().to_numpy().astype(np.int64)


def published_schema(release: Release) -> Schema:
    """Return the schema as a release states it: the step of a number is the coarsest that its published ends allow.

    The step of the original would show that somebody's value has more decimals than all that is published. Columns
    that are not published are not named.
    """
    columns = [_coarsened(column, release) for column in release.schema.columns if not column.drop]
    return replace(release.schema, columns=tuple(columns))


def _coarsened(column: Column, release: Release) -> Column:
    if column.kind not in (Kind.NUMBER, Kind.PLACE) or column.step >= 1.0:
        return column
    ends = [np.zeros(1, dtype=np.int64)]
    for field in column.fields():
        cells = release.cells[field.name]
        if isinstance(cells, RangeCells):
            ends += [cells.lo[~cells.suppressed], cells.hi[~cells.suppressed]]
    common = int(np.gcd.reduce(np.concatenate(ends)))
    step, factor = Decimal(repr(column.step)), 1
    while common % (factor * 10) == 0 and step * factor * 10 <= 1:
        factor *= 10
    return replace(column, step=float(step * factor))


def table_bytes(release: Release, data_format: str) -> bytes:
    """Return the data of a release as a file of this format, in the order of its records."""
    buffer = io.BytesIO()
    if data_format == "parquet":
        release.text().rechunk().write_parquet(buffer, row_group_size=ROW_GROUP)
    else:
        _refuse_control_characters(release)
        release.text().write_csv(buffer)
    return buffer.getvalue()


def _refuse_control_characters(release: Release) -> None:
    """Raise ParameterError if categories hold bytes that no CSV text has; Parquet input may bring them."""
    for name, cells in release.cells.items():
        if isinstance(cells, SetCells) and cells.categories.str.contains("[\\x00-\\x08]").any():
            message = f"the column '{name}' holds control characters, which CSV cannot carry; write Parquet (--format)"
            raise ParameterError(message)


def folder_files(
    release: Release,
    *,
    parameters: Mapping[str, Any] | None = None,
    data_format: str = "csv",
    summary: str | None = None,
    versions: Mapping[str, str] | None = None,
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return the bytes of every file of a release folder by name, and its manifest.

    ``versions`` are those that the manifest states (default: the installed ones, `made_by`).
    """
    files = {
        f"data.{data_format}": table_bytes(release, data_format),
        SCHEMA_NAME: published_schema(release).to_toml().encode(),
    }
    if release.people is not None:
        files[f"people.{data_format}"] = table_bytes(release.people, data_format)
        files[PEOPLE_SCHEMA_NAME] = published_schema(release.people).to_toml().encode()
    if summary is not None:
        files[SUMMARY_NAME] = summary.encode()
    libraries = dict(versions or made_by())
    manifest = {
        "tokumei": libraries.pop("tokumei"),
        "versions": libraries,
        "method": release.method,
        "parameters": dict(parameters or {}),
        "records": len(release),
        "pseudonyms": release.pseudonyms.n_unique(),
        "files": {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)},
    }
    files[MANIFEST_NAME] = (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()
    return files, manifest
