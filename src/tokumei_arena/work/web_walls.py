"""What a web process cannot read, whatever its program does wrong.

That is ground truth, folders of evaluations and the key that signs the log, where they lie on its machine. It can still
store ground truth that a referee uploads: only reading is closed, by the kernel (Landlock). Uploads stay readable:
teams and referees fetch them through the web.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tokumei_arena import environment
from tokumei_arena.work import landlock

logger = logging.getLogger(__name__)
# Whether this process is closed, and what keeps the files of SQLite from being made anew: no rule would know them.
_closed: list[sqlite3.Connection | None] = []


def is_closed() -> bool:
    """Return whether the kernel keeps this process from reading ground truth."""
    return bool(_closed)


def close_truth() -> bool:
    """Close what a web process need not read, before it has threads; return whether that worked."""
    home = environment.home()
    closed = [home / "files/truth", home / "work", home / environment.LOG_KEY_FILE]
    # What is made later has no rule of its own and could not be read.
    for folder in (
        home / "tmp",
        home / "counts",
        home / "work",
        *(home / "files" / area for area in environment.AREAS),
    ):
        folder.mkdir(mode=environment.OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
    # Whatever is written for a moment has to lie where it can be read again.
    os.environ["TMPDIR"] = tempfile.tempdir = str(home / "tmp")
    if landlock.version() == 0:
        return False
    database = _open_database(home / "arena.sqlite3")
    try:
        landlock.restrict_reading(_all_but(closed, Path("/")))
    except OSError as error:
        logger.warning("ground truth is closed to this web process by its program only: %s", error)
        return False
    _closed.append(database)
    return True


def _open_database(path: Path) -> sqlite3.Connection | None:
    """Open SQLite, so that its files stay the same ones while this process lives."""
    if not path.exists():
        return None
    found = sqlite3.connect(path, check_same_thread=False)
    found.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return found


def _all_but(closed: Sequence[Path], folder: Path) -> Iterator[Path]:
    """Return the paths that make up a folder without the closed ones; where links lead is a path of its own."""
    for path in folder.iterdir():
        if path.is_symlink():
            continue
        if any(one.is_relative_to(path) for one in closed):
            if path not in closed:
                yield from _all_but(closed, path)
        else:
            yield path
