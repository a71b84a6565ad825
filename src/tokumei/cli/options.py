"""The arguments that several commands of the flow share, and how the original is read from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.output import tell
from tokumei.errors import ParameterError
from tokumei.words import Message

if TYPE_CHECKING:
    from tokumei.audits import Limits
    from tokumei.data import History
    from tokumei.flow import Opened

INPUT_HELP = (
    "CSV, TSV, JSON lines (.gz too), Parquet, Excel (FILE#SHEET), a folder of parts, s3://BUCKET/PREFIX, or "
    "sqlite:///FILE#TABLE."
)


def where(text: str) -> Path:
    """Return where data is; what may hold a password is shown without it from here on."""
    from tokumei.data import input_path

    return input_path(text)


InputArgument = Annotated[Path, typer.Argument(metavar="INPUT", parser=where, help=INPUT_HELP)]
OptionalInput = Annotated[
    Path | None, typer.Argument(metavar="INPUT", parser=where, help=f"{INPUT_HELP} A plan may name it.")
]
SchemaOption = Annotated[
    Path | None, typer.Option("--schema", metavar="S.toml", help="What the columns mean; inferred if left out.")
]
SubjectOption = Annotated[
    str | None,
    typer.Option("--subject", metavar="COLUMN", help="The column that says whose record it is ('row': each its own)."),
]
OriginalOption = Annotated[Path, typer.Option("--original", metavar="INPUT", parser=where, help="The original data.")]
ReleaseOption = Annotated[Path, typer.Option("--release", metavar="RELEASE_DIR", help="The folder of the release.")]
SecretOption = Annotated[
    Path | None, typer.Option("--secret", metavar="FILE", help="The secret file (default: RELEASE_DIR.secret).")
]

RecipientOption = Annotated[
    str | None,
    typer.Option(
        "--recipient",
        metavar="public|partner|internal",
        help="Who gets the release: its limits then decide about all five questions.",
    ),
]
LimitsOption = Annotated[
    Path | None, typer.Option("--limits", metavar="L.toml", help="Limits of your own (default: those of the program).")
]
QuickOption = Annotated[
    bool, typer.Option("--quick", help="Do not run the method again; one attacker who knows little, on fewer people.")
]
FreshOption = Annotated[
    bool, typer.Option("--fresh", help="Compute everything again, even what was kept beside the release.")
]


def allowed_by(recipient: str | None, limits: Path | None, *, ledger: bool = False) -> Limits | None:
    """Return the limits of the recipient that is named, None if none is; nothing is searched beside a ledger."""
    from tokumei.audits import Limits

    if recipient is not None and ledger:
        message = "a release for a recipient is searched without a ledger; give --recipient or --ledger"
        raise ParameterError(message, code="usage")
    if recipient is not None:
        return Limits.read(recipient, limits)
    if limits is not None:
        message = "--limits goes with --recipient, which names the table of limits that applies"
        raise ParameterError(message, code="usage")
    return None


ContentOption = Annotated[
    str | None,
    typer.Option(
        "--content",
        metavar="tight|grid|strong",
        help="What contents show: exact ends, public grids (default where a method generalizes), or coarser ones.",
    ),
]
AllowOption = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="COLUMN", help="Publish this column although it seems to name people; repeatable."),
]


def _limited(context: typer.Context, gigabytes: float | None) -> float | None:
    """Allow so much memory until the command ends."""
    if gigabytes is not None:
        from tokumei.data import LEAST_GIGABYTES, memory_limit

        if gigabytes < LEAST_GIGABYTES:
            message = f"--memory {gigabytes:g} is less than the program itself takes; give at least {LEAST_GIGABYTES}"
            raise ParameterError(message, code="usage")
        context.with_resource(memory_limit(gigabytes))
    return gigabytes


MemoryOption = Annotated[
    float | None,
    typer.Option("--memory", metavar="GB", callback=_limited, help="Gigabytes to use (default: half of all)."),
]


def refuse_both(schema: Path | None, subject: str | None) -> None:
    """Raise ParameterError if both --schema and --subject say whose history it is."""
    if schema is not None and subject is not None:
        raise ParameterError("--subject and --schema both say whose history it is; give one of them", code="usage")


def original(
    path: Path, schema: Path | None, *, subject: str | None = None, wanted: int | None = None, seed: int = 0
) -> History:
    """Read the original after the schema that was given, else after itself; of one that is not held, some people.

    ``wanted`` is how many people are asked for (default: all).
    """
    from tokumei.data import Schema, exceeds_memory
    from tokumei.flow import some_subjects
    from tokumei.profiles import read_history, some_people

    refuse_both(schema, subject)
    meaning = None if schema is None else Schema.read(schema)
    large = exceeds_memory(path)
    if large:
        history, people = some_people(path, meaning, subject=subject)
    else:
        history = read_history(path, meaning, subject=subject, confirmed=True)
    if wanted is not None:
        history = some_subjects(history, wanted, seed=seed)
    if large:
        _tell_sampled(path, len(history.subjects), people)
    return history


def _tell_sampled(path: Path, sampled: int, people: int) -> None:
    tell(f"{path} is too large to be held: {Message('warning.sampled', {'people': sampled, 'all': people})}")


def opened(original: Path, release: Path, schema: Path | None, secret: Path | None) -> Opened:
    """Open a release folder beside its original; the secret is read if it is named."""
    from tokumei.data import Schema
    from tokumei.flow import open_release

    found = open_release(original, release, schema=None if schema is None else Schema.read(schema), secret=secret)
    if found.whole is not None:
        _tell_sampled(release, len(found.history.subjects), len(found.whole.survey.subjects))
    return found
