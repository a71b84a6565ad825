"""The ledger: a folder that only its owner can read, with what was published of whom.

    ledger/
      ledger.json             the key, one entry per release (when, how, which files), tombstones, the privacy budget
      release-0001.parquet    who was published in release 1: keyed hash of the id, cohort, pseudonym
      identity.age            only of an encrypted ledger: the age key of its files, itself encrypted

People are kept as HMAC-SHA-256 of their ids under a key that lies in the ledger: whoever has the folder and an id can
look it up, whoever has a backup of a table alone cannot. A *cohort* is a group as it was first published; its number
stays the same over all releases. Nothing is written before a release is, and then all of it or nothing.

The files of an encrypted ledger are sealed with a key of their own, which alone is sealed with the passphrase or the
key of the publisher: to open a ledger of many releases takes one slow derivation of a passphrase, and not many.
"""

from __future__ import annotations

import fcntl
import hmac
import io
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from tokumei.data import OWNER_ONLY, Lock, check_folder_target, open_sealed, output_told, write_sealed
from tokumei.errors import InputError, OutputError, UnreadableError

INDEX_NAME, IDENTITY_NAME, LOCK_NAME = "ledger.json", "identity.age", ".lock"
TABLE_COLUMNS = {"person": pl.String, "cohort": pl.Int64, "pseudonym": pl.String}
# 128 bits of the hash: two people of one ledger never share it.
HASH_DIGITS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One release in the ledger: when and how it was made, how large it is, and by what its files are recognized.

    ``audience`` is who gets the same pseudonyms again (empty: nobody, they were renewed); ``digest`` is the SHA-256 of
    the manifest, which holds those of all files; ``folder`` and ``secret`` say where release and Secret were written.
    """

    number: int
    time: str
    method: str
    k: int
    parameters: Mapping[str, Any]
    audience: str
    records: int
    people: int
    groups: int
    withheld: int
    digest: str
    folder: str
    secret: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**asdict(self), "parameters": dict(self.parameters)}


@dataclass(frozen=True, eq=False, repr=False)
class Ledger:
    """What was published of whom; ``published`` has a row per person and release: release, person, cohort, pseudonym.

    ``rest`` are the further parts of the index, each under its own name: tombstones, the privacy budget. ``inner`` is
    the key of the files of an encrypted ledger, ``outer`` what seals that key when the ledger is first written.
    """

    folder: Path
    key: bytes
    entries: tuple[Entry, ...]
    published: pl.DataFrame
    rest: Mapping[str, Any]
    inner: Lock | None = None
    outer: Lock | None = None

    def __repr__(self) -> str:
        """Return the sizes alone."""
        return f"Ledger({len(self.entries)} releases of {self.published['person'].n_unique():,} people)"

    @classmethod
    def open(cls, folder: Path, *, new_lock: Lock | None = None) -> Ledger:
        """Read a ledger; a folder that does not exist, or is empty, is a new one, made when something is published.

        ``new_lock`` is what a new ledger is encrypted with (None: it is not encrypted).
        """
        if folder.exists() and not folder.is_dir():
            message = f"{folder}: this is a file; a ledger is a folder"
            raise UnreadableError(message, code="no-ledger", file=str(folder))
        if not folder.exists() or not any(path.name != LOCK_NAME for path in folder.iterdir()):
            if not folder.exists():
                check_folder_target(folder)
            fresh = cls(folder, secrets.token_bytes(32), (), _table({}), {})
            return fresh if new_lock is None else replace(fresh, inner=Lock.generate(), outer=new_lock)
        return cls.existing(folder)

    @classmethod
    def existing(cls, folder: Path, *, lock: Lock | None = None) -> Ledger:
        """Read a ledger that must be there; ``lock`` opens an encrypted one (default: as of any encrypted file)."""
        _refuse_strange_folder(folder)
        inner = _inner_lock(folder, lock)
        document = _index(folder, inner)
        try:
            entries = tuple(Entry(**entry) for entry in document.pop("releases"))
            key = bytes.fromhex(document.pop("key"))
            parts = {entry.number: _read_table(folder, entry.number, inner) for entry in entries}
            return cls(folder, key, entries, _table(parts), document, inner)
        except (KeyError, TypeError, ValueError, AttributeError, pl.exceptions.PolarsError):
            raise _damaged(folder) from None

    def persons(self, subjects: pl.Series) -> pl.Series:
        """Return the keyed hashes under which the ledger knows these subjects."""
        digests = [hmac.digest(self.key, name.encode(), "sha256").hex()[:HASH_DIGITS] for name in subjects.to_list()]
        return pl.Series("person", digests, dtype=pl.String)

    def entry_of(self, digest: str) -> Entry | None:
        """Return the entry of the release whose manifest has this hash."""
        return next((entry for entry in self.entries if entry.digest == digest), None)

    def first_new_cohort(self) -> int:
        """Return the number of the first cohort that no release has yet."""
        highest = self.published["cohort"].max()
        return int(highest) + 1 if isinstance(highest, int) else 0

    def with_release(self, entry: Entry, table: pl.DataFrame) -> Ledger:
        """Return the ledger with one more release, of people, cohorts and pseudonyms; nothing is written."""
        published = pl.concat([self.published, _numbered(entry.number, table)])
        return replace(self, entries=(*self.entries, entry), published=published)

    def write_release(self, entry: Entry, table: pl.DataFrame) -> Ledger:
        """Write one more release to the folder and return the ledger with it."""
        with self._unchanged():
            self._write_table(entry.number, table)
            added = self.with_release(entry, table)
            added._write_index()
        return added

    def write_rest(self, **rest: Any) -> Ledger:
        """Write parts of the index and return the ledger with them."""
        with self._unchanged():
            changed = replace(self, rest={**self.rest, **rest})
            changed._write_index()
        return changed

    def rewritten(self, published: pl.DataFrame, **rest: Any) -> Ledger:
        """Write all tables again, from rows as `published` has them, and parts of the index."""
        with self._unchanged():
            for entry in self.entries:
                rows = published.filter(pl.col("release") == entry.number)
                self._write_table(entry.number, rows)
            changed = replace(self, published=published, rest={**self.rest, **rest})
            changed._write_index()
        return changed

    def sealed(self, outer: Lock | None) -> Ledger:
        """Write the whole ledger encrypted under a lock, or, without one, as it can be read by its owner."""
        inner = None if outer is None else self.inner or Lock.generate()
        changed = replace(self, inner=inner, outer=outer)
        with self._unchanged():
            if outer is not None:
                changed._write_identity()
            if (inner is None) != (self.inner is None):
                for entry in self.entries:
                    changed._write_table(entry.number, self.published.filter(pl.col("release") == entry.number))
                changed._write_index()
            if outer is None:
                (self.folder / IDENTITY_NAME).unlink(missing_ok=True)
        return changed

    def _write_identity(self) -> None:
        if self.inner is not None:
            write_sealed(self.folder / IDENTITY_NAME, self.inner.key_text().encode(), self.outer)

    def _write_table(self, number: int, table: pl.DataFrame) -> None:
        """Write who was published; not compressed, so that a search for bytes finds what is there."""
        buffer = io.BytesIO()
        ordered = table.select(*TABLE_COLUMNS).sort("person")
        ordered.write_parquet(buffer, compression="uncompressed", statistics=False)
        write_sealed(self.folder / _table_name(number), buffer.getvalue(), self.inner)

    def _document(self) -> dict[str, Any]:
        return {"key": self.key.hex(), "releases": [entry.as_dict() for entry in self.entries], **self.rest}

    def _write_index(self) -> None:
        if self.outer is not None and not (self.folder / IDENTITY_NAME).exists():
            self._write_identity()
        text = json.dumps({"tokumei": version("tokumei"), **self._document()}, indent=2, ensure_ascii=False) + "\n"
        write_sealed(self.folder / INDEX_NAME, text.encode(), self.inner)

    @contextmanager
    def _unchanged(self) -> Iterator[None]:
        """Let nobody else write the ledger, and refuse if somebody has since it was read."""
        with output_told(self.folder):
            self.folder.mkdir(mode=0o700, exist_ok=True)
            self.folder.chmod(0o700)
            descriptor = os.open(self.folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, OWNER_ONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            there = (self.folder / INDEX_NAME).exists()
            if (there or self.entries or self.rest) and _index(self.folder, self.inner) != self._document():
                message = f"{self.folder}: something else was written to the ledger in the meantime; run again"
                raise OutputError(message, code="ledger-changed", file=str(self.folder))
            yield
        finally:
            os.close(descriptor)


def _table_name(number: int) -> str:
    return f"release-{number:04d}.parquet"


def _numbered(number: int, table: pl.DataFrame) -> pl.DataFrame:
    return table.select(pl.lit(number, dtype=pl.Int64).alias("release"), *TABLE_COLUMNS)


def _table(parts: Mapping[int, pl.DataFrame]) -> pl.DataFrame:
    empty = pl.DataFrame(schema={"release": pl.Int64, **TABLE_COLUMNS})
    return pl.concat([empty, *(_numbered(number, part).cast(empty.schema) for number, part in parts.items())])


def _index(folder: Path, inner: Lock | None) -> dict[str, Any]:
    try:
        document = json.loads(_bytes(folder, INDEX_NAME, inner))
        if not isinstance(document["releases"], list) or not isinstance(document["key"], str):
            raise TypeError
    except (ValueError, KeyError, TypeError):
        raise _damaged(folder) from None
    return {name: value for name, value in document.items() if name != "tokumei"}


def _inner_lock(folder: Path, lock: Lock | None) -> Lock | None:
    """Return the key of the files of an encrypted ledger."""
    place = folder / IDENTITY_NAME
    if not place.is_file():
        return None
    return Lock.of_key_text(_bytes(folder, IDENTITY_NAME, lock).decode(), file=str(place))


def _read_table(folder: Path, number: int, inner: Lock | None) -> pl.DataFrame:
    return pl.read_parquet(_bytes(folder, _table_name(number), inner))


def _bytes(folder: Path, name: str, inner: Lock | None) -> bytes:
    try:
        return open_sealed(folder / name, inner).data
    except PermissionError:
        message = f"{folder}: reading this ledger is not permitted; it belongs to who publishes"
        raise UnreadableError(message, file=str(folder)) from None
    except OSError:
        raise _damaged(folder) from None


def _damaged(folder: Path) -> InputError:
    message = f"{folder} is no ledger of tokumei, or it is damaged; name the folder that --ledger made, or a backup"
    return UnreadableError(message, code="no-ledger", file=str(folder))


def _refuse_strange_folder(folder: Path) -> None:
    """Raise an error for a folder that is no ledger, or that others can read."""
    if not (folder / INDEX_NAME).is_file():
        raise _damaged(folder)
    if folder.stat().st_mode & 0o077:
        message = f"{folder}: others may look into this ledger; make it yours alone: chmod 700 {folder}"
        raise InputError(message, code="ledger-open", file=str(folder))
