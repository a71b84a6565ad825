"""Fields of forms made from what parts and schemas declare, so that a parameter that is added appears by itself."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

from tokumei.data import Column, toml_value
from tokumei.errors import ParameterError, SchemaError
from tokumei.parts import HOW_IT_RAN, Part


@dataclass(frozen=True, kw_only=True)
class Control:
    """One field: its name in the form, what it is called, its kind (text, number, choice, check) and its value.

    ``foreign``: its help is in English whatever the language of the page, as parts tell it.
    """

    name: str
    label: str
    kind: str = "text"
    value: str = ""
    checked: bool = False
    choices: Sequence[tuple[str, str]] = ()
    help: str = ""
    foreign: bool = False
    low: str = ""
    high: str = ""
    step: str = ""
    placeholder: str = ""

    @property
    def id(self) -> str:
        """Its id on the page."""
        return f"id-{self.name}"


def written(value: object) -> str:
    """Return a value as it is written in a field."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.12g}"
    return value if isinstance(value, str) else _literal(value)


def _literal(value: object) -> str:
    """Return a list, a table or a number as TOML writes it on one line."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{name} = {_literal(one)}' for name, one in value.items())} }}"
    return toml_value(value) if isinstance(value, (str, bool, int, float)) else str(value)


def settings_controls(part: type[Part], values: Mapping[str, Any], helps: Mapping[str, str]) -> list[Control]:
    """Return a field for every declared parameter of a part; ``helps`` explains some as ``method_parameter``."""
    return [
        _setting(info, values.get(info.name), helps.get(f"{part.name}_{info.name}", ""))
        for info in part.parameters()
        if info.name not in HOW_IT_RAN
    ]


def _setting(info: Any, value: object, told: str) -> Control:
    name, default = info.name, written(info.default)
    common = {"name": f"set-{name}", "label": name.replace("_", " "), "help": told or info.doc, "foreign": not told}
    if info.type == "bool":
        return Control(**common, kind="check", checked=bool(info.default if value is None else value))
    if info.choices:
        choices = [(choice, choice) for choice in info.choices]
        return Control(**common, kind="choice", value=written(value) or default, choices=choices)
    numeric = info.type in ("int", "float")
    return Control(
        **common,
        kind="number" if numeric else "text",
        value=written(value),
        low="" if info.low is None else f"{info.low:g}",
        high="" if info.high is None else f"{info.high:g}",
        step="1" if info.type == "int" else "any" if numeric else "",
        placeholder=default,
    )


def given_settings(part: type[Part], form: Mapping[str, str]) -> list[str]:
    """Return what a form says of the parameters of a part, as ``name=value``; defaults are left out."""
    settings = []
    for info in part.parameters():
        if info.name in HOW_IT_RAN:
            continue
        given = form.get(f"set-{info.name}", "").strip()
        if info.type == "bool":
            given = "true" if given else "false"
        if given and given != written(info.default):
            settings.append(f"{info.name}={given}")
    return settings


# Fields of a column that the role and the kind say, or that have a place of their own.
_ROLES = {"sensitive": "sensitive", "drop": "drop", "keep": "keep", "weight": "weight"}
_PLACED = frozenset({"name", "kind", "demand", "rounded", *_ROLES})
# Fields that only some kinds have; whatever else is declared goes with all of them.
_OF_KIND: Mapping[str, frozenset[str]] = {
    "step": frozenset({"number", "place"}),
    "format": frozenset({"date", "datetime"}),
    "latitude": frozenset({"place"}),
    "longitude": frozenset({"place"}),
}
PROTECT = "protect"
ROLES = (PROTECT, *_ROLES)


def role_of(spec: Mapping[str, Any]) -> str:
    """Return the role of a column of a schema document."""
    return next((role for key, role in _ROLES.items() if spec.get(key)), PROTECT)


def column_controls(number: int, spec: Mapping[str, Any], labels: Mapping[str, str]) -> list[Control]:
    """Return a field for everything that a schema may say of a column beside its kind and its role."""
    controls = []
    demand = spec.get("sensitive")
    if isinstance(demand, Mapping):
        label = labels.get("sensitive", "sensitive")
        controls.append(Control(name=f"c{number}-sensitive", label=label, value=_literal(demand)))
    for declared in fields(Column):
        if declared.name in _PLACED:
            continue
        name, value = f"c{number}-{declared.name}", spec.get(declared.name)
        label = labels.get(declared.name, declared.name.replace("_", " "))
        if declared.type in ("bool", bool):
            controls.append(Control(name=name, label=label, kind="check", checked=bool(value)))
        else:
            default = "" if declared.default is MISSING else written(declared.default)
            controls.append(Control(name=name, label=label, value=written(value), placeholder=default))
    return controls


def column_spec(number: int, form: Mapping[str, str]) -> dict[str, Any]:
    """Return what a form says of a column, as its table in a schema document."""
    role, kind = form.get(f"c{number}-role", PROTECT), form.get(f"c{number}-kind", "")
    if role == "drop":
        return {"drop": True}
    spec: dict[str, Any] = {"kind": kind}
    if role != PROTECT:
        # A sensitive column may say what is demanded of groups.
        demand = form.get(f"c{number}-{role}", "").strip() if role == "sensitive" else ""
        spec[role] = _typed(role, "dict", demand) if demand else True
    for declared in fields(Column):
        given = form.get(f"c{number}-{declared.name}", "").strip()
        if declared.name in _PLACED or not given or kind not in _OF_KIND.get(declared.name, {kind}):
            continue
        spec[declared.name] = _typed(declared.name, str(declared.type), given)
    return spec


def _typed(name: str, declared: str, given: str) -> Any:
    """Return a text as a value of the declared type: texts as they are, the rest as TOML writes it."""
    if declared == "bool":
        return True
    if declared == "str":
        return given
    try:
        return tomllib.loads(f"value = {given}")["value"]
    except tomllib.TOMLDecodeError:
        if "str" in declared:
            return given
        such = "{ l = 2 }" if declared == "dict" else "0.5"
        message = f"'{name}' cannot be '{given}'; write a value such as {such}, or leave it empty"
        raise SchemaError(message) from None


def whole_number(form: Mapping[str, str], name: str, *, low: int, default: int | None = None) -> int | None:
    """Return the whole number in a field; raise ParameterError for anything else."""
    given = form.get(name, "").strip()
    if not given:
        return default
    if not given.isascii() or not given.isdecimal() or int(given) < low:
        message = f"'{name}' must be a whole number of at least {low}, got '{given[:40]}'"
        raise ParameterError(message, code="usage")
    return int(given)
