"""What the evaluating process does inside its walls: it judges what lies in FOLDER and writes FOLDER/result.json.

It knows no Django, no database and no secret; whatever kills it kills nothing else.

    FOLDER/data/NAME.csv            the files the round handed out (to the owner of the release)
    FOLDER/release/upload           the release as it was handed in
    FOLDER/published, truth         the common files of the target
    FOLDER/guesses/I/upload         guesses as they were handed in, with published and truth files of that attacker
    FOLDER/out/N                    published files that were made, listed in result.json
"""

from __future__ import annotations

import json
import math
import shutil
import traceback
from pathlib import Path
from typing import Any

from tokumei.contests import Checked, FileSpec, Note
from tokumei.contests import Contest as Rules
from tokumei.errors import TokumeiError
from tokumei_arena.rules import rules_in
from tokumei_arena.work.limits import Limits
from tokumei_arena.work.unpacking import unpack


class TooMuchTogetherError(Exception):
    """Several guesses unpack to more than one may; one by one they are scored nevertheless."""


def run_job(folder: Path, job: dict[str, Any]) -> dict[str, Any]:
    """Do what the job says; return plain values for JSON."""
    rules, limits = rules_in(job["rule_set"], job["parameters"]), Limits.of(job["limits"])
    version = {"rule_version": rules.version()}
    task = job["task"]
    if task == "publish":
        return {**version, "files": _publish(rules, folder, job, limits)}
    if task == "guesses":
        return {**version, "results": _guesses(rules, folder, job, limits)}
    if task == "split":
        return {**version, "files": _split(rules, folder, job)}
    if task == "release":
        notes = unpack(folder / "release/upload", folder / "release", _names(rules.release_files), limits)
        if notes:
            return {**version, "results": [_plain(Checked.refused(notes))]}
        checked = rules.check_release(folder / "data", folder / "release")
    else:
        checked = rules.check_data(folder / "data")
    return {**version, "results": [_plain(checked)]}


def _names(files: tuple[FileSpec, ...], *, optional: bool = False) -> list[str]:
    return [file.name for file in files if file.optional == optional]


def _unpack_release(rules: Rules, folder: Path, limits: Limits) -> Path:
    """Unpack a release that was found valid before."""
    notes = unpack(folder / "release/upload", folder / "release", _names(rules.release_files), limits)
    if notes:
        raise RuntimeError(f"the release of the target cannot be unpacked any more: {notes[0].code}")
    return folder / "release"


def _publish(rules: Rules, folder: Path, job: dict[str, Any], limits: Limits) -> list[dict[str, str]]:
    """Write the files of a target; return where each is and for whom."""
    release = _unpack_release(rules, folder, limits)
    made = rules.publish(folder / "data", release, attackers=job["attackers"], seed=job["seed"])
    listed: list[tuple[str, str, str, bytes]] = []
    for area, common, apart in (
        ("published", made.common, made.per_attacker),
        ("truth", made.truth, made.truth_per_attacker),
    ):
        listed += [(area, "", name, data) for name, data in common.items()]
        listed += [(area, team, name, data) for team, files in apart.items() for name, data in files.items()]
    (folder / "out").mkdir()
    found = []
    for number, (area, team, name, data) in enumerate(listed):
        (folder / "out" / str(number)).write_bytes(data)
        found.append({"area": area, "team": team, "name": name, "path": str(number)})
    return found


def _split(rules: Rules, folder: Path, job: dict[str, Any]) -> list[dict[str, str]]:
    """Take a zip of answers apart by the rules; what they cannot read holds none."""
    try:
        found = rules.split_answers(folder / "upload", job["targets"])
    except TokumeiError:
        return []
    (folder / "out").mkdir()
    names = {file.filename for file in rules.guess_files}
    listed = []
    for number, (target, name, data) in enumerate(
        (target, name, data) for target, files in found.items() for name, data in files.items() if name in names
    ):
        (folder / "out" / str(number)).write_bytes(data)
        listed.append({"target": target, "name": name, "path": str(number)})
    return listed


def _guesses(rules: Rules, folder: Path, job: dict[str, Any], limits: Limits) -> list[dict[str, Any]]:
    """Score the guesses that can be unpacked, all at once; the others are refused one by one."""
    release = _unpack_release(rules, folder, limits)
    folders = [folder / "guesses" / str(number) for number in range(job["count"])]
    refused = _unpack_guesses(rules, folders, limits)
    usable = [number for number, notes in refused.items() if not notes]
    scored = iter(
        rules.score_guesses(
            folder / "data",
            release,
            published=folder / "published",
            truth=folder / "truth",
            guesses=[folders[number] for number in usable],
        )
    )
    results = [_plain(Checked.refused(notes) if notes else next(scored)) for notes in refused.values()]
    for place, result in zip(folders, results, strict=True):
        if result["valid"] and job.get("completeness"):
            result["answered"] = _answered(rules, folder / "published", place)
    return results


def _answered(rules: Rules, common: Path, place: Path) -> dict[str, Any] | None:
    """Return how much of what is asked for was answered, if the rules can say so."""
    seen = place / "seen"
    seen.mkdir()
    for part in (common, place / "published"):
        for file in part.iterdir() if part.is_dir() else ():
            shutil.copyfile(file, seen / file.name)
    found = rules.answered(seen, place)
    return None if found is None else {"given": found.given, "asked": found.asked, "what": dict(found.what)}


def _unpack_guesses(rules: Rules, folders: list[Path], limits: Limits) -> dict[int, list[Note]]:
    """Unpack guesses; together they may take as much room as a single one, so that many do not fill the disk."""
    found, room = {}, limits.unpacked_bytes
    for number, place in enumerate(folders):
        files, more = rules.guess_files, _names(rules.guess_files, optional=True)
        found[number] = unpack(place / "upload", place, _names(files), limits, optional=more)
        written = [place / file.filename for file in files if not found[number]]
        room -= sum(path.stat().st_size for path in written if path.exists())
        if room < 0 and len(folders) > 1:
            raise TooMuchTogetherError
    return found


def _plain(checked: Checked) -> dict[str, Any]:
    return {
        "valid": checked.valid,
        "figures": {name: _finite(value) for name, value in checked.figures.items()},
        "findings": [note.as_dict() for note in checked.notes],
        "finding_count": checked.note_count,
    }


def _finite(value: Any) -> Any:
    """Return None for what JSON has no number for (an undefined precision)."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def run_and_write(folder: Path, job: dict[str, Any]) -> None:
    """Run the job of a folder and write its result there."""
    try:
        result = run_job(folder, job)
    except MemoryError:
        result = {"death": "memory"}
    except TooMuchTogetherError:
        result = {"death": "file-size"}
    except Exception:
        # The sentences of errors may hold what participants sent: they stay in the log of the worker.
        traceback.print_exc()
        result = {"death": "error"}
    part = folder / "result.part"
    part.write_text(json.dumps(result, allow_nan=False), encoding="utf-8")
    part.replace(folder / "result.json")
