"""What an evaluation needs, copied into a folder for the evaluating process, with the hashes of all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from django.db.models import Q

from tokumei.contests import file_name, find_contest
from tokumei_arena.models import Blob, DataFile, Round, SelfCheck, Submission, Target, TargetFile, Team
from tokumei_arena.records import copy_to
from tokumei_arena.rules import parameters_of

Inputs = dict[str, Any]
Copy = Callable[[Blob, Path], None]


class MissingDataError(Exception):
    """The round has no data to compare a submission with."""


def data_blobs(round_: Round, team: Team | None) -> dict[str, Blob]:
    """Return the files a round handed out to a team: common ones, or its own where it has some."""
    files = DataFile.objects.filter(round=round_).filter(Q(team=None) | Q(team=team)).select_related("blob")
    found: dict[str, Blob] = {}
    for file in sorted(files, key=lambda one: one.team_id is not None):
        found[file.name] = file.blob
    return found


def put_files(folder: Path, blobs: dict[str, Blob], *, copy: Copy = copy_to) -> dict[str, str]:
    """Copy blobs into a folder under the names of their files; return their hashes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, blob in blobs.items():
        copy(blob, folder / file_name(name))
    return {name: blob.sha256 for name, blob in sorted(blobs.items())}


def _stage_data(folder: Path, round_: Round, team: Team, copy: Copy) -> dict[str, str]:
    blobs = data_blobs(round_, team)
    needed = [file.name for file in find_contest(round_.contest.rule_set).data_files if not file.optional]
    if any(name not in blobs for name in needed):
        raise MissingDataError
    return put_files(folder / "data", blobs, copy=copy)


def stage_release(folder: Path, submission: Submission | SelfCheck, *, copy: Copy = copy_to) -> Inputs:
    """Copy a release and what it is compared with."""
    round_ = submission.round
    data = _stage_data(folder, round_, submission.team, copy)
    (folder / "release").mkdir()
    blob = _bytes_of(submission)
    copy(blob, folder / "release/upload")
    return {"data": data, "parameters": parameters_of(round_), "submission": blob.sha256}


def _bytes_of(submission: Submission | SelfCheck) -> Blob:
    """Return the file of a submission; that of a check is there until it is checked."""
    if submission.blob is None:
        raise MissingDataError
    return submission.blob


def _target_files(target: Target) -> list[TargetFile]:
    return list(TargetFile.objects.filter(target=target).select_related("blob"))


def _named(files: Iterable[TargetFile], team: Any, *, truth: bool) -> dict[str, Blob]:
    return {
        file.name: file.blob for file in files if file.team_id == team and (file.blob.area == Blob.Area.TRUTH) == truth
    }


def stage_guesses(
    folder: Path, target: Target, guesses: Sequence[Submission | SelfCheck], *, copy: Copy = copy_to
) -> list[Inputs]:
    """Copy a target with everything about it, and the guesses of several attackers."""
    common = stage_release(folder, target.submission, copy=copy)
    files = _target_files(target)
    common["release"] = common.pop("submission")
    common["published"] = put_files(folder / "published", _named(files, None, truth=False), copy=copy)
    common["truth"] = put_files(folder / "truth", _named(files, None, truth=True), copy=copy)
    found = []
    for number, guess in enumerate(guesses):
        place = folder / "guesses" / str(number)
        own = {
            "own_published": put_files(place / "published", _named(files, guess.team_id, truth=False), copy=copy),
            "own_truth": put_files(place / "truth", _named(files, guess.team_id, truth=True), copy=copy),
        }
        blob = _bytes_of(guess)
        copy(blob, place / "upload")
        found.append({**common, **own, "submission": blob.sha256})
    return found
