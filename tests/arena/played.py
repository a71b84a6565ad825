"""A small 2018 contest that was played to the end: three teams, attacks, everything evaluated by the real games.

Evaluations run in this process: starting one for each takes a second, and the tests of the worker do that.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

from tests.arena import world
from tests.arena.pending import run_pending
from tokumei_arena.models import Contest, Person, Target
from tokumei_arena.work import intake
from tokumei_arena.work.child import run_job
from tokumei_arena.work.limits import Limits
from tokumei_arena.work.sandbox import Outcome
from tokumei_arena.work.targets import make_due_targets

__all__ = ["evaluate", "in_this_process", "played_contest"]


def in_this_process(folder: Path, job: dict[str, Any], limits: Limits, **_options: Any) -> Outcome:
    """Do what the evaluating process does, without starting one."""
    return Outcome(run_job(folder, {**job, "limits": limits.as_dict()}))


def evaluate() -> int:
    """Do all work that waits; return the number of jobs."""
    with mock.patch("tokumei_arena.work.evaluation.run_child", in_this_process):
        return run_pending()


def played_contest(phase: str = "published") -> tuple[Contest, list[Person]]:
    """Return a contest of three teams in which Beta and Gamma attacked Alpha, and its captains.

    Beta's guesses are all right, Gamma's half right; Beta handed in one invalid file before its valid one.
    """
    contest = world.make_contest("anonymize")
    round_ = contest.rounds.get()
    captains = [world.make_team(contest, name)[1] for name in ("Alpha", "Beta", "Gamma")]
    world.hand_in(captains[1], round_, b"1,2,3\n")
    for captain in captains:
        world.hand_in(captain, round_)
    evaluate()
    world.move_to(round_, "attack")
    make_due_targets(round_)
    evaluate()
    target = Target.objects.get(round=round_, team__name="Alpha")
    for captain, right in ((captains[1], 8), (captains[2], 4)):
        intake.submit_guesses(captain, target, world.upload(world.guesses(right), "F1.csv"), name="F1.csv")
    evaluate()
    world.move_to(round_, phase)
    return contest, captains
