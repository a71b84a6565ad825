"""Bytes of a file as they come from people: plain or gzip, UTF-8 with or without BOM or CP932, LF or CRLF.

Everything that is read as text passes through here, so that a missing, empty, damaged or binary file gives the same
sentence whoever asks for it. The join format of the official programs (tables one after the other, each preceded by
a line with its number of rows; spec, common notions) is split and made here too.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import stat
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
import polars as pl

from tokumei.data.inputs.addresses import Address, file_and_part, input_path
from tokumei.data.inputs.databases import read_database
from tokumei.errors import ContentError, Finding, UnreadableError

UTF8_BOM = b"\xef\xbb\xbf"
GZIP_MAGIC = b"\x1f\x8b"
# No text has bytes below the tab; one of them can therefore also separate what must not be separated.
FIRST_TEXT_BYTE = 9
NO_SEPARATOR = "\x01"
# Python gives characters even to the bytes that CP932 leaves undefined (0x80, 0xa0, 0xfd to 0xff).
_NOT_IN_CP932 = re.compile("[\x80\xa0\uf8f0-\uf8f3]")

_FOREIGN = {
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"PK\x03\x04": "a zip archive or an Excel workbook; unpack it or export the sheet as CSV",
    b"PAR1": "a Parquet file; text is needed here",
    b"%PDF": "a PDF document; give the data as CSV",
    b"SQLite format 3\x00": "a SQLite database; name a table of it: sqlite:///FILE#TABLE",
}


def _refuse(file: str, what: str, *, line: int | None = None) -> NoReturn:
    place = file if line is None else f"{file}, line {line}"
    message = f"{place}: {what}"
    raise UnreadableError(message, file=file, line=line)


def _why_absent(file: str) -> str:
    """Return what to say of a file that is not there: some names were never those of a file."""
    # A path swallows the second slash of an address.
    if re.match(r"[a-z][a-z0-9]+:/", file):
        return "this is an address, not a file; download it and name the file"
    if file == "-":
        return "standard input cannot be read here; write it to a file and name that"
    return "there is no such file; check the path"


def _is_device(path: Path) -> bool:
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - of this machine; the path of a bucket asks its store
    except (OSError, ValueError):
        return False
    return stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


@dataclass(frozen=True, eq=False, repr=False)
class Source:
    """A file that was read, once: its path and its bytes as they are on the disk, for parsing and for its hash.

    ``part`` is what the path names behind ``#``: the sheet of a workbook.
    """

    path: Path
    raw: bytes
    regular: bool = True
    part: str = ""

    @classmethod
    def read(cls, path: str | Path) -> Source:
        """Read a file or a table of a database; UnreadableError says in one sentence why it cannot be read."""
        path = input_path(path)
        if isinstance(path, Address):
            return cls(path, read_database(path))
        whole, part = file_and_part(path)
        file = str(path)
        try:
            # A device such as /dev/zero never ends.
            if _is_device(whole):
                _refuse(file, "this is a device, not a file; name a file")
            return cls(path, whole.read_bytes(), whole.is_file(), part)
        except FileNotFoundError:
            _refuse(file, _why_absent(file))
        except IsADirectoryError:
            _refuse(file, "this is a directory; name a file in it")
        except PermissionError:
            _refuse(file, "reading this file is not permitted; change its permissions or copy it")
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            _refuse(file, f"the file cannot be read: {reason}")

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes on the disk; nothing of a pipe, which cannot be read again to compare."""
        return hashlib.sha256(self.raw).hexdigest() if self.regular else ""

    def content(self, *, allow_empty: bool = False) -> bytes:
        """Return the bytes, unpacked if they are gzip (by the first of them, whatever the name of the file).

        Raises UnreadableError if they are damaged or, unless ``allow_empty``, none.
        """
        raw = self.raw
        if raw.startswith(GZIP_MAGIC) or (self.path.suffix == ".gz" and raw):
            raw = _unpacked(raw, str(self.path))
        if not raw and not allow_empty:
            _refuse(str(self.path), "the file is empty; give one with data in it")
        return raw


def read_bytes(path: str | Path, *, allow_empty: bool = False) -> bytes:
    """Return the content of a file, unpacked if it is gzip; UnreadableError says in one sentence what is wrong."""
    return Source.read(path).content(allow_empty=allow_empty)


