"""From an upload to the files of a contest: plain, .gz or zip, with every limit checked before anything parses them.

Names inside an archive only choose among the files that the rules know; they are never used as paths.
"""

from __future__ import annotations

import errno
import gzip
import stat
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from tokumei.contests import Note
from tokumei_arena.work.limits import Limits
from tokumei_arena.work.messages import RefusedFileError, refusal
from tokumei_arena.work.scan import scan_csv

PIECE = 1 << 20
# Below this many bytes no ratio is suspicious: a file of deleted rows packs a thousandfold.
FREE_BYTES = 16_000_000
GZIP, ZIP = b"\x1f\x8b", (b"PK\x03\x04", b"PK\x05\x06")
FOREIGN = (
    GZIP,
    *ZIP,
    b"7z\xbc\xaf",
    b"BZh",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
    b"Rar!",
    b"PAR1",
    b"%PDF",
    b"\xd0\xcf\x11\xe0",
)
END_RECORD, END_SIZE, LONGEST_COMMENT = b"PK\x05\x06", 22, 65_535
DIRECTORY_BYTES_PER_ENTRY = 2_000
ENCRYPTED_FLAG = 0x1
IGNORED = ("__MACOSX", ".DS_Store", "Thumbs.db")
DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    LookupError,
    NotImplementedError,
)
# Faults of this machine, which are no fault of the file.
OURS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES, errno.EROFS)


def unpack(upload: Path, into: Path, names: Sequence[str], limits: Limits) -> list[Note]:
    """Write ``NAME.csv`` for every name into the folder; return why that cannot be done, or an empty list."""
    into.mkdir(parents=True, exist_ok=True)
    try:
        _unpack_or_refuse(upload, into, names, limits)
        for name in names:
            scan_csv(into / f"{name}.csv", name, limits)
    except RefusedFileError as error:
        return [error.note]
    return []


def _unpack_or_refuse(upload: Path, into: Path, names: Sequence[str], limits: Limits) -> None:
    try:
        _unpack(upload, into, names, limits)
    except DAMAGED as error:
        if isinstance(error, OSError) and error.errno in OURS:
            raise
        raise refusal("zip-damaged") from error


def _unpack(upload: Path, into: Path, names: Sequence[str], limits: Limits) -> None:
    with upload.open("rb") as file:
        head = file.read(4)
    if head.startswith(ZIP):
        _unzip(upload, into, names, limits)
        return
    if len(names) > 1:
        raise refusal("files-missing", name=f"{names[1]}.csv", names=_listed(names))
    target = into / f"{names[0]}.csv"
    if head.startswith(GZIP):
        packed = upload.stat().st_size
        with gzip.open(upload, "rb") as source:
            _copy(source, target, packed, limits.unpacked_bytes, limits)
    else:
        with upload.open("rb") as source:
            _copy(source, target, upload.stat().st_size, limits.unpacked_bytes, limits)


def _copy(source: IO[bytes] | gzip.GzipFile, target: Path, packed: int, budget: int, limits: Limits) -> int:
    """Copy at most ``budget`` bytes; return how many there were."""
    written = 0
    with target.open("xb") as out:
        while piece := source.read(PIECE):
            if not written and piece.startswith(FOREIGN):
                raise refusal("nested", file=target.stem)
            written += len(piece)
            if written > budget:
                raise refusal("too-large", limit=limits.unpacked_bytes)
            if written > FREE_BYTES and written > limits.zip_ratio * max(packed, 1):
                raise refusal("zip-ratio", limit=limits.zip_ratio)
            out.write(piece)
    return written


def _unzip(upload: Path, into: Path, names: Sequence[str], limits: Limits) -> None:
    _check_directory(upload, names, limits)
    with zipfile.ZipFile(upload) as archive:
        entries = [entry for entry in archive.infolist() if not _ignored(entry)]
        if len(entries) > limits.zip_entries:
            raise refusal("zip-entries", limit=limits.zip_entries, names=_listed(names))
        for entry in entries:
            _check_entry(entry, names)
        budget = limits.unpacked_bytes
        for name, entry in _assigned(entries, names).items():
            with archive.open(entry) as source:
                budget -= _copy(source, into / f"{name}.csv", entry.compress_size, budget, limits)


def _check_directory(upload: Path, names: Sequence[str], limits: Limits) -> None:
    """Refuse an archive by its end record, before its directory is read into memory."""
    size = upload.stat().st_size
    with upload.open("rb") as file:
        file.seek(max(0, size - END_SIZE - LONGEST_COMMENT))
        tail = file.read()
    place = tail.rfind(END_RECORD)
    if place < 0 or len(tail) - place < END_SIZE:
        raise refusal("zip-damaged")
    entries, directory = struct.unpack_from("<HI", tail, place + 10)
    if entries > limits.zip_entries + len(IGNORED) or directory > DIRECTORY_BYTES_PER_ENTRY * limits.zip_entries:
        raise refusal("zip-entries", limit=limits.zip_entries, names=_listed(names))


def _ignored(entry: zipfile.ZipInfo) -> bool:
    parts = PurePosixPath(entry.filename).parts
    return entry.is_dir() or any(part in IGNORED for part in parts)


def _check_entry(entry: zipfile.ZipInfo, names: Sequence[str]) -> None:
    path = PurePosixPath(entry.filename)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    strange = path.is_absolute() or ".." in path.parts or "\\" in entry.filename or ":" in entry.filename
    if strange or kind not in (0, stat.S_IFREG):
        raise refusal("zip-name", names=_listed(names))
    if entry.flag_bits & ENCRYPTED_FLAG:
        raise refusal("zip-encrypted")


def _assigned(entries: Sequence[zipfile.ZipInfo], names: Sequence[str]) -> dict[str, zipfile.ZipInfo]:
    """Return which entry is which file: by its name, or the only one if only one is asked for."""
    if len(names) == 1 and len(entries) == 1:
        return {names[0]: entries[0]}
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        stem = PurePosixPath(entry.filename).name.lower().partition(".")[0]
        for name in names:
            # Files of the contests are called main_anony_06_d.csv and the like.
            if stem == name.lower() or stem.endswith(f"_{name.lower()}"):
                if name in found:
                    raise refusal("zip-twice", name=f"{name}.csv")
                found[name] = entry
    for name in names:
        if name not in found:
            raise refusal("files-missing", name=f"{name}.csv", names=_listed(names))
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"{name}.csv" for name in names)
