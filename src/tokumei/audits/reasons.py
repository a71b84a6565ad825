"""From the figures of an audit to a verdict: reasons with their figures, worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tokumei.audits.joint_risk import JointRisk
from tokumei.audits.rerun import Rerun
from tokumei.audits.result import AttackFigure
from tokumei.data import Outcome, Reason, Verdict
from tokumei.words import Message

# Posteriors may exceed 1/k by this much before they count (sampling, rounding).
MARGIN = 0.01

# Attacks whose success is a reason of its own; the posterior has its own.
_HARMFUL = (
    "cheapest-matching",
    "range-asymmetry",
    "set-position",
    "suppression-pattern",
    "release-order",
    "predictable-pseudonyms",
    "record-counts",
)
# Attacks on the content alone: what they believe without the truth is measured by re-running the method.
_CONTENT = ("cheapest-matching", "suppression-pattern", "range-asymmetry", "record-counts")
# Attacks whose rules are judged by how many of their names fit, whether the truth is known or not.
_RULES = ("release-order", "predictable-pseudonyms")
_SEVERITY = (Outcome.SAFE, Outcome.NOT_SHOWN_UNSAFE, Outcome.UNSAFE)
ATTEMPTS = 13


@dataclass(frozen=True, slots=True)
class Hub:
    """The pseudonym with the most candidates, if it has far more than the others."""

    pseudonym: str
    records: int
    candidates: int
    suppressed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What the verdict is made from."""

    k: int
    k_asked: bool
    k_anonymity: int
    strict: bool
    with_secret: bool
    pseudonyms: int
    subjects: int
    min_candidates: int
    single: int = 0
    below_k: int = 0
    over_95: float = 0.0
    over_k: float = 0.0
    largest_posterior: float = 0.0
    hub: Hub | None = None
    pattern: Message | None = None
    randomized: bool = False
    seeded: bool = False
    kept: tuple[str, ...] = ()
    attacks: Mapping[str, AttackFigure] = field(default_factory=dict)
    joint: Mapping[str, JointRisk] = field(default_factory=dict)
    # Where the method was run again, nobody need believe that all hypotheses are equally likely.
    rerun: Rerun | None = None
    skipped: Sequence[Reason] = ()


def decide(figures: Figures) -> Verdict:
    """Return the verdict; it never claims more than was tested."""
    believed = [] if figures.rerun is not None else _posterior_harms(figures)
    harms = [*_candidate_harms(figures), *believed, *_attack_harms(figures), *_rerun_harms(figures)]
    harms.sort(key=lambda harm: -harm[0])
    reasons = [reason for _, reason in harms]
    if harms:
        outcome = Outcome.UNSAFE
    elif figures.pattern is not None:
        outcome = Outcome.NOT_SHOWN_UNSAFE
        reasons.append(Reason(code="pseudonym-pattern", values={"detail": figures.pattern}))
    elif figures.strict and figures.k_anonymity >= figures.k:
        # Whoever guesses the seed needs no attack: a proof about random choices says nothing of chosen ones.
        outcome = Outcome.NOT_SHOWN_UNSAFE if figures.seeded else Outcome.SAFE
        if figures.seeded:
            reasons.append(Reason(code="seed", form="seed-proven", values={"level": figures.k_anonymity}))
        reasons.append(_safe_reason(figures))
    else:
        outcome = Outcome.NOT_SHOWN_UNSAFE
        reasons.append(_open_reason(figures))
    reasons += _notes(figures)
    return Verdict(outcome=outcome, reasons=tuple(reasons), skipped=tuple(figures.skipped))


def worse(verdict: Verdict, believed: Verdict) -> Verdict:
    """Return the worse of two verdicts on one release: by the truth, and as it is believed without the Secret.

    Where the belief is worse, what was found by the truth follows its reasons; a proof that the belief refutes is left
    out.
    """
    if _SEVERITY.index(believed.outcome) <= _SEVERITY.index(verdict.outcome):
        return verdict
    codes = {reason.code for reason in believed.reasons} | {"k-anonymous", "not-certified", "randomized-design"}
    rest = [reason for reason in verdict.reasons if reason.code not in codes]
    return Verdict(outcome=believed.outcome, reasons=(*believed.reasons, *rest), skipped=verdict.skipped)


def worse_figures(figures: Mapping[str, AttackFigure], believed: Mapping[str, AttackFigure]) -> dict[str, AttackFigure]:
    """Return the figures by the truth; of a rule that fits far beyond chance, what it is believed to name."""
    return {
        name: figure
        if name not in _RULES or believed[name].share <= figure.share
        else replace(believed[name], observed=figure.observed)
        for name, figure in figures.items()
    }