def _unpacked(raw: bytes, file: str) -> bytes:
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error):
        _refuse(file, "the gzip data is damaged or cut off; pack or download the file again")


def to_utf8(raw: bytes, file: str) -> tuple[bytes, str]:
    """Return the text as UTF-8 bytes without BOM, and the name of the encoding it came in.

    Binary data and bytes that neither UTF-8 nor CP932 can explain raise UnreadableError with their line.
    """
    _check_textual(raw, file)
    if raw.startswith(UTF8_BOM):
        raw = raw[len(UTF8_BOM) :]
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            _undecodable(raw, error.start, file, "UTF-8")
        return raw, "utf-8-sig"
    if raw.isascii():
        return raw, "utf-8"
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        in_utf8 = error.start
    else:
        return raw, "utf-8"
    text, in_cp932 = _from_cp932(raw)
    if text is None:
        # The encoding that got further is the likelier one, and its first fault the one to repair.
        _undecodable(raw, max(in_utf8, in_cp932), file, "UTF-8 or CP932")
    return text.encode("utf-8"), "cp932"


def _from_cp932(raw: bytes) -> tuple[str | None, int]:
    """Return the text, or None and the position of the first byte that is no CP932 text."""
    try:
        text = raw.decode("cp932")
    except UnicodeDecodeError as error:
        return None, error.start
    foreign = _NOT_IN_CP932.search(text)
    return (text, 0) if foreign is None else (None, len(text[: foreign.start()].encode("cp932")))


def _check_textual(raw: bytes, file: str) -> None:
    """Refuse what is no text at all."""
    for magic, what in _FOREIGN.items():
        if raw.startswith(magic):
            _refuse(file, f"this is {what}")
    data = np.frombuffer(raw, dtype=np.uint8)
    # The least byte tells it without a mask as large as the file.
    if data.min(initial=FIRST_TEXT_BYTE) < FIRST_TEXT_BYTE:
        first = int(np.argmax(data < FIRST_TEXT_BYTE))
        name = "a NUL byte" if data[first] == 0 else f"the control byte 0x{data[first]:02x}"
        _refuse(file, f"{name} makes this binary data, not text; give CSV text or Parquet", line=_line(raw, first))


def _undecodable(raw: bytes, position: int, file: str, encodings: str) -> NoReturn:
    what = f"the byte 0x{raw[position]:02x} is not {encodings} text; save the file as UTF-8"
    _refuse(file, what, line=_line(raw, position))


def _line(raw: bytes, position: int) -> int:
    return raw.count(b"\n", 0, position) + 1


def lines_of(text: bytes) -> pl.Series:
    """Return the lines of UTF-8 bytes without control bytes, ends (LF, CRLF) removed; the last one is optional."""
    if not text:
        return pl.Series("line", [], dtype=pl.String)
    frame = pl.read_csv(
        text, has_header=False, separator=NO_SEPARATOR, quote_char=None, schema={"line": pl.String}, glob=False
    )
    return frame["line"].fill_null("")


def read_lines(path: str | Path, *, allow_empty: bool = False) -> pl.Series:
    """Return the lines of a text file as a text column; a lone CR stays part of its line."""
    text, _ = to_utf8(read_bytes(path, allow_empty=allow_empty), str(path))
    return lines_of(text)


def split_joined(lines: pl.Series, *, file: str = "joined tables") -> list[pl.Series]:
    """Return the tables of the join format: each is preceded by a line with its number of rows."""
    tables: list[pl.Series] = []
    start = 0
    while start < len(lines):
        count = str(lines[start])
        if not (count.isascii() and count.isdigit()):
            shown = count if len(count) <= 40 else count[:37] + "..."
            what = f"'{shown}' is not the number of rows of table {len(tables) + 1}; correct the count before it"
            raise ContentError(file, [Finding("bad-count", what, start + 1, value=count)])
        stop = start + 1 + int(count)
        if stop > len(lines):
            what = f"table {len(tables) + 1} should have {count} rows, but only {len(lines) - start - 1} lines follow"
            raise ContentError(file, [Finding("bad-count", what, start + 1, value=count)])
        tables.append(lines[start + 1 : stop])
        start = stop
    return tables
