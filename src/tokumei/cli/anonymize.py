"""``tokumei anonymize``: from a table to a release folder, with a plan before and a summary after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from tokumei.cli.options import SchemaOption, SecretOption, SubjectOption, original
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
from tokumei.errors import ParameterError
from tokumei.words import percent

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.audits import AuditResult
    from tokumei.data import History, Release, Score, Secret
    from tokumei.flow import Estimate, Plan, Published
    from tokumei.parts import Method

__all__ = ["anonymize"]


@dataclass(frozen=True, slots=True)
class _Job:
    """What is to be done: the data, the method and why it was chosen, the plan, and how long it may take."""

    history: History
    method: Method
    why: str
    plan: Plan
    expected: Estimate


def anonymize(
    data: Annotated[
        Path | None, typer.Argument(metavar="INPUT", help="CSV (.gz too) or Parquet file; a plan may name it.")
    ] = None,
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
    threads: ThreadsOption = None,
    secret: SecretOption = None,
    data_format: Annotated[str | None, typer.Option("--format", help="csv (default) or parquet.")] = None,
    seed: SeedOption = None,
    plan: Annotated[
        Path | None, typer.Option("--plan", metavar="P.toml", help="Run this plan, or run it again.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan, how long and how much; write nothing.")
    ] = False,
    save_plan: Annotated[
        Path | None, typer.Option("--save-plan", metavar="P.toml", help="With --dry-run: write the plan to review.")
    ] = None,
    skip_audit: Annotated[
        bool, typer.Option("--skip-audit", help="Hand out the release without the quick audit.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Make a release: a folder that can be handed out, and beside it the secret that must be kept."""
    from tokumei.flow import FORMATS, places_beside
    from tokumei.flow import stages as flow

    if data_format is not None and data_format not in FORMATS:
        message = f"--format must be csv or parquet, got '{data_format}'"
        raise ParameterError(message, code="usage")
    if output is None and not dry_run:
        message = "name the folder to create with -o RELEASE_DIR, or see the plan with --dry-run"
        raise ParameterError(message, code="usage")
    if output is not None:
        flow.check_places(output, secret, beside=list(places_beside(output).values()))
    asked = {"method": method, "k": k, "schema": schema, "subject": subject, "set": settings, "seed": seed}
    asked["format"] = data_format
    with progress_bars():
        job = _from_plan(data, plan, asked, threads) if plan is not None else _from_options(data, asked, threads)
    if dry_run:
        refuse_overwriting(save_plan, Path(job.plan.input), plan, schema)
        _finish_dry_run(job, output, save_plan, audit=not skip_audit, json=json)
    if save_plan is not None:
        message = "--save-plan goes with --dry-run; a run writes its plan beside the release"
        raise ParameterError(message, code="usage")
    assert output is not None
    with progress_bars(expected=job.expected.seconds):
        made = _run(job, output, secret, audit=not skip_audit)
    if skip_audit:
        warn("the audit was skipped: nobody has looked at what an attacker gets out of this release")
    if seed is not None:
        warn("this release was made from a seed: whoever guesses it can regenerate the pseudonyms; leave --seed out")
    _finish(job, made, seeded=seed is not None or (plan is not None and job.plan.seed is not None), json=json)


def _needed(data: Path | None) -> Path:
    if data is None:
        message = "name the file to anonymize: tokumei anonymize INPUT -o RELEASE_DIR"
        raise ParameterError(message, code="usage")
    return data


def _from_options(data: Path | None, asked: dict[str, Any], threads: int | None) -> _Job:
    from tokumei.flow import DEFAULT_METHOD, Plan, choose, estimate, file_hash, make_anonymizer

    path = _needed(data)
    settings = list(asked["set"] or [])
    # A wrong name or setting is told before a long file is read.
    make_anonymizer(asked["method"] or DEFAULT_METHOD, settings, k=asked["k"], threads=threads)
    history = original(path, asked["schema"], subject=asked["subject"])
    method, why = choose(history, method=asked["method"], k=asked["k"], settings=settings, threads=threads)
    plan = Plan.of(
        method,
        schema=history.schema,
        data_format=asked["format"] or "csv",
        input=str(path),
        input_sha256=file_hash(path),
        seed=asked["seed"],
    )
    return _Job(history, method, why, plan, estimate(history, method))


