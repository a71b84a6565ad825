"""Answers about many targets at once: one zip in which every file is named by the alias of its target.

Each target gets a submission of its own, taken in by the same rules as a single one. An answer of which little is
filled in can be told before a try is spent on it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.utils.translation import gettext as _

from tokumei.contests import Answered, FileSpec, file_name, find_contest
from tokumei.contests import Contest as Rules
from tokumei_arena import access
from tokumei_arena.errors import ArenaError, RefusedError
from tokumei_arena.models import Person, Round, Submission, Target
from tokumei_arena.records import copy_to, pack
from tokumei_arena.rules import parameters_of, rules_of
from tokumei_arena.teams import spend
from tokumei_arena.wording import in_language
from tokumei_arena.work.intake import submit_guesses
from tokumei_arena.work.limits import Limits
from tokumei_arena.work.sandbox import open_left, run_child

PIECE = 1 << 20
# Of larger files nobody is asked: they are read by the worker alone.
LARGEST_ASKED = 8_000_000
# An answer that leaves out more than this share is worth a question.
POOR = 0.5


@dataclass(frozen=True)
class Answer:
    """What became of the answer about one target: a submission, or why there is none."""

    target: Target
    submission: Submission | None
    refused: str = ""


def short_alias(target: Target) -> str:
    """Return the alias of a target as it stands in names of files."""
    return target.alias.replace(" ", "-")


def submit_answers(
    person: Person, round_: Round, file: File[Any], *, note: str = "", confirmed: bool = True
) -> list[Answer]:
    """Hand in every answer of a zip; targets that it does not name are left out.

    Unless it is ``confirmed``, nothing is handed in if an answer leaves out the most of what is asked for.
    """
    specs = find_contest(round_.contest.rule_set).guess_files
    targets = list(access.targets(person, round_).order_by("alias"))
    access.need_member(person, round_.contest)
    names = {f"{short_alias(one)}-{spec.name}": (one, spec) for one in targets for spec in specs}
    with tempfile.TemporaryDirectory(prefix="arena-answers-") as temporary:
        folder = Path(temporary)
        if not _unpack(file, folder, list(names)):
            _split(round_, folder, {short_alias(one): one.alias for one in targets})
        given: dict[Target, dict[str, Path]] = {}
        for name, (target, spec) in names.items():
            path = folder / file_name(name)
            if path.is_file():
                given.setdefault(target, {})[spec.name] = path
        if not confirmed:
            _refuse_poor(person, given, folder)
        answers = [_submit(person, target, files, specs, note) for target, files in given.items()]
    if not answers:
        example = file_name(next(iter(names), "Opal-F1"))
        message = _("the zip holds no answer; name each file by the alias of its target, as %(example)s")
        raise RefusedError(message % {"example": example}, code="no-answers")
    return answers


def _refuse_poor(person: Person, given: dict[Target, dict[str, Path]], folder: Path) -> None:
    """Refuse all answers if one says little; a second try with a word of consent takes them."""
    poor = []
    for number, (target, files) in enumerate(given.items()):
        guesses = folder / f"asked-{number}"
        guesses.mkdir()
        for name, path in files.items():
            (guesses / file_name(name)).symlink_to(path)
        found = _answered(person, target, guesses)
        if found is not None and is_poor(found):
            poor.append(f"{target.alias}: {found.given}/{found.asked}")
    if poor:
        message = _("little is guessed of %(poor)s; tick that these answers shall be handed in nevertheless")
        raise RefusedError(message % {"poor": ", ".join(poor)}, code="poor-answer")


def _split(round_: Round, folder: Path, aliases: dict[str, str]) -> None:
    """Take answers apart that come in a layout of the contest's own, in the process that evaluates."""
    job = {"task": "split", "rule_set": round_.contest.rule_set, "parameters": parameters_of(round_)}
    # What the process leaves is not trusted: it has a folder of its own, and only plain files are taken out of it.
    inside = folder / "split"
    inside.mkdir()
    (folder / "upload").rename(inside / "upload")
    outcome = run_child(inside, {**job, "targets": list(aliases.values())}, Limits.of(settings.ARENA_LIMITS))
    short = {alias: name for name, alias in aliases.items()}
    for one in (outcome.result or {}).get("files", ()):
        name = Path(f"{short[one['target']]}-{one['name']}").name
        with open_left(inside / "out", one["path"]) as source, (folder / name).open("wb") as target:
            shutil.copyfileobj(source, target)


