"""A team's own submissions as tables show them: state, verdict, figures by the feedback policy, tries left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from tokumei.contests import Column, find_contest
from tokumei_arena import access
from tokumei_arena.models import Membership, Phase, Round, Submission, Target, Team
from tokumei_arena.work import chosen_release, remaining_tries, shown_figures

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
    shown = page_of(found, page)
    lines = lines_of(
        viewer,
        round_,
        shown,
        competing=chosen_release(round_, member.team),
        may_choose=member.role == Membership.Role.CAPTAIN and round_.is_in(Phase.Kind.ANONYMIZE),
    )
    left = remaining_tries(round_, member.team)
    return OwnWork(columns, lines, _pending(lines), round_.release_limit, left, shown)


def own_guesses(viewer: access.Viewer, target: Target, team: Team, *, page: str = "") -> OwnWork:
    """Return the guesses of a team about a target."""
    round_ = target.round
    columns = find_contest(round_.contest.rule_set).guess_columns
    shown = page_of(access.submissions(viewer, round_.contest).filter(target=target, team=team), page)
    lines = lines_of(viewer, round_, shown)
    left = remaining_tries(round_, team, target)
    return OwnWork(columns, lines, _pending(lines), round_.attack_limit, left, shown)


def _pending(lines: Sequence[Line]) -> bool:
    return any(line.submission.pending for line in lines)