def _from_plan(data: Path | None, file: Path, asked: dict[str, Any], threads: int | None) -> _Job:
    from dataclasses import replace

    from tokumei.flow import Plan, choose, estimate, file_hash
    from tokumei.profiles import read_history

    given = [name for name, value in asked.items() if value is not None and value != []]
    if given:
        message = f"--plan already says what --{given[0]} would; change it in the plan, or leave --plan out"
        raise ParameterError(message, code="usage")
    plan = Plan.read(file)
    plan.anonymizer(threads=threads)
    path = data or (Path(plan.input) if plan.input else None)
    plan.check_input(_needed(path))
    history = read_history(_needed(path), plan.schema)
    settings = [f"{name}={value}" for name, value in plan.parameters.items()]
    method, _ = choose(history, method=plan.method, settings=settings, threads=threads)
    whole = replace(plan, schema=history.schema, input=str(path), input_sha256=file_hash(_needed(path)))
    return _Job(history, method, f"as the plan {file} says", whole, estimate(history, method))


@dataclass(frozen=True, slots=True)
class _Made:
    """What came out."""

    release: Release
    hidden: Secret
    utility: Score
    audited: AuditResult | None
    published: Published


def _run(job: _Job, output: Path, secret: Path | None, *, audit: bool) -> _Made:
    """Anonymize, audit and publish; the plan, with its seed, and the audit go beside the release."""
    import json as json_module
    from dataclasses import replace

    from tokumei.flow import fresh_seed, places_beside
    from tokumei.flow import stages as flow
    from tokumei.metrics import CellError

    plan = job.plan if job.plan.seed is not None else replace(job.plan, seed=fresh_seed())
    release, hidden = flow.anonymize(job.history, job.method, seed=plan.seed)
    # A seed of the system's entropy cannot be guessed: the audit need not warn of it.
    hidden = replace(hidden, seed=job.plan.seed)
    utility = CellError().measure(job.history, release, hidden)
    audited = flow.quick_audit(job.history, release, hidden, k=getattr(job.method, "k", None)) if audit else None
    places = places_beside(output)
    beside = {places["plan"]: plan.to_toml()}
    if audited is not None:
        beside[places["audit"]] = (
            json_module.dumps(audited.as_dict(), indent=2, ensure_ascii=False, default=float) + "\n"
        )
    published = flow.publish(
        job.history,
        release,
        hidden,
        output,
        method=job.method,
        secret_file=secret,
        data_format=plan.data_format,
        audited=audited,
        beside=beside,
    )
    return _Made(release, hidden, utility, audited, published)


def _finish_dry_run(job: _Job, output: Path | None, save: Path | None, *, audit: bool, json: bool) -> NoReturn:
    from tokumei.data import write_text
    from tokumei.flow import spoken

    if save is not None:
        write_text(save, job.plan.to_toml(secret=False))
        if not json:
            tell(f"{save} was written: review it, run it with --plan")
    history, expected = job.history, job.expected
    quick = "identical histories, candidates and posteriors of the strongest attacker"
    steps = [
        ("read", f"{job.plan.input}: {len(history):,} records of {len(history.subjects):,} subjects"),
        ("anonymize", f"{job.method.name} ({_settings(job.plan)}): {job.why}"),
        ("audit", quick if audit else "left out"),
        ("publish", _where(output, job.plan.data_format)),
    ]

    def show(console: Console) -> None:
        console.print("Plan (nothing was written)", style="bold")
        rows = [[step, what, spoken(expected.stages.get(step))] for step, what in steps]
        show_table(console, ["step", "what", "about"], rows)
        treated = [
            [column.name, _treatment(column.drop, column.keep), "" if column.drop else column.kind.value]
            for column in history.schema.columns
        ]
        show_table(console, ["column", "becomes", "kind"], [[history.schema.subject, "a pseudonym", ""], *treated])
        console.print(expected.sentence())

    document = {
        "dry_run": True,
        "method": job.method.name,
        "why": job.why,
        "parameters": dict(job.plan.parameters),
        "records": len(history),
        "subjects": len(history.subjects),
        "steps": dict(steps),
        "estimate": expected.as_dict(),
        "plan": job.plan.to_toml(secret=False),
    }
    finish(document, json=json, show=show)


