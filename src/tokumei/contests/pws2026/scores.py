"""How the attacks of PWS Cup 2026 are scored: membership at a low false-positive rate, attributes beyond controls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tokumei.array_types import Bools, Floats
from tokumei.contests.pws2026.table import clip

LOW_FPR = 0.01
TIME_TOLERANCE = 0.5
RARE_ERRORS = 1.64
# A membership attack counts from 1 to 12 times the false-positive rate.
FOLD = 12
BAND_EDGES = (0.25, 0.5, 0.75)
MOST_CHANCE = 20_000


def operating_points(confidence: Floats, truth: Bools) -> tuple[Floats, Floats]:
    """Return false and true positive rates from (0, 0) on; equal confidences form one point."""
    order = np.argsort(-confidence, kind="stable")
    falling = confidence[order]
    # Compared, not subtracted: the official checker lets infinity pass, and two of them are equal too.
    ends = np.append(np.flatnonzero(falling[1:] != falling[:-1]), len(order) - 1)
    right = np.cumsum(truth[order])[ends]
    wrong = ends + 1 - right
    return np.append(0.0, wrong / max(wrong[-1], 1)), np.append(0.0, right / max(right[-1], 1))


def tpr_at_low_fpr(confidence: Floats, truth: Bools, *, rate: float = LOW_FPR) -> tuple[float, float]:
    """Return the true positive rate at a false positive rate, and the area under the curve (0 and 1/2 if undefined).

    >>> tpr_at_low_fpr(np.array([0.9, 0.8, 0.7, 0.1]), np.array([True, True, False, False]))
    (1.0, 1.0)
    """
    if not truth.any() or truth.all():
        return 0.0, 0.5
    wrong, right = operating_points(confidence, truth)
    return float(np.interp(rate, wrong, right)), float(np.trapezoid(right, wrong))


def score_membership(confidence: Floats, truth: Bools, rare: Bools | None = None) -> dict[str, Any]:
    """Score confidences over all rows and over the rare ones; the better counts."""
    every, area = tpr_at_low_fpr(confidence, truth)
    among: float | None = None
    if rare is not None and truth[rare].any():
        among = tpr_at_low_fpr(confidence[rare], truth[rare])[0]
    score = every if among is None else max(every, among)
    return {"tpr_at_low_fpr": every, "tpr_rare": among, "score": score, "low_fpr": LOW_FPR, "auc": area}


def beyond_controls(members: float, controls: float, margin: float = 0.0) -> float:
    """Return R: which share of what the controls leave unknown is known about members.

    >>> round(beyond_controls(0.85, 0.8), 9)
    0.25
    """
    return clip((members - controls - margin) / max(1.0 - controls, 1e-9))


def score_attribute(guessed: Floats, time: Floats, member: Bools, rare: Bools | None = None) -> dict[str, Any]:
    """Score guessed times of members against those of their controls, over all rows and over the rare ones."""
    right = np.abs(guessed - time) <= TIME_TOLERANCE
    shares = _share(right, member), _share(right, ~member)
    every = None if None in shares else beyond_controls(shares[0] or 0.0, shares[1] or 0.0)
    seldom: tuple[float, float] | None = None
    careful: float | None = None
    raw: float | None = None
    if rare is not None:
        one, other = rare & member, rare & ~member
        if one.any() and other.any():
            seldom = float(right[one].mean()), float(right[other].mean())
            error = sum(share * (1 - share) / group.sum() for share, group in zip(seldom, (one, other), strict=True))
            raw = beyond_controls(*seldom)
            careful = beyond_controls(*seldom, RARE_ERRORS * float(np.sqrt(error)))
    return {
        "r_onset": None,
        "r_time_all": every,
        "r_time_rare": careful,
        "r_time_rare_raw": raw,
        "aia_rare_se_z": RARE_ERRORS,
        "tpr_onset_member": None,
        "tpr_onset_control": None,
        "succ_time_member": shares[0],
        "succ_time_control": shares[1],
        "succ_time_member_rare": seldom and seldom[0],
        "succ_time_control_rare": seldom and seldom[1],
        "tau_time": TIME_TOLERANCE,
        "low_fpr": LOW_FPR,
        "score": every if every is None or careful is None else max(every, careful),
    }


def _share(right: Bools, chosen: Bools) -> float | None:
    return float(right[chosen].mean()) if chosen.any() else None


@dataclass(frozen=True, eq=False)
class Answer:
    """What an attacker says about one target: confidences about own people, times of the challenge rows."""

    confidence: Floats
    member: Bools
    rare: Bools | None
    guessed: Floats
    time: Floats
    challenged: Bools
    challenge_rare: Bools
    floor: float = 0.0

    def membership(self) -> dict[str, Any]:
        """Return the scores of the confidences."""
        return score_membership(self.confidence, self.member, self.rare)

    def attribute(self) -> dict[str, Any]:
        """Return the scores of the times."""
        return score_attribute(self.guessed, self.time, self.challenged, self.challenge_rare)

    def above_floor(self, found: Mapping[str, Any]) -> float | None:
        """Return an attribute score less the organiser's floor; None if there is no score."""
        return None if found["score"] is None else clip(found["score"] - self.floor)

    def figures(self) -> dict[str, Any]:
        """Return what a board shows of one pair."""
        one, other = self.membership(), self.attribute()
        above = self.above_floor(other) or 0.0
        # Anonymity is told of rates over all rows: among the rare ones a single member decides, by luck in one of 24.
        rate = one["tpr_at_low_fpr"]
        chance = chance_level(rate, self.member)
        return {
            "power": one["score"] + above,
            "mia": one["score"],
            "aia": above,
            "mia_all": one["tpr_at_low_fpr"],
            "mia_rare": one["tpr_rare"],
            "auc": one["auc"],
            "aia_all": other["r_time_all"],
            "aia_rare": other["r_time_rare"],
            "band": band(one["tpr_at_low_fpr"]),
            "beyond_chance": max(0.0, rate - chance),
        }


