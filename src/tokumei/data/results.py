"""What attacks and judges say: Guesses, Score, Evidence, Verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import polars as pl

from tokumei.words import Message, Words

__all__ = ["Evidence", "Goal", "Guesses", "Interval", "Outcome", "Reason", "Score", "Verdict"]


class Goal(StrEnum):
    """Which direction of a score is better."""

    LOWER = "lower"
    HIGHER = "higher"


@dataclass(frozen=True, slots=True)
class Interval:
    """A range that holds the true value with the stated confidence."""

    low: float
    high: float
    confidence: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One judged figure: what it is, which way is better, its bounds, and how far it can be trusted."""

    name: str
    value: float
    goal: Goal
    lowest: float = 0.0
    highest: float = float("inf")
    interval: Interval | None = None
    baseline: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str | Message, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Return the score as plain values for JSON; an infinite bound is null."""
        bounds = [None if bound in (float("inf"), float("-inf")) else bound for bound in (self.lowest, self.highest)]
        return {
            "name": self.name,
            "value": self.value,
            "goal": self.goal.value,
            "bounds": bounds,
            "interval": None if self.interval is None else [self.interval.low, self.interval.high],
            "baseline": self.baseline,
            "parts": dict(self.parts),
            "warnings": [str(warning) for warning in self.warnings],
        }


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Guesses:
    """An attacker's answer: a frame ``pseudonym``, ``subject`` (text), in the attacker's order."""

    frame: pl.DataFrame
    attack: str = ""

    @classmethod
    def of_pairs(cls, pseudonyms: pl.Series, subjects: pl.Series, *, attack: str = "") -> Guesses:
        """Return guesses from two text columns of equal length."""
        frame = pl.DataFrame({"pseudonym": pseudonyms.cast(pl.String), "subject": subjects.cast(pl.String)})
        return cls(frame, attack)

    def __len__(self) -> int:
        """Return the number of guesses."""
        return self.frame.height

    def __repr__(self) -> str:
        """Return their number alone: they name people."""
        return f"Guesses({len(self):,} by {self.attack or 'an unnamed attack'})"

    def hits(self, owners: pl.DataFrame) -> int:
        """Count the guesses that name an owner (frame ``pseudonym``, ``subject``)."""
        truth = owners.select("pseudonym", "subject").unique()
        return self.frame.join(truth, on=["pseudonym", "subject"], how="semi").height


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """Named tables behind a statement: histograms, worst cases, curves."""

    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)


class Outcome(StrEnum):
    """What a verdict says; never more than was tested."""

    SAFE = "safe"
    NOT_SHOWN_UNSAFE = "not-shown-unsafe"
    UNSAFE = "unsafe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a verdict is what it is, or what was not tested: a code with the values that its sentence shows.

    ``form`` names the sentence where a code has several; ``home`` is the package whose catalogue has it, under
    ``reason.FORM`` and, where something helps, ``remedy.FORM`` or ``remedy.CODE``.
    """

    code: str
    values: Mapping[str, object] = field(default_factory=dict, hash=False)
    form: str = ""
    home: str = "tokumei"

    def message(self, words: Words, *, group: str = "reason") -> str:
        """Return the sentence of a group of the catalogue, empty if it has none."""
        keys = [f"{group}.{name}" for name in (self.form, self.code) if name]
        code = next((key for key in keys if key in words.of(self.home)), "")
        return words.say(Message(code, self.values, self.home)) if code else ""

    @property
    def sentence(self) -> str:
        """The reason in English."""
        return self.message(Words("en"))

    @property
    def remedy(self) -> str:
        """What helps, in English; empty if nothing does."""
        return self.message(Words("en"), group="remedy")

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence

    def as_dict(self) -> dict[str, object]:
        """Return code, sentence and remedy for JSON."""
        return {"code": self.code, "sentence": self.sentence, "remedy": self.remedy}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An outcome with its reasons, the most harmful first, and what was not tested."""

    outcome: Outcome
    reasons: tuple[Reason, ...] = ()
    skipped: tuple[Reason, ...] = ()
