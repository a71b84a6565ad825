"""The Secret in a file of its own, readable by its owner only.

The file is a ZIP archive of Parquet tables (who stands behind each pseudonym, which original row each record came from,
and each row of a table of people, if there is one) and the key, if there is one. It may be encrypted
(`tokumei.data.sealing`); whoever reads it is asked for the passphrase or the key then.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.files import OWNER_ONLY, atomic_path
from tokumei.data.history import Secret
from tokumei.data.release_parts import SecretFolder
from tokumei.data.sealing import Lock, open_sealed
from tokumei.errors import TokumeiError, UnreadableError

_OWNERS, _ROWS, _PEOPLE, _REST = "owners.parquet", "rows.parquet", "people.parquet", "secret.json"


def default_secret_path(folder: Path) -> Path:
    """Return where the secret of a release folder is kept: beside it, never inside."""
    # A path such as . or x/.. has no name of its own to build on.
    named = folder if folder.name not in ("", "..") else folder.resolve()
    return named.parent / (named.name + ".secret")


def write_secret(secret: Secret, path: Path, *, lock: Lock | None = None, new: bool = False) -> None:
    """Write the secret with permission for its owner only, encrypted if there is a lock; replace none if ``new``."""
    with atomic_path(path, mode=OWNER_ONLY, new=new) as temporary:
        if lock is None:
            _write_archive(secret, temporary)
            return
        written = io.BytesIO()
        _write_archive(secret, written)
        temporary.write_bytes(lock.seal(written.getvalue()))


def _write_archive(secret: Secret, target: Path | io.BytesIO) -> None:
    with zipfile.ZipFile(target, "w") as archive:
        tables = {_OWNERS: secret.owners, _ROWS: pl.DataFrame({"row": secret.rows})}
        if secret.people is not None:
            tables[_PEOPLE] = pl.DataFrame({"row": secret.people})
        for name, frame in tables.items():
            buffer = io.BytesIO()
            frame.write_parquet(buffer)
            archive.writestr(name, buffer.getvalue())
        key = None if secret.key is None else secret.key.hex()
        archive.writestr(_REST, json.dumps({"key": key, "seed": secret.seed}))


def read_secret(path: Path, *, lock: Lock | None = None) -> Secret:
    """Read a secret file, or the folder that is the secret of a release in parts.

    ``lock`` opens an encrypted one (default: what the environment names, or a person who is asked).
    """
    return read_secret_and_lock(path, lock=lock)[0]


def read_secret_and_lock(path: Path, *, lock: Lock | None = None) -> tuple[Secret, Lock | None]:
    """Read a secret, and return with it what opened it, so that it can be written again as it was."""
    if path.is_dir():
        return SecretFolder.open(path).whole(), None
    try:
        opened = open_sealed(path, lock)
        with zipfile.ZipFile(io.BytesIO(opened.data)) as archive:
            owners = pl.read_parquet(io.BytesIO(archive.read(_OWNERS))).select("pseudonym", "subject").cast(pl.String)
            rows = _row_map(archive, _ROWS)
            people = _row_map(archive, _PEOPLE) if _PEOPLE in archive.namelist() else None
            rest = json.loads(archive.read(_REST))
            key = None if rest["key"] is None else bytes.fromhex(rest["key"])
            return Secret(owners, rows, key, rest["seed"], people), opened.lock
    except TokumeiError:
        raise
    except FileNotFoundError:
        message = f"{path}: there is no such file; name the secret file of this release with --secret"
        raise UnreadableError(message, file=str(path)) from None
    except PermissionError:
        message = f"{path}: reading this file is not permitted; the secret belongs to who made the release"
        raise UnreadableError(message, file=str(path)) from None
    # Whatever else goes wrong, from the archive down to a missing table, says the same: this is another file.
    except Exception:
        message = f"{path} is no secret file of tokumei, or it is damaged; name the file that 'tokumei anonymize' wrote"
        raise UnreadableError(message, file=str(path)) from None


def _row_map(archive: zipfile.ZipFile, name: str) -> Ints:
    return pl.read_parquet(io.BytesIO(archive.read(name)))["row"].to_numpy().astype(np.int64)
