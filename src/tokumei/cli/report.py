"""``tokumei report``: one file (HTML or PDF) for those who must answer for a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.language import SpokenOption, spoken_words
from tokumei.cli.options import (
    AllowOption,
    FreshOption,
    LimitsOption,
    MemoryOption,
    OriginalOption,
    QuickOption,
    RecipientOption,
    ReleaseOption,
    allowed_by,
    opened,
)
from tokumei.cli.output import JsonFlag, check_targets, finish, progress_bars, refuse_in_release, warn

if TYPE_CHECKING:
    from rich.console import Console


def parse_levels(text: str | None, option: str) -> list[int]:
    """Return the k of a list such as ``2,3,5``."""
    from tokumei.errors import ParameterError

    levels = []
    for part in (text or "").split(","):
        if not part.strip():
            continue
        if not part.strip().isdecimal() or not 2 <= int(part) <= 10**9:
            message = f"{option} takes whole numbers of at least 2, separated by commas, such as 2,3,5; got '{text}'"
            raise ParameterError(message, code="usage")
        levels.append(int(part))
    return list(dict.fromkeys(levels))


def report(
    original: OriginalOption,
    release: ReleaseOption,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write: .html, or .pdf.")],
    secret: Annotated[
        Path | None,
        typer.Option("--secret", metavar="FILE", help="The secret file (default: RELEASE_DIR.secret, if it is there)."),
    ] = None,
    schema: Annotated[Path | None, typer.Option("--schema", metavar="S.toml", help="What the columns mean.")] = None,
    _language: SpokenOption = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k", min=2, help="The k that must hold (default: that of the manifest, else what the release aims at)."
        ),
    ] = None,
    k_curve: Annotated[
        str | None,
        typer.Option("--k-curve", metavar="2,3,5", help="Run the method again with these k for the trade-off."),
    ] = None,
    recipient: RecipientOption = None,
    limits: LimitsOption = None,
    quick: QuickOption = False,
    fresh: FreshOption = False,
    allow: AllowOption = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", min=0, help="Seconds for the audit; what was skipped is listed.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the audit and of the trade-off.")] = 0,
    frame: Annotated[
        str | None,
        typer.Option(
            "--frame",
            metavar="ppc|gdpr|iso27559|hipaa",
            help="Arrange the evidence as a dossier by the questions of a frame.",
        ),
    ] = None,
    public: Annotated[
        Path | None,
        typer.Option("--public", metavar="FILE", help="Also write a public summary in both languages (.html or .pdf)."),
    ] = None,
    author: Annotated[str, typer.Option("--author", metavar="NAME", help="Who answers for the document.")] = "",
    date: Annotated[str, typer.Option("--date", metavar="YYYY-MM-DD", help="The day it states (default: today).")] = "",
    _memory: MemoryOption = None,
    json: JsonFlag = False,
) -> None:
    """Write the internal report of a release: verdict, evidence, utility, limits; exit status 1 if it is unsafe.

    Example: tokumei report --original my.csv --release release --language ja -o report.html
    """
    from tokumei.audits import AuditSettings
    from tokumei.data import default_secret_path
    from tokumei.reports import (
        check_document,
        check_frame,
        collect_material,
        frame_report,
        identify,
        public_summary_page,
        release_report,
        write_document,
    )

    words = spoken_words()
    language = words.language
    if frame is not None:
        check_frame(frame)
    settings = AuditSettings(
        k=k,
        limits=allowed_by(recipient, limits),
        time_limit=time_limit,
        seed=seed,
        allow=allow or (),
        quick=quick,
        fresh=fresh,
    )
    levels = parse_levels(k_curve, "--k-curve")
    beside = default_secret_path(release)
    hidden_file = secret or (beside if beside.exists() else None)
    refuse_in_release(output, release, "the report", "it is internal")
    check_targets([output, public], original, hidden_file, schema)
    check_document(output, language)
    if public is not None:
        _refuse_same(output, public)
        refuse_in_release(public, release, "the public summary", "it is one file more there")
        # It has both languages.
        check_document(public, "ja")
    with progress_bars():
        reported = opened(original, release, schema, hidden_file)
        identity = identify(
            original, reported.folder, original_sha256=reported.original_sha256, date=date, author=author
        )
        material = collect_material(reported, settings, levels=levels, identity=identity)
        if frame is None:
            text = release_report(material, language=language)
        else:
            text = frame_report(material, frame, language=language)
        # The report tells which pseudonyms are protected worst: it is internal.
        size = write_document(output, text)
        if public is not None:
            write_document(public, public_summary_page(material), mode=None)
    warn(*material.warnings)
    outcome = material.verdict.outcome.value
    document = {
        "report": str(output),
        "language": language,
        "verdict": outcome,
        "k": material.k,
        "with_secret": material.with_secret,
        "bytes": size,
    }
    if frame is not None:
        document["frame"] = frame
    if public is not None:
        document["public"] = str(public)

    def show(console: Console) -> None:
        console.print(f"{output}: {words(f'word.{outcome}')} (k = {material.k})", style="bold")
        console.print(words("cli.internal"))
        if public is not None:
            console.print(words("cli.public", file=public))

    finish(document, json=json, show=show, status=int(outcome == "unsafe"))


def _refuse_same(output: Path, public: Path) -> None:
    """Raise ParameterError if the public summary would lie over the report."""
    from tokumei.errors import ParameterError

    if output.resolve() == public.resolve():
        message = f"-o and --public both name {output}; give the report and the public summary a file each"
        raise ParameterError(message, code="usage")
