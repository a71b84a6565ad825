"""One column of a schema and the fields it is made of; how it is written in TOML, with every mistake named.

A *column* is what a person names (``position``); a *field* is what kernels compute on. Every column is one field,
except a place, which is two (latitude and longitude), so that a generalized place is a rectangle.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tokumei.data.column_choices import Demand, grid_fault, inline_choices, read_demand
from tokumei.data.date_directives import ISO_DATE, format_fault
from tokumei.data.reading_keys import READING_KEYS, TEXT_CHOICES, reading_fault, reading_parts, reading_values
from tokumei.data.relative_times import first_code, relative_fault
from tokumei.errors import SchemaError, did_you_mean

ISO_DATETIME = "%Y-%m-%d %H:%M:%S"
SLASH_DATE = "%Y/%-m/%-d"
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


def read_column(name: str, spec: Any, file: str) -> Column:  # noqa: C901 - one line for every mistake
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
    demand, fault = read_demand(spec.get("sensitive", False), kind)
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


def inline_column(column: Column) -> str:
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
