"""One project: a folder that only its owner can read, with everything the studio knows as files.

    data/           the input, if it was uploaded or generated (one that is named by its path stays where it is)
    plan.toml       what is to be done: input, schema, method, parameters; ``tokumei anonymize --plan`` runs it
    schema.toml     the schema of the plan alone, for the other commands
    studio.json     what no command needs: the recipient that was chosen, the columns that were confirmed
    plans/          the plan of every release as it was asked for, without its key
    jobs/1/ ...     every command that was run, with its progress, result and end
    releases/       release folders and, beside each, its secret, plan and audit
    reports/        dossiers

Paths in these files are relative to the folder where they lie in it, so that it can be moved.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tokumei.data import OWNER_ONLY, Schema, output_told, write_text
from tokumei.errors import OutputError, ParameterError
from tokumei.flow import DEFAULT_METHOD, Places, Plan, places_of
from tokumei_studio.jobs import Job, all_jobs

PLAN, SCHEMA, STATE = "plan.toml", "schema.toml", "studio.json"
FOLDERS = ("data", "plans", "jobs", "releases", "reports", ".scratch")
DEFAULT_K = 3
LONGEST_NAME = 80
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")


@dataclass(frozen=True)
class Project:
    """The folder of a project; what it holds is read anew for every page."""

    folder: Path
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)

    @classmethod
    def open(cls, folder: Path) -> Project:
        """Open a project, made if it is not there; refuse a folder of others or with other things in it."""
        folder = Path(os.path.abspath(folder))  # noqa: PTH100 - a link stays a link
        with output_told(folder):
            folder.mkdir(0o700, parents=True, exist_ok=True)
            ours = {PLAN, SCHEMA, STATE, *FOLDERS}
            foreign = sorted(path.name for path in folder.iterdir() if path.name not in ours)
            if foreign and not (folder / "jobs").is_dir():
                message = f"{folder} has other files in it ({foreign[0]}); name a new folder for the project"
                raise OutputError(message, file=str(folder))
            if folder.stat().st_uid != os.getuid():
                message = f"{folder} belongs to somebody else; name a folder of your own"
                raise OutputError(message, file=str(folder))
            folder.chmod(0o700)
            for name in FOLDERS:
                (folder / name).mkdir(0o700, exist_ok=True)
        project = cls(folder)
        for left in project.scratch.iterdir():
            with suppress(OSError):
                left.unlink()
        return project

    @property
    def scratch(self) -> Path:
        """Where uploads lie until they are whole."""
        return self.folder / ".scratch"

    @property
    def plan(self) -> Plan | None:
        """What is to be done, None while no data was chosen."""
        path = self.folder / PLAN
        return Plan.read(path) if path.exists() else None

    def save_plan(self, plan: Plan) -> None:
        """Keep what is to be done, without a key or a seed; the schema also as a file of its own."""
        with self.lock:
            if plan.schema is None:
                (self.folder / SCHEMA).unlink(missing_ok=True)
            else:
                write_text(self.folder / SCHEMA, plan.schema.to_toml(), mode=OWNER_ONLY)
            write_text(self.folder / PLAN, plan.to_toml(secret=False), mode=OWNER_ONLY)

    def keep_plan(self, plan: Plan, name: str) -> None:
        """Keep the plan of a release under the name of that, whatever is planned later."""
        write_text(self.folder / "plans" / f"{name}.toml", plan.to_toml(secret=False), mode=OWNER_ONLY)

    @property
    def state(self) -> dict[str, Any]:
        """What no command needs."""
        path = self.folder / STATE
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}

    def note(self, **values: Any) -> None:
        """Keep some values."""
        with self.lock:
            text = json.dumps({**self.state, **values}, indent=2, ensure_ascii=False)
            write_text(self.folder / STATE, text + "\n", mode=OWNER_ONLY)

    @property
    def schema(self) -> Schema | None:
        """What the columns mean, None until somebody has confirmed it."""
        plan = self.plan
        return None if plan is None else plan.schema

    def choose_input(self, path: Path) -> None:
        """Take another input; what was said of the columns of the earlier one is forgotten."""
        inside = path.is_relative_to(self.folder)
        named = str(path.relative_to(self.folder)) if inside else str(path)
        self.save_plan(Plan(method=DEFAULT_METHOD, parameters={"k": DEFAULT_K}, input=named))

    def choose_schema(self, schema: Schema) -> None:
        """Take what the columns mean."""
        plan = self.plan
        if plan is None:
            message = "choose the data first"
            raise ParameterError(message, code="usage")
        names = {column.name for column in schema.columns}
        self.save_plan(replace(plan, schema=schema, allow=tuple(name for name in plan.allow if name in names)))

    def input_path(self) -> Path | None:
        """Return where the input is, None while none was chosen."""
        plan = self.plan
        return None if plan is None or not plan.input else self.folder / plan.input

    def free_place(self, name: str) -> Path:
        """Return where an uploaded file goes: its own name without anything that is no part of one."""
        base = re.sub(r"[^\w.()\- ]+", "_", Path(name.replace("\\", "/")).name).strip(". ")[-LONGEST_NAME:] or "data"
        return self.folder / "data" / base

    def releases(self) -> list[str]:
        """Return the names of the releases that are there, the newest first."""
        folders = [
            path
            for path in (self.folder / "releases").iterdir()
            # A link may lead anywhere; the studio made none.
            if path.is_dir() and not path.is_symlink() and _NAME.fullmatch(path.name)
        ]
        return [path.name for path in sorted(folders, key=lambda path: (-path.stat().st_mtime, path.name))]

    def release(self, name: str) -> Places | None:
        """Return where a release and what belongs to it are, None if there is none of this name."""
        return places_of(self.folder / "releases" / name) if name in self.releases() else None

    def free_release(self, method: str, k: object) -> str:
        """Return a name that no release has, and none had."""
        stem = re.sub(r"[^a-z0-9]+", "-", f"{method}-k{k}" if k else method).strip("-")[:40] or "release"
        taken = {path.name.split(".")[0] for path in (self.folder / "releases").iterdir()}
        number = next(number for number in range(1, len(taken) + 2) if f"{stem}-{number}" not in taken)
        return f"{stem}-{number}"

    def jobs(self) -> list[Job]:
        """Return all jobs, the newest first."""
        return all_jobs(self.folder / "jobs")

    def job(self, number: int) -> Job | None:
        """Return a job by its number."""
        return next((job for job in self.jobs() if job.number == number), None)

    def running_job(self) -> Job | None:
        """Return the job that runs now."""
        return next((job for job in self.jobs() if job.running), None)

    def newest(self, kind: str, **about: object) -> Job | None:
        """Return the newest job of a kind that is about this."""
        jobs = (job for job in self.jobs() if job.kind == kind)
        return next((job for job in jobs if _about(job.about, about)), None)

    def without_folder(self, text: str) -> str:
        """Return a sentence in which files of the project have their short names."""
        return text.replace(f"{self.folder}/", "")


def _about(known: Mapping[str, object], asked: Mapping[str, object]) -> bool:
    return all(known.get(name) == value for name, value in asked.items())
