"""What commands share that publish with a ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.output import warn
from tokumei.errors import InfeasibleError, ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.data import Lock
    from tokumei.flow import Booking, Bookkeeping

LedgerOption = Annotated[
    Path | None,
    typer.Option(
        "--ledger", metavar="FOLDER", help="Keep what was published of whom, and people in their groups, here."
    ),
]
PseudonymsOption = Annotated[
    str | None,
    typer.Option(
        "--pseudonyms",
        metavar="renewed|stable|for:NAME",
        help="With --ledger: renewed in every release (default), the same again, or the same for one recipient.",
    ),
]


EncryptFlag = Annotated[
    bool, typer.Option("--encrypt", help="Encrypt what is kept (age format), by key file, passphrase file or prompt.")
]


def new_lock(output: Path | None, *, encrypt: bool) -> Lock | None:
    """Return what the files beside a release are encrypted with, None if they are not."""
    if not encrypt:
        return None
    from tokumei.data import Lock, default_secret_path

    return Lock.of_surroundings("what is kept" if output is None else str(default_secret_path(output)), new=True)


def books_of(
    ledger: Path | None, pseudonyms: str | None, output: Path | None, lock: Lock | None = None
) -> Bookkeeping | None:
    """Return the ledger that is named, None if none is; whatever forbids it is told before a long file is read."""
    if ledger is None:
        if pseudonyms is not None:
            message = "--pseudonyms goes with --ledger, which keeps them"
            raise ParameterError(message, code="usage")
        return None
    from tokumei.flow import Bookkeeping, refuse_nested

    if output is not None:
        refuse_nested(ledger, output)
    return Bookkeeping.open(ledger, pseudonyms or "renewed", lock=lock)


def refuse_in_parts(books: Bookkeeping | None, lock: Lock | None, *, bound: bool = False) -> None:
    """Raise InfeasibleError if a release that is made in parts shall go into a ledger, be encrypted, or be bounded."""
    asked = {"--ledger": books is not None, "--encrypt": lock is not None, "--bound": bound}
    if any(asked.values()):
        option = next(name for name, wanted in asked.items() if wanted)
        message = (
            f"a release with {option} is made in memory, and this data is too large for it; "
            f"allow more memory (--memory), or leave {option} out"
        )
        raise InfeasibleError(message, code="in-memory-only")


def warn_of_strangers(booking: Booking) -> None:
    """Warn where nobody of the data is in a ledger that has people."""
    if booking.of_strangers:
        warn(
            f"nobody of this data is in the ledger {booking.ledger.folder}, which has earlier releases: if it is the "
            "ledger of other data, or the ids are written in another way, its promise does not cover these people"
        )


def show_booking(console: Console, booking: Booking) -> None:
    """Print what the ledger did to a release."""
    about = booking.as_dict()
    console.print(
        f"Ledger {about['folder']}, release {about['release']}: {about['returning']:,} people in their groups, "
        f"{about['newcomers']:,} newcomers, {about['withheld']:,} withheld "
        f"({about['withheld_group_too_small']:,} whose group is too small now, "
        f"{about['withheld_waiting']:,} newcomers too few for a group); "
        f"through all releases everybody has at least {about['fewest_candidates']} candidates."
    )
