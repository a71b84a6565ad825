"""What attacks and judges say: Guesses, Score, Evidence, Verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.words import Message, Words, html_table


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

    @property
    def told(self) -> float:
        """The figure as readers understand it: of a sum its share of the worst sum (part ``normalized``)."""
        return self.parts.get("normalized", self.value)

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
    """An attacker's answer: a frame ``target``, ``rank`` (1 is the best guess), ``candidate``, in the attacker's order.

    A target is a pseudonym and its candidates are subjects, or, ``of_subjects``, the other way round: who knows some
    people looks for their records. Names are texts; a candidate that is null says that the target has none.
    """

    frame: pl.DataFrame
    attack: str = ""
    of_subjects: bool = False

    @classmethod
    def of_pairs(cls, pseudonyms: pl.Series, subjects: pl.Series, *, attack: str = "") -> Guesses:
        """Return one guess per pseudonym from two text columns of equal length."""
        frame = pl.DataFrame({"target": pseudonyms.cast(pl.String), "candidate": subjects.cast(pl.String)})
        return cls(frame.select("target", pl.lit(1, pl.Int64).alias("rank"), "candidate"), attack)

    @classmethod
    def of_choices(cls, subjects: pl.Series, pseudonyms: pl.Series, choices: Ints, *, attack: str = "") -> Guesses:
        """Return several guesses per subject, best first: rows of positions in ``pseudonyms``, -1 for none."""
        ranks = choices.shape[1]
        chosen = choices.ravel()
        candidates = pl.Series(np.where(chosen < 0, len(pseudonyms), chosen))
        named = pl.concat([pseudonyms.cast(pl.String), pl.Series([None], dtype=pl.String)])[candidates]
        frame = pl.DataFrame(
            {
                "target": subjects.cast(pl.String)[np.repeat(np.arange(len(choices)), ranks)],
                "rank": np.tile(np.arange(1, ranks + 1), len(choices)),
                "candidate": named,
            }
        )
        return cls(frame, attack, of_subjects=True)

    def __len__(self) -> int:
        """Return the number of guesses."""
        return self.frame.height

    def __repr__(self) -> str:
        """Return their number alone: they name people."""
        return f"Guesses({len(self):,} by {self.attack or 'an unnamed attack'})"

    def pairs(self) -> pl.DataFrame:
        """Return the best guesses as a frame ``pseudonym``, ``subject``."""
        best = self.frame.filter((pl.col("rank") == 1) & pl.col("candidate").is_not_null())
        pseudonym, subject = ("candidate", "target") if self.of_subjects else ("target", "candidate")
        return best.select(pl.col(pseudonym).alias("pseudonym"), pl.col(subject).alias("subject"))

    def choices(self, candidates: pl.Series) -> Ints:
        """Return a row per target of the positions of its guesses, best first, in ``candidates``; -1 for none."""
        known = pl.DataFrame({"candidate": candidates.cast(pl.String)}).with_row_index("at")
        found = self.frame.join(known, on="candidate", how="left", maintain_order="left")["at"]
        positions = found.cast(pl.Int64).fill_null(-1).to_numpy()
        ranks = int(self.frame["rank"].to_numpy().max(initial=1))
        return positions.reshape(-1, ranks).copy()

    def hits(self, owners: pl.DataFrame) -> int:
        """Count the guesses that name an owner (frame ``pseudonym``, ``subject``)."""
        truth = owners.select("pseudonym", "subject").unique()
        return self.pairs().join(truth, on=["pseudonym", "subject"], how="semi").height


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

    def message(self, words: Words, *groups: str) -> str:
        """Return the text of the first of these groups of the catalogue that has one, empty if none does."""
        return words.first(groups, (self.form or self.code, self.code), self.values, self.home)

    @property
    def sentence(self) -> str:
        """The reason in English."""
        return self.message(Words("en"), "reason")

    @property
    def remedy(self) -> str:
        """What helps, in English; empty if nothing does."""
        return self.message(Words("en"), "remedy")

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence

    def as_dict(self) -> dict[str, object]:
        """Return code, sentence and remedy for JSON."""
        return {"code": self.code, "sentence": self.sentence, "remedy": self.remedy}


# What only the test of a contest gives a meaning.
OF_CONTESTS = frozenset({"joint-risk"})
# The reason that a release was not made from this original: a method that changes no value contradicts it.
OTHER_ORIGINAL = "other-original"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An outcome with its reasons, the most harmful first, and what was not tested."""

    outcome: Outcome
    reasons: tuple[Reason, ...] = ()
    skipped: tuple[Reason, ...] = ()

    def __repr__(self) -> str:
        """Return the outcome and the codes of its reasons: their values may name people."""
        codes = ", ".join(reason.code for reason in self.outside_contests)
        return f"Verdict({self.outcome.value}: {codes or 'no reasons'})"

    def _repr_html_(self) -> str:
        """Return the outcome and its reasons in words for a notebook."""
        rows = [[f"{one.sentence}; {one.remedy}".rstrip("; ")] for one in self.outside_contests]
        return html_table(Words("en").named("word", self.outcome.value), rows)

    @property
    def outside_contests(self) -> tuple[Reason, ...]:
        """The reasons that mean something to somebody who plays no contest."""
        return tuple(reason for reason in self.reasons if reason.code not in OF_CONTESTS)

    @property
    def believed(self) -> bool:
        """Whether a proof counts every pseudonym as that of another person, because the Secret was not at hand."""
        return any(reason.form == "k-anonymous-believed" for reason in self.reasons)

    @property
    def of_other_original(self) -> bool:
        """Whether the release was not made from the original that it was compared with."""
        return any(reason.code == OTHER_ORIGINAL for reason in self.reasons)
