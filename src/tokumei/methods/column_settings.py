"""Settings by column, written as one text: ``price=0.5,quantity=10``.

Several methods treat every column in its own way. Their parameter is a text of ``name=value`` pairs; an empty text
means "every column the method can treat, each by its default". The name of a place stands for both of its fields.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

import numpy as np

from tokumei.data import Field, Kind, Schema
from tokumei.errors import InfeasibleError, ParameterError, did_you_mean

LARGEST_CODE = 2**53
_ROUND = (5, 2, 1)


def refused(owner: str, parameter: str, allowed: str, got: str) -> ParameterError:
    """Return the error of a setting, in the same form as that of every parameter."""
    return ParameterError(f"parameter '{parameter}' of '{owner}' must be {allowed}, got '{got}'")


def split_settings(owner: str, parameter: str, text: str) -> dict[str, str]:
    """Return the pairs of a text; the columns are not looked at."""
    settings: dict[str, str] = {}
    for pair in text.split(",") if text.strip() else ():
        name, equals, value = (piece.strip() for piece in pair.rpartition("="))
        if not (equals and name and value):
            raise refused(owner, parameter, "a list such as price=10,date=7", text)
        if name in settings:
            raise refused(owner, parameter, f"a list that names '{name}' once", text)
        settings[name] = value
    return settings


def is_ordered(field: Field) -> bool:
    """Whether the values of a field have an order."""
    return not field.nominal


def settings_by_field(
    owner: str, parameter: str, text: str, schema: Schema, *, treats: Callable[[Field], bool], kinds: str
) -> dict[str, str]:
    """Return the setting of every field to be treated; an empty one asks for the default.

    ``treats`` says which fields the method can treat, ``kinds`` says it in words.
    """
    settings = split_settings(owner, parameter, text)
    if not settings:
        chosen = {field.name: "" for field in schema.fields if treats(field)}
        if not chosen:
            message = f"'{owner}' finds no column to change in the schema (it changes {kinds}); use another method"
            raise InfeasibleError(message)
        return chosen
    chosen = {}
    for name, value in settings.items():
        fields = [field for field in schema.fields if name in (field.name, field.column)]
        if not fields:
            known = [column.name for column in schema.columns if not column.drop]
            raise refused(owner, parameter, f"about the columns {', '.join(known)}{did_you_mean(name, known)}", name)
        for field in fields:
            if not treats(field):
                raise refused(owner, parameter, f"about columns of the kinds {kinds}", f"{name} ({field.kind})")
            if field.name in chosen:
                raise refused(owner, parameter, f"a list that names '{field.name}' once", text)
            chosen[field.name] = value
    return {field.name: chosen[field.name] for field in schema.fields if field.name in chosen}


def steps_of(owner: str, parameter: str, field: Field, text: str) -> int:
    """Return an amount in the unit of the column (days, seconds, its number) as a positive number of steps."""
    try:
        steps = Decimal(text) / Decimal(repr(field.step))
        fits = steps == steps.to_integral_value() and 0 < steps < LARGEST_CODE
    except InvalidOperation:
        fits = False
    if not fits:
        unit = {Kind.DATE: " days", Kind.DATETIME: " seconds"}.get(field.kind, "")
        allowed = f"a positive multiple of {field.step:.12g}{unit} for the column '{field.name}'"
        raise refused(owner, parameter, allowed, text)
    return int(steps)


def share_of(owner: str, parameter: str, field: Field, text: str) -> float:
    """Return a number above 0 and up to 1."""
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0.0 < share <= 1.0:
        raise refused(owner, parameter, f"above 0 and at most 1 for the column '{field.name}'", text)
    return share


def round_width(spread: float) -> int:
    """Return the largest 1, 2 or 5 times a power of ten that is not above the spread, at least 1.

    >>> [round_width(spread) for spread in (0.0, 1.9, 4.99, 70.0, 100.0)]
    [1, 1, 2, 50, 100]
    """
    if spread < 1.0:
        return 1
    power = 10 ** int(np.floor(np.log10(spread)))
    return next((head * power for head in _ROUND if head * power <= spread), 1)
