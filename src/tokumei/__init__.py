"""Tokumei: make history data releasable, and prove it.

The public names are loaded on first use, so that ``tokumei --help`` does not wait for polars.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokumei.api import Anonymized, Description, anonymize, audit, describe
    from tokumei.errors import TokumeiError
    from tokumei.history import (
        Column,
        Evidence,
        Field,
        Goal,
        Guesses,
        History,
        Interval,
        Kind,
        Outcome,
        Reason,
        Release,
        Schema,
        Score,
        Secret,
        Verdict,
    )
    from tokumei.parts import Anonymizer, Attack, Metric, RuleSet
    from tokumei.read.table import read_history

__all__ = [
    "Anonymized",
    "Anonymizer",
    "Attack",
    "Column",
    "Description",
    "Evidence",
    "Field",
    "Goal",
    "Guesses",
    "History",
    "Interval",
    "Kind",
    "Metric",
    "Outcome",
    "Reason",
    "Release",
    "RuleSet",
    "Schema",
    "Score",
    "Secret",
    "TokumeiError",
    "Verdict",
    "anonymize",
    "audit",
    "describe",
    "read_history",
]

_HOMES = {
    "Anonymized": "tokumei.api",
    "Anonymizer": "tokumei.parts",
    "Attack": "tokumei.parts",
    "Description": "tokumei.api",
    "Metric": "tokumei.parts",
    "RuleSet": "tokumei.parts",
    "TokumeiError": "tokumei.errors",
    "audit": "tokumei.api",
    "read_history": "tokumei.read.table",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in __all__:
        message = f"module 'tokumei' has no attribute '{name}'"
        raise AttributeError(message)
    value = getattr(import_module(_HOMES.get(name, "tokumei.history")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)


class _Stage(ModuleType):
    """A stage whose package can be called: ``tokumei.describe(frame)`` beside ``tokumei.describe.profile``."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Do what the function of this name in `tokumei.api` does."""
        return getattr(import_module("tokumei.api"), self.__name__.rpartition(".")[2])(*arguments, **options)


# An imported package becomes an attribute of this one, under the name that the functions should have; so it is both.
for _name in ("anonymize", "describe"):
    import_module(f"tokumei.{_name}").__class__ = _Stage
