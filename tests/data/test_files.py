"""Files and folders appear whole or not at all, whatever interrupts the work."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from tokumei.data.files import (
    atomic_folder,
    atomic_path,
    check_file_target,
    check_folder_target,
    write_bytes,
    write_text,
)
from tokumei.errors import OutputError


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_at_the_end_only(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_text(path, "old")
    with atomic_path(path) as temporary:
        temporary.write_text("new", encoding="utf-8")
        assert path.read_text(encoding="utf-8") == "old"
        assert temporary.parent == tmp_path
        assert temporary.name.startswith(".x.")
    assert path.read_text(encoding="utf-8") == "new"
    assert _names(tmp_path) == ["x"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_any_error_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "x"
    write_text(path, "old")

    def half(target: Path) -> None:
        target.write_text("half", encoding="utf-8")
        raise error

    with pytest.raises(error), atomic_path(path) as temporary:
        half(temporary)
    with pytest.raises(error), atomic_folder(tmp_path / "folder") as temporary:
        half(temporary / "half")
    assert _names(tmp_path) == ["x"]
    assert path.read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "the disk is full; make room or choose another place"),
        (errno.EDQUOT, "the quota of the disk is used up"),
        (errno.EROFS, "the file system is read-only; choose another place"),
        (errno.EIO, "Input/output error; choose another place"),
    ],
)
def test_what_the_system_says_becomes_a_sentence(tmp_path: Path, number: int, advice: str) -> None:
    path = tmp_path / "x"
    with pytest.raises(OutputError, match=f"^{path} cannot be written: {advice}") as raised, atomic_path(path):
        raise OSError(number, os.strerror(number))
    assert raised.value.file == str(path)
    native = RuntimeError(f"parquet: underlying IO error: whatever (os error {number})")
    with pytest.raises(OutputError, match=f"^{path} cannot be written: {advice}"), atomic_path(path):
        raise native
    assert _names(tmp_path) == []


def test_the_name_of_a_failure_inside_a_folder_is_the_one_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(OutputError) as raised, atomic_folder(tmp_path / "out") as temporary:
        write_text(temporary / "absent" / "x", "x")
    assert raised.value.file == str(tmp_path / "out" / "absent" / "x")
    assert str(raised.value).startswith(f"{tmp_path / 'out' / 'absent' / 'x'} cannot be written: the folder does not")


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_permissions_follow_the_umask(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_bytes(tmp_path / "x", b"")
        with atomic_folder(tmp_path / "folder"):
            pass
        assert os.umask(umask) == umask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == mode
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o777 & ~umask


def test_the_longest_name_that_a_file_may_have_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_text(path, "x")
    assert path.read_text(encoding="utf-8") == "x"
    with pytest.raises(OutputError, match="the name is too long; choose a shorter one"):
        write_text(tmp_path / ("x" * 256), "x")
    assert _names(tmp_path) == [path.name]


def test_a_folder_must_be_new_or_empty(tmp_path: Path) -> None:
    empty, full, file = tmp_path / "empty", tmp_path / "full", tmp_path / "file"
    empty.mkdir()
    full.mkdir()
    (full / "x").touch()
    file.touch()
    with atomic_folder(empty) as temporary:
        (temporary / "y").touch()
    assert _names(empty) == ["y"]
    for path in (empty, full, file):
        with pytest.raises(OutputError, match="exists already and is not an empty folder; choose another name or"):
            check_folder_target(path)


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_bytes(path, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert path.is_fifo()


def test_targets_are_checked_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    check_file_target(tmp_path / "new")
    check_file_target(tmp_path / "file")
    for path, reason in (
        (tmp_path, "it is a folder; name a file"),
        (tmp_path / "absent" / "x", "the folder does not exist; create it first"),
        (tmp_path / "file" / "x", "a part of the path is a file, not a folder"),
        (tmp_path / "file" / "x" / "y", "a part of the path is a file, not a folder"),
    ):
        with pytest.raises(OutputError, match=reason):
            check_file_target(path)
        if path != tmp_path:
            with pytest.raises(OutputError, match=reason):
                check_folder_target(path)


@pytest.mark.parametrize("call", ["touch", "mkdir"])
def test_an_interrupt_right_after_the_temporary_name_exists_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    original = getattr(Path, call)

    def interrupted(path: Path, *args: object, **options: object) -> None:
        original(path, *args, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, call, interrupted)
    place = atomic_path if call == "touch" else atomic_folder
    with pytest.raises(KeyboardInterrupt), place(tmp_path / "release"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_replaces_nothing(tmp_path: Path) -> None:
    """Somebody may have put it there after the target was checked."""
    path = tmp_path / "x.secret"
    writing = atomic_path(path, new=True)
    writing.__enter__().write_text("mine", encoding="utf-8")
    path.write_text("theirs", encoding="utf-8")
    with pytest.raises(OutputError, match="exists already"):
        writing.__exit__(None, None, None)
    assert (path.read_text(encoding="utf-8"), _names(tmp_path)) == ("theirs", ["x.secret"])
    write_text(tmp_path / "y", "first", new=True)
    assert (tmp_path / "y").read_text(encoding="utf-8") == "first"


def test_a_new_file_that_fails_at_the_end_leaves_its_name_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(OutputError, match="the disk is full"):
            write_text(tmp_path / "x", "mine", new=True)
    assert _names(tmp_path) == []
