"""``tokumei anonymize --bound``: what is lost beside what any k-anonymity of the data would lose at least."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.output import warn

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.methods import Gap

BoundFlag = Annotated[
    bool, typer.Option("--bound", help="Also prove how little any k-anonymity of the data can lose (minutes).")
]


def show_gap(console: Console, gap: Gap) -> None:
    """Tell the loss of a release and the floor."""
    times = gap.as_dict()["times"]
    far = "" if times is None else f": at most {times:.2f} times the least possible"
    console.print(
        f"Lost by {gap.loss}: {gap.value:.6f} of a cell; no {gap.k}-anonymity of this data is below "
        f"{gap.floor.value:.6f} (proven){far}.",
        markup=False,
    )
    warn(*gap.floor.warnings)