def _candidate_harms(figures: Figures) -> list[tuple[float, Reason]]:
    """Too few candidates."""
    harms = []
    # A larger k changes nothing about columns that are published as they are.
    form = "kept-columns" if figures.kept else ""
    kept: dict[str, object] = {"columns": figures.kept} if figures.kept else {}
    if figures.single:
        values = {"single": figures.single, "pseudonyms": figures.pseudonyms, **kept}
        harms.append((figures.single / figures.pseudonyms, Reason(code="single-candidate", form=form, values=values)))
    if figures.below_k > figures.single and figures.k_asked:
        share = figures.below_k / figures.pseudonyms / max(figures.min_candidates, 2)
        values = {"below": figures.below_k, "pseudonyms": figures.pseudonyms, "k": figures.k, **kept}
        harms.append((share, Reason(code="few-candidates", form=form, values=values)))
    return harms


def _posterior_harms(figures: Figures) -> list[tuple[float, Reason]]:
    """Candidates that are not equally likely."""
    if figures.over_k <= 0 or figures.randomized:
        return []
    whose = Message("detail.owners" if figures.with_secret else "detail.pseudonyms")
    if figures.over_95 > 0 and figures.over_95 * figures.pseudonyms > figures.single:
        values: dict[str, object] = {"share": figures.over_95, "whose": whose}
        form = "posterior-sure"
        if figures.hub is not None:
            form = "posterior-hub"
            values |= _hub_values(figures.hub, figures.subjects)
        return [(figures.over_95, Reason(code="posterior", form=form, values=values))]
    if figures.single == figures.pseudonyms:
        return []
    harm = figures.over_k * figures.largest_posterior / 2
    values = {"share": figures.over_k, "whose": whose, "k": figures.k, "largest": figures.largest_posterior}
    return [(harm, Reason(code="posterior", form="posterior-uneven", values=values))]


def _hub_values(hub: Hub, subjects: int) -> dict[str, object]:
    code = "hub-records" if hub.records != 1 else "hub-hidden" if hub.suppressed else "hub-record"
    kind = Message(f"detail.{code}", {"records": hub.records})
    return {"pseudonym": hub.pseudonym, "kind": kind, "candidates": hub.candidates, "subjects": subjects}


def _attack_harms(figures: Figures) -> list[tuple[float, Reason]]:
    """Attacks that name more than they should."""
    harms = []
    for name, figure in figures.attacks.items():
        allowed = max(1.0 / figures.k, figure.baseline) + MARGIN
        believed = name == "cheapest-matching" and not figures.with_secret
        if figures.rerun is not None and name in (_CONTENT if not figures.with_secret else _CONTENT[:1]):
            continue
        if name not in _HARMFUL or figure.share <= figure.baseline + MARGIN or figure.share <= allowed:
            continue
        if believed and figures.randomized:
            continue
        if name == "cheapest-matching" and figures.with_secret and figure.chance > 1e-3 and figure.share < 0.9:
            continue
        values = {"share": figure.share, "baseline": figure.baseline, "detail": figure.detail}
        form = f"{name}-believed" if believed else ""
        harms.append((figure.share, Reason(code=name, form=form, values=values)))
    return harms


def _rerun_harms(figures: Figures) -> list[tuple[float, Reason]]:
    """Re-running the method names more than 1/k; identical histories of k owners are proven whatever a sample says."""
    if figures.rerun is None or figures.strict or not figures.rerun.above(1 / figures.k):
        return []
    return [(figures.rerun.rate, figures.rerun.harm(figures.k))]


def _safe_reason(figures: Figures) -> Reason:
    form = "" if figures.with_secret else "k-anonymous-believed"
    return Reason(code="k-anonymous", form=form, values={"level": figures.k_anonymity})


def _open_reason(figures: Figures) -> Reason:
    if figures.rerun is not None:
        return figures.rerun.harmless(figures.k)
    if figures.randomized:
        return Reason(code="randomized-design")
    form = "not-certified" if figures.k_anonymity > 1 else "not-certified-alone"
    return Reason(code="not-certified", form=form, values={"k": figures.k, "level": figures.k_anonymity})


def _notes(figures: Figures) -> list[Reason]:
    """Return what a publisher should know beside the verdict about k."""
    notes = []
    if "official" in figures.joint:
        risk = figures.joint["official"]
        values = {"guesses": risk.guesses, "probability": risk.probability, "survives": risk.survives}
        values["coordinated"] = risk.coordinated
        notes.append(Reason(code="joint-risk", values={**values, "attempts": ATTEMPTS}))
    if figures.seeded and not figures.strict:
        notes.append(Reason(code="seed"))
    return notes
