"""The files that a round hands out: checked by the rules in a limited process, stored, replaced only in time."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.utils.translation import gettext as _

from tokumei.contests import FileSpec, find_contest
from tokumei_arena import access
from tokumei_arena.errors import NotNowError, RefusedError
from tokumei_arena.models import Blob, Contest, DataFile, Person, Round, Submission, Team
from tokumei_arena.records import put_file, record
from tokumei_arena.rules import parameters_of
from tokumei_arena.wording import in_language
from tokumei_arena.work import Limits, run_child

SHOWN_FINDINGS = 100
PIECE = 1 << 20


class DataRefusedError(RefusedError):
    """The checker refused the files; carries its findings, each with a message in both languages."""

    def __init__(self, message: str, findings: list[dict[str, Any]]) -> None:
        super().__init__(message, code="data-refused")
        self.findings = findings[:SHOWN_FINDINGS]


@dataclass(frozen=True)
class DataReport:
    """What was stored, and what the rules say about it (rows, subjects)."""

    files: tuple[DataFile, ...]
    figures: dict[str, Any]


def put_data(round_: Round, files: Mapping[str, File[Any]], *, by: Person, team: Team | None = None) -> DataReport:
    """Check uploaded files (plain, .gz or zip) and hand them out in this round: to all teams, or to one."""
    access.need_referee(by, round_.contest)
    rules = find_contest(round_.contest.rule_set)
    with tempfile.TemporaryDirectory(prefix="arena-data-") as temporary:
        folder = Path(temporary)
        (folder / "data").mkdir()
        for spec in rules.data_files:
            if spec.name in files:
                _unpack(files[spec.name], spec, folder)
        return put_folder(round_, folder, by=by, team=team)


def _unpack(file: File[Any], spec: FileSpec, folder: Path) -> None:
    # Needs numpy, which web processes start without.
    from tokumei_arena.work import unpack  # noqa: PLC0415

    upload = folder / f"{spec.name}.upload"
    with upload.open("wb") as target:
        for piece in file.chunks(PIECE):
            target.write(piece)
    notes = unpack(upload, folder / "data", [spec.name], _limits())
    upload.unlink()
    if notes:
        raise DataRefusedError(_("the data cannot be used"), [note.as_dict() for note in notes])


def _limits() -> Limits:
    return Limits.of(settings.ARENA_LIMITS)


def put_folder(
    round_: Round,
    folder: Path,
    *,
    by: Person,
    team: Team | None = None,
    origin: str = "upload",
    cohort: int | None = None,
) -> DataReport:
    """Check and store what lies in ``folder/data``; the log says which cohort of the rules it is."""
    access.need_referee(by, round_.contest)
    _refuse_wrong_place(round_, team)
    _refuse_missing(round_.contest, folder / "data")
    figures = _check(round_, folder)
    stored = _stored(round_.contest, folder / "data")
    with transaction.atomic():
        locked = Round.objects.select_for_update().get(pk=round_.pk)
        _refuse_used(locked, team)
        DataFile.objects.filter(round=locked, team=team).delete()
        made = [DataFile.objects.create(round=locked, team=team, name=name, blob=blob) for name, blob in stored.items()]
        record(
            "data.put",
            round_,
            actor=by,
            round=round_.kind,
            team="" if team is None else str(team.pk),
            origin=origin,
            sha256={name: blob.sha256 for name, blob in stored.items()},
            figures=figures,
            **({} if cohort is None else {"cohort": cohort}),
        )
    return DataReport(tuple(made), figures)


def _refuse_wrong_place(round_: Round, team: Team | None) -> None:
    if round_.private_data and team is None:
        raise RefusedError(_("in this round every team gets data of its own; choose a team"), code="data-private")
    if not round_.private_data and team is not None:
        raise RefusedError(_("in this round all teams get the same data"), code="data-common")


def _refuse_missing(contest: Contest, data: Path) -> None:
    for spec in find_contest(contest.rule_set).data_files:
        if not spec.optional and not (data / spec.filename).exists():
            message = _("the file %(name)s (%(about)s) is missing; choose it too")
            raise RefusedError(message % {"name": spec.name, "about": in_language(spec.about)}, code="data-missing")


def _refuse_used(round_: Round, team: Team | None) -> None:
    """Refuse to change data with which somebody works already."""
    used = Submission.objects.filter(round=round_)
    if (used if team is None else used.filter(team=team)).exists():
        message = _("teams have handed in results for this data; it can no longer be changed")
        raise NotNowError(message, code="data-used")


def _check(round_: Round, folder: Path) -> dict[str, Any]:
    """Run the contest's own check where a bad file can do no harm; return what it says about the data."""
    contest = round_.contest
    job = {"task": "data", "rule_set": contest.rule_set, "parameters": parameters_of(round_)}
    outcome = run_child(folder, job, _limits())
    if outcome.result is None:
        message = _("the data could not be checked within the limits of this server (%(why)s)")
        raise RefusedError(message % {"why": outcome.death}, code="data-check-failed")
    checked = outcome.result["results"][0]
    if not checked["valid"]:
        raise DataRefusedError(_("the data cannot be used"), checked["findings"])
    figures: dict[str, Any] = checked["figures"]
    return figures


def _stored(contest: Contest, data: Path) -> dict[str, Blob]:
    """Keep the files of the rules that are there, those that only the judge may see apart."""
    blobs = {}
    for spec in sorted(find_contest(contest.rule_set).data_files, key=lambda spec: spec.name):
        path = data / spec.filename
        if path.exists():
            with path.open("rb") as file:
                area = Blob.Area.TRUTH if spec.secret else Blob.Area.DATA
                blobs[spec.name] = put_file(area, path.name, File(file, name=path.name))
    return blobs


def remove_data(round_: Round, *, by: Person, team: Team | None = None) -> None:
    """Take the files of a round back, as long as nobody has handed in results for them."""
    access.need_referee(by, round_.contest)
    with transaction.atomic():
        locked = Round.objects.select_for_update().get(pk=round_.pk)
        _refuse_used(locked, team)
        removed, _tables = DataFile.objects.filter(round=locked, team=team).delete()
        if removed:
            record("data.remove", locked, actor=by, round=locked.kind, team="" if team is None else str(team.pk))


def teams_without_data(round_: Round) -> list[Team]:
    """Return the approved teams of a round with private data that have none yet."""
    if not round_.private_data:
        return []
    served = DataFile.objects.filter(round=round_, team__isnull=False).values("team")
    waiting = round_.contest.teams.filter(approved_at__isnull=False, disqualified_at__isnull=True)
    return list(waiting.exclude(pk__in=served))
