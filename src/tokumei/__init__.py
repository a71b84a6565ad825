"""Tokumei: make history data releasable, and prove it.

The public names are loaded on first use, so that ``tokumei --help`` does not wait for polars.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    "Anonymizer",
    "Attack",
    "Column",
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
    "read_history",
]

_HOMES = {
    "Anonymizer": "tokumei.parts",
    "Attack": "tokumei.parts",
    "Metric": "tokumei.parts",
    "RuleSet": "tokumei.parts",
    "TokumeiError": "tokumei.errors",
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
