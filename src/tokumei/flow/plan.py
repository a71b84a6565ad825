"""The plan of a release: everything that decides what comes out, in a small TOML file that can be reviewed and run.

A plan that was run holds the key of the random choices (or the seed, if one was asked for) and the hash of the input:
with both, ``tokumei anonymize --plan`` makes the same release again, to the byte; keyed pseudonyms excepted, whose own
key is in the Secret. A plan is as secret as the Secret (its key regenerates the pseudonyms, the hash of the input
confirms guesses of it), lies beside the release and is readable by its owner only.

    method = "k-anonymity"
    format = "csv"
    input = "purchases.csv"
    input_sha256 = "..."
    key = "..."

    [parameters]
    k = 3

    [schema]
    subject = "customer"

    [schema.columns]
    "date" = { kind = "date" }
"""

from __future__ import annotations

import os
import re
import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tokumei.data import History, Schema, Source, open_sealed, read_data, toml_value
from tokumei.errors import InfeasibleError, InputError, ParameterError, UnreadableError, did_you_mean
from tokumei.flow.gate import refuse_identifiers
from tokumei.parts import HOW_IT_RAN, Method, find_part, has_parameter, make_part
from tokumei.profiles import Content, content_messages, read_content, read_history, refuse_unknown_columns, with_content
from tokumei.words import Message

DEFAULT_METHOD = "k-anonymity"
FORMATS = ("csv", "parquet")
# Plans that were run before there were profiles published exact ends.
_EARLIER_CONTENT = "tight"
_HEAD = "# A plan of tokumei. With its key or seed it is as secret as the secret file: never hand it out.\n"
_TEXTS = ("tokumei", "method", "content", "format", "input", "input_sha256")
_KNOWN = (*_TEXTS, "allow", "key", "seed", "parameters", "schema")
_KEY = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What will be, or was, done with which input.

    ``method`` empty means: the safest good one for the data; ``parameters`` are values of the types that the method
    declares; ``schema`` None means: inferred from the input; ``why`` says how the method was chosen; ``allow`` names
    columns that are published although they seem to name people. ``key`` (64 hexadecimal digits) makes the random
    choices again; ``seed`` does so too, for experiments, and can be guessed. ``content`` is the profile of contents
    (empty: ``grid`` for methods that generalize); the grids that it gives stand in the schema.
    """

    method: str = ""
    content: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    schema: Schema | None = None
    data_format: str = "csv"
    input: str = ""
    input_sha256: str = ""
    allow: tuple[str, ...] = ()
    seed: int | None = None
    key: str = field(default="", repr=False)
    version: str = field(default_factory=lambda: version("tokumei"))
    why: Message | None = field(default=None, compare=False)

    @property
    def deciding(self) -> dict[str, Any]:
        """The parameters that decide what comes out, without those that say how the method runs."""
        return {name: value for name, value in self.parameters.items() if name not in HOW_IT_RAN}

    def make_method(self, *, threads: int | None = None) -> Method:
        """Return the method of the plan, ready to run on so many threads (default: one per core)."""
        return make_method(self.method or DEFAULT_METHOD, self.parameters, threads=threads)

    def check_input(self, source: Source) -> None:
        """Raise InputError if the plan was made for another input."""
        self.refuse_other_input(source.sha256, source.path)

    def refuse_other_input(self, sha256: str, path: Path) -> None:
        """Raise InputError if the plan was made for an input of another hash."""
        if self.input_sha256 and sha256 != self.input_sha256:
            message = (
                f"{path}: this is not the input that the plan was made for (its hash differs); give that file, "
                "or delete the lines 'input_sha256', 'key' and 'seed' from the plan to use it for new data"
            )
            raise InputError(message, code="other-input", file=str(path))

    def to_toml(self, *, secret: bool = True) -> str:
        """Return the plan as text; without its secret parts (key, seed, hash) it can be shown for review."""
        # A file name that is no text cannot stand in a plan; who runs it again names the file.
        named = "" if any(0xD800 <= ord(letter) <= 0xDFFF for letter in self.input) else self.input
        texts = {"tokumei": self.version, "method": self.method, "content": self.content}
        texts |= {"format": self.data_format, "input": named}
        if secret:
            texts |= {"input_sha256": self.input_sha256, "key": self.key}
            texts |= {"seed": "" if self.seed is None else str(self.seed)}
        # A plan without a profile is told from one of a version that had none.
        lines = [f"{name} = {toml_value(text)}" for name, text in texts.items() if text or name == "content"]
        if self.allow:
            lines.append(f"allow = [{', '.join(map(toml_value, self.allow))}]")
        lines += ["", "[parameters]"]
        lines += [f"{name} = {toml_value(value)}" for name, value in self.deciding.items()]
        if self.schema is not None:
            head, _, columns = self.schema.to_toml().partition("[columns]")
            lines += ["", "[schema]", head.rstrip(), "", f"[schema.columns]{columns.rstrip()}"]
        return (_HEAD if secret else "") + "\n".join(lines) + "\n"

    @classmethod
    def read(cls, path: Path) -> Plan:  # noqa: C901 - one line for every mistake
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
        allow = document.get("allow", [])
        if not isinstance(allow, list) or not all(isinstance(name, str) for name in allow):
            raise refuse("'allow' must be a list of names of columns in quotes")
        if not document.get("method"):
            raise refuse("the plan names no method; write method = \"k-anonymity\" or another of 'tokumei methods'")
        if document.get("content", "") not in ("", *Content):
            raise refuse(f"'content' must be one of {', '.join(Content)}, got '{document['content']}'")
        if document.get("format", "csv") not in FORMATS:
            raise refuse(f"'format' must be csv or parquet, got '{document['format']}'")
        seed, key = str(document.get("seed", "")), str(document.get("key", ""))
        if mistake := _mistaken_randomness(seed, key):
            raise refuse(mistake)
        schema = document.get("schema")
        return cls(
            method=document["method"],
            content=document.get("content", _EARLIER_CONTENT if document.get("input_sha256") else ""),
            parameters=document.get("parameters", {}),
            schema=None if schema is None else Schema.from_document(schema, file=str(path)),
            data_format=document.get("format", "csv"),
            input=document.get("input", ""),
            input_sha256=document.get("input_sha256", ""),
            allow=tuple(allow),
            seed=int(seed) if seed else None,
            key=key,
            version=document.get("tokumei", ""),
        )


def _mistaken_randomness(seed: str, key: str) -> str:
    """Return what is wrong with the seed and the key of a plan, empty if nothing is."""
    if seed and not (seed.isascii() and seed.isdigit()):
        return "'seed' must be a whole number of at least 0; leave it out for a fresh key"
    if key and not _KEY.fullmatch(key):
        return "'key' must be 64 hexadecimal digits; leave it out for a fresh one"
    if key and seed:
        return "a plan has a key or a seed, not both; delete one of the lines"
    return ""


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(open_sealed(path).data.decode("utf-8"))
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


def fresh_key() -> str:
    """Return a key that nobody can guess, from the operating system's entropy."""
    return secrets.token_hex(32)


