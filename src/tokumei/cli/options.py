"""The arguments that several commands of the flow share, and how the original is read from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.errors import ParameterError

if TYPE_CHECKING:
    from tokumei.data import History

__all__ = [
    "InputArgument",
    "OriginalOption",
    "ReleaseOption",
    "SchemaOption",
    "SecretOption",
    "SubjectOption",
    "original",
]

InputArgument = Annotated[Path, typer.Argument(metavar="INPUT", help="CSV (.gz too) or Parquet file.")]
SchemaOption = Annotated[
    Path | None, typer.Option("--schema", metavar="S.toml", help="What the columns mean; inferred if left out.")
]
SubjectOption = Annotated[
    str | None,
    typer.Option("--subject", metavar="COLUMN", help="The column that says whose record it is ('row': each its own)."),
]
OriginalOption = Annotated[Path, typer.Option("--original", metavar="INPUT", help="The original data.")]
ReleaseOption = Annotated[Path, typer.Option("--release", metavar="RELEASE_DIR", help="The folder of the release.")]
SecretOption = Annotated[
    Path | None, typer.Option("--secret", metavar="FILE", help="The secret file (default: RELEASE_DIR.secret).")
]


def original(path: Path, schema: Path | None, *, release: Path | None = None, subject: str | None = None) -> History:
    """Read the original after the schema that was given, else after that of its release, else after itself."""
    from tokumei.data import Schema, read_release_schema
    from tokumei.profiles import read_history

    if schema is not None:
        if subject is not None:
            message = "--subject and --schema both say whose history it is; give one of them"
            raise ParameterError(message, code="usage")
        return read_history(path, Schema.read(schema))
    return read_history(path, None if release is None else read_release_schema(release), subject=subject)
