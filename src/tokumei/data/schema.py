"""What the columns of a history mean: a small value, written as TOML, inferred by ``describe``, corrected by hand."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from tokumei.data.column_choices import Demand
from tokumei.data.columns import BUILT_HIERARCHIES, Column, Field, inline_column, read_column, toml_value
from tokumei.data.reading_keys import schema_keys
from tokumei.errors import SchemaError, did_you_mean

ROW_SUBJECT = "row"
PSEUDONYM = "pseudonym"


@dataclass(frozen=True, slots=True)
class Schema:
    """Which column says whose history a record belongs to, and the kind of every other column.

    ``fields`` are the physical fields in the order of the columns, ``kept`` those that a release shows unchanged
    (``keep = true``); ``row_is_subject`` says whether every row is a person of its own (a static table),
    ``publishable`` whether no column has the name under which a release shows its pseudonyms. ``weight`` is the column
    of survey weights, ``household`` that of who belongs together, each empty if there is none.
    ``subject_parts`` are the columns that name a person together, where one
    does not (``subject`` is then their names joined by a plus); ``missing`` are the words that stand for no value.

    >>> from tokumei.data import Column, Kind
    >>> schema = Schema("customer", (Column(name="price", kind=Kind.NUMBER, step=0.01),))
    >>> print(schema.to_toml())
    subject = "customer"
    <BLANKLINE>
    [columns]
    "price" = { kind = "number", step = 0.01 }
    <BLANKLINE>
    """

    subject: str
    columns: tuple[Column, ...]
    subject_parts: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    fields: tuple[Field, ...] = dataclasses.field(init=False, repr=False, compare=False)
    kept: tuple[Field, ...] = dataclasses.field(init=False, repr=False, compare=False)
    row_is_subject: bool = dataclasses.field(init=False, repr=False, compare=False)
    publishable: bool = dataclasses.field(init=False, repr=False, compare=False)
    weight: str = dataclasses.field(init=False, repr=False, compare=False)
    household: str = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Lay out the fields; refuse names that are empty or occur twice, and two columns of weights."""
        by_column = [column.fields() for column in self.columns]
        kept = [fields for column, fields in zip(self.columns, by_column, strict=True) if column.keep]
        object.__setattr__(self, "fields", tuple(chain.from_iterable(by_column)))
        object.__setattr__(self, "kept", tuple(chain.from_iterable(kept)))
        object.__setattr__(self, "row_is_subject", self.subject == ROW_SUBJECT)
        weights = [column.name for column in self.columns if column.weight]
        if len(weights) > 1:
            message = f"the columns '{weights[0]}' and '{weights[1]}' are both weights; declare one of them"
            raise SchemaError(message)
        object.__setattr__(self, "weight", weights[0] if weights else "")
        relative = [column.name for column in self.columns if column.relative]
        if relative and self.row_is_subject:
            message = (
                f"the column '{relative[0]}' is relative, but every row is a person of its own; leave 'relative' out"
            )
            raise SchemaError(message)
        households = [column.name for column in self.columns if column.household]
        if len(households) > 1:
            message = f"the columns '{households[0]}' and '{households[1]}' are both households; declare one of them"
            raise SchemaError(message)
        object.__setattr__(self, "household", households[0] if households else "")
        names = [self.subject, *(field.name for field in self.fields)]
        object.__setattr__(self, "publishable", PSEUDONYM not in names[1:])
        names += [*weights, *households]
        for position, name in enumerate(names):
            if not name:
                message = "a column has no name in the schema; give every column a name"
                raise SchemaError(message)
            if name in names[:position]:
                message = f"the column '{name}' is named twice in the schema; name every column once"
                raise SchemaError(message)

    @property
    def demands(self) -> dict[str, Demand]:
        """What groups must satisfy in sensitive columns, by column; what is kept unchanged is the publisher's word."""
        asked = [column for column in self.columns if not (column.drop or column.keep or column.weight)]
        return {column.name: column.demand for column in asked if column.demand is not None and column.demand.asks}

    def field(self, name: str) -> Field:
        """Return the field of this name."""
        for field in self.fields:
            if field.name == name:
                return field
        known = [field.name for field in self.fields]
        message = f"the schema has no column '{name}'{did_you_mean(name, known)}; it has {', '.join(known)}"
        raise SchemaError(message)

    def sources(self) -> list[str]:
        """Return the names of all source columns that must be present, the subject first."""
        subject = [] if self.row_is_subject else [*(self.subject_parts or (self.subject,))]
        hidden = [name for name in (self.weight, self.household) if name]
        return list(dict.fromkeys([*subject, *(field.name for field in self.fields), *hidden]))

    def check_against(self, present: Iterable[str], file: str) -> None:
        """Raise SchemaError if a column named here is absent from the data."""
        present = list(present)
        for name in self.sources():
            if name not in present:
                message = (
                    f"{file}: the schema names the column '{name}'{did_you_mean(name, present)}, "
                    f"but the data has {', '.join(present)}; correct the schema or the header"
                )
                raise SchemaError(message, file=file)

    def check_whole(self) -> None:
        """Raise SchemaError if a column needs all records of a person at once; data in parts does not have them."""
        for field in self.fields:
            if field.relative:
                message = (
                    f"the column '{field.name}' is counted from the first record of its person, which data that is "
                    "read in parts does not show; give more --memory, or leave out 'relative'"
                )
                raise SchemaError(message)

    def check_publishable(self) -> None:
        """Raise SchemaError if a column has the name under which a release shows its pseudonyms."""
        if not self.publishable:
            message = (
                f"the column '{PSEUDONYM}' has the name that a release gives to its ids; "
                f'rename it, make it the subject, or drop it in the schema ("{PSEUDONYM}" = {{ drop = true }})'
            )
            raise SchemaError(message)

    @classmethod
    def from_toml(cls, text: str, *, file: str = "schema") -> Schema:
        """Read the schema from TOML text."""
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
            line, column = (int(place.group(1)), int(place.group(2))) if place else (None, None)
            where = f"{file}, line {line}, column {column}" if place else file
            reason = re.sub(r" \(at .*\)$", "", str(error))
            message = f"{where}: this is not valid TOML ({reason}); 'tokumei describe -o' writes one to start from"
            raise SchemaError(message, file=file, line=line, column=column) from None
        return cls.from_document(document, file=file)

    @classmethod
    def from_document(cls, content: Mapping[str, Any], *, file: str = "schema") -> Schema:
        """Read the schema from a parsed TOML document, or from a table of one."""
        document = dict(content)
        subject = document.pop("subject", None)
        columns = document.pop("columns", None)
        missing = document.pop("missing", [])
        parts, fault = schema_keys(subject, missing)
        if fault:
            raise SchemaError(f"{file}: {fault}", file=file)
        if not parts or not isinstance(columns, dict) or document:
            message = f"{file}: a schema must have 'subject = \"column\"', then a table [columns], and nothing else"
            raise SchemaError(message, file=file)
        found = tuple(read_column(name, spec, file) for name, spec in columns.items())
        try:
            return cls(" + ".join(parts), found, parts if len(parts) > 1 else (), tuple(missing))
        except SchemaError as error:
            raise SchemaError(f"{file}: {error}", file=file) from None

    @classmethod
    def read(cls, path: Path, content: bytes | None = None) -> Schema:
        """Read the schema from a TOML file, or from its ``content`` where that was read before."""
        try:
            text = (path.read_bytes() if content is None else content).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reasons: dict[type[Exception], str] = {
                FileNotFoundError: "there is no such file; check the path",
                IsADirectoryError: "this is a directory; name the schema file in it",
                UnicodeDecodeError: "this is not UTF-8 text; a schema is a small TOML file",
            }
            reason = reasons.get(type(error), f"the schema cannot be read: {getattr(error, 'strerror', error)}")
            message = f"{path}: {reason}"
            raise SchemaError(message, file=str(path)) from None
        schema = cls.from_toml(text.replace("\r\n", "\n").replace("\r", "\n"), file=str(path))
        # A file beside the schema is found wherever the command runs.
        columns = [
            dataclasses.replace(column, hierarchy=str(path.parent / column.hierarchy))
            if column.hierarchy and column.hierarchy not in BUILT_HIERARCHIES
            else column
            for column in schema.columns
        ]
        return dataclasses.replace(schema, columns=tuple(columns))

    def to_toml(self) -> str:
        """Return the schema as TOML text, as ``from_toml`` reads it."""
        whose = toml_value(self.subject_parts or self.subject)
        lines = [f"subject = {whose}", *([f"missing = {toml_value(self.missing)}"] if self.missing else [])]
        lines += ["", "[columns]"]
        lines += [f"{toml_value(column.name)} = {inline_column(column)}" for column in self.columns]
        return "\n".join(lines) + "\n"
