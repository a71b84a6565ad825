"""A team's own submissions as tables show them: state, verdict, figures by the feedback policy, tries left."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from tokumei.contests import Column, find_contest
from tokumei.contests import Contest as Rules
from tokumei_arena import access
from tokumei_arena.boards import board
from tokumei_arena.models import Feedback, Membership, Phase, Round, Submission, Target, Team
from tokumei_arena.rules import rules_of
from tokumei_arena.templatetags.arena import headings, shown
from tokumei_arena.work import chosen_release, feedback_policy, remaining_tries, shown_figures
from tokumei_pages.charts import Trend, trend

# As many as anybody reads on one page; the newest come first, older ones stand on further pages.
PER_PAGE = 200


@dataclass(frozen=True)
class Line:
    """One submission of a table."""

    submission: Submission
    figures: Mapping[str, Any]
    competes: bool = False
    can_be_chosen: bool = False


@dataclass(frozen=True)
class OwnWork:
    """A table of submissions; ``pending`` while a worker still has to finish one of them."""

    columns: Sequence[Column]
    lines: Sequence[Line]
    pending: bool
    limit: int | None
    left: int | None
    page: Page[Submission]
    trend: Trend | None = None
    trend_title: str = ""
    trend_better: str = ""
    rank: int | None = None
    counts: bool = True


def lines_of(
    viewer: access.Viewer,
    round_: Round,
    found: Iterable[Submission],
    *,
    competing: Submission | None = None,
    may_choose: bool = False,
) -> list[Line]:
    """Return submissions of one round as lines: which one competes, and which may be chosen instead."""
    lines = []
    for one in found:
        # The phases of this round are already there.
        one.round = round_
        lines.append(
            Line(
                one,
                shown_figures(viewer, one),
                competes=competing is not None and one.pk == competing.pk,
                can_be_chosen=may_choose and one.verdict == Submission.Verdict.VALID,
            )
        )
    return lines


def page_of(found: QuerySet[Submission], number: str) -> Page[Submission]:
    """Return one page of submissions, with what their lines show."""
    related = found.select_related("evaluation", "person", "blob").defer("evaluation__findings")
    return Paginator(related, PER_PAGE).get_page(number)


def own_releases(viewer: access.Viewer, round_: Round, member: Membership | None, *, page: str = "") -> OwnWork | None:
    """Return the releases of the viewer's team in a round."""
    if member is None:
        return None
    columns = find_contest(round_.contest.rule_set).release_columns
    found = access.submissions(viewer, round_.contest).filter(
        round=round_, team=member.team, kind=Submission.Kind.RELEASE
    )
    found_page = page_of(found, page)
    lines = lines_of(
        viewer,
        round_,
        found_page,
        competing=chosen_release(round_, member.team),
        may_choose=member.role == Membership.Role.CAPTAIN and round_.is_in(Phase.Kind.ANONYMIZE),
    )
    left = remaining_tries(round_, member.team)
    rank = next((row.rank for row in board(round_, viewer).rows if row.own), None)
    work = OwnWork(columns, lines, _pending(lines), round_.release_limit, left, found_page, rank=rank)
    return replace(work, **_history(columns, lines, find_contest(round_.contest.rule_set).utility_figure))


def _history(columns: Sequence[Column], lines: Sequence[Line], figure: str) -> dict[str, Any]:
    """Return the chart of the utility of valid releases, as far as it is told in numbers."""
    column = next((one for one in columns if one.key == figure), None)
    if column is None:
        return {}
    (head,) = headings([column])
    points = []
    for line in reversed(lines):
        value = line.figures.get(figure)
        if isinstance(value, (int, float)) and line.submission.verdict == Submission.Verdict.VALID:
            text = f"{line.submission.blob.name}: {shown(value, column.digits)}"
            points.append((float(value), text, line.competes))
    return {"trend": trend(points), "trend_title": head.title, "trend_better": head.better}


def own_guesses(viewer: access.Viewer, target: Target, team: Team, *, page: str = "") -> OwnWork:
    """Return the guesses of a team about a target."""
    round_ = target.round
    columns = find_contest(round_.contest.rule_set).guess_columns
    found_page = page_of(access.submissions(viewer, round_.contest).filter(target=target, team=team), page)
    # Which attempt is the best one is told when the figures are, not before.
    told = feedback_policy(round_, Submission.Kind.GUESSES) is Feedback.EXACT
    counting = counted_attempts(round_, team).get(target.pk) if told else None
    lines = lines_of(viewer, round_, found_page, competing=counting)
    left = remaining_tries(round_, team, target)
    return OwnWork(columns, lines, _pending(lines), round_.attack_limit, left, found_page, counts=told)


def counted_attempts(round_: Round, team: Team) -> dict[UUID, Submission]:
    """Return the attempt of a team that counts at each target: the best valid one, of equal ones the first."""
    rules = rules_of(round_.contest)
    valid = Submission.objects.filter(
        round=round_, team=team, kind=Submission.Kind.GUESSES, verdict=Submission.Verdict.VALID
    ).select_related("evaluation")
    best: dict[UUID, Submission] = {}
    for one in valid.order_by("received_at", "pk"):
        assert one.target_id is not None
        one.round = round_
        before = best.get(one.target_id)
        if before is None or _order(rules, one) < _order(rules, before):
            best[one.target_id] = one
    return best


def _order(rules: Rules, submission: Submission) -> tuple[float, ...]:
    return rules.guess_order(submission.evaluation.figures) if submission.evaluation is not None else (math.inf,)


def _pending(lines: Sequence[Line]) -> bool:
    return any(line.submission.pending for line in lines)
