"""Tokumei: make history data releasable, and prove it."""

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

__all__ = [
    "Column",
    "Evidence",
    "Field",
    "Goal",
    "Guesses",
    "History",
    "Interval",
    "Kind",
    "Outcome",
    "Reason",
    "Release",
    "Schema",
    "Score",
    "Secret",
    "TokumeiError",
    "Verdict",
]
