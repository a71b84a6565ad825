"""``tokumei secret verify | encrypt | decrypt``: what only the publisher keeps, checked and locked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.options import SchemaOption, where
from tokumei.cli.output import JsonFlag, finish, progress_bars, visible
from tokumei.errors import InputError, ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.data import Lock

app = typer.Typer(no_args_is_help=True)

KeyFileOption = Annotated[
    Path | None, typer.Option("--key-file", metavar="FILE", help="A key file of age (default: TOKUMEI_KEY_FILE).")
]
PassphraseFileOption = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        metavar="FILE",
        help="A file whose first line is the passphrase (default: TOKUMEI_PASSPHRASE_FILE, else a prompt).",
    ),
]
PlaceArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A secret, plan or audit file, or a ledger.")]


@app.command()
def verify(
    secret: Annotated[Path, typer.Argument(metavar="SECRET", help="The secret file.")],
    release: Annotated[Path, typer.Option("--release", metavar="RELEASE_DIR", help="The folder of its release.")],
    original: Annotated[
        Path | None,
        typer.Option("--original", metavar="INPUT", parser=where, help="The original: its people are checked too."),
    ] = None,
    schema: SchemaOption = None,
    backup: Annotated[
        Path | None, typer.Option("--backup", metavar="FILE", help="A copy of the secret, encrypted or not.")
    ] = None,
    key_file: KeyFileOption = None,
    passphrase_file: PassphraseFileOption = None,
    json: JsonFlag = False,
) -> None:
    """Check that a secret can be read, belongs to its release, and equals its backup; exit status 1 if not."""
    from tokumei.data import Schema
    from tokumei.flow import check_secret, open_release

    with progress_bars():
        read = None if schema is None else Schema.read(schema)
        history = None if original is None else open_release(original, release, schema=read).history
        lock = _given_lock(key_file, passphrase_file)
        check = check_secret(secret, release, history=history, backup=backup, lock=lock)

    def show(console: Console) -> None:
        state = "encrypted" if check.encrypted else "not encrypted"
        if check.findings:
            console.print(f"{secret} ({state}) is not sound", style="bold red", markup=False)
            for finding in check.findings:
                console.print(visible(f"- {finding.sentence}"))
            return
        console.print(f"{secret} ({state}) belongs to {release}", style="bold green", markup=False)
        console.print(f"{check.records:,} records, {check.pseudonyms:,} pseudonyms with an owner")
        if check.unowned:
            console.print(f"{check.unowned:,} pseudonyms without one: their people were forgotten")
        if backup is not None:
            console.print(f"{backup} holds the same", markup=False)

    finish(check.as_dict(), json=json, show=show, status=int(bool(check.findings)))


@app.command()
def encrypt(
    file: PlaceArgument,
    key_file: KeyFileOption = None,
    passphrase_file: PassphraseFileOption = None,
    json: JsonFlag = False,
) -> None:
    """Encrypt a file, or all files of a ledger, in place, in the age format."""
    from tokumei.data import Lock, is_sealed, write_sealed
    from tokumei.ledgers import Ledger

    if file.is_dir():
        ledger = Ledger.existing(file)
        ledger.sealed(_given_lock(key_file, passphrase_file) or Lock.of_surroundings(str(file), new=True))
    else:
        data = _content(file)
        if is_sealed(data):
            message = f"{file} is encrypted already; decrypt it first to give it another key"
            raise InputError(message, code="encrypted-already", file=str(file))
        lock = _given_lock(key_file, passphrase_file) or Lock.of_surroundings(str(file), new=True)
        write_sealed(file, data, lock)
    finish({"file": str(file), "encrypted": True}, json=json, text=f"{file} is encrypted now")


@app.command()
def decrypt(
    file: PlaceArgument,
    key_file: KeyFileOption = None,
    passphrase_file: PassphraseFileOption = None,
    json: JsonFlag = False,
) -> None:
    """Decrypt a file, or all files of a ledger, in place; only its owner can read it then."""
    from tokumei.data import is_sealed, open_sealed, write_sealed
    from tokumei.ledgers import Ledger

    lock = _given_lock(key_file, passphrase_file)
    if file.is_dir():
        Ledger.existing(file, lock=lock).sealed(None)
    else:
        if not is_sealed(_content(file)):
            message = f"{file} is not encrypted; there is nothing to decrypt"
            raise InputError(message, code="not-encrypted", file=str(file))
        write_sealed(file, open_sealed(file, lock).data, None)
    finish({"file": str(file), "encrypted": False}, json=json, text=f"{file} is decrypted: keep it to yourself")


def _given_lock(key_file: Path | None, passphrase_file: Path | None) -> Lock | None:
    """Return the lock that the options name, None if they name none."""
    from tokumei.data import Lock

    if key_file is not None and passphrase_file is not None:
        message = "--key-file and --passphrase-file both say what opens it; give one of them"
        raise ParameterError(message, code="usage")
    if key_file is not None:
        return Lock.of_key_file(key_file)
    return None if passphrase_file is None else Lock.of_passphrase_file(passphrase_file)


def _content(file: Path) -> bytes:
    from tokumei.data import read_bytes

    return read_bytes(file)
