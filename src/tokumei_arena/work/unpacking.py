"""From an upload to the files of a contest: plain, .gz or zip, with every limit checked before anything parses them.

Names inside an archive only choose among the files that the rules know; they are never used as paths. Rows, columns and
cells of a CSV file are counted piece by piece, so that no parser meets what it cannot bear.
"""

from __future__ import annotations

import errno
import gzip
import stat
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO, Any, NoReturn

import numpy as np

from tokumei.array_types import Bytes, Ints
from tokumei.contests import Note, file_name
from tokumei.words import Message, in_both
from tokumei_arena.work.limits import Limits


class RefusedFileError(Exception):
    """A file breaks a limit; carries the finding."""

    def __init__(self, note: Note) -> None:
        super().__init__(note.code)
        self.note = note


def refusal(
    code: str, *, file: str = "", line: int | None = None, column: int | None = None, **facts: Any
) -> RefusedFileError:
    """Return the error of a broken limit."""
    message = in_both(Message(f"refusal.{code}", facts, "tokumei_arena"))
    return RefusedFileError(Note(code, message, file=file, line=line, column=column))


COMMA, LF, CR = 44, 10, 13
SCANNED_PIECE = 8 << 20


def scan_csv(path: Path, file: str, limits: Limits) -> None:
    """Raise a refusal at the first line with too many cells or too long a cell, or beyond the most rows.

    Quotes have no meaning in the files of the contests. LF, CR and CRLF end lines; the two bytes of CRLF count as two
    ends, which can only count an empty line too many.
    """
    longest = limits.columns * (limits.cell_length + 1)
    rows, carried = 0, b""
    with path.open("rb") as source:
        while piece := source.read(SCANNED_PIECE):
            whole = carried + piece
            cut = max(whole.rfind(b"\n"), whole.rfind(b"\r")) + 1
            rows = _scan(np.frombuffer(whole[:cut], dtype=np.uint8), rows, file, limits)
            carried = whole[cut:]
            if len(carried) > longest:
                _scan(np.frombuffer(carried, dtype=np.uint8), rows, file, limits)
    if carried:
        _scan(np.frombuffer(carried, dtype=np.uint8), rows, file, limits)


def _scan(data: Bytes, rows: int, file: str, limits: Limits) -> int:
    """Check whole lines after ``rows`` others; return how many there are now."""
    if not len(data):
        return rows
    ends = np.flatnonzero((data == LF) | ((data == CR) & (np.append(data[1:], 0) != LF)))
    found = rows + max(len(ends), 1)
    if found > limits.rows:
        raise refusal("too-many-rows", file=file, line=limits.rows + 1, limit=limits.rows)
    separators = np.flatnonzero((data == COMMA) | (data == LF) | (data == CR))
    commas = separators[data[separators] == COMMA]
    per_line = np.bincount(np.searchsorted(ends, commas), minlength=1)
    wide = np.flatnonzero(per_line >= limits.columns)
    if len(wide):
        line = rows + int(wide[0]) + 1
        raise refusal("too-many-columns", file=file, line=line, column=limits.columns + 1, limit=limits.columns)
    bounds = np.concatenate(([-1], separators, [len(data)]))
    long = np.flatnonzero(np.diff(bounds) - 1 > limits.cell_length)
    if len(long):
        _too_long(int(bounds[long[0]]) + 1, ends, commas, rows, file=file, limit=limits.cell_length)
    return found


def _too_long(start: int, ends: Ints, commas: Ints, rows: int, *, file: str, limit: int) -> NoReturn:
    line = int(np.searchsorted(ends, start))
    begin = int(ends[line - 1]) if line else -1
    column = int(np.searchsorted(commas, start) - np.searchsorted(commas, begin)) + 1
    raise refusal("cell-too-long", file=file, line=rows + line + 1, column=column, limit=limit)


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
# The 64-bit record (APPNOTE 4.3.14): its mark, entries on this disk and in all, bytes of the directory.
END64, END64_RECORD = struct.Struct("<4s20x3Q8x"), b"PK\x06\x06"
LOCATOR, LOCATOR_SIZE = b"PK\x06\x07", 20
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


def unpack_some(upload: Path, into: Path, names: Sequence[str], limits: Limits) -> list[str]:
    """Write those of the named files that a zip holds; return their names. Whatever else it holds is left alone.

    A file in a folder is known by both: ``Opal/F1.csv`` is ``Opal-F1``. A RefusedFileError says what cannot be.
    """
    into.mkdir(parents=True, exist_ok=True)
    roomy = replace(limits, zip_entries=len(names) + limits.zip_entries)
    wanted = {file_name(name).lower(): name for name in names}
    found: dict[str, zipfile.ZipInfo] = {}
    try:
        _check_directory(upload, names, roomy)
        with zipfile.ZipFile(upload) as archive:
            entries = [entry for entry in archive.infolist() if not _ignored(entry)]
            for entry in entries:
                _check_entry(entry, names[:1])
                name = wanted.get(_flat_name(entry), "")
                if name and name in found:
                    raise refusal("zip-twice", name=file_name(name))
                if name:
                    found[name] = entry
            budget = limits.unpacked_bytes
            for name, entry in found.items():
                with archive.open(entry) as source:
                    budget -= _copy(source, into / file_name(name), entry.compress_size, budget, limits)
    except DAMAGED as error:
        if isinstance(error, OSError) and error.errno in OURS:
            raise
        raise refusal("zip-damaged") from error
    return list(found)


