"""Files that appear whole or not at all.

Everything Tokumei writes goes through `atomic_path` or `atomic_folder`: the work is done under a temporary name beside
the target and renamed at the end; an error, a full disk or Ctrl-C leaves what was there before. A link is followed to
what it names; a device or a pipe (``/dev/null``) is written to, never replaced.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tokumei.errors import OutputError

OWNER_ONLY = 0o600
# So much of a name goes into the temporary name: file systems allow 255 bytes in all.
_NAME_HEAD = 40
_ADVICE = {
    errno.ENOENT: "the folder does not exist; create it first",
    errno.ENOTDIR: "a part of the path is a file, not a folder; choose another place",
    errno.EACCES: "writing there is not permitted; choose another place or change the permissions",
    errno.EPERM: "writing there is not permitted; choose another place or change the permissions",
    errno.EEXIST: "it exists already; choose another place or move it away",
    errno.ENOTEMPTY: "it exists already and is not empty; choose another place or move it away",
    errno.EROFS: "the file system is read-only; choose another place",
    errno.EISDIR: "it is a folder; name a file",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
    errno.ENOSPC: "the disk is full; make room or choose another place",
    errno.EDQUOT: "the quota of the disk is used up; make room or choose another place",
    errno.EFBIG: "the file would become larger than the system allows; choose another place",
}


def _failure(path: Path, error: Exception) -> OutputError | None:
    """Return what to tell about a failed write, or None if the error is no such failure."""
    number = error.errno if isinstance(error, OSError) else None
    # Polars passes on what the system said as text only.
    if number is None and (told := re.search(r"\(os error (\d+)\)", str(error))):
        number = int(told.group(1))
    if number is None and not isinstance(error, OSError):
        return None
    reason = os.strerror(number) if number is not None else str(error)
    advice = _ADVICE.get(number or 0, f"{reason}; choose another place")
    return OutputError(f"{path} cannot be written: {advice}", file=str(path))


@contextmanager
def output_told(path: Path) -> Iterator[None]:
    """Turn what the system says about writing below ``path`` into one sentence."""
    try:
        yield
    except OutputError:
        raise
    except Exception as error:
        if failure := _failure(path, error):
            raise failure from error
        raise


def refuse_address(path: Path) -> None:
    """Raise OutputError for the address of a bucket or a site: what is written appears whole, by renaming."""
    # A path swallows the second slash of an address.
    if found := re.match(r"([a-z][a-z0-9+]+):/+(.*)", str(path)):
        address = f"{found.group(1)}://{found.group(2)}"
        message = f"{address} cannot be written: it is an address; name a folder here, and copy what was audited there"
        raise OutputError(message, code="address", file=address)


def check_file_target(path: Path) -> None:
    """Raise OutputError if a file cannot be written there, so that long work is not done in vain."""
    refuse_address(path)
    with output_told(path):
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "")
        if not target.exists() or target.is_file():
            _check_parent(target)
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "")


def check_folder_target(path: Path) -> None:
    """Raise OutputError if a new folder cannot be created there."""
    refuse_address(path)
    with output_told(path):
        target = Path(os.path.realpath(path))
        if target == Path.cwd():
            message = f"{path} is the folder you are in; name a new folder"
            raise OutputError(message, file=str(path))
        if target.exists() and not (target.is_dir() and not any(target.iterdir())):
            message = f"{path} exists already and is not an empty folder; choose another name or remove it"
            raise OutputError(message, file=str(path))
        _check_parent(target)


def _check_parent(target: Path) -> None:
    if not target.parent.is_dir():
        # A file on the way gives ENOTDIR, a missing folder ENOENT: the system knows which.
        (target.parent / "x").stat()
        raise NotADirectoryError(errno.ENOTDIR, "")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "")


def _temporary_name(target: Path, folder: Path) -> Path:
    """Return a name that nobody else uses; known before anything is created, so that no Ctrl-C leaves it behind."""
    return folder / f".{target.name[:_NAME_HEAD]}.{secrets.token_hex(8)}.part"


@contextmanager
def atomic_path(path: Path, *, mode: int | None = None, new: bool = False) -> Iterator[Path]:
    """Yield a temporary path in the same folder; rename it to ``path`` at the end, remove it on any failure.

    A ``new`` file replaces nothing, not even what somebody else put there meanwhile.
    """
    path = Path(path)
    check_file_target(path)
    target = Path(os.path.realpath(path))
    special = target.exists() and not target.is_file()
    temporary = _temporary_name(target, Path(tempfile.gettempdir()) if special else target.parent)
    try:
        with output_told(path):
            temporary.touch(OWNER_ONLY, exist_ok=False)
            yield temporary
            if special:
                with temporary.open("rb") as written, target.open("wb") as device:
                    shutil.copyfileobj(written, device)
                return
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
            temporary.chmod(mode if mode is not None else 0o666 & ~_umask())
            if new:
                _put_new(temporary, target)
            else:
                temporary.replace(target)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _put_new(temporary: Path, target: Path) -> None:
    """Rename a file to a name that must be free; OSError if it is not: of two who write at once, one finds it taken."""
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))
    try:
        temporary.replace(target)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_folder(path: Path, *, mode: int | None = None) -> Iterator[Path]:
    """Yield a temporary folder beside ``path``; rename it at the end. An existing ``path`` must be an empty folder."""
    path = Path(path)
    check_folder_target(path)
    target = Path(os.path.realpath(path))
    temporary = _temporary_name(target, target.parent)
    try:
        with output_told(path):
            temporary.mkdir(0o700)
            yield temporary
            temporary.chmod(mode if mode is not None else 0o777 & ~_umask())
            temporary.replace(target)
    except OutputError as error:
        # What failed inside is told under the name that was asked for.
        old, new = str(temporary), str(path)
        file = error.file and error.file.replace(old, new)
        raise OutputError(error.message.replace(old, new), code=error.code, file=file) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_bytes(path: Path, data: bytes, *, mode: int | None = None, new: bool = False) -> None:
    """Write a whole file at once; a ``new`` one replaces nothing."""
    with atomic_path(path, mode=mode, new=new) as temporary:
        temporary.write_bytes(data)


def write_text(path: Path, text: str, *, mode: int | None = None, new: bool = False) -> None:
    """Write a whole text file at once, UTF-8, with the line ends as they are; a ``new`` one replaces nothing."""
    write_bytes(path, text.encode(), mode=mode, new=new)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
