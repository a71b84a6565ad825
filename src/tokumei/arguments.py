"""Checks of what somebody gave to a function of the library: each says in one sentence what is wanted."""

from __future__ import annotations

from collections.abc import Sequence

from tokumei.errors import ParameterError


def check_whole(name: str, value: object, *, least: int = 0) -> None:
    """Raise ParameterError for what is no whole number of at least ``least``; None stands for a default.

    >>> check_whole("draws", 3, least=1), check_whole("seed", None)
    (None, None)
    """
    if value is None:
        return
    # Whole numbers of numpy count, too; True does not.
    if isinstance(value, bool) or not hasattr(value, "__index__") or int(value.__index__()) < least:
        message = f"{name} must be a whole number of at least {least}, got {value!r}"
        raise ParameterError(message)


def check_names(name: str, value: object, *, least: int = 0) -> None:
    """Raise ParameterError for what is no list of names; a single text would be taken letter by letter."""
    several = isinstance(value, Sequence) and not isinstance(value, str)
    if not (several and len(value) >= least and all(isinstance(one, str) for one in value)):  # type: ignore[arg-type, attr-defined]
        message = f"{name} must be a list of names such as ['price'], got {value!r}"
        raise ParameterError(message)


def check_type(name: str, value: object, wanted: type, told: str) -> None:
    """Raise ParameterError for what is of another type; None stands for a default."""
    if value is not None and not isinstance(value, wanted):
        message = f"{name} must be {told}, got {type(value).__name__}"
        raise ParameterError(message)


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise ParameterError for what is none of the choices."""
    if value not in choices:
        known = " or ".join(choices) if len(choices) == 2 else ", ".join(choices)
        message = f"{name} must be {known}, got '{value}'"
        raise ParameterError(message)
