"""What a team is told about its scores while a phase is on, so that scores are no oracle for attackers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tokumei_arena import access
from tokumei_arena.models import Feedback, Phase, Round, Submission
from tokumei_arena.rules import rules_of

BANDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)


def feedback_policy(round_: Round, kind: str) -> Feedback:
    """Return the rule for releases or guesses at this moment; after the results are out everything is exact."""
    if round_.results_out():
        return Feedback.EXACT
    release = kind == Submission.Kind.RELEASE
    chosen = Feedback(round_.release_feedback if release else round_.attack_feedback)
    if chosen is Feedback.DELAYED:
        ended = round_.has_ended(Phase.Kind.ANONYMIZE if release else Phase.Kind.ATTACK)
        return Feedback.EXACT if ended else Feedback.NONE
    return chosen


def shown_figures(viewer: access.Viewer, submission: Submission) -> dict[str, Any]:
    """Return the figures of a submission as this viewer may see them now."""
    if submission.evaluation is None:
        return {}
    sees = access.sees_all(viewer, submission.round.contest)
    rule = Feedback.EXACT if sees else feedback_policy(submission.round, submission.kind)
    figures = submission.evaluation.figures
    if rule is Feedback.BANDS and submission.kind == Submission.Kind.GUESSES:
        # Some rules have bands of their own, and tell some figures as they are.
        banded = rules_of(submission.round.contest).banded(figures)
        if banded is not None:
            return dict(banded)
    return figures_under(figures, rule)


def figures_under(figures: Mapping[str, Any], rule: Feedback) -> dict[str, Any]:
    """Return figures under a rule: as they are, rounded, as bands, or none."""
    found = coarse_figures(figures, rule)
    return {name: _band_text(value) for name, value in found.items()} if rule is Feedback.BANDS else found


def coarse_figures(figures: Mapping[str, Any], rule: Feedback) -> dict[str, Any]:
    """Return figures as exactly as a rule tells them; a band is the number where it begins."""
    if rule is Feedback.EXACT:
        return dict(figures)
    if rule is Feedback.ROUNDED:
        return {name: _rounded(value) for name, value in figures.items() if _is_number(value)}
    if rule is Feedback.BANDS:
        return {name: _band(value) for name, value in figures.items() if _is_number(value)}
    return {}


def _is_number(value: object) -> bool:
    """Return whether a value can be made coarse; a yes or no cannot, and is not shown at all."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _rounded(value: float) -> float:
    """Return two significant digits."""
    return float(f"{value:.2g}") if math.isfinite(value) else value


def _band(value: float) -> float:
    return max((limit for limit in BANDS if limit <= value), default=-math.inf)


def _band_text(begin: float) -> str:
    above = [limit for limit in BANDS if limit > begin]
    if begin < BANDS[0]:
        return f"< {BANDS[0]:g}"
    return f"{begin:g} – {above[0]:g}" if above else f"≥ {begin:g}"
