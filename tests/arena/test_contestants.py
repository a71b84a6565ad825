"""What helps those who take part: kit, check before a try, all targets and answers at once, rank, history, meaning."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, TestCase
from django.urls import reverse
from django.utils import timezone, translation

from tests.arena import pages, world
from tests.arena.played import evaluate, in_this_process, played_contest
from tests.arena.playing import evaluate as judge
from tests.arena.playing import give, round_address, sign_in, text_of
from tokumei.contests import Contest as Rules
from tokumei_arena.models import Attempt, Blob, Contest, LogEntry, Person, SelfCheck, Submission, Target
from tokumei_arena.templatetags.arena import countdown
from tokumei_arena.work import self_checks
from tokumei_arena.work.targets import make_due_targets

pytestmark = pytest.mark.django_db


def zip_of(response: Any) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))


def packed(**files: bytes) -> SimpleUploadedFile:
    """Return a zip of these files; two underscores stand for a hyphen."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{name.replace('__', '-')}.csv", content)
    return SimpleUploadedFile("answers.zip", data.getvalue())


@pytest.fixture(autouse=True)
def _split_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take answers apart in this process: starting one takes a second."""
    monkeypatch.setattr("tokumei_arena.work.answers.run_child", in_this_process)


@pytest.fixture
def attacked() -> tuple[Contest, dict[str, Target], dict[str, Person]]:
    """Return a contest of three teams in the attack phase, its targets and captains by team."""
    contest = world.make_contest("anonymize")
    round_ = contest.rounds.get()
    captains = {name: world.make_team(contest, name)[1] for name in ("Alpha", "Beta", "Gamma")}
    for captain in captains.values():
        world.hand_in(captain, round_)
    evaluate()
    world.move_to(round_, "attack")
    make_due_targets(round_)
    evaluate()
    return contest, {one.team.name: one for one in Target.objects.select_related("team")}, captains


# The first pages


def test_the_first_page_explains_to_strangers_and_is_short_for_those_who_play() -> None:
    contest = world.make_contest("anonymize", about="Purchases of a shop")
    _team, captain = world.make_team(contest, "Alpha")
    page = pages.check_page(Client().get("/"))
    assert "Teams anonymize the same data" in page
    assert "Every team looks for people in the data of the others." in page
    assert re.search(r'role="timer" data-countdown="\d+" data-days="# d">0 d 00:\d\d:\d\d<', page)
    assert 'aria-current="step"' in page
    own = sign_in(captain).get("/").content.decode()
    assert "Teams anonymize the same data" not in own
    assert "Download the data, anonymize it and hand it in until:" in own


def test_a_countdown_is_written_as_the_script_goes_on_writing_it() -> None:
    assert ">1 d 01:01:01<" in countdown(90_061)
    assert ">0 d 00:00:00<" in countdown(-5)


def test_the_next_deadline_is_the_end_of_the_phase_or_the_begin_of_the_first() -> None:
    contest = world.make_contest(None)
    address = reverse("contest", args=[contest.slug])
    assert "“registration” begins in" in text_of(Client().get(address))
    world.move_to(contest.rounds.get(), "attack")
    assert "“attack” ends in" in text_of(Client().get(address))
    world.move_to(contest.rounds.get(), "published")
    assert "data-countdown" not in Client().get(address).content.decode()


# The starter kit


def test_the_kit_has_the_data_only_for_those_who_may_have_it() -> None:
    contest = world.make_contest("anonymize", parameters={"p": "1/4"})
    _team, captain = world.make_team(contest, "Alpha")
    address = reverse("kit", args=[contest.slug, "final"])
    folder = f"{contest.slug}-final-kit"
    kit = zip_of(sign_in(captain).get(address))
    assert kit.read(f"{folder}/data/T.csv") == world.T
    assert json.loads(kit.read(f"{folder}/contest.json")) == {
        "contest": "pws2018", "round": "final", "parameters": {"p": "1/4"},
    }  # fmt: skip
    stranger = set(zip_of(Client().get(address)).namelist())
    assert stranger == set(kit.namelist()) - {f"{folder}/data/T.csv"}
    world.move_to(contest.rounds.get(), "registration")
    assert f"{folder}/data/T.csv" not in zip_of(sign_in(captain).get(address)).namelist()


def test_nobody_has_the_server_pack_all_the_time() -> None:
    contest = world.make_contest("anonymize")
    _team, captain = world.make_team(contest, "Alpha")
    client, address = sign_in(captain), reverse("kit", args=[contest.slug, "final"])
    answers = [client.get(address) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [200] * 10 + [302]
    for answer in answers[:-1]:
        answer.close()


# A check before a try


def check(client: Client, address: str, data: bytes, name: str = "A.csv") -> Any:
    answer = give(client, address, data, name)
    assert answer.status_code == 302, text_of(answer)
    # Files go when it is certain that what the checker said is kept.
    with TestCase.captureOnCommitCallbacks(execute=True):
        evaluate()
    return client.get(answer["Location"])


@pytest.mark.half_second
def test_a_release_is_checked_without_a_try_and_nothing_is_kept() -> None:
    contest = world.make_contest("anonymize")
    contest.rounds.update(release_limit=1)
    _team, captain = world.make_team(contest, "Alpha")
    client, address = sign_in(captain), reverse("release_check", args=[contest.slug, "final"])
    log, blobs = LogEntry.objects.count(), Blob.objects.count()
    assert pages.check_page(client.get(address))
    good = check(client, address, world.GOOD_A)
    assert "The file is valid. Nothing was handed in." in text_of(good)
    assert "0.000000" in text_of(good)
    bad = check(client, address, b"1,2,3\n")
    assert "The file breaks the rules below. Nothing was handed in." in text_of(bad)
    assert "finding" in text_of(bad)
    assert (Submission.objects.count(), Attempt.objects.count()) == (0, 0)
    assert (LogEntry.objects.count(), Blob.objects.count()) == (log, blobs)
    contest.rounds.update(release_feedback="none")
    assert "0.000000" not in text_of(client.get(reverse("check_result", args=[contest.slug, "final", first_check()])))
    SelfCheck.objects.update(received_at=timezone.now() - self_checks.SHOWN * 2)
    gone = reverse("check_result", args=[contest.slug, "final", first_check()])
    assert client.get(gone).status_code == 404
    assert self_checks.remove_old_checks() == 2


def first_check() -> Any:
    return SelfCheck.objects.values_list("pk", flat=True)[0]


def test_a_check_waits_its_turn_and_belongs_to_its_team() -> None:
    contest = world.make_contest("anonymize")
    captains = [world.make_team(contest, name)[1] for name in ("Alpha", "Beta")]
    client, address = sign_in(captains[0]), reverse("release_check", args=[contest.slug, "final"])
    waiting = give(client, address)
    assert "The checker is at work" in text_of(client.get(waiting["Location"]))
    second = give(client, address)
    assert (second.status_code, "A file of your team is being checked" in text_of(second)) == (429, True)
    assert sign_in(captains[1]).get(waiting["Location"]).status_code == 404
    assert Client().get(waiting["Location"]).status_code == 404
    world.move_to(contest.rounds.get(), "attack")
    assert "is over" in text_of(client.get(address))
    assert self_checks.remove_old_checks() == 0


@pytest.mark.half_second
def test_checked_guesses_tell_how_many_are_answered_and_never_how_many_are_right(
    attacked: tuple[Contest, dict[str, Target], dict[str, Person]],
) -> None:
    contest, targets, captains = attacked
    client = sign_in(captains["Beta"])
    address = reverse("guesses_check", args=[contest.slug, "final", targets["Alpha"].pk])
    page = check(client, address, world.guesses(8), "F1.csv")
    assert "8 of 8 pseudonyms are answered." in text_of(page)
    kept = SelfCheck.objects.get()
    assert kept.result == {
        "valid": True, "findings": [], "finding_count": 0, "figures": {},
        "answered": {"given": 8, "asked": 8, "what": {"en": "pseudonyms", "ja": "仮名"}},
    }  # fmt: skip
    assert Attempt.objects.count() == 0
    own = reverse("guesses_check", args=[contest.slug, "final", targets["Beta"].pk])
    assert client.get(own).status_code == 404


# A poor answer


def test_a_poor_answer_is_asked_about_before_a_try_is_spent(
    attacked: tuple[Contest, dict[str, Target], dict[str, Person]],
) -> None:
    contest, targets, captains = attacked
    client, target = sign_in(captains["Beta"]), targets["Alpha"]
    address, poor = reverse("target", args=[contest.slug, "final", target.pk]), world.guesses(8).splitlines()[0] + b"\n"
    question = "1 of 8 pseudonyms guessed: spend your only try?"
    asked = give(client, reverse("ask", args=[contest.slug, "final", target.pk]), poor, "F1.csv")
    assert asked.json() == {"question": question}
    page = give(client, address, poor, "F1.csv")
    assert (page.status_code, question in text_of(page)) == (400, True)
    assert 'name="confirmed"' in page.content.decode()
    assert not Submission.objects.filter(kind="guesses").exists()
    full = give(client, reverse("ask", args=[contest.slug, "final", target.pk]), world.guesses(0), "F1.csv")
    assert full.json() == {"question": ""}
    assert give(client, address, poor, "F1.csv", confirmed="yes").status_code == 302
    contest.rounds.update(attack_limit=3)
    again = give(client, reverse("ask", args=[contest.slug, "final", target.pk]), poor, "F1.csv")
    assert again.json() == {"question": "1 of 8 pseudonyms guessed: spend one of your 2 tries?"}


def test_what_cannot_be_read_is_left_to_the_checker(
    attacked: tuple[Contest, dict[str, Target], dict[str, Person]],
) -> None:
    contest, targets, captains = attacked
    address = reverse("ask", args=[contest.slug, "final", targets["Alpha"].pk])
    client = sign_in(captains["Beta"])
    assert give(client, address, b"PK\x03\x04 no zip", "F1.zip").json() == {"question": ""}
    assert client.post(address).json() == {"question": ""}


# All targets and all answers


def test_all_targets_are_one_zip_and_all_answers_another(
    attacked: tuple[Contest, dict[str, Target], dict[str, Person]],
) -> None:
    contest, targets, captains = attacked
    client = sign_in(captains["Beta"])
    seen = zip_of(client.get(reverse("all_targets", args=[contest.slug, "final"])))
    others = [targets["Alpha"], targets["Gamma"]]
    assert sorted(seen.namelist()) == sorted(f"targets/{one.alias}/A1.csv" for one in others)
    assert Client().get(reverse("all_targets", args=[contest.slug, "final"])).status_code == 404
    address = reverse("answers", args=[contest.slug, "final"])
    alias = targets["Alpha"].alias
    file = packed(**{f"{alias}__F1": world.guesses(8), "Nobody__F1": b"1,2\n"})
    answer = client.post(address, {"file": file}, follow=True)
    said = text_of(answer)
    assert "1 answer is stored and waits for the checker." in said
    assert f"No answer about: {targets['Gamma'].alias}" in said
    made = Submission.objects.get(kind="guesses")
    assert (made.target, made.blob.name) == (targets["Alpha"], f"{alias}-F1.csv")
    both = {f"{one.alias}__F1": world.guesses(8) for one in others}
    again = text_of(client.post(address, {"file": packed(**both)}, follow=True))
    assert "1 answer is stored" in again
    assert f"{alias}: a submission that may use your last try is still being evaluated" in again


def test_a_zip_of_answers_may_have_folders_and_says_what_is_wrong_with_it(
    attacked: tuple[Contest, dict[str, Target], dict[str, Person]],
) -> None:
    contest, targets, captains = attacked
    client, address = sign_in(captains["Beta"]), reverse("answers", args=[contest.slug, "final"])
    poor = {f"answers/{targets['Alpha'].alias}/F1": world.guesses(8).splitlines()[0] + b"\n"}
    assert f"Little is guessed of {targets['Alpha'].alias}: 1/8" in text_of(
        client.post(address, {"file": packed(**poor)}, follow=True)
    )
    assert "1 answer is stored" in text_of(
        client.post(address, {"file": packed(**poor), "confirmed": "yes"}, follow=True)
    )
    nothing = client.post(address, {"file": packed(other=b"1,2\n")}, follow=True)
    assert "The zip holds no answer; name each file by the alias of its target" in text_of(nothing)
    broken = client.post(address, {"file": SimpleUploadedFile("a.zip", b"no zip")}, follow=True)
    assert "damaged" in text_of(broken)


def test_a_layout_of_the_contests_own_is_taken_apart_by_its_rules(
    attacked: tuple[Contest, dict[str, Target], dict[str, Person]], monkeypatch: pytest.MonkeyPatch
) -> None:
    contest, targets, captains = attacked
    monkeypatch.setattr(
        Rules,
        "split_answers",
        lambda _self, _path, aliases: {alias: {"F1.csv": world.guesses(), "x.sh": b""} for alias in aliases},
    )
    client, address = sign_in(captains["Beta"]), reverse("answers", args=[contest.slug, "final"])
    said = text_of(client.post(address, {"file": packed(matrix=b"one table about all targets\n")}, follow=True))
    assert "2 answers are stored" in said
    assert {one.target for one in Submission.objects.filter(kind="guesses")} == {targets["Alpha"], targets["Gamma"]}


# How the own team stands


@pytest.mark.half_second
def test_own_work_has_rank_history_and_neighbours() -> None:
    contest = world.make_contest("anonymize")
    round_ = contest.rounds.get()
    _team, captain = world.make_team(contest, "Alpha")
    made = [judge(world.hand_in(captain, round_), U=loss) for loss in (0.5, 0.4, 0.3)]
    client = sign_in(captain)
    page = client.get(round_address(contest)).content.decode()
    assert "Your rank on the board: <strong>1</strong>" in page
    assert page.count("<circle") == 3
    assert 'class="s3 own"' in page
    middle = client.get(reverse("submission", args=[contest.slug, made[1].pk])).content.decode()
    assert "2 of 3" in middle
    for one, rel in ((made[0], "prev"), (made[2], "next")):
        assert f'rel="{rel}" href="{reverse("submission", args=[contest.slug, one.pk])}"' in middle


@pytest.mark.half_second
def test_hits_and_owners_stand_beside_targets_once_the_results_are_out() -> None:
    contest, captains = played_contest("attack")
    address = reverse("targets", args=[contest.slug, "final"])
    client = sign_in(captains[1])
    before = client.get(address).content.decode()
    assert ">Alpha<" not in before
    target = Target.objects.get(team__name="Alpha")
    page = reverse("target", args=[contest.slug, "final", target.pk])
    assert "Counts</th>" not in client.get(page).content.decode()
    world.move_to(contest.rounds.get(), "published")
    after = client.get(address).content.decode()
    assert "<td>Alpha</td>" in after
    assert '<td class="number">8</td><td class="number">8</td>' in after
    assert '<span class="badge ok">counts</span>' in client.get(page).content.decode()


# What figures mean


@pytest.mark.parametrize(("language", "words"), [("en", "Information loss of the whole file"), ("ja", "情報損失")])
def test_every_figure_is_explained_one_click_away(language: str, words: str) -> None:
    contest = world.make_contest("anonymize")
    client = Client(headers={"accept-language": language})
    with translation.override(language):
        _check_explained(client, contest, words)


def _check_explained(client: Client, contest: Contest, words: str) -> None:
    board = client.get(reverse("board", args=[contest.slug, "final"])).content.decode()
    link = f"{reverse('metrics', args=[contest.slug])}#figure-U"
    assert f'href="{link}"' in board
    page = pages.check_page(client.get(reverse("metrics", args=[contest.slug])))
    assert 'id="figure-U"' in page
    assert words in page
