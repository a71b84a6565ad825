"""Tokumei: make history data releasable, and prove it.

The public names are loaded on first use, so that ``tokumei --help`` does not wait for polars.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokumei.api import Anonymized, Description, anonymize, audit, describe
    from tokumei.data.history import (
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
    from tokumei.errors import TokumeiError
    from tokumei.parts import Attack, Method, Metric, RuleSet
    from tokumei.profiles.reading import read_history

__all__ = [
    "Anonymized",
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
    "Method",
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
    "Method": "tokumei.parts",
    "Attack": "tokumei.parts",
    "Description": "tokumei.api",
    "Metric": "tokumei.parts",
    "anonymize": "tokumei.api",
    "describe": "tokumei.api",
    "RuleSet": "tokumei.parts",
    "TokumeiError": "tokumei.errors",
    "audit": "tokumei.api",
    "read_history": "tokumei.profiles.reading",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in __all__:
        message = f"module 'tokumei' has no attribute '{name}'"
        raise AttributeError(message)
    value = getattr(import_module(_HOMES.get(name, "tokumei.data.history")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
