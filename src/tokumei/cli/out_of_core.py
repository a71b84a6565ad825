"""``tokumei anonymize`` of data that need not fit into memory: its options, and what it tells at the end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from tokumei.cli.output import finish, progress_bars, show_table, warn
from tokumei.errors import ParameterError
from tokumei.words import percent

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.flow import MadeInParts, Places, Plan, Running

EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="threads|processes|dask",
        help="Work out of core, on this engine (default for a folder of parts: threads).",
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="The Dask scheduler to use (default: one on this machine)."),
]
ResumeOption = Annotated[
    Path | None,
    typer.Option("--resume", metavar="FOLDER", help="Keep finished work there; the same command then continues."),
]


def running_of(
    engine: str | None, cluster: str | None, memory: float | None, resume: Path | None, *, threads: int | None
) -> Running | None:
    """Return how to work out of core, None if no option asks for it."""
    from tokumei.engine import ENGINES
    from tokumei.flow import Running

    if engine is None and cluster is None and memory is None:
        return None
    if engine is not None and engine not in ENGINES:
        raise ParameterError(f"--engine must be one of {', '.join(ENGINES)}, got '{engine}'", code="usage")
    if cluster is not None and engine not in (None, "dask"):
        message = f"--cluster names a Dask scheduler, which --engine {engine} does not use; leave one of them out"
        raise ParameterError(message, code="usage")
    chosen = "dask" if cluster is not None else engine or "threads"
    return Running(engine=chosen, workers=threads or os.cpu_count() or 1, cluster=cluster, memory=memory, resume=resume)


def in_parts(
    source: Path, plan: Plan, places: Places, running: Running, *, subject: str | None, json: bool
) -> NoReturn:
    """Make a release in parts and tell of it."""
    from tokumei.flow import release_in_parts

    with progress_bars():
        made = release_in_parts(source, plan, places, running, subject=subject)
    warn("a release in parts is not audited while it is made: do it with 'tokumei audit' before you hand it out")
    if plan.seed is not None:
        warn("this release was made from a seed: whoever guesses it can regenerate the pseudonyms; leave --seed out")
    _finish(made, json=json)


def _finish(made: MadeInParts, *, json: bool) -> NoReturn:
    from tokumei.flow import told_contents

    places, manifest, figures = made.published.places, made.published.manifest, made.figures
    document = {
        "release": str(places.folder),
        "secret": str(places.secret),
        "plan": str(places.plan),
        "method": made.plan.method,
        "why": made.plan.why,
        "parameters": made.plan.deciding,
        "content": made.plan.content,
        "contents": [str(message) for message in told_contents(made.plan)],
        "records": manifest["records"],
        "records_original": made.records,
        "records_deleted": figures.deleted,
        "pseudonyms": manifest["pseudonyms"],
        "parts": len(manifest["parts"]),
        "utility": figures.utility.as_dict(),
        "cells": [{slot: getattr(one, slot) for slot in one.__slots__} for one in figures.shares],
        "seeded": made.plan.seed is not None,
        "audit": None,
    }

    def show(console: Console) -> None:
        console.print(
            f"{places.folder}: {manifest['records']:,} of {made.records:,} records under "
            f"{manifest['pseudonyms']:,} pseudonyms, in {len(manifest['parts']):,} parts",
            style="bold",
        )
        rows = [
            [
                one.name,
                percent(figures.utility.parts[one.name]),
                percent(one.exact),
                percent(one.generalized),
                percent(one.suppressed),
                one.typical,
            ]
            for one in figures.shares
        ]
        show_table(console, ["column", "lost", "exact", "generalized", "withheld", "typical width"], rows)
        console.print(
            f"Information lost over all columns: {percent(figures.utility.value)} (cell error, where a deleted record "
            f"counts fully); records deleted: {figures.deleted:,} ({percent(figures.deleted / max(made.records, 1))})."
        )
        for message in told_contents(made.plan):
            console.print(str(message), markup=False)
        console.print(f"Keep to yourself: {places.secret}, {places.plan}.")
        console.print(
            f"Audit it: tokumei audit --original {made.plan.input} --release {places.folder} --secret {places.secret}"
        )

    finish(document, json=json, show=show)
