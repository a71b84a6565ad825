"""What the columns of a history mean: a small value, written as TOML, inferred by ``describe``, corrected by hand.

A *column* is what a person names (``position``); a *field* is what kernels compute on. Every column is one field,
except a place, which is two (latitude and longitude), so that a generalized place is a rectangle.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Any

from tokumei.data.column_choices import Demand, grid_fault, inline_choices, read_demand
from tokumei.data.date_directives import ISO_DATE, format_fault
from tokumei.data.reading_keys import (
    READING_KEYS,
    TEXT_CHOICES,
    reading_fault,
    reading_parts,
    reading_values,
    schema_keys,
)
from tokumei.data.relative_times import first_code, relative_fault
from tokumei.errors import SchemaError, did_you_mean

ISO_DATETIME = "%Y-%m-%d %H:%M:%S"
SLASH_DATE = "%Y/%-m/%-d"
ROW_SUBJECT = "row"
PSEUDONYM = "pseudonym"
DEFAULT_PLACE_STEP = 1e-6
# Rules by which the hierarchy of a column is built, where no file is named.
BUILT_HIERARCHIES = ("auto", "intervals", "dates", "prefixes", "frequency")
SMALLEST_STEP, LARGEST_STEP = 1e-12, 1e12


class Kind(StrEnum):
    """How the values of a column are ordered, measured and written."""

    DATE = "date"
    DATETIME = "datetime"
    NUMBER = "number"
    CATEGORY = "category"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class Field:
    """One physical column: an ordered one coded in steps from zero, or a nominal one coded by its dictionary."""

    name: str
    kind: Kind
    step: float = 1.0
    format: str = ""
    column: str = ""
    # Times that are counted from the first record of a person are read as another kind than they are published.
    read_as: Kind | None = None
    start: int = 0
    nominal: bool = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Note whether cells of this field generalize to sets (categories) rather than ranges."""
        object.__setattr__(self, "nominal", self.kind is Kind.CATEGORY)

    @property
    def relative(self) -> bool:
        """Whether values are counted from the first one of the same person."""
        return self.read_as is not None

    @property
    def source(self) -> Field:
        """The field as the original has it."""
        return self if self.read_as is None else dataclasses.replace(self, kind=self.read_as, read_as=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column as the schema file names it; ``drop``: never published, ``keep``: published unchanged.

    ``sensitive``: nobody shall infer it; groups satisfy its ``demand``, and the audit tells how well one can.
    ``hierarchy``: a file, or the rule by which one is built. ``weight``: how many people of the population a record
    stands for; never published, judged with. ``grid``: the public cells in which values are told before anything else
    is done with them; ``rare``: categories of fewer people are told more coarsely.
    ``relative``: counted from the first record of the same person (in days, seconds or its own steps); with a day,
    dates are shifted so that everybody begins on it.
    ``household``: people with the same value belong together; never published, and they are never each other's cover.
    How the column is read: ``decimal`` is the decimal sign of its numbers, ``rounded`` says that values were finer than
    the step, ``text`` what becomes of free text (`tokumei.data.reading_keys`).
    """

    name: str
    kind: Kind = Kind.CATEGORY
    step: float = 1.0
    format: str = ""
    latitude: str = ""
    longitude: str = ""
    drop: bool = False
    keep: bool = False
    sensitive: bool = False
    hierarchy: str = ""
    weight: bool = False
    grid: str | float = ""
    rare: int = 0
    demand: Demand | None = None
    relative: bool | str = False
    household: bool = False
    decimal: str = ""
    rounded: bool = False
    text: str | tuple[str, ...] = ""

    def __post_init__(self) -> None:
        """Keep free text that is published, as it is or redacted; give a sensitive column the usual demand."""
        if self.text in TEXT_CHOICES:
            object.__setattr__(self, "keep", True)
        if self.sensitive and self.demand is None:
            object.__setattr__(self, "demand", Demand())

    def fields(self) -> tuple[Field, ...]:
        """Return the physical fields of this column, none if it is not published."""
        if self.drop or self.weight or self.household:
            return ()
        if self.kind is Kind.PLACE:
            return tuple(
                Field(source, Kind.NUMBER, self.step, "", self.name) for source in (self.latitude, self.longitude)
            )
        text_format = self.format
        if not text_format and self.kind is Kind.DATE:
            text_format = ISO_DATE
        if not text_format and self.kind is Kind.DATETIME:
            text_format = ISO_DATETIME
        if isinstance(self.relative, str) and self.relative:
            start = first_code(self.relative, clock=self.kind is Kind.DATETIME)
            return (Field(self.name, self.kind, self.step, text_format, self.name, self.kind, start),)
        if self.relative:
            return (Field(self.name, Kind.NUMBER, self.step, text_format, self.name, self.kind),)
        return (Field(self.name, self.kind, self.step, text_format, self.name),)


@dataclass(frozen=True, slots=True)
class Schema:
    """Which column says whose history a record belongs to, and the kind of every other column.

    ``fields`` are the physical fields in the order of the columns, ``kept`` those that a release shows unchanged
    (``keep = true``); ``row_is_subject`` says whether every row is a person of its own (a static table),
    ``publishable`` whether no column has the name under which a release shows its pseudonyms. ``weight`` is the column
    of survey weights, ``household`` that of who belongs together, each empty if there is none.
    ``subject_parts`` are the columns that name a person together, where one
    does not (``subject`` is then their names joined by a plus); ``missing`` are the words that stand for no value.

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
        found = tuple(_column(name, spec, file) for name, spec in columns.items())
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
        lines += [f"{toml_value(column.name)} = {_inline(column)}" for column in self.columns]
        return "\n".join(lines) + "\n"


_COLUMN_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "kind": str,
    "step": (int, float),
    "format": str,
    "latitude": str,
    "longitude": str,
    "drop": bool,
    "keep": bool,
    "sensitive": (bool, dict),
    "hierarchy": str,
    "weight": bool,
    "grid": (str, int, float),
    "rare": int,
    "relative": (bool, str),
    "household": bool,
    **READING_KEYS,
}


