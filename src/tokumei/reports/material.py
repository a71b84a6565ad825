"""What a report is made from: plain tables and values, collected elsewhere, without a trace of the Secret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tokumei.audits import Answer, Question
from tokumei.data import MANIFEST_NAME, Column, Evidence, Reason, Score, Verdict
from tokumei.metrics import Usefulness
from tokumei.words import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which files a document is about, when it was written and by whom; empty where that is not told.

    ``digests`` are the SHA-256 of the files of the release by name, ``original_digest`` that of the original.
    """

    original: str = ""
    release: str = ""
    date: str = ""
    author: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)
    original_digest: str = ""

    @property
    def digest(self) -> str:
        """The hash of the manifest, which states the hashes of all other files: it stands for the whole release."""
        return self.digests.get(MANIFEST_NAME, "")


@dataclass(frozen=True, eq=False, kw_only=True)
class Material:
    """All that a report of one release shows.

    ``figures``: those of the audit by name, null where they could not be computed. ``attacks``: a row per attack with
    ``attack``, ``share``, ``baseline``, ``observed``; ``findings``: what they saw, by name. ``protection``: tables
    ``posteriors``, ``candidates`` and ``worst``. ``utility``: ``columns``, ``distribution <column>``,
    ``top <column>``, ``correlations``, ``rfm classes``, ``rfm grid``, ``points``, ``rectangles``, as far as the data
    has them. ``trade_off``: a row per release with ``release``, ``loss``, ``risk``, ``verdict``, ``front``,
    ``failure``. ``warnings``: what could not be measured, for who makes the report; it is no part of it. ``answers``:
    those to the five questions; the limits of ``recipient`` decide about them, if there is one.
    ``unicity``: how few records single a person out in the original, beside what was published of other data.
    ``sampled``: how many people stand for all in attacks and charts, where the release is too large to be held.
    ``identity``: which files, which day, which bytes, and who answers for it. ``columns``: those of the schema, with
    what was removed, kept or called sensitive, and ``subject`` the column that said whose record it was.
    ``usefulness``: what an analyst would get, in words.
    """

    method: str
    k: int
    verdict: Verdict
    with_secret: bool
    figures: Mapping[str, float | None]
    attacks: pl.DataFrame
    findings: Mapping[str, Message] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    protection: Evidence = field(default_factory=Evidence)
    scores: Sequence[Score] = ()
    warnings: Sequence[str] = ()
    utility: Evidence = field(default_factory=Evidence)
    rfm_overlap: float | None = None
    trade_off: pl.DataFrame | None = None
    version: str = ""
    answers: Mapping[Question, Answer] = field(default_factory=dict)
    recipient: str = ""
    unicity: Score | None = None
    sampled: int | None = None
    usefulness: Usefulness | None = None
    identity: Identity = field(default_factory=Identity)
    columns: Sequence[Column] = ()
    subject: str = ""

    @property
    def proven_k(self) -> int | None:
        """The k that identical histories prove, None where nothing is proven; `believed` says on what condition."""
        levels = [reason.values.get("level") for reason in self.naming_reasons if reason.code == "k-anonymous"]
        seeded = any(reason.code in ("seed", "seed-found") for reason in self.naming_reasons)
        return None if seeded else next((level for level in levels if isinstance(level, int)), None)

    @property
    def believed(self) -> bool:
        """Whether the proof counts every pseudonym as that of another person, because the Secret was not at hand."""
        return any(reason.form == "k-anonymous-believed" for reason in self.naming_reasons)

    @property
    def naming_reasons(self) -> Sequence[Reason]:
        """The reasons about names: those of the first question, or of the verdict where no question was asked."""
        answer = self.answers.get(Question.NAMING)
        return self.verdict.reasons if answer is None else answer.reasons

    @property
    def subjects(self) -> int:
        """The number of people in the original."""
        return int(self.figures["subjects"] or 0)
