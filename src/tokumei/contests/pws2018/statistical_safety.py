"""The safety test of PWS Cup 2018: more right guesses than the hypothesis of safety allows (spec B.6, B.7).

`owners_of` finds the truth from the original and the aligned anonymized file, `SafetyTest.judge` counts the hits of
an attacker's answer and compares them with the official and with the sharp threshold. A file that passes is only
*not shown unsafe* by this answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import polars as pl

from tokumei.audits import OFFICIAL_ALPHA, OFFICIAL_P, official_threshold, sharp_threshold
from tokumei.contests.pws2018.messages import HOME
from tokumei.data import Guesses, Outcome, Reason, Verdict
from tokumei.errors import ContentError, Finding, InputError
from tokumei.words import Message

DELETED = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyResult:
    """What one answer shows about a release, by the official and by the sharp threshold."""

    n: int
    hits: int
    threshold: int
    sharp_threshold: int
    warnings: tuple[Message, ...] = field(default=())

    @property
    def unsafe(self) -> bool:
        """Whether the hits reach the official threshold (the contest's S = 1)."""
        return self.hits >= self.threshold

    @property
    def sharp_unsafe(self) -> bool:
        """Whether the hits reach the sharp threshold."""
        return self.hits >= self.sharp_threshold

    def as_dict(self) -> dict[str, object]:
        """Return the fields of ``safety --json``."""
        return {
            "n": self.n,
            "hits": self.hits,
            "threshold": self.threshold,
            "sharp_threshold": self.sharp_threshold,
            "unsafe": self.unsafe,
            "sharp_unsafe": self.sharp_unsafe,
            "warnings": [str(warning) for warning in self.warnings],
        }

    def verdict(self) -> Verdict:
        """Return the outcome after the official threshold, with both comparisons as reasons."""
        outcome = Outcome.UNSAFE if self.unsafe else Outcome.NOT_SHOWN_UNSAFE
        tests = (("official", self.threshold, self.unsafe), ("sharp", self.sharp_threshold, self.sharp_unsafe))
        counts = {"hits": self.hits, "n": self.n}
        reasons = tuple(
            Reason(
                code=f"{name}-threshold",
                form="threshold-reached" if reached else "threshold-not-reached",
                values={**counts, "test": Message(f"threshold.{name}", home=HOME), "limit": limit},
                home=HOME,
            )
            for name, limit, reached in tests
        )
        return Verdict(outcome=outcome, reasons=reasons)


def owners_of(customers: pl.Series, pseudonyms: pl.Series) -> pl.DataFrame:
    """Return the truth (``pseudonym``, ``subject``): the customer of a pseudonym's first row that is not deleted.

    Row i of A belongs to row i of T. A pseudonym shared by two customers counts for the first (golden s03), a
    customer with several pseudonyms has several rows (golden s02).
    """
    if len(customers) != len(pseudonyms):
        message = (
            f"the anonymized file has {len(pseudonyms)} rows and the original {len(customers)}; "
            "both must have the same rows in the same order, deleted ones written as *,*,*,*,*"
        )
        raise InputError(message)
    frame = pl.DataFrame({"pseudonym": pseudonyms.cast(pl.String), "subject": customers.cast(pl.String)})
    published = frame.filter(~pl.col("pseudonym").str.starts_with(DELETED))
    return published.unique("pseudonym", keep="first", maintain_order=True)


@dataclass(frozen=True, kw_only=True)
class SafetyTest:
    """The test with its parameters; a table R, where given, wins over the formula of the official threshold."""

    p: Fraction = OFFICIAL_P
    alpha: Fraction = OFFICIAL_ALPHA
    table: tuple[int, ...] | None = None
    strict: bool = False

    def threshold(self, n: int) -> int:
        """Return r(n) from the table, or by the formula where the table has no entry (spec F-B10)."""
        if self.table is not None and n < len(self.table):
            return self.table[n]
        return official_threshold(n, p=self.p, alpha=self.alpha)

    def judge(self, owners: pl.DataFrame, guesses: Guesses, *, file: str = "guesses") -> SafetyResult:
        """Return hits and thresholds of one answer.

        A guess for a pseudonym that was never published cannot be judged and is an error. A repeated pseudonym counts
        every time, as in the official program, with a warning; the strict test refuses it.
        """
        frame = guesses.pairs()
        _refuse(frame, ~frame["pseudonym"].is_in(owners["pseudonym"].implode()), "UNKNOWN_PSEUDONYM", file)
        repeated = ~frame["pseudonym"].is_first_distinct()
        warnings: list[Message] = []
        if repeated.any():
            if self.strict:
                _refuse(frame, repeated, "DUPLICATE_PSEUDONYM", file)
            count = int(repeated.sum())
            code = "warning.repeated-guesses" if count > 1 else "warning.repeated-guess"
            warnings.append(Message(code, {"count": count}, HOME))
        n, limit = len(guesses), self.threshold(len(guesses))
        if limit < 1:
            defined = official_threshold(n, p=self.p, alpha=self.alpha)
            warnings.append(Message("warning.table-defect", {"n": n, "limit": limit, "defined": defined}, HOME))
            if self.strict:
                limit = defined
        return SafetyResult(
            n=n,
            hits=guesses.hits(owners),
            threshold=limit,
            sharp_threshold=sharp_threshold(n, p=self.p, alpha=self.alpha),
            warnings=tuple(warnings),
        )


def judge_guesses(owners: pl.DataFrame, guesses: Guesses, *, test: SafetyTest | None = None) -> SafetyResult:
    """Return what an answer shows, by the contest's parameters unless another test is given.

    >>> owners = owners_of(pl.Series(["7", "7", "8"]), pl.Series(["*", "70", "80"]))
    >>> answer = Guesses.of_pairs(pl.Series(["70", "80"]), pl.Series(["7", "7"]))
    >>> result = judge_guesses(owners, answer)
    >>> result.hits, result.threshold, result.unsafe
    (1, 3, False)
    """
    return (test or SafetyTest()).judge(owners, guesses)


def _refuse(frame: pl.DataFrame, wrong: pl.Series, code: str, file: str) -> None:
    """Raise one error that names all guesses that cannot be judged."""
    if not wrong.any():
        return
    reason = {
        "UNKNOWN_PSEUDONYM": "does not occur in the anonymized file; guess only pseudonyms that were published",
        "DUPLICATE_PSEUDONYM": "was guessed before; guess every pseudonym at most once",
    }[code]
    rows = wrong.arg_true().to_list()
    findings = [
        Finding(code, f"the pseudonym '{value[:40]}' {reason}", row + 1, 1, "pseudonym", value)
        for row, value in zip(rows, frame["pseudonym"][rows].to_list(), strict=True)
    ]
    raise ContentError(file, findings)
