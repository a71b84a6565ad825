"""What participants may send: plain, .gz or zip; and what hostile files come to, before anything parses them."""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import struct
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arena import world
from tokumei_arena.work.limits import Limits
from tokumei_arena.work.unpacking import unpack

LIMITS = Limits(
    upload_bytes=10_000_000,
    unpacked_bytes=40_000_000,
    zip_ratio=200,
    zip_entries=5,
    rows=1_000,
    columns=10,
    cell_length=100,
    memory_bytes=4_000_000_000,
    cpu_seconds=60,
    wall_seconds=60,
)


def refused(
    tmp_path: Path, data: bytes, *names: str, limits: Limits = LIMITS
) -> tuple[str, str, int | None, int | None]:
    """Unpack what must be refused; return code, file, line and column of the only finding."""
    upload = tmp_path / "upload"
    upload.write_bytes(data)
    (note,) = unpack(upload, tmp_path / "into", names or ("A",), limits)
    assert note.message["en"] != note.message["ja"]
    assert str(tmp_path) not in note.message["en"]
    return note.code, note.file, note.line, note.column


def accepted(tmp_path: Path, data: bytes, *names: str) -> dict[str, bytes]:
    """Unpack what must be taken; return the files."""
    upload = tmp_path / "upload"
    upload.write_bytes(data)
    assert unpack(upload, tmp_path / "into", names or ("A",), LIMITS) == []
    return {path.name: path.read_bytes() for path in (tmp_path / "into").iterdir()}