def chance_level(rate: float, member: Bools, *, draws: int = 500) -> float:
    """Return the true positive rate that confidences without any knowledge reach in one of twenty cases.

    The contest took 20,000 permutations of the answers; the form is not published beyond that. A rate of 0 needs none.
    """
    if rate <= 0:
        return 0.0
    rng = np.random.default_rng(len(member))
    found = [tpr_at_low_fpr(rng.random(len(member)), member)[0] for _ in range(min(draws, MOST_CHANCE))]
    return float(np.percentile(found, 95))


def band(rate: float) -> int:
    """Return what a team is told of its attack on one target: 1 to 4."""
    return 1 + sum(rate > edge for edge in BAND_EDGES)


def score_attack(answers: Mapping[str, Answer]) -> dict[str, Any]:
    """Return the attack power over all targets and everything behind it, under the official names."""
    membership = {target: answer.membership() for target, answer in answers.items()}
    attribute = {target: answer.attribute() for target, answer in answers.items()}
    above = {target: answers[target].above_floor(found) for target, found in attribute.items()}
    mia = _mean([found["score"] for found in membership.values()])
    # Without members or without controls a target has no score; if that is so of all, there is no mean either.
    aia = None if above and not _known(above.values()) else _mean(list(above.values()))
    breakdown: dict[str, dict[str, Any]] = {
        "mia": {name: _mean([found[name] for found in membership.values()]) for name in _MIA},
        "mia_per_target": {target: band(found["tpr_at_low_fpr"]) for target, found in membership.items()},
        "aia": {
            short: _mean([found[name] for found in attribute.values()])
            for short, name in {"r_time_all": "r_time_all", "r_time_rare": "r_time_rare", **_AIA}.items()
        },
        "aia_per_target": above,
    }
    return {
        "mia_power": mia,
        "aia_power": aia,
        "attack_power": mia + (aia or 0.0),
        "mia_all": breakdown["mia"]["tpr_at_low_fpr"],
        "mia_rare": breakdown["mia"]["tpr_rare"],
        "aia_all": breakdown["aia"]["r_time_all"],
        "aia_rare": breakdown["aia"]["r_time_rare"],
        "breakdown": breakdown,
    }


_MIA = ("tpr_at_low_fpr", "tpr_rare", "auc")
_AIA = {
    "p_m": "succ_time_member",
    "p_c": "succ_time_control",
    "p_m_rare": "succ_time_member_rare",
    "p_c_rare": "succ_time_control_rare",
}


def _mean(values: Sequence[float | None]) -> float:
    """Return the mean of what is known; the board shows 0 where nothing is."""
    known = _known(values)
    return float(np.mean(known)) if known else 0.0


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def anonymity(beta: float, attribute: float = 0.0) -> dict[str, float]:
    """Return a_MIA and Anon from the best membership rate beyond chance and the best attribute score."""
    membership = clip((beta / LOW_FPR - 1.0) / (FOLD - 1))
    return {"a_MIA": membership, "a_AIA": clip(attribute), "Anon": 1.0 - max(membership, clip(attribute))}
