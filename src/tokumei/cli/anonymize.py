"""``tokumei anonymize``: from a table to a release folder, with a plan before and a summary after."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from tokumei.cli.bounding import BoundFlag, show_gap
from tokumei.cli.language import SpokenOption, heads, spoken_words
from tokumei.cli.ledger import (
    EncryptFlag,
    LedgerOption,
    PseudonymsOption,
    books_of,
    new_lock,
    refuse_in_parts,
    show_booking,
    warn_of_strangers,
)
from tokumei.cli.options import (
    AllowOption,
    ContentOption,
    LimitsOption,
    MemoryOption,
    OptionalInput,
    RecipientOption,
    SchemaOption,
    SecretOption,
    SubjectOption,
    allowed_by,
    refuse_both,
)
from tokumei.cli.out_of_core import ClusterOption, EngineOption, ResumeOption, in_parts, running_of
from tokumei.cli.output import (
    JsonFlag,
    SeedOption,
    SettingsOption,
    ThreadsOption,
    finish,
    progress_bars,
    refuse_overwriting,
    registered,
    show_table,
    show_verdict,
    tell,
    warn,
)
from tokumei.cli.plans import finish_dry_run, how_made, where_to
from tokumei.cli.recipients import found_for, show_tried
from tokumei.errors import ParameterError
from tokumei.progress import taking_what_there_is, was_ended_early
from tokumei.words import Message, percent, typical_width

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.audits import AuditResult
    from tokumei.data import History
    from tokumei.flow import Made, Plan, Published, Tried
    from tokumei.methods import Gap

PatienceOption = Annotated[
    float | None,
    typer.Option(
        "--patience",
        min=0,
        max=1,
        metavar="SHARE",
        help="Search on while a pass saves this share of the loss (default: 0.002; 0: until nothing gains).",
    ),
]


def anonymize(
    data: OptionalInput = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="RELEASE_DIR", help="The folder to create.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="See 'tokumei methods' (default: the safest good one, k-anonymity).",
            autocompletion=registered("methods"),
        ),
    ] = None,
    k: Annotated[int | None, typer.Option("--k", help="How many subjects must look alike (default: 3).")] = None,
    schema: SchemaOption = None,
    subject: SubjectOption = None,
    settings: SettingsOption = None,
    content: ContentOption = None,
    allow: AllowOption = None,
    threads: ThreadsOption = None,
    secret: SecretOption = None,
    data_format: Annotated[str | None, typer.Option("--format", help="csv (default) or parquet.")] = None,
    seed: SeedOption = None,
    recipient: RecipientOption = None,
    limits: LimitsOption = None,
    patience: PatienceOption = None,
    plan: Annotated[
        Path | None, typer.Option("--plan", metavar="P.toml", help="Run this plan, or run it again.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan, how long and how much; write nothing.")
    ] = False,
    save_plan: Annotated[
        Path | None, typer.Option("--save-plan", metavar="P.toml", help="With --dry-run: write the plan to review.")
    ] = None,
    ledger: LedgerOption = None,
    pseudonyms: PseudonymsOption = None,
    encrypt: EncryptFlag = False,
    skip_audit: Annotated[
        bool, typer.Option("--skip-audit", help="Hand out the release without the quick audit.")
    ] = False,
    bound: BoundFlag = False,
    engine: EngineOption = None,
    cluster: ClusterOption = None,
    memory: MemoryOption = None,
    resume: ResumeOption = None,
    _language: SpokenOption = None,
    json: JsonFlag = False,
) -> None:
    """Make a release: a folder for others, and beside it the secret that must be kept."""
    from tokumei.flow import (
        Running,
        Size,
        check_places,
        complete,
        estimate,
        foresee_parts,
        needs_parts,
        open_input,
        places_of,
        refuse_unproven,
        release,
        release_gap,
    )

    _refuse_usage(data_format, bound=bound and recipient is not None, nowhere=output is None and not dry_run)
    if output is not None:
        check_places(places_of(output, secret))
    lock = new_lock(output, encrypt=encrypt and not dry_run)
    books = books_of(ledger, pseudonyms, output, lock)
    allowed = allowed_by(recipient, limits, ledger=ledger is not None)
    asked: dict[str, Any] = {"method": method, "k": k, "schema": schema, "subject": subject, "set": settings}
    asked |= {"seed": seed, "format": data_format, "allow": allow, "patience": patience, "content": content}
    running = running_of(engine, cluster, memory, resume, threads=threads)
    if resume is not None and running is None and not needs_parts(data, None):
        settings = [*(settings or []), f"resume={resume}"]
        asked["set"] = settings
    with progress_bars():
        wanted = _asked(data, asked) if plan is None else _planned(plan, asked)
        source = _needed(data, wanted.input)
        if needs_parts(source, running):
            refuse_in_parts(books, lock, bound=bound)
            how = running or Running(workers=threads or os.cpu_count() or 1, resume=resume)
            if output is not None and not dry_run:
                in_parts(source, wanted, places_of(output, secret), how, subject=subject, json=json)
            whole, size, expected = foresee_parts(source, wanted, how, subject=subject)
            data_name, skip_audit = spoken_words()("cli.in-parts"), True
        else:
            history, opened = open_input(source, wanted, subject=subject)
            whole, chosen = complete(history, opened, threads=threads)
            if bound:
                refuse_unproven(replace(history, schema=whole.schema or history.schema), chosen)
            size, expected = Size.of(history), estimate(history, chosen)
            data_name = f"data.{whole.data_format}"
    if dry_run:
        refuse_overwriting(save_plan, source, plan, schema)
        where = where_to(output, data_name)
        finish_dry_run(size, whole, expected, where, save_plan, audit=not skip_audit, json=json)
    if save_plan is not None:
        message = "--save-plan goes with --dry-run; a run writes its plan beside the release"
        raise ParameterError(message, code="usage")
    assert output is not None
    with progress_bars(expected=expected.seconds), taking_what_there_is():
        made, tried = (
            (release(history, whole, threads=threads, audit=not skip_audit, books=books), None)
            if allowed is None
            else found_for(history, opened, allowed, threads=threads)
        )
        published = made.write(output, secret_file=secret, lock=lock)
        gap = release_gap(made, threads=threads or os.cpu_count() or 1) if bound else None
    _tell_reading(history, subject, inferred=wanted.schema is None, json=json)
    _warn_of(skip_audit=skip_audit, seeded=seed is not None)
    _finish(made, published, tried, gap, json=json)


def _refuse_usage(data_format: str | None, *, bound: bool, nowhere: bool) -> None:
    """Raise ParameterError if options contradict each other, before anything is read."""
    from tokumei.flow import FORMATS

    message = None
    if data_format is not None and data_format not in FORMATS:
        message = f"--format must be csv or parquet, got '{data_format}'"
    elif nowhere:
        message = "name the folder to create with -o RELEASE_DIR, or see the plan with --dry-run"
    elif bound:
        message = "--bound proves a floor for one setting, and --recipient searches several; give one of them"
    if message is not None:
        raise ParameterError(message, code="usage")


def _warn_of(*, skip_audit: bool, seeded: bool) -> None:
    if was_ended_early():
        warn(Message("cli.ended"))
    if skip_audit:
        warn(Message("cli.skipped-audit"))
    if seeded:
        warn(Message("cli.seeded"))


def _tell_reading(history: History, named: str | None, *, inferred: bool, json: bool) -> None:
    """Tell what reading decided and left out and, where no schema says it, whose records they were taken for."""
    words = spoken_words()
    for note in () if json else history.notes:
        tell(f"! {words.say(note)}")
    if json or not inferred:
        return
    values = {"subject": history.schema.subject, "people": len(history.subjects), "records": len(history)}
    why = Message("subject.named") if named is not None else Message("subject.inferred")
    tell(words.say(Message("subject.taken", {**values, "why": why})))


def _needed(data: Path | None, planned: str = "") -> Path:
    """Return the input: the file that is named, else that of the plan."""
    from tokumei.data import input_path

    if data is None and not planned:
        message = "name the file to anonymize: tokumei anonymize INPUT -o RELEASE_DIR"
        raise ParameterError(message, code="usage")
    return data or input_path(planned)


def _asked(data: Path | None, asked: dict[str, Any]) -> Plan:
    """Return the plan that the options ask for; a wrong name or setting is told before a long file is read."""
    from tokumei.data import Schema
    from tokumei.flow import DEFAULT_METHOD, plan_of
    from tokumei.parts import find_part, parse_settings

    _needed(data)
    settings = parse_settings(find_part("anonymizer", asked["method"] or DEFAULT_METHOD), asked["set"] or [])
    if asked["patience"] is not None:
        settings |= {"patience": asked["patience"]}
    plan = plan_of(
        asked["method"],
        settings,
        k=asked["k"],
        data_format=asked["format"] or "csv",
        seed=asked["seed"],
        allow=tuple(asked["allow"] or ()),
        content=asked["content"] or "",
    )
    if asked["schema"] is None:
        return plan
    refuse_both(asked["schema"], asked["subject"])
    return replace(plan, schema=Schema.read(asked["schema"]))


def _planned(file: Path, asked: dict[str, Any]) -> Plan:
    """Return the plan of a file."""
    from tokumei.flow import Plan

    given = [name for name, value in asked.items() if value is not None and value != []]
    if given:
        message = f"--plan already says what --{given[0]} would; change it in the plan, or leave --plan out"
        raise ParameterError(message, code="usage")
    plan = replace(Plan.read(file), why=Message("cli.why-plan", {"file": file}))
    plan.make_method()
    return plan


def _finish(
    made: Made, published: Published, tried: Sequence[Tried] | None, gap: Gap | None, *, json: bool
) -> NoReturn:
    from tokumei.flow import told_contents

    places, audited, history, plan = published.places, made.audit, made.history, made.plan
    folder = places.folder
    shares, before, after = made.shares, len(history), len(made.release)
    deleted = before - int((made.secret.rows >= 0).sum())
    document = {
        "release": str(folder),
        "secret": str(places.secret),
        "plan": str(places.plan),
        "method": plan.method,
        "why": plan.why,
        "parameters": plan.deciding,
        "content": plan.content,
        "contents": [str(message) for message in told_contents(plan)],
        "records": after,
        "records_original": before,
        "records_deleted": deleted,
        "pseudonyms": published.manifest["pseudonyms"],
        "utility": made.utility.as_dict(),
        "cells": [{slot: getattr(one, slot) for slot in one.__slots__} for one in shares],
        "seeded": made.secret.seed is not None,
        "tried": None if tried is None else [one.as_dict() for one in tried],
        "audit": None if audited is None else audited.as_dict(),
        "bound": None if gap is None else gap.as_dict(),
        "ledger": None if made.booking is None else made.booking.as_dict(),
    }

    if made.booking is not None:
        warn_of_strangers(made.booking)
    words = spoken_words()

    def show(console: Console) -> None:
        pseudonyms = published.manifest["pseudonyms"]
        console.print(
            words("cli.released", folder=folder, after=after, before=before, pseudonyms=pseudonyms), style="bold"
        )
        console.print(how_made(plan, words), markup=False)
        for message in told_contents(plan):
            console.print(words.say(message), markup=False)
        rows = [
            [
                one.name,
                percent(made.utility.parts[one.name]),
                percent(one.exact),
                percent(one.generalized),
                percent(one.suppressed),
                typical_width(one.typical, words),
            ]
            for one in shares
        ]
        show_table(console, heads("column", "lost", "exact", "generalized", "withheld", "typical"), rows)
        gone = {"deleted": deleted, "share": deleted / max(before, 1)}
        console.print(words("cli.all-lost", lost=made.utility.value, **gone))
        if gap is not None:
            show_gap(console, gap)
        if made.booking is not None:
            show_booking(console, made.booking)
        if audited is not None:
            show_tried(console, tried or ())
            show_verdict(console, audited.verdict, audited.k, quick=True, recipient=audited.recipient)
            if audited.verdict.outcome == "unsafe" and history.schema.kept:
                names = ", ".join(sorted({field.column for field in history.schema.kept}))
                console.print(f"- {words('cli.known-kept', columns=names)}", markup=False)
        private = [places.secret, places.plan, *([places.audit] if audited is not None else [])]
        keep = words("cli.keep", files=", ".join(str(path) for path in private))
        console.print(f"{words(_advice(audited), folder=folder)} {keep}")
        command = (
            f"tokumei audit --original {plan.input} --release {folder} --secret {places.secret}"
            f"{'' if made.booking is None else f' --ledger {made.booking.ledger.folder}'}"
        )
        console.print(words("cli.whole-audit", command=command))

    unsafe = audited is not None and audited.verdict.outcome.value == "unsafe"
    finish(document, json=json, show=show, status=int(unsafe))


def _advice(audited: AuditResult | None) -> str:
    """Return the key of what to do with the release."""
    if audited is None:
        return "cli.not-audited"
    if audited.verdict.outcome == "unsafe":
        return "cli.do-not"
    return "cli.names-safe" if audited.verdict.outcome == "safe" else "cli.no-proof"