def make_method(
    name: str, settings: Mapping[str, Any] | None = None, *, k: int | None = None, threads: int | None = None
) -> Method:
    """Return a registered method with these settings.

    ``k`` is refused by methods that have none. Methods that can use threads get this many (default: one per core);
    their results do not depend on it.
    """
    part = find_part("anonymizer", name)
    values = dict(settings or {})
    if has_parameter(part, "threads"):
        values.setdefault("threads", threads or os.cpu_count() or 1)
    if k is not None:
        if not has_parameter(part, "k"):
            message = f"the method '{name}' has no k; leave --k out"
            raise ParameterError(message)
        if "k" in values:
            message = f"parameter 'k' of '{name}' is given twice; give it once"
            raise ParameterError(message)
        values["k"] = k
    method: Method = make_part(part, values)
    return method


def public_parameters(method: Method) -> dict[str, Any]:
    """Return the parameters of a method as everybody may see them: without how it ran, of a file only its name."""
    values = {name: getattr(method, name) for name in method.stated_parameters}
    return {
        name: f"@{Path(value[1:]).name}" if isinstance(value, str) and value.startswith("@") else value
        for name, value in values.items()
    }


def plan_of(name: str | None, settings: Mapping[str, Any] | None = None, *, k: int | None = None, **rest: Any) -> Plan:
    """Return a plan of what was asked for: a method (None: the safest), its settings, its k and fields of the plan.

    A wrong name or setting is told at once, before any data is read.
    """
    make_method(name or DEFAULT_METHOD, settings, k=k)
    if rest.get("content"):
        read_content(rest["content"])
    asked = dict(settings or {})
    if k is not None:
        asked["k"] = k
    return Plan(method=name or "", parameters=asked, **rest)


def complete(history: History, plan: Plan, *, threads: int | None = None, sample: bool = False) -> tuple[Plan, Method]:
    """Return the plan with what it left open, and its method, ready to run on so many threads (default: all cores).

    Left open may be the method (then it is the safest good one for this data), parameters and the schema. Raises an
    error before any long work if there are no records, fewer subjects than a group needs, or a column that seems to
    name people and is not allowed. With ``sample`` the history is only some of the records: what depends on all of
    them is left to whoever sees them.
    """
    if len(history) == 0:
        message = "the data has no records, at most a header; give a file with records"
        raise InputError(message, code="empty")
    if sample:
        refuse_unknown_columns(history, plan.allow)
    else:
        refuse_identifiers(history, plan.allow)
    asked, why = dict(plan.parameters), plan.why or Message("cli.why-asked")
    method = make_method(plan.method or DEFAULT_METHOD, asked, threads=threads)
    if not plan.method:
        why = Message("cli.why-safest")
    method = method.fitted(history)
    wanted = getattr(method, "k", None)
    if isinstance(wanted, int) and len(history.subjects) < wanted and not sample:
        message = (
            f"{method.name} with k = {wanted} needs at least {wanted} subjects, the data has {len(history.subjects)}; "
            "lower k or add data"
        )
        raise InfeasibleError(message)
    names = [info.name for info in method.parameters() if info.name not in HOW_IT_RAN or info.name in asked]
    values = {name: getattr(method, name) for name in names if getattr(method, name) is not None}
    content = read_content(plan.content) if plan.content else Content.GRID if method.generalizes else Content.TIGHT
    whole = replace(
        plan,
        method=method.name,
        content=content.value,
        parameters=values,
        schema=with_content(history.schema, content),
        why=why,
        version=version("tokumei"),
    )
    return whole, method


def told_contents(plan: Plan) -> list[Message]:
    """Return what is said of the contents of a release after a complete plan."""
    assert plan.schema is not None
    k = plan.parameters.get("k")
    return content_messages(plan.schema, read_content(plan.content), k if isinstance(k, int) else None)


def open_input(path: Path, plan: Plan, *, subject: str | None = None) -> tuple[History, Plan]:
    """Read the input of a plan, once; return its history and the plan with its schema and the hash of the input.

    Without a schema in the plan it is inferred, around the column ``subject`` if that is named.
    """
    source = read_data(path)
    plan.check_input(source)
    history = read_history(source, plan.schema, subject=subject, confirmed=True)
    return history, replace(plan, schema=history.schema, input=str(path), input_sha256=source.sha256)
