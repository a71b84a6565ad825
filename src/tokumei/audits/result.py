"""What an audit reports: the figures of the strongest attacker, and the verdict with its reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tokumei.audits.answers import Answer, Question
from tokumei.audits.joint_risk import JointRisk
from tokumei.audits.rerun import Rerun
from tokumei.data import Evidence, Interval, Verdict
from tokumei.words import Message, Words, conclusion_line, html_table


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackFigure:
    """What one attack names: the expected share of subjects (ties averaged) against blind guessing among candidates.

    ``observed`` is the share it named in this very release, known only with the Secret. A clue whose hits chance
    explains tells nothing: its expected share is then that of blind guessing. ``chance`` bounds the probability of as
    many hits by a clue without information; ``interval`` holds the share (95 %) where it was estimated; ``detail`` says
    what was seen. ``detectable`` is the smallest share that would have been told from chance in data of this size, None
    where nothing could have been, or nothing is tested so.
    """

    share: float
    baseline: float
    observed: float | None = None
    chance: float = 1.0
    interval: Interval | None = None
    detail: Message | None = None
    detectable: float | None = None

    def as_dict(self) -> dict[str, object]:
        """Return the figure as plain values for JSON."""
        return {
            "share": self.share,
            "baseline": self.baseline,
            "observed": self.observed,
            "chance": self.chance,
            "interval": None if self.interval is None else [self.interval.low, self.interval.high],
            "detail": "" if self.detail is None else str(self.detail),
            "detectable": self.detectable,
        }


def rerun_attack(rerun: Rerun | None) -> dict[str, AttackFigure]:
    """Return what re-running the method names by the name of that attack, nothing where it was not re-run."""
    if rerun is None:
        return {}
    detail = Message("detail.rerun-sample" if rerun.sampled else "detail.rerun", rerun.values())
    figure = AttackFigure(
        share=rerun.rate, baseline=rerun.baseline, observed=rerun.observed, interval=rerun.interval, detail=detail
    )
    return {"rerun": figure}


@dataclass(frozen=True, repr=False, slots=True, kw_only=True)
class AuditResult:
    """The figures of an audit; None where a figure could not be computed (the verdict lists what was skipped).

    ``evidence`` has the tables behind them (`tokumei.audits.evidence`). They tell an attacker which guesses are
    right: `as_dict` leaves them out, and they belong into internal documents only. ``answers`` are those to the five
    questions that were asked; ``verdict`` is that of naming, unless the limits of ``recipient`` decide about all.
    ``digests`` are the SHA-256 of the files that the verdict is about, by name; none where there is no folder yet.
    """

    k: int
    subjects: int
    pseudonyms: int
    k_anonymity: int
    verdict: Verdict
    k_concealment: int | None = None
    min_candidates: int | None = None
    mean_candidates: float | None = None
    components: int | None = None
    largest_component: int | None = None
    max_posterior: float | None = None
    share_posterior_over_95: float | None = None
    expected_hits: float | None = None
    chain_difference: float = 0.0
    with_secret: bool = False
    reidentified: Mapping[str, AttackFigure] = field(default_factory=dict)
    rerun: Rerun | None = None
    joint: Mapping[str, JointRisk] = field(default_factory=dict)
    evidence: Evidence = field(default_factory=Evidence)
    answers: Mapping[Question, Answer] = field(default_factory=dict)
    recipient: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the outcome alone: reasons and tables tell which guesses are right."""
        return f"AuditResult({self.verdict.outcome.value} at k = {self.k})"

    def _repr_html_(self) -> str:
        """Return what was concluded, why, and what was not tested, for a notebook; no table of the evidence."""
        verdict = self.verdict
        title = conclusion_line(
            verdict.outcome.value,
            self.k,
            Words("en"),
            recipient=self.recipient,
            other_original=verdict.of_other_original,
            believed=verdict.believed,
        )
        rows = [["why", f"{one.sentence}; {one.remedy}".rstrip("; ")] for one in verdict.outside_contests]
        rows += [["not tested", str(one)] for one in verdict.skipped]
        return html_table(title, rows)

    @property
    def proven_k(self) -> int | None:
        """The k that identical histories prove if the random choices were secret, None where nothing is proven.

        Without the Secret (``verdict.believed``) it is proven if every pseudonym has an owner of its own.
        """
        levels = [reason.values.get("level") for reason in self.verdict.reasons if reason.code == "k-anonymous"]
        return next((level for level in levels if isinstance(level, int)), None)

    @property
    def contradicts_original(self) -> bool:
        """Whether the release cannot have been made from this original by generalizing it."""
        return self.verdict.of_other_original or any(reason.code == "inconsistent" for reason in self.verdict.reasons)

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain values for JSON."""
        attempt: dict[str, object] = {name: risk.probability for name, risk in self.joint.items()}
        survives: dict[str, object] = {name: risk.survives for name, risk in self.joint.items()}
        for figures in (attempt, survives):
            figures["guesses"] = self.joint["official"].guesses if "official" in self.joint else None
            figures["guesses_sharp"] = self.joint["sharp"].guesses if "sharp" in self.joint else None
        survives["coordinated"] = self.joint["official"].coordinated if "official" in self.joint else None
        survives["coordinated_sharp"] = self.joint["sharp"].coordinated if "sharp" in self.joint else None
        return {
            "k": self.k,
            "subjects": self.subjects,
            "pseudonyms": self.pseudonyms,
            "with_secret": self.with_secret,
            "k_anonymity": self.k_anonymity,
            "proven_k": self.proven_k,
            "proven_if_owners_differ": self.verdict.believed,
            "contradicts_original": self.contradicts_original,
            "k_concealment": self.k_concealment,
            "min_candidates": self.min_candidates,
            "mean_candidates": self.mean_candidates,
            "components": self.components,
            "largest_component": self.largest_component,
            "max_posterior": self.max_posterior,
            "share_posterior_over_95": self.share_posterior_over_95,
            "expected_hits": self.expected_hits,
            "chain_difference": self.chain_difference,
            "reidentified": {name: figure.as_dict() for name, figure in self.reidentified.items()},
            "rerun": None if self.rerun is None else self.rerun.as_dict(),
            "attempt_unsafe_probability": attempt if self.joint else None,
            "survives_13": survives if self.joint else None,
            "recipient": self.recipient or None,
            "verdict": self.verdict.outcome.value,
            "reasons": [reason.as_dict() for reason in self.verdict.reasons],
            "sha256": dict(self.digests),
            "skipped": [skipped.sentence for skipped in self.verdict.skipped],
            "questions": {question.value: answer.as_dict() for question, answer in self.answers.items()},
        }
