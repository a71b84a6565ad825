"""What a report is made from: plain tables and values, collected elsewhere, without a trace of the Secret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tokumei.audits import Answer, Question
from tokumei.data import Evidence, Score, Verdict
from tokumei.words import Message


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

    @property
    def subjects(self) -> int:
        """The number of people in the original."""
        return int(self.figures["subjects"] or 0)
