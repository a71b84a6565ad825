"""The parts of a release get their places: the folder for others and, beside it, what only the publisher keeps."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tokumei.data import (
    DATA_FOLDER,
    FILE_TIME,
    MANIFEST_NAME,
    OWNER_ONLY,
    OWNERS_FOLDER,
    ROWS_FOLDER,
    Outcome,
    ReleasePart,
    atomic_folder,
    folder_texts,
    part_name,
    public_summary,
    write_secret_index,
    write_text,
)
from tokumei.flow.parted.making import PartedRelease
from tokumei.flow.parted.publishing import PublishJob
from tokumei.flow.plan import public_parameters
from tokumei.flow.publishing import Places, Published
from tokumei.parts import Method

_PRIVATE_FOLDER = 0o700


def write_parted(
    made: PartedRelease, method: Method, places: Places, *, verdict: tuple[Outcome, int] | None = None
) -> Published:
    """Write the secret and the plan, then the release folder; all of it or nothing."""
    parameters = public_parameters(method)
    told = [json.loads(job.told.read_text(encoding="utf-8")) for job in made.parts]
    summary = public_summary(made.figures.release, parameters=parameters, about=method.summary, verdict=verdict)
    names = [f"{DATA_FOLDER}/{part_name(job.number)}" for job in made.parts]
    texts, manifest = folder_texts(
        made.figures.release,
        {name: str(one["sha256"]) for name, one in zip(names, told, strict=True)},
        parts=_listed(names, told),
        parameters=parameters,
        summary=summary,
    )
    with ExitStack() as undone, atomic_folder(places.folder) as folder:
        (folder / DATA_FOLDER).mkdir()
        _place_parts(made.parts, DATA_FOLDER, folder, mode=0o644)
        for name, content in texts.items():
            (folder / name).write_bytes(content)
            os.utime(folder / name, (FILE_TIME, FILE_TIME))
        os.utime(folder / DATA_FOLDER, (FILE_TIME, FILE_TIME))
        # What is kept gets its place first: who is killed here has a Secret without a release, never the other way.
        with atomic_folder(places.secret, mode=_PRIVATE_FOLDER) as secret:
            for kind in (ROWS_FOLDER, OWNERS_FOLDER):
                (secret / kind).mkdir(mode=_PRIVATE_FOLDER)
                _place_parts(made.parts, kind, secret)
            write_secret_index(secret, [part_name(job.number) for job in made.parts], made.plan.seed)
        undone.callback(_remove_unless_made, places.secret, places.folder)
        write_text(places.plan, made.plan.to_toml(), mode=OWNER_ONLY, new=True)
        undone.callback(_remove_unless_made, places.plan, places.folder)
    return Published(places, manifest)


def _remove_unless_made(kept: Path, folder: Path) -> None:
    """Take away what is kept of a release that did not come into being; an empty folder of its name may be there."""
    if (folder / MANIFEST_NAME).exists():
        return
    if kept.is_dir():
        shutil.rmtree(kept, ignore_errors=True)
    else:
        kept.unlink(missing_ok=True)


def _listed(names: Sequence[str], told: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    parts = [ReleasePart(name, one["rows"], one["first"], one["last"]) for name, one in zip(names, told, strict=True)]
    return [part.as_dict() for part in parts]


def _place_parts(parts: Sequence[PublishJob], kind: str, target: Path, *, mode: int = OWNER_ONLY) -> None:
    """Link the files of one kind into a folder, or copy them where that is on another disk."""
    for job in parts:
        source, place = job.file(kind), target / kind / part_name(job.number)
        try:
            os.link(source, place)
        except OSError:
            shutil.copyfile(source, place)
        place.chmod(mode)
        os.utime(place, (FILE_TIME, FILE_TIME))
