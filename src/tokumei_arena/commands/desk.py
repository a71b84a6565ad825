"""``tokumei arena verify-log|export|import|backup|restore|erase|referee-link``: what operators do beside the pages.

These commands read the arena's own folder or database; export and backup open ground truth as a worker does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from tokumei.cli.output import JsonFlag, finish, tell, warn
from tokumei_arena.commands.setup import CannotStartError, django_ready, refusals_as_sentences

CARE = "keep it as secret as a password; only its owner can read it"
ContestArgument = Annotated[str, typer.Argument(metavar="CONTEST", help="The short name of the contest.")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="The file to write.")]
ArchiveArgument = Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A file that 'export' wrote.")]
BackupArgument = Annotated[Path, typer.Argument(metavar="BACKUP", help="A file that 'backup' wrote.")]


def register(app: typer.Typer) -> None:
    """Add the commands of those who operate an arena."""
    app.command("verify-log")(verify_log)
    app.command("export")(export)
    app.command("import")(import_archive)
    app.command("backup")(backup)
    app.command("restore")(restore)
    app.command("erase")(erase)
    app.command("referee-link")(referee_link)


@contextmanager
def _arena(role: str = "web", *, prepared: bool = True) -> Iterator[None]:
    """Work on an arena whose tables are those of this version."""
    django_ready(role)
    from tokumei_arena.commands.prepare import is_prepared

    with refusals_as_sentences():
        if prepared and not is_prepared():
            message = "there is no arena here, or it is of another version; start 'tokumei arena serve' once"
            raise CannotStartError(message, code="not-prepared")
        yield


def _contest(slug: str) -> Any:
    from tokumei.errors import did_you_mean
    from tokumei_arena.models import Contest

    found = Contest.objects.filter(slug=slug).first()
    if found is None:
        known = list(Contest.objects.values_list("slug", flat=True))
        raise CannotStartError(f"there is no contest '{slug}'{did_you_mean(slug, known)}", code="no-contest")
    return found


def verify_log(
    head: Annotated[
        str, typer.Option("--head", help="A hash noted before; finds out whether the end was cut off.")
    ] = "",
    heads: Annotated[
        Path | None, typer.Option("--heads", help="A list of signed heads that somebody fetched and kept (JSON).")
    ] = None,
    public_key: Annotated[
        list[str] | None, typer.Option("--public-key", help="A key that may have signed heads; may be repeated.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Check the audit log and its signed heads; exit status 1 if it was tampered with."""
    kept = None if heads is None else _read_json(heads)
    with _arena():
        from tokumei_arena.records import log_state, read_heads

        try:
            state = log_state(head, kept=[] if kept is None else read_heads(kept), keys=public_key or ())
        except ValueError as error:
            message = f"{heads}: {error}; fetch it from /api/v1/log/heads of the arena"
            raise CannotStartError(message, code="bad-heads", file=str(heads)) from error
    if not state.guarded:
        warn("the triggers that make the database refuse changes of the log are gone")
    if state.heads and not state.trusted:
        warn("the key of the heads is not known here; give the one that was noted with --public-key")
    signed = "no head of it is signed yet"
    if state.heads:
        signed = f"it agrees with {state.heads:,} signed heads, the last of them at entry {state.signed_to:,}"
    sentence = f"the log is whole: {state.entries:,} entries, the last has the hash {state.head}; {signed}"
    if state.broken is not None:
        sentence = f"the log is broken: {state.broken.reason}"
    finish(state.as_dict(), json=json, text=sentence, status=0 if state.broken is None else 1)


def _read_json(path: Path) -> Any:
    from json import loads

    try:
        return loads(path.read_bytes())
    except OSError as error:
        message = f"{path}: the file cannot be read ({error.strerror}); check its name"
        raise CannotStartError(message, code="unreadable", file=str(path)) from error
    except ValueError as error:
        message = f"{path}: the file is not JSON; fetch it from /api/v1/log/heads of the arena"
        raise CannotStartError(message, code="bad-heads", file=str(path)) from error


def export(contest: ContestArgument, output: OutputOption, json: JsonFlag = False) -> None:
    """Write a whole contest to one file: data, submissions, scores, ground truth, log; no persons."""
    with _arena("worker"):
        from tokumei_arena.records import export_contest

        done = export_contest(_contest(contest), output)
    warn(f"{output} holds ground truth: {CARE}")
    sentence = f"{output}: contest '{done.slug}' with {done.rows['Submission']:,} submissions, sha256 {done.sha256}"
    finish({"file": str(output), **asdict(done)}, json=json, text=sentence)


def import_archive(
    archive: ArchiveArgument,
    slug: Annotated[str, typer.Option("--slug", help="Import under another short name.")] = "",
    json: JsonFlag = False,
) -> None:
    """Read a contest from a file; its standings are the same as where it was exported."""
    with _arena("worker"):
        from tokumei_arena.records import import_contest

        done = import_contest(archive, slug=slug)
    sentence = f"contest '{done.slug}' imported: {done.rows['Team']:,} teams, {done.rows['Submission']:,} submissions"
    finish({"file": str(archive), **asdict(done)}, json=json, text=sentence)


def backup(output: OutputOption, json: JsonFlag = False) -> None:
    """Write the whole arena to one file while it runs; exit status 1 if stored files are missing."""
    with _arena("worker"):
        from tokumei_arena.records import back_up

        done = back_up(output)
    warn(f"{output} holds every secret of the arena: {CARE}")
    warn(*(f"the stored file {name} is missing" for name in done.missing))
    sentence = f"{output}: {done.database} database and {done.files:,} files, sha256 {done.sha256}"
    finish({"file": str(output), **asdict(done)}, json=json, text=sentence, status=1 if done.missing else 0)


def restore(source: BackupArgument, json: JsonFlag = False) -> None:
    """Make the arena of a backup in an empty folder (TOKUMEI_ARENA_HOME) or database (DATABASE_URL)."""
    with _arena("worker", prepared=False):
        from tokumei_arena import records

        done = records.restore(source)
    tell("arena: start it with 'tokumei arena serve'; whoever was signed in may still be")
    sentence = f"restored: {done.database} database and {done.files:,} files"
    finish({"file": str(source), **asdict(done)}, json=json, text=sentence)


def erase(
    email: Annotated[str, typer.Argument(metavar="EMAIL", help="The address of the account.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: JsonFlag = False,
) -> None:
    """Remove the personal data of an account for good; what its team handed in stays."""
    with _arena():
        from tokumei_arena.models import Person
        from tokumei_arena.teams import erase_person

        person = Person.objects.filter(email__iexact=email.strip()).first()
        if person is None:
            raise CannotStartError("no account has this address; check its spelling", code="no-account")
        if not yes and not typer.confirm(f"Remove all personal data of {person.name} for good?", err=True):
            raise CannotStartError("nothing was removed", code="not-confirmed")
        erase_person(person)
    finish({"erased": str(person.pk)}, json=json, text="the account and its personal data are removed")


def referee_link(
    address: Annotated[str, typer.Option("--address", help="How people reach the arena.")] = "http://localhost:8000",
    json: JsonFlag = False,
) -> None:
    """Print a link with which somebody becomes a referee, once, within a day."""
    with _arena():
        from django.urls import reverse

        from tokumei_arena.teams import make_referee_link

        token = make_referee_link()
        url = address.rstrip("/") + reverse("become_referee", args=[token])
    finish({"url": url}, json=json, text=url)