def _column(name: str, spec: Any, file: str) -> Column:  # noqa: C901 - one line for every mistake
    """Turn one entry of [columns] into a Column, with every mistake named."""

    def refuse(what: str) -> SchemaError:
        return SchemaError(f"{file}: column '{name}': {what}", file=file)

    if not isinstance(spec, dict):
        raise refuse('write it as { kind = "category" } or { drop = true }')
    for key, value in spec.items():
        if key not in _COLUMN_KEYS:
            raise refuse(f"unknown key '{key}'{did_you_mean(key, _COLUMN_KEYS)}; known are {', '.join(_COLUMN_KEYS)}")
        if not isinstance(value, _COLUMN_KEYS[key]) or (key == "step" and isinstance(value, bool)):
            raise refuse(f"'{key}' has the wrong type: {value!r}")
    if contradiction := _contradiction(spec):
        raise refuse(contradiction)
    if spec.get("drop") or spec.get("household"):
        return Column(name=name, drop=spec.get("drop", False), household=spec.get("household", False))
    try:
        kind = Kind(spec.get("kind", ""))
    except ValueError:
        kinds = [member.value for member in Kind]
        raise refuse(f"kind must be one of {', '.join(kinds)}, got {spec.get('kind')!r}") from None
    step = spec.get("step", DEFAULT_PLACE_STEP if kind is Kind.PLACE else 1.0)
    if not SMALLEST_STEP <= step <= LARGEST_STEP:
        raise refuse(f"step must be a number from {SMALLEST_STEP:g} to {LARGEST_STEP:g}, got {str(step)[:40]}")
    if spec.get("format") and (fault := _format_fault(kind, spec["format"])):
        raise refuse(fault)
    demand, fault = read_demand(spec.get("sensitive", False))
    if fault := fault or grid_fault(kind, spec):
        raise refuse(fault)
    if kind is Kind.PLACE and not (spec.get("latitude") and spec.get("longitude")):
        raise refuse("a place needs the names of its latitude and longitude columns")
    return Column(
        name=name,
        kind=kind,
        step=float(step),
        format=spec.get("format", ""),
        latitude=spec.get("latitude", ""),
        longitude=spec.get("longitude", ""),
        keep=spec.get("keep", False),
        sensitive=demand is not None,
        hierarchy=spec.get("hierarchy", ""),
        weight=spec.get("weight", False),
        grid=spec.get("grid", ""),
        rare=spec.get("rare", 0),
        demand=demand,
        relative=spec.get("relative", False),
        **reading_values(spec),
    )


def _contradiction(spec: Mapping[str, Any]) -> str:
    """Return what a column cannot be at once in words, or nothing."""
    if spec.get("drop") and spec.get("keep"):
        return "it cannot be dropped and kept at once; delete 'drop' or 'keep'"
    if fault := relative_fault(spec):
        return fault
    if spec.get("household") and any(value for key, value in spec.items() if key not in ("household", "kind")):
        return "a household says who belongs together and is not published: write { household = true }"
    other = spec.get("keep") or spec.get("hierarchy") or spec.get("kind") != Kind.NUMBER
    if spec.get("weight") and not spec.get("drop") and other:
        return 'a weight is a number that is not published: write { kind = "number", weight = true }'
    return reading_fault(spec)


def _format_fault(kind: Kind, text_format: str) -> str:
    """Return what is wrong with the format of a column in words, or nothing."""
    if kind not in (Kind.DATE, Kind.DATETIME):
        return f"only dates have a format, but this is a {kind}; leave it out"
    return format_fault(text_format, clock=kind is Kind.DATETIME)


def _inline(column: Column) -> str:
    """Return one column as a TOML inline table."""
    if column.drop:
        return "{ drop = true }"
    if column.household:
        return "{ household = true }"
    parts = [f"kind = {toml_value(column.kind.value)}"]
    if column.kind is Kind.NUMBER or (column.kind is Kind.PLACE and column.step != DEFAULT_PLACE_STEP):
        short = f"{column.step:.12g}"
        parts.append(f"step = {short if float(short) == column.step else repr(column.step)}")
    if column.format:
        parts.append(f"format = {toml_value(column.format)}")
    if column.kind is Kind.PLACE:
        parts += [f"latitude = {toml_value(column.latitude)}", f"longitude = {toml_value(column.longitude)}"]
    if column.hierarchy:
        parts.append(f"hierarchy = {toml_value(column.hierarchy)}")
    parts += inline_choices(column.grid, column.rare)
    parts += [f"{name} = {toml_value(value)}" for name, value in reading_parts(column.decimal, column.text)]
    parts += ["keep = true"] if column.keep else []
    parts += [] if column.demand is None else [f"sensitive = {column.demand.inline()}"]
    parts += [f"{flag} = true" for flag in ("weight", "rounded") if getattr(column, flag)]
    parts += [f"relative = {toml_value(column.relative)}"] if column.relative else []
    return "{ " + ", ".join(parts) + " }"


def toml_value(value: str | float | tuple[str, ...]) -> str:
    """Return a text, a number, a flag or a list of texts as TOML writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else repr(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    controls = {chr(code): f"\\u{code:04x}" for code in [*range(32), 127]}
    return '"' + "".join(controls.get(letter, letter) for letter in escaped) + '"'
