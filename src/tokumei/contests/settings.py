"""Settings of sample methods that are plain functions: what each is called, its kind and its limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokumei.errors import ParameterError

Limits = Mapping[str, tuple[type, float, float]]


def read_settings(method: str, given: Mapping[str, Any], known: Limits) -> dict[str, Any]:
    """Return the settings of a method as values; a ParameterError names one that cannot be."""
    values = {}
    for name, text in given.items():
        if name not in known:
            message = f"the method '{method}' has no setting '{name}'; it has {', '.join(known) or 'none'}"
            raise ParameterError(message)
        kind, low, high = known[name]
        try:
            value = kind(text)
        except (TypeError, ValueError):
            value = None
        if value is None or not low <= value <= high:
            raise ParameterError(f"the setting '{name}' of '{method}' must be from {low:g} to {high:g}, got '{text}'")
        values[name] = value
    return values
