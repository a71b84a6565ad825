"""Scoring again: computed beside what counts, compared to the last bit, applied or thrown away; all of it logged."""

from __future__ import annotations

import pytest

from tests.arena import world
from tests.arena.played import evaluate, played_contest
from tokumei_arena.boards import standings
from tokumei_arena.errors import NotAllowedError, NotNowError, RefusedError
from tokumei_arena.models import Attempt, Evaluation, LogEntry, Person, Rescore, RescoreItem, Submission
from tokumei_arena.work import rescoring

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.half_second]


def _referee() -> Person:
    return world.make_person("Ref", referee=True)


def test_the_same_rules_give_the_same_bits() -> None:
    contest, _captains = played_contest()
    referee, round_ = _referee(), contest.rounds.get()
    before = standings.round_table(round_)
    rescore = rescoring.start_rescore(round_, by=referee, reason="to be sure")
    assert rescoring.rescore_progress(rescore) == rescoring.Progress(total=6, done=0, failed=0)
    evaluate()
    assert rescoring.rescore_progress(rescore) == rescoring.Progress(total=6, done=6, failed=0)
    assert rescoring.rescore_differences(rescore) == []
    pairs = RescoreItem.objects.values_list("evaluation__fingerprint", "submission__evaluation__fingerprint")
    assert all(new == old for new, old in pairs)
    assert rescoring.apply_rescore(rescore, by=referee) == 0
    assert standings.round_table(round_) == before
    entry = LogEntry.objects.get(action="rescore.apply")
    assert (entry.detail["submissions"], entry.detail["changed"], entry.actor) == (6, [], str(referee.pk))


def _changed_parameters() -> tuple[Rescore, Person]:
    """Return a re-scoring under another safety test, computed: with p = 0.001 half right guesses are no luck."""
    contest, _captains = played_contest()
    contest.parameters = {"p": "0.001"}
    contest.save()
    referee = _referee()
    rescore = rescoring.start_rescore(contest.rounds.get(), by=referee, reason="p was wrong")
    evaluate()
    return rescore, referee


def test_differences_are_shown_figure_by_figure_before_anything_changes() -> None:
    rescore, referee = _changed_parameters()
    found = {
        (one.submission.team.name, one.figure): (one.before, one.after)
        for one in rescoring.rescore_differences(rescore)
    }
    gamma = Submission.objects.get(team__name="Gamma", kind="guesses")
    assert gamma.evaluation is not None
    assert found["Gamma", "unsafe"] == (False, True)
    assert found["Gamma", "threshold"][0] == gamma.evaluation.figures["threshold"] > found["Gamma", "threshold"][1]
    assert not any(name == "Alpha" or figure in ("valid", "hits", "U") for name, figure in found)
    table = {row.team: row.figures["effective"] for row in standings.round_table(rescore.round).attackers}
    assert table[str(gamma.team_id)] == 0
    assert rescoring.apply_rescore(rescore, by=referee) == 2
    table = {row.team: row.figures["effective"] for row in standings.round_table(rescore.round).attackers}
    assert table[str(gamma.team_id)] == 1
    assert LogEntry.objects.get(action="rescore.start").detail["reason"] == "p was wrong"
    with pytest.raises(NotNowError, match="has been applied already"):
        rescoring.apply_rescore(rescore, by=referee)


def test_what_is_thrown_away_changes_nothing_but_the_log() -> None:
    rescore, referee = _changed_parameters()
    before = list(Submission.objects.order_by("pk").values_list("pk", "evaluation", "verdict"))
    with pytest.raises(RefusedError, match="say why"):
        rescoring.discard_rescore(rescore, by=referee, reason="")
    rescoring.discard_rescore(rescore, by=referee, reason="p was right after all")
    assert list(Submission.objects.order_by("pk").values_list("pk", "evaluation", "verdict")) == before
    assert not Rescore.objects.exists()
    assert LogEntry.objects.get(action="rescore.discard").detail["reason"] == "p was right after all"


def test_half_a_rescoring_is_never_applied_and_two_are_never_open() -> None:
    contest, _captains = played_contest()
    referee, round_ = _referee(), contest.rounds.get()
    rescore = rescoring.start_rescore(round_, by=referee, reason="to be sure")
    with pytest.raises(NotNowError, match="6 items are not computed yet and 0 failed; nothing was applied"):
        rescoring.apply_rescore(rescore, by=referee)
    with pytest.raises(NotNowError, match="another re-scoring of this round is open"):
        rescoring.start_rescore(round_, by=referee, reason="again")
    evaluate()
    RescoreItem.objects.filter(submission__team__name="Gamma").update(state="failed")
    with pytest.raises(NotNowError, match="0 items are not computed yet and 2 failed"):
        rescoring.apply_rescore(rescore, by=referee)


def test_a_file_that_turns_out_invalid_gives_its_try_back() -> None:
    contest, _captains = played_contest()
    referee = _referee()
    rescore = rescoring.start_rescore(contest.rounds.get(), by=referee, reason="a fault of the checker")
    evaluate()
    item = rescore.items.get(submission__team__name="Gamma", submission__kind="guesses")
    assert item.evaluation is not None
    assert Attempt.objects.filter(submission=item.submission).exists()
    Evaluation.objects.filter(pk=item.evaluation.pk).update(valid=False, figures={})
    assert ("valid", True, False) in {
        (one.figure, one.before, one.after) for one in rescoring.rescore_differences(rescore)
    }
    assert rescoring.apply_rescore(rescore, by=referee) == 1
    item.submission.refresh_from_db()
    assert item.submission.verdict == "invalid"
    assert not Attempt.objects.filter(submission=item.submission).exists()


def test_only_referees_rescore_and_only_what_was_evaluated() -> None:
    contest, captains = played_contest()
    round_ = contest.rounds.get()
    with pytest.raises(NotAllowedError, match="only referees may do this"):
        rescoring.start_rescore(round_, by=captains[0], reason="mine")
    empty = world.make_contest().rounds.get()
    with pytest.raises(RefusedError, match="nothing in this round has been evaluated yet"):
        rescoring.start_rescore(empty, by=_referee(), reason="mine")
