"""The plan of a release: everything that decides what comes out, in a small TOML file that can be reviewed and run.

A plan that was run holds the seed and the hash of the input: with both, ``tokumei anonymize --plan`` makes the same
release again, to the byte; keyed pseudonyms excepted, whose key no seed can make (it is in the Secret). A plan is as
secret as the Secret (the seed regenerates the pseudonyms, the hash of the input confirms guesses of it), lies beside
the release and is readable by its owner only.

    method = "k-anonymity"
    format = "csv"
    input = "purchases.csv"
    input_sha256 = "..."
    seed = "..."

    [parameters]
    k = 3

    [schema]
    subject = "customer"

    [schema.columns]
    "date" = { kind = "date" }
"""

from __future__ import annotations

import hashlib
import secrets
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tokumei.data import History, Schema, default_secret_path, quoted
from tokumei.errors import InfeasibleError, InputError, ParameterError, UnreadableError, did_you_mean
from tokumei.flow import stages as flow
from tokumei.parts import Method, find_part, make_part

__all__ = ["DEFAULT_METHOD", "FORMATS", "Plan", "choose", "file_hash", "fresh_seed", "places_beside"]

DEFAULT_METHOD = "k-anonymity"
FORMATS = ("csv", "parquet")
_HEAD = "# A plan of tokumei. With its seed it is as secret as the secret file: never hand it out.\n"
_ENDINGS = {"plan": "plan.toml", "audit": "audit.json"}
_TEXTS = ("tokumei", "method", "format", "input", "input_sha256")
_KNOWN = (*_TEXTS, "seed", "parameters", "schema")
# Rows of static tables above which good groups take minutes to find; groups of more than three take far longer.
MANY_ROWS, MANY_ROWS_OF_LARGE_GROUPS = 20_000, 1_000


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What will be, or was, done with which input; ``schema`` None means: inferred from the input."""

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    schema: Schema | None = None
    data_format: str = "csv"
    input: str = ""
    input_sha256: str = ""
    seed: int | None = None
    version: str = field(default_factory=lambda: version("tokumei"))

    @classmethod
    def of(cls, method: Method, **rest: Any) -> Plan:
        """Return the plan with this method and its parameters, without how it is run."""
        told = [info.name for info in method.parameters() if info.name not in flow.HOW_IT_RAN]
        values = {name: getattr(method, name) for name in told}
        return cls(method=method.name, parameters={n: v for n, v in values.items() if v is not None}, **rest)

    def anonymizer(self, *, threads: int | None = None) -> Method:
        """Return the method of the plan, ready to run."""
        part = find_part("anonymizer", self.method)
        checked = make_part(part, dict(self.parameters))
        settings = [
            f"{info.name}={getattr(checked, info.name)}" for info in part.parameters() if info.name in self.parameters
        ]
        return flow.make_anonymizer(self.method, settings, threads=threads)

    def check_input(self, path: Path) -> None:
        """Raise InputError if the plan was made for another input."""
        if self.input_sha256 and file_hash(path) != self.input_sha256:
            message = (
                f"{path}: this is not the input that the plan was made for (its hash differs); give that file, or "
                "delete the lines 'input_sha256' and 'seed' from the plan to use it for new data"
            )
            raise InputError(message, code="other-input", file=str(path))

    def to_toml(self, *, secret: bool = True) -> str:
        """Return the plan as text; without its secret parts (seed, hash) it can be shown for review."""
        # A file name that is no text cannot stand in a plan; who runs it again names the file.
        named = "" if any(0xD800 <= ord(letter) <= 0xDFFF for letter in self.input) else self.input
        texts = {"tokumei": self.version, "method": self.method, "format": self.data_format, "input": named}
        if secret:
            texts |= {"input_sha256": self.input_sha256, "seed": "" if self.seed is None else str(self.seed)}
        lines = [f"{name} = {quoted(text)}" for name, text in texts.items() if text]
        lines += ["", "[parameters]", *(f"{name} = {_value(value)}" for name, value in self.parameters.items())]
        if self.schema is not None:
            head, _, columns = self.schema.to_toml().partition("[columns]")
            lines += ["", "[schema]", head.rstrip(), "", f"[schema.columns]{columns.rstrip()}"]
        return (_HEAD if secret else "") + "\n".join(lines) + "\n"

    @classmethod
    def read(cls, path: Path) -> Plan:
        """Read a plan file; every mistake in it is named."""
        document = _document(path)

        def refuse(what: str) -> ParameterError:
            return ParameterError(f"{path}: {what}", code="plan", file=str(path))

        for key in document:
            if key not in _KNOWN:
                raise refuse(f"unknown key '{key}'{did_you_mean(key, _KNOWN)}; a plan has {', '.join(_KNOWN)}")
        for key in _TEXTS:
            if not isinstance(document.get(key, ""), str):
                raise refuse(f"'{key}' must be a text in quotes, got {document[key]!r}")
        for key in ("parameters", "schema"):
            if not isinstance(document.get(key, {}), dict):
                raise refuse(f"'{key}' must be a table [{key}]")
        if not document.get("method"):
            raise refuse("the plan names no method; write method = \"k-anonymity\" or another of 'tokumei methods'")
        if document.get("format", "csv") not in FORMATS:
            raise refuse(f"'format' must be csv or parquet, got '{document['format']}'")
        seed = str(document.get("seed", ""))
        if seed and not (seed.isascii() and seed.isdigit()):
            raise refuse("'seed' must be a whole number of at least 0; leave it out for a fresh one")
        schema = document.get("schema")
        return cls(
            method=document["method"],
            parameters=document.get("parameters", {}),
            schema=None if schema is None else Schema.from_document(schema, file=str(path)),
            data_format=document.get("format", "csv"),
            input=document.get("input", ""),
            input_sha256=document.get("input_sha256", ""),
            seed=int(seed) if seed else None,
            version=document.get("tokumei", ""),
        )


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        message = f"{path}: this is not valid TOML ({error}); correct it, or let 'tokumei anonymize' write a plan"
        raise ParameterError(message, code="plan", file=str(path)) from None
    except FileNotFoundError:
        reason = "there is no such file; check the path"
    except IsADirectoryError:
        reason = "this is a directory; name the plan file"
    except UnicodeDecodeError:
        reason = "this is not UTF-8 text; a plan is a small TOML file"
    except OSError as error:
        reason = f"the plan cannot be read: {error.strerror}"
    message = f"{path}: {reason}"
    raise UnreadableError(message, file=str(path))


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return quoted(value) if isinstance(value, str) else repr(value)


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file as it is on the disk; nothing of a pipe, which can be read only once."""
    if path.exists() and not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        message = f"{path}: the file cannot be read: {error.strerror}"
        raise UnreadableError(message, file=str(path)) from None