def zipped(entries: dict[str, bytes], *, mode: int = 0) -> bytes:
    """Return a zip archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = mode << 16
            archive.writestr(info, data)
    return buffer.getvalue()


def encrypted(data: bytes) -> bytes:
    """Return an archive whose entry says that it is encrypted."""
    made = bytearray(zipped({"A.csv": data}))
    made[6] |= 1
    made[made.rfind(b"PK\x01\x02") + 8] |= 1
    return bytes(made)


def zip64(entries: dict[str, bytes], told: int) -> bytes:
    """Return an archive whose 64-bit record says how many entries there are; the usual one says a single one."""
    made = zipped(entries)
    place = made.rfind(b"PK\x05\x06")
    size, offset = struct.unpack_from("<II", made, place + 12)
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, told, told, size, offset)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, place, 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, min(size, 46), offset, 0)
    return made[:place] + record + locator + end


@pytest.mark.parametrize(
    "packed",
    [
        world.GOOD_A,
        gzip.compress(world.GOOD_A),
        zipped({"x/my file.CSV": world.GOOD_A}),
        zip64({"A.csv": world.GOOD_A}, 1),
    ],
    ids=["plain", "gzip", "zip", "zip64"],
)
def test_plain_gz_and_zip_give_the_same_bytes(tmp_path: Path, packed: bytes) -> None:
    assert accepted(tmp_path, packed) == {"A.csv": world.GOOD_A}


def test_files_of_an_archive_are_found_by_name(tmp_path: Path) -> None:
    entries = {"set/main_anony_06_d.csv": b"1\n", "set/X.csv": b"2\n", "__MACOSX/X.csv": b"3", "set/": b""}
    assert accepted(tmp_path, zipped(entries), "D", "X") == {"D.csv": b"1\n", "X.csv": b"2\n"}


@pytest.mark.parametrize(
    ("data", "names", "code"),
    [
        (zipped({"D.csv": b"1"}), ("D", "X"), "files-missing"),
        (b"1,2\n", ("D", "X"), "files-missing"),
        (zipped({"A.csv": b"1", "B.csv": b"2"}), ("F",), "files-missing"),
        (zipped({"a/D.csv": b"1", "b/D.csv": b"1", "X.csv": b"1"}), ("D", "X"), "zip-twice"),
        (zipped({"/etc/A.csv": b"1"}), ("A",), "zip-name"),
        (zipped({"../A.csv": b"1"}), ("A",), "zip-name"),
        (zipped({"c:\\A.csv": b"1"}), ("A",), "zip-name"),
        (zipped({"A.csv": b"/etc/passwd"}, mode=stat.S_IFLNK | 0o777), ("A",), "zip-name"),
        (zipped({f"{number}.csv": b"1" for number in range(6)}), ("A",), "zip-entries"),
        (zipped({f"{number}.csv": b"1" for number in range(3000)}), ("A",), "zip-entries"),
        (zip64({f"{number}.csv": b"1" for number in range(3000)}, 3000), ("A",), "zip-entries"),
        (zip64({"A.csv": b"1"}, 1).replace(b"PK\x06\x06", b"PK\x06\x05"), ("A",), "zip-damaged"),
        (encrypted(b"1"), ("A",), "zip-encrypted"),
        (zipped({"A.csv": zipped({"A.csv": b"1"})}), ("A",), "nested"),
        (zipped({"A.csv": gzip.compress(b"1")}), ("A",), "nested"),
        (gzip.compress(gzip.compress(b"1")), ("A",), "nested"),
        (b"%PDF-1.7", ("A",), "nested"),
        (zipped({"A.csv": world.GOOD_A})[:-30], ("A",), "zip-damaged"),
        (zipped({"A.csv": world.GOOD_A}).replace(b"PK\x05\x06", b"PK\x05\x07"), ("A",), "zip-damaged"),
        (gzip.compress(world.GOOD_A)[:-12], ("A",), "zip-damaged"),
        (gzip.compress(b"1,2\n" * 6_000_000), ("A",), "zip-ratio"),
        (zipped({"A.csv": b"\0" * 30_000_000}), ("A",), "zip-ratio"),
        (b"1\n" * 1_001, ("A",), "too-many-rows"),
        (b"1\r" * 1_001, ("A",), "too-many-rows"),
        (b"1," * 1_000_000, ("A",), "too-many-columns"),
    ],
    # Packed bytes hold the time at which they were packed: named by them, tests would differ between processes.
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hostile_files_are_refused(tmp_path: Path, data: bytes, names: tuple[str, ...], code: str) -> None:
    assert refused(tmp_path, data, *names)[0] == code


@pytest.mark.half_second
def test_an_archive_larger_than_allowed_is_not_unpacked_to_the_end(tmp_path: Path) -> None:
    line = bytes(range(48, 122)) + b"\n"
    body = b"".join(bytes([48 + number % 10, 48 + number // 7 % 10]) + line for number in range(600_000))
    assert refused(tmp_path, gzip.compress(body, 1))[0] == "too-large"
    assert (tmp_path / "into/A.csv").stat().st_size <= LIMITS.unpacked_bytes


def test_limits_name_the_place(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert refused(tmp_path / "a", b"1,2\n3,4\n" + b"," * 10 + b"\n") == ("too-many-columns", "A", 3, 11)
    (tmp_path / "b").mkdir()
    assert refused(tmp_path / "b", b"1,2\r\n3," + b"x" * 101 + b",5\n") == ("cell-too-long", "A", 2, 2)
    (tmp_path / "c").mkdir()
    assert refused(tmp_path / "c", b"1,2\n" * 1_000 + b"3") == ("too-many-rows", "A", 1_001, None)
    (tmp_path / "d").mkdir()
    assert accepted(tmp_path / "d", b"1,2\r\n" * 1_000 + b"," * 0)


@given(
    st.one_of(
        st.binary(max_size=300),
        st.builds(
            lambda head, rest: head + rest,
            st.sampled_from([b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08"]),
            st.binary(max_size=300),
        ),
    )
)
def test_no_bytes_raise(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        upload = Path(name) / "upload"
        upload.write_bytes(data)
        for note in unpack(upload, Path(name) / "into", ("A",), LIMITS):
            assert set(note.message) == {"en", "ja"}


@given(st.integers(0, 400), st.integers(0, 255))
def test_no_damage_to_an_archive_raises(place: int, value: int) -> None:
    made = bytearray(zipped({"A.csv": world.GOOD_A}))
    made[place % len(made)] = value
    with tempfile.TemporaryDirectory() as name:
        upload = Path(name) / "upload"
        upload.write_bytes(bytes(made))
        unpack(upload, Path(name) / "into", ("A",), LIMITS)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_full_or_broken_disk_is_no_fault_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def full(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    (tmp_path / "upload").write_bytes(zipped({"A.csv": world.GOOD_A}))
    monkeypatch.setattr("tokumei_arena.work.unpacking._copy", full)
    with pytest.raises(OSError, match=os.strerror(number)):
        unpack(tmp_path / "upload", tmp_path / "into", ["A"], LIMITS)
