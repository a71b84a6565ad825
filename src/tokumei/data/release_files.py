"""The bytes of a release: one text for one content, so that a file can say nothing beside what it says.

Cells have one text (`tokumei.data.cell_text`), rows are sorted as text, CSV is quoted only where it must be, the schema
and the manifest have one layout. Whoever writes a release takes its files from here; whoever judges one makes them
again and demands equality byte by byte (`tokumei.audits.published_bytes`).
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.cells import SetCells
from tokumei.data.history import Release
from tokumei.data.release_facts import ReleaseFacts
from tokumei.data.release_frames import typed_frame
from tokumei.errors import ParameterError

SCHEMA_NAME, SUMMARY_NAME, MANIFEST_NAME, PEOPLE_SCHEMA_NAME = (
    "schema.toml",
    "summary.md",
    "manifest.json",
    "people.toml",
)
# Parquet with cells as text, as it was written before 0.3 and still is in parts.
TEXT_PARQUET = "parquet-text"
# Rows per group of a Parquet file; stated, because a default may change.
ROW_GROUP = 262_144


# The metadata of a package are a file that is read and parsed anew each time: a release and its audit ask five times.
_version = cache(version)


def made_by() -> dict[str, str]:
    """Return the versions that write a release now: tokumei and the libraries that its bytes depend on."""
    return {name: _version(name) for name in ("tokumei", "numpy", "polars")}


def text_order(release: Release) -> Ints:
    """Return the rows sorted as text, column by column."""
    return sorted_rows(release.text())


def sorted_rows(text: pl.DataFrame) -> Ints:
    """Return the rows of a table of texts in their one order."""
    # A stable sort breaks ties between equal records: it moves rows that nobody can tell apart.
    # Columns go by number: a name of the data could mean something to polars.
    text = text.rename({name: str(number) for number, name in enumerate(text.columns)})
    return text.select(pl.arg_sort_by(text.columns, maintain_order=True)).to_series().to_numpy().astype(np.int64)


def table_bytes(release: Release, data_format: str, text: pl.DataFrame | None = None) -> bytes:
    """Return the data of a release as a file of this format, in the order of its records.

    ``text`` is that of the release, if somebody has made it already.
    """
    buffer = io.BytesIO()
    if data_format == "parquet":
        typed_frame(release).rechunk().write_parquet(buffer, row_group_size=ROW_GROUP)
        return buffer.getvalue()
    text = release.text() if text is None else text
    if data_format == TEXT_PARQUET:
        text.rechunk().write_parquet(buffer, row_group_size=ROW_GROUP)
    else:
        _refuse_control_characters(release)
        text.write_csv(buffer)
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
    text: pl.DataFrame | None = None,
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return the bytes of every file of a release folder by name, and its manifest.

    ``versions`` are those that the manifest states (default: the installed ones, `made_by`), ``text`` is that of
    the release, if somebody has made it already.
    """
    ending = "csv" if data_format == "csv" else "parquet"
    files = {f"data.{ending}": table_bytes(release, data_format, text)}
    if release.people is not None:
        files[f"people.{ending}"] = table_bytes(release.people, data_format)
        files[PEOPLE_SCHEMA_NAME] = ReleaseFacts.of(release.people).published_schema().to_toml().encode()
    if release.apart is not None:
        files |= release.apart.files()
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    texts, manifest = folder_texts(
        ReleaseFacts.of(release), hashes, parameters=parameters, summary=summary, versions=versions
    )
    return {**files, **texts}, manifest


def folder_texts(
    facts: ReleaseFacts,
    hashes: Mapping[str, str],
    *,
    parts: Sequence[Mapping[str, Any]] = (),
    parameters: Mapping[str, Any] | None = None,
    summary: str | None = None,
    versions: Mapping[str, str] | None = None,
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return schema, summary and manifest of a release by name, and the manifest, from what is known of its data.

    ``hashes`` are those of all other files; ``parts`` lists the data where it is in parts.
    """
    files = {SCHEMA_NAME: facts.published_schema().to_toml().encode()}
    if summary is not None:
        files[SUMMARY_NAME] = summary.encode()
    libraries = dict(versions or made_by())
    stated = {**hashes, **{name: hashlib.sha256(content).hexdigest() for name, content in files.items()}}
    manifest: dict[str, Any] = {
        "tokumei": libraries.pop("tokumei"),
        "versions": libraries,
        "method": facts.method,
        "parameters": dict(parameters or {}),
        "records": facts.records,
        "pseudonyms": facts.pseudonyms,
        "files": {name: stated[name] for name in sorted(stated)},
    }
    if parts:
        manifest["parts"] = [dict(part) for part in parts]
    files[MANIFEST_NAME] = (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()
    return files, manifest
