"""A release that was made before is opened again, with the original and the secret that belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tokumei.data import History, Release, ReleaseFolder, Schema, Secret, read_secret
from tokumei.flow.gate import refuse_foreign_secret
from tokumei.flow.large import LargeRelease, is_large
from tokumei.profiles import read_history


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Opened:
    """A release with its original, its secret (None: not at hand) and the parameters that its manifest states.

    ``folder`` is where it was read from, None for a release that was only just made. Of a release that is too large to
    be held, ``whole`` counts what can be counted part by part, and all other values are those of a sample of people.
    """

    history: History
    release: Release
    secret: Secret | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    folder: ReleaseFolder | None = None
    whole: LargeRelease | None = None


def open_release(
    original: Any, folder: Path, *, schema: Schema | None = None, secret: Secret | Path | None = None
) -> Opened:
    """Read a release folder and its original, each file once; refuse a secret that belongs to another release.

    ``original`` is a file or a frame, read after ``schema`` (default: that of the release).
    """
    opened = ReleaseFolder.open(folder)
    if is_large(opened) and isinstance(original, (str, Path)) and not isinstance(secret, Secret):
        whole = LargeRelease.open(Path(original), opened, schema=schema, secret=secret)
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
    history = read_history(original, schema or opened.schema, refine=schema is None)
    release = opened.release(history)
    hidden = read_secret(secret) if isinstance(secret, Path) else secret
    if hidden is not None:
        refuse_foreign_secret(history, release, hidden)
    return Opened(history=history, release=release, secret=hidden, parameters=opened.parameters, folder=opened)
