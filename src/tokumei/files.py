"""Files that appear whole or not at all.

Everything Tokumei writes goes through `atomic_path` or `atomic_folder`: the work is done under a temporary name beside
the target and renamed at the end; an error, a full disk or Ctrl-C leaves what was there before.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tokumei.errors import OutputError

__all__ = ["atomic_folder", "atomic_path", "write_bytes", "write_text"]

OWNER_ONLY = 0o600


def _failure(path: Path, error: OSError) -> OutputError:
    reason = error.strerror or str(error)
    return OutputError(f"{path} cannot be written: {reason}; choose another place or make room", file=str(path))


@contextmanager
def atomic_path(path: Path, *, mode: int | None = None) -> Iterator[Path]:
    """Yield a temporary path in the same folder; rename it to ``path`` at the end, remove it on any failure."""
    path = Path(path)
    temporary: Path | None = None
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.chmod(mode if mode is not None else 0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise _failure(path, error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside ``path``; rename it at the end. An existing ``path`` must be an empty folder."""
    path = Path(path)
    temporary: Path | None = None
    try:
        if path.exists() and not (path.is_dir() and not any(path.iterdir())):
            message = f"{path} exists already and is not an empty folder; choose another name or remove it"
            raise OutputError(message, file=str(path))
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
        yield temporary
        temporary.chmod(0o777 & ~_umask())
        if path.exists():
            path.rmdir()
        temporary.replace(path)
    except OSError as error:
        raise _failure(path, error) from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def write_bytes(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Write a whole file at once."""
    with atomic_path(path, mode=mode) as temporary:
        temporary.write_bytes(data)


def write_text(path: Path, text: str, *, mode: int | None = None) -> None:
    """Write a whole text file at once, UTF-8, with the line ends as they are."""
    write_bytes(path, text.encode(), mode=mode)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
