"""From the figures of an audit to a verdict: reasons in plain sentences with numbers and a remedy, worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tokumei.audits.joint_risk import JointRisk
from tokumei.audits.result import AttackFigure
from tokumei.data import Outcome, Reason, Verdict
from tokumei.words import percent

__all__ = ["Figures", "Hub", "decide"]

# Posteriors may exceed 1/k by this much before they count (sampling, rounding).
MARGIN = 0.01

_REMEDIES = {
    "cheapest-matching": "publish identical histories within a group, or draw the owners at random from a fixed design",
    "range-asymmetry": "use the smallest range that covers the whole group, and the same one for all its members",
    "set-position": "write the elements of a set in one fixed order, such as the alphabet",
    "suppression-pattern": "decide for the whole group, not record by record, what is suppressed",
    "release-order": "draw pseudonyms at random and sort or shuffle the published records",
    "predictable-pseudonyms": "draw pseudonyms from the operating system's entropy, or use a keyed digest",
    "record-counts": "give all members of a group the same number of records under every pseudonym",
}
_SENTENCES = {
    "cheapest-matching": "the hypotheses with the smallest total error name {share} of the owners (blind: {baseline})",
    "range-asymmetry": "the own value stands {detail} in its range more often than another candidate's: "
    "this names {share} of the owners (blind: {baseline})",
    "set-position": "the own value is written {detail} in its set: "
    "this names {share} of the owners (blind: {baseline})",
    "suppression-pattern": "{detail}: this names {share} of the owners (blind: {baseline})",
    "release-order": "the order of the release follows that of the original ({detail}): "
    "this names {share} of the owners (blind: {baseline})",
    "predictable-pseudonyms": "pseudonyms can be computed: {detail} names {share} of the owners (blind: {baseline})",
    "record-counts": "record counts betray pseudonyms: {detail}; "
    "this names {share} of the subjects (blind: {baseline})",
}


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
    randomized: bool = False
    seeded: bool = False
    attacks: Mapping[str, AttackFigure] = field(default_factory=dict)
    joint: Mapping[str, JointRisk] = field(default_factory=dict)
    skipped: Sequence[Reason] = ()


def decide(figures: Figures) -> Verdict:
    """Return the verdict; it never claims more than was tested."""
    harms = [*_candidate_harms(figures), *_posterior_harms(figures), *_attack_harms(figures)]
    harms.sort(key=lambda harm: -harm[0])
    reasons = [reason for _, reason in harms]
    if harms:
        outcome = Outcome.UNSAFE
    elif figures.strict and figures.k_anonymity >= figures.k:
        outcome = Outcome.SAFE
        reasons.append(_safe_reason(figures))
    else:
        outcome = Outcome.NOT_SHOWN_UNSAFE
        reasons.append(_open_reason(figures))
    reasons += _notes(figures)
    return Verdict(outcome=outcome, reasons=tuple(reasons), skipped=tuple(figures.skipped))


def _candidate_harms(figures: Figures) -> list[tuple[float, Reason]]:
    """Too few candidates."""
    harms = []
    if figures.single:
        sentence = (
            f"{figures.single} of {figures.pseudonyms} pseudonyms have a single candidate: "
            "their owners follow from the data alone"
        )
        remedy = "generalize until every published history fits at least two subjects"
        values: dict[str, object] = {"single": figures.single, "pseudonyms": figures.pseudonyms}
        harms.append(
            (
                figures.single / figures.pseudonyms,
                Reason(code="single-candidate", sentence=sentence, remedy=remedy, values=values),
            )
        )
    if figures.below_k > figures.single and figures.k_asked:
        sentence = f"{figures.below_k} of {figures.pseudonyms} pseudonyms have fewer than {figures.k} candidates"
        remedy = f"anonymize with k = {figures.k} or more"
        share = figures.below_k / figures.pseudonyms / max(figures.min_candidates, 2)
        values = {"below": figures.below_k, "pseudonyms": figures.pseudonyms, "k": figures.k}
        harms.append((share, Reason(code="few-candidates", sentence=sentence, remedy=remedy, values=values)))
    return harms


def _posterior_harms(figures: Figures) -> list[tuple[float, Reason]]:
    """Candidates that are not equally likely."""
    whose = "owners" if figures.with_secret else "pseudonyms"
    if figures.over_k <= 0 or figures.randomized:
        return []
    if figures.over_95 > 0 and figures.over_95 * figures.pseudonyms > figures.single:
        sentence = f"{percent(figures.over_95)} of the {whose} are over 95 % certain"
        values: dict[str, object] = {"form": "posterior-sure", "share": percent(figures.over_95), "sure": "95 %"}
        if figures.hub is not None:
            sentence += f": {_hub_words(figures.hub, figures.subjects)}"
            values |= _hub_values(figures.hub, figures.subjects)
        remedy = "limit how many subjects one pseudonym may cover"
        return [(figures.over_95, Reason(code="posterior", sentence=sentence, remedy=remedy, values=values))]
    if figures.single == figures.pseudonyms:
        return []
    sentence = (
        f"{percent(figures.over_k)} of the {whose} are more than 1/{figures.k} certain "
        f"(up to {percent(figures.largest_posterior)}), because not all candidates are equally likely"
    )
    remedy = "publish identical histories within groups of k"
    harm = figures.over_k * figures.largest_posterior / 2
    values = {
        "form": "posterior-uneven",
        "share": percent(figures.over_k),
        "k": figures.k,
        "largest": percent(figures.largest_posterior),
    }
    return [(harm, Reason(code="posterior", sentence=sentence, remedy=remedy, values=values))]


def _hub_words(hub: Hub, subjects: int) -> str:
    kind = "a single suppressed record" if hub.records == 1 and hub.suppressed else f"{hub.records} records"
    if hub.records == 1 and not hub.suppressed:
        kind = "a single record"
    return f"the pseudonym '{hub.pseudonym}' with {kind} fits {hub.candidates} of {subjects} subjects"


def _hub_values(hub: Hub, subjects: int) -> dict[str, object]:
    form = "posterior-hub-one" if hub.records == 1 else "posterior-hub"
    return {
        "form": "posterior-hub-hidden" if hub.records == 1 and hub.suppressed else form,
        "pseudonym": hub.pseudonym,
        "records": hub.records,
        "candidates": hub.candidates,
        "subjects": subjects,
    }


def _attack_harms(figures: Figures) -> list[tuple[float, Reason]]:
    """Attacks that name more than they should."""
    harms = []
    for name, figure in figures.attacks.items():
        allowed = max(1.0 / figures.k, figure.baseline) + MARGIN
        believed = name == "cheapest-matching" and not figures.with_secret
        if name not in _SENTENCES or figure.share <= figure.baseline + MARGIN or figure.share <= allowed:
            continue
        if believed and figures.randomized:
            continue
        if name == "cheapest-matching" and figures.with_secret and figure.chance > 1e-3 and figure.share < 0.9:
            continue
        share, baseline = percent(figure.share), percent(figure.baseline)
        sentence = _SENTENCES[name].format(share=share, baseline=baseline, detail=figure.detail)
        values: dict[str, object] = {"share": share, "baseline": baseline, "detail": figure.detail}
        if believed:
            sentence += "; without the Secret this is what the attacker believes"
            values["form"] = f"{name}-believed"
        harms.append((figure.share, Reason(code=name, sentence=sentence, remedy=_REMEDIES[name], values=values)))
    return harms


def _safe_reason(figures: Figures) -> Reason:
    distinct = (
        "with distinct owners" if figures.with_secret else "(whose owners, without the Secret, count as distinct)"
    )
    sentence = (
        f"every published history is shared by at least {figures.k_anonymity} pseudonyms {distinct}, "
        f"so that its content names nobody with more than 1/{figures.k_anonymity}; no attack tried named more"
    )
    values: dict[str, object] = {"level": figures.k_anonymity}
    if not figures.with_secret:
        values["form"] = "k-anonymous-believed"
    return Reason(code="k-anonymous", sentence=sentence, values=values)


def _open_reason(figures: Figures) -> Reason:
    if figures.randomized:
        sentence = (
            "the owners were drawn at random from a design; one file cannot certify that, "
            "only the data, the design and its sampler can"
        )
        return Reason(code="randomized-design", sentence=sentence, remedy="audit with the certificate of the design")
    sentence = (
        f"nothing that was tried names anyone with more than 1/{figures.k}, but only "
        f"{figures.k_anonymity} pseudonym{'s' if figures.k_anonymity > 1 else ''} share every published history: "
        "other attacks may do better"
    )
    values: dict[str, object] = {"k": figures.k, "level": figures.k_anonymity}
    remedy = f"strict {figures.k}-anonymity can be certified"
    return Reason(code="not-certified", sentence=sentence, remedy=remedy, values=values)


def _notes(figures: Figures) -> list[Reason]:
    """Return what a publisher should know beside the verdict about k."""
    notes = []
    if "official" in figures.joint:
        risk = figures.joint["official"]
        sentence = (
            f"joint risk: {risk.guesses} well-chosen guesses pass the contest's test with "
            f"{percent(risk.probability)}; 13 such attempts are survived with {percent(risk.survives)}"
        )
        values: dict[str, object] = {
            "guesses": risk.guesses,
            "probability": percent(risk.probability),
            "attempts": 13,
            "survives": percent(risk.survives),
        }
        remedy = "a larger k lowers the joint risk"
        notes.append(Reason(code="joint-risk", sentence=sentence, remedy=remedy, values=values))
    if figures.seeded:
        sentence = "the release was made with a seed: whoever guesses it can make the Secret again"
        notes.append(Reason(code="seed", sentence=sentence, remedy="release without a seed"))
    return notes
