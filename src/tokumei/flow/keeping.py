"""What was found out about a release once and is used again: kept beside its secret, for the owner alone.

An audit costs minutes and every command and language needs it. It is kept under the hash of all that it depends on:
the bytes of the release, the original as it was read, the secret, what was asked, and the code that computed it. Where
one of them differs, it is computed anew. A file that cannot be read back is as good as none. Values are written as
plain JSON (no code is ever loaded), tables as Arrow.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

import tokumei
from tokumei.audits import Answer, AttackFigure, AuditResult, JointRisk, Question, Rerun
from tokumei.data import (
    OWNER_ONLY,
    Evidence,
    Goal,
    History,
    Interval,
    Outcome,
    Reason,
    Score,
    Secret,
    Verdict,
    default_secret_path,
    is_sealed,
    write_text,
)
from tokumei.errors import OutputError
from tokumei.flow.judging import Measured
from tokumei.flow.making import Made
from tokumei.flow.opening import Opened
from tokumei.metrics import Change, ColumnUse, Usefulness
from tokumei.words import Message

Value = TypeVar("Value")
ENDING = ".kept"
MOST_FILES = 24
SEAL_BYTES = 64
_CLASSES: Mapping[str, type] = {
    kind.__name__: kind
    for kind in (
        *(Answer, AttackFigure, AuditResult, Change, ColumnUse, Evidence, Interval, JointRisk, Measured),
        *(Message, Reason, Rerun, Score, Usefulness, Verdict),
    )
}
_NAMES: Mapping[str, type[StrEnum]] = {kind.__name__: kind for kind in (Goal, Outcome, Question)}
# What does not decide what an audit finds.
_ELSEWHERE = frozenset({"cli", "contests", "reports", "synth", "experiments"})


@dataclass(frozen=True, slots=True)
class Keeper:
    """Where results about one release are kept, and the hash of the release and all that it was made from.

    Without a ``folder`` nothing is kept: of a release that is not on the disk, or too large to be held.
    """

    folder: Path | None = None
    inputs: str = ""

    @classmethod
    def of(cls, released: Made | Opened) -> Keeper:
        """Return the keeper of a release that was opened from its folder."""
        if isinstance(released, Made) or released.folder is None or released.whole is not None:
            return cls()
        place = default_secret_path(released.folder.path)
        if released.sealed if released.sealed is not None else _is_sealed(place):
            # Whoever locks the secret away does not want its evidence to lie open beside it.
            return cls()
        digest = hashlib.sha256(_code_digest().encode())
        digest.update(json.dumps(released.folder.digests, sort_keys=True).encode())
        digest.update(f"{released.release.method} {dict(released.parameters)}".encode())
        add_history(digest, released.history)
        _add_secret(digest, released.secret)
        return cls(kept_folder(released.folder.path), digest.hexdigest())

    def remember(self, name: str, settings: str, compute: Callable[[], Value], *, fresh: bool = False) -> Value:
        """Return what was kept under this name for the same inputs and settings; else compute and keep it."""
        if self.folder is None:
            return compute()
        key = hashlib.sha256(f"{self.inputs} {name} {settings}".encode()).hexdigest()
        place = self.folder / f"{name}-{key[:24]}.json"
        if not fresh and (kept := _read(place, key)) is not None:
            value: Value = kept
            return value
        value = compute()
        self._write(place, key, value)
        return value

    def _write(self, place: Path, key: str, value: object) -> None:
        """Keep a value; where there is no room for it, or no way to write it, nothing is kept."""
        assert self.folder is not None
        try:
            text = json.dumps({"key": key, "value": to_plain(value)}, ensure_ascii=False)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            write_text(place, text, mode=OWNER_ONLY)
            files = sorted(self.folder.glob("*.json"), key=lambda file: (file.stat().st_mtime_ns, file.name))
            for old in files[:-MOST_FILES]:
                old.unlink(missing_ok=True)
        except (OSError, OutputError, TypeError):
            return


def _is_sealed(place: Path) -> bool:
    if not place.is_file():
        return False
    with place.open("rb") as stream:
        return is_sealed(stream.read(SEAL_BYTES))


def kept_folder(release: Path) -> Path:
    """Return where the results about a release folder are kept."""
    place = default_secret_path(release)
    return place.with_name(f"{place.stem}{ENDING}")


def drop_kept(release: Path) -> None:
    """Delete what was kept about a release: people were forgotten whom its evidence may show."""
    shutil.rmtree(kept_folder(release), ignore_errors=True)


def _read(place: Path, key: str) -> Any:
    try:
        document = json.loads(place.read_text(encoding="utf-8"))
        return from_plain(document["value"]) if document["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError):
        return None


def to_plain(value: Any) -> Any:  # noqa: PLR0911 - one line per kind of value
    """Return a result as plain values for JSON; raise TypeError for a kind of value that no result has."""
    if isinstance(value, StrEnum):
        return {"name": type(value).__name__, "value": value.value}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, pl.DataFrame):
        stream = io.BytesIO()
        value.write_ipc(stream)
        return {"table": base64.b64encode(stream.getvalue()).decode()}
    if is_dataclass(value) and type(value).__name__ in _CLASSES:
        parts = {field.name: to_plain(getattr(value, field.name)) for field in fields(value) if field.init}
        return {"class": type(value).__name__, "fields": parts}
    if isinstance(value, Mapping):
        return {"pairs": [[to_plain(name), to_plain(part)] for name, part in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [to_plain(part) for part in value]}
    if isinstance(value, list):
        return [to_plain(part) for part in value]
    raise TypeError(f"{type(value).__name__} is not kept")


def from_plain(plain: Any) -> Any:  # noqa: PLR0911 - one line per kind of value
    """Return the result that `to_plain` wrote."""
    if isinstance(plain, list):
        return [from_plain(part) for part in plain]
    if not isinstance(plain, dict):
        return plain
    if "name" in plain:
        return _NAMES[plain["name"]](plain["value"])
    if "table" in plain:
        return pl.read_ipc(io.BytesIO(base64.b64decode(plain["table"])))
    if "pairs" in plain:
        return {from_plain(name): from_plain(part) for name, part in plain["pairs"]}
    if "tuple" in plain:
        return tuple(from_plain(part) for part in plain["tuple"])
    return _CLASSES[plain["class"]](**{name: from_plain(part) for name, part in plain["fields"].items()})


@cache
def _code_digest() -> str:
    """Return the hash of the code that computes results: a repaired attack finds something else."""
    home = Path(tokumei.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(home.rglob("*.py")):
        if file.relative_to(home).parts[0] not in _ELSEWHERE:
            digest.update(file.read_bytes())
    return digest.hexdigest()


def add_history(digest: Any, history: History) -> None:
    """Add all that the original says to a hash."""
    digest.update(history.schema.to_toml().encode())
    digest.update(_frame_bytes(history.subjects.to_frame("subject")))
    for name in sorted(history.codes):
        digest.update(name.encode() + np.ascontiguousarray(history.codes[name]).tobytes())
        if name in history.categories:
            digest.update(_frame_bytes(pl.Series("value", history.categories[name]).to_frame()))
    digest.update(np.ascontiguousarray(history.subject).tobytes())
    for extra in (history.weights, history.households):
        digest.update(b"none" if extra is None else np.ascontiguousarray(extra).tobytes())
    if history.people is not None:
        add_history(digest, history.people)


def _add_secret(digest: Any, secret: Secret | None) -> None:
    if secret is None:
        digest.update(b"no secret")
        return
    digest.update(_frame_bytes(secret.owners) + np.ascontiguousarray(secret.rows).tobytes() + str(secret.seed).encode())
    digest.update(b"" if secret.people is None else np.ascontiguousarray(secret.people).tobytes())


def _frame_bytes(frame: pl.DataFrame) -> bytes:
    """Return the values as text: Arrow files of equal frames differ by how their strings lie in memory."""
    return frame.write_csv(quote_style="always").encode()