def fresh_seed() -> int:
    """Return a seed that nobody can guess, from the operating system's entropy."""
    return secrets.randbits(128)


def places_beside(folder: Path) -> dict[str, Path]:
    """Return where the plan and the internal audit of a release go: beside the folder, never inside."""
    secret = default_secret_path(folder)
    return {what: secret.with_name(f"{secret.stem}.{ending}") for what, ending in _ENDINGS.items()}


def choose(
    history: History,
    *,
    method: str | None = None,
    k: int | None = None,
    settings: Sequence[str] = (),
    threads: int | None = None,
) -> tuple[Method, str]:
    """Return the method that was asked for, or the safest good one for this data, with one sentence why.

    Raises an error before any long work if there are no records, or fewer subjects than a group needs.
    """
    if len(history) == 0:
        message = "the data has no records, at most a header; give a file with records"
        raise InputError(message, code="empty")
    if method is None:
        name, extra, why = _safest(history, k, settings)
    else:
        name, extra, why = method, [], "as asked for"
    part = flow.make_anonymizer(name, [*settings, *extra], k=k, threads=threads)
    wanted = getattr(part, "k", None)
    if isinstance(wanted, int) and len(history.subjects) < wanted:
        message = (
            f"{name} with k = {wanted} needs at least {wanted} subjects, the data has {len(history.subjects)}; "
            "lower k or add data"
        )
        raise InfeasibleError(message)
    return part, why


def _safest(history: History, k: int | None, settings: Sequence[str]) -> tuple[str, list[str], str]:
    """Return k-anonymity with the effort that this much data allows."""
    why = (
        "the safest method here: every published history is the same for at least k people, so that no attack, however "
        "much it knows of the original, can tell them apart"
    )
    static = int(history.counts().max(initial=0)) <= 1
    named = any(text.partition("=")[0].strip() == "effort" for text in settings)
    many = MANY_ROWS if k is None or k <= 3 else MANY_ROWS_OF_LARGE_GROUPS
    if static and len(history) > many and not named:
        return DEFAULT_METHOD, ["effort=fast"], f"{why}; effort=fast, because {len(history):,} single rows are many"
    return DEFAULT_METHOD, [], why