def _settings(plan: Plan) -> str:
    return ", ".join(f"{name}={value}" for name, value in plan.parameters.items() if value != "")


def _where(output: Path | None, data_format: str) -> str:
    from tokumei.flow import places_beside

    if output is None:
        return "to the folder that -o names"
    from tokumei.data import default_secret_path

    beside = ", ".join(path.name for path in (default_secret_path(output), *places_beside(output).values()))
    return f"{output}/: data.{data_format}, schema.toml, summary.md, manifest.json; beside it, to keep: {beside}"


def _treatment(drop: bool, keep: bool) -> str:
    if drop:
        return "nothing (dropped)"
    return "itself (kept unchanged)" if keep else "generalized"


def _finish(job: _Job, made: _Made, *, seeded: bool, json: bool) -> NoReturn:
    from tokumei.data import cell_shares
    from tokumei.flow import places_beside

    folder, audited, history = made.published.folder, made.audited, job.history
    shares = cell_shares(made.release)
    real = int((made.hidden.rows >= 0).sum())
    beside = places_beside(folder)
    document = {
        "release": str(folder),
        "secret": str(made.published.secret_file),
        "plan": str(beside["plan"]),
        "method": job.method.name,
        "why": job.why,
        "parameters": dict(job.plan.parameters),
        "records": len(made.release),
        "records_original": len(history),
        "records_deleted": len(history) - real,
        "pseudonyms": made.published.manifest["pseudonyms"],
        "utility": made.utility.as_dict(),
        "cells": [{slot: getattr(one, slot) for slot in one.__slots__} for one in shares],
        "seeded": seeded,
        "audit": None if audited is None else audited.as_dict(),
    }

    def show(console: Console) -> None:
        deleted = len(history) - real
        console.print(
            f"{folder}: {len(made.release):,} of {len(history):,} records under "
            f"{made.published.manifest['pseudonyms']:,} pseudonyms",
            style="bold",
        )
        console.print(f"{job.method.name} ({_settings(job.plan)}): {job.why}", markup=False)
        rows = [
            [
                one.name,
                percent(made.utility.parts[one.name]),
                percent(one.exact),
                percent(one.generalized),
                percent(one.suppressed),
                one.typical,
            ]
            for one in shares
        ]
        show_table(console, ["column", "lost", "exact", "generalized", "withheld", "typical width"], rows)
        console.print(
            f"Information lost over all columns: {percent(made.utility.value)} (cell error, where a deleted record "
            f"counts fully); records deleted: {deleted:,} ({percent(deleted / max(len(history), 1))})."
        )
        if audited is not None:
            show_verdict(console, audited.verdict, audited.k, quick=True)
            if audited.verdict.outcome == "unsafe" and history.schema.kept:
                names = ", ".join(sorted({field.column for field in history.schema.kept}))
                console.print(f"- the attacker is taken to know the columns kept unchanged too: {names}", markup=False)
        private = [made.published.secret_file, beside["plan"], *([beside["audit"]] if audited is not None else [])]
        console.print(f"{_advice(folder, audited)} Keep to yourself: {', '.join(str(path) for path in private)}.")
        console.print(
            "The whole audit, with attacks: tokumei audit "
            f"--original {job.plan.input} --release {folder} --secret {made.published.secret_file}"
        )

    unsafe = audited is not None and audited.verdict.outcome.value == "unsafe"
    finish(document, json=json, show=show, status=int(unsafe))


def _advice(folder: Path, audited: AuditResult | None) -> str:
    if audited is None:
        return f"{folder} was not audited: do not hand it out before it is."
    if audited.verdict.outcome == "unsafe":
        return f"Do not hand out {folder}."
    if audited.verdict.outcome == "safe":
        return f"{folder} can be handed out as it is."
    return f"{folder} was not shown unsafe, which is no proof: weigh what stands above before you hand it out."