def _flat_name(entry: zipfile.ZipInfo) -> str:
    """Return the name of an entry with that of its folder, but for one that holds all answers."""
    parts = [part.replace(" ", "-").lower() for part in PurePosixPath(entry.filename).parts]
    return "-".join(parts[1:] if len(parts) > 1 and parts[0] == "answers" else parts)


def unpack(
    upload: Path, into: Path, names: Sequence[str], limits: Limits, *, optional: Sequence[str] = ()
) -> list[Note]:
    """Write ``NAME.csv`` for every name into the folder; return why that cannot be done, or an empty list.

    ``optional`` names those that may stand in an archive beside them.
    """
    into.mkdir(parents=True, exist_ok=True)
    try:
        _unpack_or_refuse(upload, into, names, limits, optional)
        for name in (*names, *optional):
            if file_name(name).endswith(".csv") and (into / file_name(name)).exists():
                scan_csv(into / file_name(name), name, limits)
    except RefusedFileError as error:
        return [error.note]
    return []


def _unpack_or_refuse(upload: Path, into: Path, names: Sequence[str], limits: Limits, optional: Sequence[str]) -> None:
    try:
        _unpack(upload, into, names, limits, optional)
    except DAMAGED as error:
        if isinstance(error, OSError) and error.errno in OURS:
            raise
        raise refusal("zip-damaged") from error


def _unpack(upload: Path, into: Path, names: Sequence[str], limits: Limits, optional: Sequence[str]) -> None:
    with upload.open("rb") as file:
        head = file.read(4)
    if head.startswith(ZIP):
        _unzip(upload, into, names, limits, optional)
        return
    if len(names) > 1:
        raise refusal("files-missing", name=file_name(names[1]), names=_listed(names))
    target = into / file_name(names[0])
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


def _unzip(upload: Path, into: Path, names: Sequence[str], limits: Limits, optional: Sequence[str]) -> None:
    _check_directory(upload, names, limits)
    with zipfile.ZipFile(upload) as archive:
        entries = [entry for entry in archive.infolist() if not _ignored(entry)]
        if len(entries) > limits.zip_entries:
            raise refusal("zip-entries", limit=limits.zip_entries, names=_listed(names))
        for entry in entries:
            _check_entry(entry, names)
        budget = limits.unpacked_bytes
        for name, entry in _assigned(entries, names, optional).items():
            with archive.open(entry) as source:
                budget -= _copy(source, into / file_name(name), entry.compress_size, budget, limits)


def _check_directory(upload: Path, names: Sequence[str], limits: Limits) -> None:
    """Refuse an archive by its end record, before its directory is read into memory."""
    size = upload.stat().st_size
    with upload.open("rb") as file:
        file.seek(max(0, size - END_SIZE - LONGEST_COMMENT - LOCATOR_SIZE - END64.size))
        tail = file.read()
    place = tail.rfind(END_RECORD)
    if place < 0 or len(tail) - place < END_SIZE:
        raise refusal("zip-damaged")
    entries, directory = struct.unpack_from("<HI", tail, place + 10)
    # Where a 64-bit record stands before this one, its figures count, whatever stands here.
    if tail[max(0, place - LOCATOR_SIZE) : place].startswith(LOCATOR):
        begin = place - LOCATOR_SIZE - END64.size
        record = END64.unpack_from(tail, begin) if begin >= 0 else (b"", 0, 0, 0)
        if record[0] != END64_RECORD:
            raise refusal("zip-damaged")
        entries, directory = max(entries, *record[1:3]), max(directory, record[3])
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


def _assigned(
    entries: Sequence[zipfile.ZipInfo], names: Sequence[str], optional: Sequence[str]
) -> dict[str, zipfile.ZipInfo]:
    """Return which entry is which file: by its name, or the only one if only one is asked for."""
    if len(names) == 1 and len(entries) == 1:
        return {names[0]: entries[0]}
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        given = PurePosixPath(entry.filename).name.lower()
        for name in (*names, *optional):
            # Files of the contests are called main_anony_06_d.csv and the like; a table may have any ending.
            known, wanted = (given if "." in name else given.partition(".")[0]), name.lower()
            if known == wanted or known.endswith(f"_{wanted}"):
                if name in found:
                    raise refusal("zip-twice", name=file_name(name))
                found[name] = entry
    for name in names:
        if name not in found:
            raise refusal("files-missing", name=file_name(name), names=_listed(names))
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(file_name(name) for name in names)
