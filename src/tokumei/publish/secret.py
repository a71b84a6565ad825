"""The Secret in a file of its own, readable by its owner only.

The file is a ZIP archive of two Parquet tables (who stands behind each pseudonym, which original row each record came
from) and the key, if there is one.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.errors import UnreadableError
from tokumei.files import OWNER_ONLY, atomic_path
from tokumei.history import Secret

__all__ = ["default_secret_path", "read_secret", "write_secret"]

_OWNERS, _ROWS, _REST = "owners.parquet", "rows.parquet", "secret.json"


def default_secret_path(folder: Path) -> Path:
    """Return where the secret of a release folder is kept: beside it, never inside."""
    return folder.with_name(folder.name + ".secret")


def write_secret(secret: Secret, path: Path) -> None:
    """Write the secret with permission for its owner only."""
    with atomic_path(path, mode=OWNER_ONLY) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, frame in ((_OWNERS, secret.owners), (_ROWS, pl.DataFrame({"row": secret.rows}))):
            buffer = io.BytesIO()
            frame.write_parquet(buffer)
            archive.writestr(name, buffer.getvalue())
        key = None if secret.key is None else secret.key.hex()
        archive.writestr(_REST, json.dumps({"key": key, "seed": secret.seed}))


def read_secret(path: Path) -> Secret:
    """Read a secret file."""
    try:
        with zipfile.ZipFile(path) as archive:
            owners = pl.read_parquet(io.BytesIO(archive.read(_OWNERS)))
            rows = pl.read_parquet(io.BytesIO(archive.read(_ROWS)))["row"].to_numpy().astype(np.int64)
            rest = json.loads(archive.read(_REST))
    except FileNotFoundError:
        message = f"{path} does not exist; name the secret file of this release with --secret"
        raise UnreadableError(message, file=str(path)) from None
    except (zipfile.BadZipFile, KeyError, OSError, pl.exceptions.PolarsError, ValueError):
        message = f"{path} is no secret file of tokumei; name the file that 'tokumei anonymize' wrote"
        raise UnreadableError(message, file=str(path)) from None
    key = None if rest.get("key") is None else bytes.fromhex(rest["key"])
    return Secret(owners, rows, key, rest.get("seed"))
