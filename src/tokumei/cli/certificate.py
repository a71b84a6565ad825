"""``tokumei reissue``, ``verify``, ``keygen``: a release in canonical files, a certificate checked, a pair of keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.options import MemoryOption, SchemaOption, where
from tokumei.cli.output import JsonFlag, finish, progress_bars, refuse_overwriting, tell, visible
from tokumei.errors import OutputError, ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.audits import AuditResult, SigningKey
    from tokumei.data import ReleaseFolder

FolderArgument = Annotated[Path, typer.Argument(metavar="RELEASE_DIR", help="The folder of the release.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(reissue)
    app.command()(verify)
    app.command()(keygen)


def reissue(
    folder: FolderArgument,
    secret: Annotated[Path, typer.Option("--secret", metavar="FILE", help="The secret file of the release.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="NEW_DIR", help="The folder to create.")],
    original: Annotated[
        Path | None,
        typer.Option(
            "--original", metavar="INPUT", parser=where, help="The original data: then it is audited quickly."
        ),
    ] = None,
    schema: SchemaOption = None,
    new_secret: Annotated[
        Path | None, typer.Option("--new-secret", metavar="FILE", help="The new secret (default: NEW_DIR.secret).")
    ] = None,
    _memory: MemoryOption = None,
    json: JsonFlag = False,
) -> None:
    """Write a release again: the same cells in canonical files, under fresh pseudonyms; withdraw the old one."""
    from tokumei.data import ReleaseFolder, read_secret_and_lock
    from tokumei.flow import check_places, open_release, places_of, refuse_large
    from tokumei.flow import reissue as issue_again

    check_places(places_of(output, new_secret), plan=False, audit=False)
    with progress_bars():
        opened, history = ReleaseFolder.open(folder), None
        refuse_large(opened)
        # Whoever had locked the secret away finds the new one locked as well.
        hidden, lock = read_secret_and_lock(secret)
        if original is not None:
            from tokumei.data import Schema

            read = None if schema is None else Schema.read(schema)
            history = open_release(original, folder, schema=read, secret=hidden).history
        issued = issue_again(opened, hidden, history)
        published = issued.write(output, secret_file=new_secret, lock=lock)
    outcome = None if issued.verdict is None else issued.verdict[0].value
    document = {
        "release": str(output),
        "secret": str(published.places.secret),
        "records": len(issued.release),
        "pseudonyms": published.manifest["pseudonyms"],
        "audit": outcome,
    }

    def show(console: Console) -> None:
        console.print(f"{output}: {len(issued.release):,} records under fresh pseudonyms", style="bold", markup=False)
        if outcome is not None:
            console.print(f"Quick audit of naming: {outcome.replace('-', ' ')}")
        console.print(
            f"Withdraw {folder}: who has both can join them by their content. "
            f"Keep to yourself: {published.places.secret}.",
            markup=False,
        )

    finish(document, json=json, show=show, status=int(outcome == "unsafe"))


def verify(
    folder: FolderArgument,
    certificate: Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="The certificate that came with it.")],
    public_key: Annotated[
        Path | None,
        typer.Option("--public-key", metavar="FILE", help="The publisher's key, from elsewhere than the certificate."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Check a certificate against a release, without Secret and original; exit status 1 if it is not true of it."""
    from tokumei.audits import public_key_of_pem, verify_certificate
    from tokumei.data import ReleaseFolder, Source

    known = None if public_key is None else public_key_of_pem(Source.read(public_key).raw, file=str(public_key))
    text = Source.read(certificate).raw
    result = verify_certificate(ReleaseFolder.open(folder), text, name=str(certificate), public_key=known)

    def show(console: Console) -> None:
        if result.findings:
            console.print("The certificate is not true of this release", style="bold red")
            for finding in result.findings:
                console.print(visible(f"- {finding.sentence}"))
            return
        console.print("The certificate is true of these files", style="bold green")
        console.print(f"- its verdict: {result.verdict.replace('-', ' ')}")
        console.print(
            f"- counted here: every published history is shared by at least {result.shared_by} pseudonyms; that they "
            "belong to as many people, and the figures, are the word of who made it"
        )
        if result.signed and known is None:
            console.print(f"- signed by the key {result.public_key}; --public-key tells whether it is the publisher's")
        elif result.signed:
            console.print("- signed by the given key")
        else:
            console.print("- not signed: everybody can have made it")

    finish(result.as_dict(), json=json, show=show, status=int(bool(result.findings) or result.verdict == "unsafe"))


def keygen(
    file: Annotated[Path, typer.Argument(metavar="KEYFILE", help="The private key; the public one goes beside it.")],
    json: JsonFlag = False,
) -> None:
    """Make a pair of keys to sign certificates with: KEYFILE, to keep, and KEYFILE.pub, to hand out."""
    from tokumei.audits import SigningKey
    from tokumei.data import OWNER_ONLY, write_bytes

    public = file.with_name(f"{file.name}.pub")
    for path in (file, public):
        if path.exists():
            message = f"{path} exists already, and a key cannot be made again; name another file"
            raise OutputError(message, file=str(path))
    key = SigningKey.generate()
    write_bytes(file, key.to_pem(), mode=OWNER_ONLY)
    write_bytes(public, key.public_pem())

    def show(console: Console) -> None:
        console.print(f"Keep to yourself: {file}. Hand out: {public}.", markup=False)

    finish({"private": str(file), "public": str(public), "public_key": key.public}, json=json, show=show)


def signing_key(target: Path | None, sign: Path | None, *read: Path | None) -> SigningKey | None:
    """Return the key that --sign names; whatever forbids the certificate is told before the audit is made."""
    from tokumei.audits import SigningKey
    from tokumei.data import Source, check_file_target

    if target is None:
        if sign is not None:
            message = "--sign goes with --certificate, which names the file to sign"
            raise ParameterError(message, code="usage")
        return None
    refuse_overwriting(target, sign, *read)
    check_file_target(target)
    return None if sign is None else SigningKey.of_pem(Source.read(sign).raw, file=str(sign))


def write_certificate(folder: ReleaseFolder, result: AuditResult, target: Path, key: SigningKey | None) -> None:
    """Write the certificate of an audit, signed if there is a key."""
    from tokumei.audits import certificate_text
    from tokumei.data import write_text

    write_text(target, certificate_text(folder, result, key=key))
    tell(f"{target} was written")
