"""How a release is made again from a guessed seed: its manifest names the method and the parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokumei.data import Release, Secret
from tokumei.errors import ParameterError, UnknownPartError
from tokumei.flow.making import Made, anonymized
from tokumei.flow.opening import Opened
from tokumei.flow.plan import make_method
from tokumei.parts import Method


def method_of(released: Made | Opened) -> Method | None:
    """Return the method of a release with the parameters of its manifest; None if it is not at hand.

    Parameters that name a file of the publisher are not at hand either.
    """
    settings: dict[str, Any] = {name: value for name, value in released.parameters.items() if value is not None}
    if any(isinstance(value, str) and value.startswith("@") for value in settings.values()):
        return None
    try:
        return make_method(released.release.method, settings)
    except (UnknownPartError, ParameterError):
        return None


def replay_of(released: Made | Opened) -> Callable[[int], tuple[Release, Secret]] | None:
    """Return what makes the release again from a seed, as `anonymize --seed` does; None if it cannot be."""
    method = method_of(released)
    if method is None:
        return None
    return lambda seed: anonymized(released.history, method, seed=seed)
