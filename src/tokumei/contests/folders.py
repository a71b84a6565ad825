"""The folders that the standard commands of contests read and write: published files, truth, guesses, results."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from tokumei.contests.base import Contest
from tokumei.contests.values import Checked, Entry, Pair, Published, file_name
from tokumei.data import OWNER_ONLY, atomic_folder, read_bytes, write_bytes
from tokumei.errors import InputError

Files = Mapping[str, bytes]


def write_published(made: Published, folder: Path) -> list[str]:
    """Write what attackers get into a new folder, files of single teams in folders of their names; list them."""
    with atomic_folder(folder) as temporary:
        paths = _write(temporary, made.common, made.per_attacker, mode=None)
        return [str(folder / path.relative_to(temporary)) for path in paths]


def write_truth(made: Published, folder: Path) -> None:
    """Write what only the judge may see, in the same way, for its owner only."""
    with atomic_folder(folder) as temporary:
        _write(temporary, made.truth, made.truth_per_attacker, mode=OWNER_ONLY)


def _write(folder: Path, common: Files, apart: Mapping[str, Files], *, mode: int | None) -> list[Path]:
    paths = []
    for team, files in {"": common, **apart}.items():
        place = folder / _checked_name(team)
        place.mkdir(exist_ok=True)
        for name, data in files.items():
            paths.append(place / file_name(name))
            write_bytes(paths[-1], data, mode=mode)
    return paths


def _checked_name(team: str) -> str:
    if Path(team).name != team:
        message = f"the name of the team '{team}' cannot be that of a folder; leave slashes out"
        raise InputError(message, code="team-name")
    return team


@contextmanager
def seen_by(published: Path, team: str) -> Iterator[Path]:
    """Yield a folder with the common files and those of a team together."""
    with tempfile.TemporaryDirectory(prefix="tokumei-") as temporary:
        for place in (published, published / _checked_name(team)) if team else (published,):
            _copy(place, Path(temporary))
        yield Path(temporary)


def _copy(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.iterdir()) if source.is_dir() else ():
        if path.is_file():
            shutil.copyfile(path, target / path.name)


def scored(
    contest: Contest,
    data: Path,
    release: Path,
    guesses: Sequence[Path],
    *,
    published: Path | None,
    truth: Path | None,
    seed: str,
) -> list[Checked]:
    """Score folders of guesses, each named by its team, about one release.

    Without the folders that `write_published` and `write_truth` made, the release is published again from the seed.
    """
    teams = [_checked_name(folder.resolve().name) for folder in guesses]
    with tempfile.TemporaryDirectory(prefix="tokumei-") as temporary:
        place = Path(temporary)
        if published is None:
            made = contest.publish(data, release, attackers=teams, seed=seed)
            _write(place / "published", made.common, made.per_attacker, mode=None)
            _write(place / "truth", made.truth, made.truth_per_attacker, mode=None)
        else:
            shutil.copytree(published, place / "published")
            if truth is not None:
                shutil.copytree(truth, place / "truth")
        folders = []
        for team, folder in zip(teams, guesses, strict=True):
            _refuse_incomplete(contest, folder)
            folders.append(place / "guesses" / team)
            _copy(folder, folders[-1])
            for area in ("published", "truth"):
                _copy(place / area / team, folders[-1] / area)
        return contest.score_guesses(
            data, release, published=place / "published", truth=place / "truth", guesses=folders
        )


def _refuse_incomplete(contest: Contest, folder: Path) -> None:
    wanted = [file.filename for file in contest.guess_files if not file.optional]
    missing = [name for name in wanted if not (folder / name).is_file()]
    if missing:
        message = f"{folder} lacks {', '.join(missing)}; put the guesses there"
        raise InputError(message, code="files-missing", file=str(folder))


def read_rounds(path: Path) -> list[tuple[float, list[Entry], list[Pair]]]:
    """Read the weight, the entries and the pairs of every round."""
    try:
        document = json.loads(read_bytes(path))
        rounds = document.get("rounds", [document])
        return [(float(one.get("weight", 1)), *_round(one)) for one in rounds]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        message = f"{path} does not hold entries and pairs as --help shows them ({type(error).__name__}: {error})"
        raise InputError(message, code="results", file=str(path)) from error


def _round(document: Mapping[str, Any]) -> tuple[list[Entry], list[Pair]]:
    entries = [
        Entry(
            str(one["team"]),
            one.get("figures"),
            None if one.get("received_at") is None else datetime.fromisoformat(one["received_at"]),
            bool(one.get("disqualified", False)),
        )
        for one in document["entries"]
    ]
    pairs = [Pair(str(one["attacker"]), str(one["owner"]), one["figures"]) for one in document.get("pairs", ())]
    return entries, pairs


def attacked_by_samples(contest: Contest, data: Path, release: Path, *, seed: str) -> dict[str, dict[str, Any]]:
    """Return the figures of every sample attack on a release, as the judge would score them."""
    import numpy as np

    with tempfile.TemporaryDirectory(prefix="tokumei-") as temporary:
        place = Path(temporary)
        write_published(contest.publish(data, release, attackers=contest.attacks, seed=seed), place / "seen")
        folders = [place / "guesses" / name for name in contest.attacks]
        for folder in folders:
            folder.mkdir(parents=True)
            with seen_by(place / "seen", folder.name) as seen:
                contest.attack(folder.name, data, seen, folder, settings={}, rng=np.random.default_rng(0))
        results = scored(contest, data, release, folders, published=None, truth=None, seed=seed)
    return {folder.name: dict(one.figures) for folder, one in zip(folders, results, strict=True)}
