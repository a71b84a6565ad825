"""A release that was made before is opened again, with the original and the secret that belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tokumei.data import History, Release, ReleaseFolder, Schema, Secret, input_path, read_data, read_secret_and_lock
from tokumei.flow.gate import refuse_foreign_secret
from tokumei.flow.large import LargeRelease, is_large
from tokumei.profiles import read_history


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Opened:
    """A release with its original, its secret (None: not at hand) and the parameters that its manifest states.

    ``folder`` is where it was read from, None for a release that was only just made. Of a release that is too large to
    be held, ``whole`` counts what can be counted part by part, and all other values are those of a sample of people.
    ``original_sha256`` is of the file of the original, nothing if it was none; ``sealed`` says whether the file of the
    secret is encrypted, None if none was read.
    """

    history: History
    release: Release
    secret: Secret | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    folder: ReleaseFolder | None = None
    whole: LargeRelease | None = None
    original_sha256: str = ""
    sealed: bool | None = None


def _with_choices(history: History, published: Schema) -> History:
    """Return the history with the grids and demands of its release: whoever runs the method again has them too."""
    chosen = {column.name: column for column in published.columns}
    columns = [
        replace(column, grid=one.grid, rare=one.rare, sensitive=one.sensitive or column.sensitive, demand=one.demand)
        if (one := chosen.get(column.name)) is not None
        else column
        for column in history.schema.columns
    ]
    return replace(history, schema=replace(history.schema, columns=tuple(columns)))


def open_release(
    original: Any, folder: Path, *, schema: Schema | None = None, secret: Secret | Path | None = None
) -> Opened:
    """Read a release folder and its original, each file once; refuse a secret that belongs to another release.

    ``original`` is a file or a frame, read after ``schema`` (default: that of the release).
    """
    opened = ReleaseFolder.open(folder)
    if is_large(opened) and isinstance(original, (str, Path)) and not isinstance(secret, Secret):
        whole = LargeRelease.open(input_path(original), opened, schema=schema, secret=secret)
        sample = whole.sample()
        return Opened(
            history=sample.history,
            release=sample.release,
            secret=sample.secret,
            parameters=opened.parameters,
            folder=opened,
            whole=whole,
        )
    # A release states the steps of what it publishes; the original may be finer.
    file = input_path(original) if isinstance(original, (str, Path)) else None
    source = None if file is None or file.is_dir() else read_data(file)
    history = read_history(source or original, schema or opened.schema, refine=schema is None)
    if schema is not None:
        history = _with_choices(history, opened.schema)
    release = opened.release(history)
    hidden, lock = read_secret_and_lock(secret) if isinstance(secret, Path) else (secret, None)
    if hidden is not None:
        refuse_foreign_secret(history, release, hidden)
    return Opened(
        history=history,
        release=release,
        secret=hidden,
        parameters=opened.parameters,
        folder=opened,
        original_sha256="" if source is None else source.sha256,
        sealed=lock is not None if isinstance(secret, Path) else None,
    )
