"""A job as files: what it was asked (``job.json``), how far it is, what came out, how it ended.

Its process holds a lock on the folder for as long as it lives, so that nobody mistakes another process that got the
same number later for it, and a studio that was started again sees what still runs.
"""

from __future__ import annotations

import fcntl
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from tokumei.data import OWNER_ONLY, write_text

RECORD, PROGRESS, ENDED, LOCK = "job.json", "progress.json", "ended.json", "lock"
DONE, NEGATIVE, FAILED, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143


@dataclass(frozen=True, kw_only=True)
class Step:
    """One command of a job: its name and its words after ``tokumei``."""

    name: str
    words: Sequence[str]

    @property
    def command(self) -> str:
        """The command as it is typed in the folder of the project."""
        return f"tokumei {shlex.join(self.words)}"


@dataclass(frozen=True, kw_only=True)
class Job:
    """What was asked of a job and what is known of it now; ``about`` is what it is about, as plain values."""

    folder: Path
    kind: str
    steps: Sequence[Step]
    about: Mapping[str, Any] = field(default_factory=dict)
    began: str = ""

    @property
    def number(self) -> int:
        """Its number, in the order of the beginnings."""
        return int(self.folder.name)

    @cached_property
    def ended(self) -> dict[str, Any] | None:
        """How it ended: ``status``, ``seconds`` and, where something went wrong, ``error``; None if it did not end."""
        return read_json(self.folder / ENDED)

    @cached_property
    def running(self) -> bool:
        """Whether its process lives."""
        return self.ended is None and locked(self.folder / LOCK)

    @property
    def state(self) -> str:
        """How it stands: running, done, failed or stopped (by the person, or with the machine)."""
        if self.running:
            return "running"
        if self.ended is None or self.ended["status"] in (INTERRUPTED, TERMINATED):
            return "stopped"
        return "done" if self.ended["status"] in (DONE, NEGATIVE) else "failed"

    @property
    def progress(self) -> dict[str, Any]:
        """How far it is: the ``step``, and its stages with their shares."""
        return read_json(self.folder / PROGRESS) or {}

    @property
    def elapsed(self) -> float:
        """Seconds since its beginning, or those that it took."""
        if self.ended is not None:
            return float(self.ended["seconds"])
        return (datetime.now(UTC) - datetime.fromisoformat(self.began)).total_seconds()

    @property
    def error(self) -> str:
        """What went wrong, in one sentence."""
        return str((self.ended or {}).get("error", ""))

    def result(self, step: str) -> dict[str, Any] | None:
        """Return the JSON document that a step printed."""
        return read_json(self.folder / f"{step}.json")

    def write(self) -> None:
        """Keep what is asked."""
        steps = [{"name": step.name, "words": list(step.words)} for step in self.steps]
        began = datetime.now(UTC).isoformat(timespec="seconds")
        document = {"kind": self.kind, "about": dict(self.about), "began": began, "steps": steps}
        write_json(self.folder / RECORD, document)

    @classmethod
    def read(cls, folder: Path) -> Job:
        """Read what was asked."""
        document = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        steps = [Step(name=step["name"], words=tuple(step["words"])) for step in document["steps"]]
        return cls(folder=folder, kind=document["kind"], steps=steps, about=document["about"], began=document["began"])


def all_jobs(folder: Path) -> list[Job]:
    """Return the jobs in a folder, the newest first."""
    numbers = sorted((int(path.name) for path in folder.iterdir() if path.name.isdecimal()), reverse=True)
    return [Job.read(folder / str(number)) for number in numbers if (folder / str(number) / RECORD).exists()]


def read_json(path: Path) -> dict[str, Any] | None:
    """Return the document of a file, None if there is none."""
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document for its owner alone."""
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n", mode=OWNER_ONLY)


def locked(path: Path) -> bool:
    """Return whether a living process holds the lock."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