def _unpack(file: File[Any], folder: Path, names: Sequence[str]) -> list[str]:
    """Write those files of a zip that are named by an alias; return their names."""
    # Needs numpy, which web processes start without.
    from tokumei_arena.work.unpacking import RefusedFileError, unpack_some  # noqa: PLC0415

    upload = folder / "upload"
    with upload.open("wb") as target:
        for piece in file.chunks(PIECE):
            target.write(piece)
    try:
        return unpack_some(upload, folder, names, Limits.of(settings.ARENA_LIMITS))
    except RefusedFileError as error:
        raise RefusedError(in_language(error.note.message), code=error.note.code) from error


def _submit(person: Person, target: Target, given: dict[str, Path], specs: Sequence[FileSpec], note: str) -> Answer:
    missing = [spec.filename for spec in specs if spec.name not in given and not spec.optional]
    if missing:
        message = _("these files are missing: %(names)s; choose all files, or one zip that holds them")
        return Answer(target, None, message % {"names": ", ".join(missing)})
    with ExitStack() as stack:
        files = {name: File(stack.enter_context(path.open("rb")), name=path.name) for name, path in given.items()}
        single = len(specs) == 1
        whole = next(iter(files.values())) if single else stack.enter_context(pack(files))
        name = f"{short_alias(target)}-{specs[0].filename}" if single else f"{short_alias(target)}.zip"
        try:
            return Answer(target, submit_guesses(person, target, whole, name=name, note=note))
        except ArenaError as error:
            return Answer(target, None, error.message)


def answered(viewer: access.Viewer, target: Target, file: File[Any]) -> Answered | None:
    """Return how much of what is asked for a file of guesses answers, before anything is stored; None: not known.

    What cannot be unpacked is left to the checker.
    """
    from tokumei_arena.work.unpacking import unpack  # noqa: PLC0415

    rules = find_contest(target.round.contest.rule_set)
    if file.size > LARGEST_ASKED or rules.answered is Rules.answered:
        return None
    if isinstance(viewer, Person):
        spend("ask", viewer.pk, limit=settings.ARENA_LIMITS["submits_per_minute"])
    limits = replace(Limits.of(settings.ARENA_LIMITS), unpacked_bytes=LARGEST_ASKED)
    with tempfile.TemporaryDirectory(prefix="arena-asked-") as temporary:
        folder = Path(temporary)
        file.seek(0)
        with (folder / "upload").open("wb") as upload:
            for piece in file.chunks(PIECE):
                upload.write(piece)
        file.seek(0)
        needed = [spec.name for spec in rules.guess_files if not spec.optional]
        more = [spec.name for spec in rules.guess_files if spec.optional]
        if unpack(folder / "upload", folder / "guesses", needed, limits, optional=more):
            return None
        return _answered(viewer, target, folder / "guesses")


def _answered(viewer: access.Viewer, target: Target, guesses: Path) -> Answered | None:
    rules = rules_of(target.round.contest)
    if type(rules).answered is Rules.answered:
        return None
    with tempfile.TemporaryDirectory(prefix="arena-seen-") as temporary:
        seen = Path(temporary)
        for one in access.target_files(viewer, target).select_related("blob"):
            copy_to(one.blob, seen / file_name(one.name))
        return rules.answered(seen, guesses)


def is_poor(found: Answered | None) -> bool:
    """Return whether so little is answered that somebody should be asked before a try is spent."""
    return found is not None and found.given < POOR * found.asked
