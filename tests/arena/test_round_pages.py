"""Pages of participants: the data of a round, its submissions, and one of them."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client
from django.urls import reverse

from tests.arena import world
from tests.arena.playing import FINDING, evaluate, round_address, sign_in, text_of
from tokumei_arena.models import Blob, Choice, Contest, DataFile, LogEntry, Membership, Person, Round, Submission
from tokumei_arena.records.storage import put_bytes

pytestmark = pytest.mark.django_db


# The round and its data


def test_data_is_handed_out_to_teams_from_the_beginning_of_anonymization() -> None:
    contest = world.make_contest("registration")
    _team, captain = world.make_team(contest, "Alpha")
    _other, stranger = world.make_team(contest, "Beta", approved=False)
    file = DataFile.objects.get()
    address = reverse("data_file", args=[contest.slug, "final", file.pk])
    assert sign_in(captain).get(address).status_code == 404
    world.move_to(file.round, "anonymize")
    assert sign_in(stranger).get(address).status_code == 404
    assert Client().get(address).status_code == 404
    answer = sign_in(captain).get(address)
    assert b"".join(answer.streaming_content) == world.T  # type: ignore[attr-defined]
    assert answer["Content-Disposition"] == 'attachment; filename="T.csv"'
    assert (answer["X-Content-Type-Options"], answer["Content-Type"]) == ("nosniff", "text/csv; charset=utf-8")
    assert address in sign_in(captain).get(round_address(contest)).content.decode()
    assert address not in Client().get(round_address(contest)).content.decode()


def test_private_data_goes_to_its_team_only() -> None:
    contest = world.make_contest()
    alpha, captain = world.make_team(contest, "Alpha")
    _beta, other = world.make_team(contest, "Beta")
    blob = put_bytes(Blob.Area.DATA, "R.csv", b"1\n")
    file = DataFile.objects.create(round=contest.rounds.get(), team=alpha, name="R", blob=blob)
    address = reverse("data_file", args=[contest.slug, "final", file.pk])
    answer: Any = sign_in(captain).get(address)
    assert list(answer.streaming_content) == [b"1\n"]
    assert answer["Content-Disposition"] == 'attachment; filename="R-team1.csv"'
    assert sign_in(other).get(address).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_downloads_are_streamed_under_asgi() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    address = reverse("data_file", args=[contest.slug, "final", DataFile.objects.get().pk])

    async def download() -> tuple[Any, bytes]:
        client = AsyncClient()
        await client.aforce_login(captain)
        answer: Any = await client.get(address)
        return answer, b"".join([piece async for piece in answer.streaming_content])

    answer, data = async_to_sync(download)()
    assert data == world.T
    assert answer["Content-Length"] == str(len(world.T))
    assert answer["Content-Disposition"] == 'attachment; filename="T.csv"'


def test_the_table_of_submissions_polls_until_all_are_done_and_shows_what_counts() -> None:
    contest = world.make_contest()
    round_ = contest.rounds.get()
    round_.release_limit = 3
    round_.save()
    team, captain = world.make_team(contest, "Alpha")
    client = sign_in(captain)
    good = evaluate(world.hand_in(captain, round_, b"1\n"), U=0.5)
    evaluate(world.hand_in(captain, round_, b"3\n"), findings=[FINDING])
    better = evaluate(world.hand_in(captain, round_, b"2\n"), U=0.125)
    waiting = world.hand_in(captain, round_, b"4\n")
    page = client.get(round_address(contest)).content.decode()
    assert f'hx-get="{round_address(contest)}" hx-select="#own" hx-trigger="every 2s"' in page
    assert "Tries left: <strong>0</strong> of 3" in page
    counting = re.search(r'<tr class="own">.*?</tr>', page, re.DOTALL)
    assert counting
    assert str(better.pk) in counting[0]
    assert "0.125000" in counting[0]
    evaluate(waiting, findings=[FINDING])
    assert client.post(reverse("choose", args=[contest.slug, good.pk]))["Location"] == round_address(contest)
    page = client.get(round_address(contest)).content.decode()
    assert "hx-get" not in page
    assert "Tries left: <strong>1</strong> of 3" in page
    counting = re.search(r'<tr class="own">.*?</tr>', page, re.DOTALL)
    assert counting
    assert str(good.pk) in counting[0]
    assert Choice.objects.get().submission == good
    assert LogEntry.objects.get(action="submission.choose").detail == {"team": str(team.pk)}
    invalid = client.post(reverse("choose", args=[contest.slug, waiting.pk]), follow=True)
    assert "only a valid submission can be chosen" in text_of(invalid)


def test_only_captains_choose() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    made = evaluate(world.hand_in(captain, contest.rounds.get()), U=0.5)
    Membership.objects.update(role="member")
    page = sign_in(captain).post(reverse("choose", args=[contest.slug, made.pk]), follow=True)
    assert "your role in the team does not allow this" in text_of(page)
    assert not Choice.objects.exists()
    assert Client().post(reverse("choose", args=[contest.slug, made.pk])).status_code == 302
    assert sign_in(captain).get(reverse("choose", args=[contest.slug, made.pk])).status_code == 405


# One submission


@pytest.fixture
def findings() -> tuple[Contest, Submission, Person]:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    made = world.hand_in(captain, contest.rounds.get())
    many = [{**FINDING, "line": line, "code": "quantity" if line % 2 else "date"} for line in range(1, 251)]
    return contest, evaluate(made, findings=many), captain


def test_findings_are_told_with_place_value_rule_and_sentence(findings: tuple[Contest, Submission, Person]) -> None:
    contest, made, captain = findings
    address = reverse("submission", args=[contest.slug, made.pk])
    page = sign_in(captain).get(address).content.decode()
    row = re.search(r"<tbody><tr>.*?</tr>", page, re.DOTALL)
    assert row
    assert [word.strip() for word in re.split(r"<[^>]+>", row[0]) if word.strip()] == [
        "A", "1", "5", "quantity", "&lt;script&gt;alert(1)&lt;/script&gt;", "the quantity is not a number", "quantity",
    ]  # fmt: skip
    assert "<script>alert" not in page
    assert "250 findings" in page
    assert "date 125" in page
    japanese = Client(headers={"accept-language": "ja"})
    japanese.force_login(captain)
    assert "数量が数値ではありません" in japanese.get(address).content.decode()


def test_findings_come_in_pages_and_by_rule(findings: tuple[Contest, Submission, Person]) -> None:
    contest, made, captain = findings
    address, client = reverse("submission", args=[contest.slug, made.pk]), sign_in(captain)

    def lines(query: str) -> list[int]:
        page = client.get(f"{address}?{query}").content.decode()
        return [int(number) for number in re.findall(r'<tr><td>A</td><td class="number">(\d+)</td>', page)]

    assert lines("page=5") == list(range(201, 251))
    assert lines("rule=date") == list(range(2, 101, 2))
    assert lines("rule=date&page=3") == list(range(202, 251, 2))
    assert lines("page=nonsense") == list(range(1, 51))
    assert lines("rule=%22%3E%3Cb%3E") == []
    assert "&quot;&gt;&lt;b&gt;" not in client.get(f"{address}?rule=%22%3E%3Cb%3E").content.decode()


@pytest.mark.half_second
def test_other_teams_never_see_a_submission(findings: tuple[Contest, Submission, Person]) -> None:
    contest, made, captain = findings
    _team, rival = world.make_team(contest, "Beta")
    elsewhere = world.make_contest()
    routes = ("submission", "submission_status", "submission_file")
    for client in (sign_in(rival), sign_in(world.make_person("Nobody")), Client()):
        for name in routes:
            assert client.get(reverse(name, args=[contest.slug, made.pk])).status_code == 404
    assert sign_in(rival).post(reverse("choose", args=[contest.slug, made.pk])).status_code == 404
    for name in routes:
        assert sign_in(captain).get(reverse(name, args=[elsewhere.slug, made.pk])).status_code == 404
        assert sign_in(captain).get(reverse(name, args=[contest.slug, uuid4()])).status_code == 404
    assert str(made.pk) not in sign_in(rival).get(round_address(contest)).content.decode()


def test_a_team_gets_its_own_file_back(findings: tuple[Contest, Submission, Person]) -> None:
    contest, made, captain = findings
    Blob.objects.filter(pk=made.blob_id).update(name='a"\r\nX: y.html')
    answer = sign_in(captain).get(reverse("submission_file", args=[contest.slug, made.pk]))
    assert b"".join(answer.streaming_content) == world.GOOD_A  # type: ignore[attr-defined]
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment; filename")
    assert "X" not in answer.headers


@pytest.mark.parametrize(
    ("policy", "shown"),
    [("exact", "0.123456"), ("rounded", "0.120000"), ("bands", "0.1 – 0.2"), ("none", None), ("delayed", None)],
)
def test_figures_are_told_by_the_feedback_policy(policy: str, shown: str | None) -> None:
    contest = world.make_contest()
    round_ = contest.rounds.get()
    Round.objects.update(release_feedback=policy)
    _team, captain = world.make_team(contest, "Alpha")
    made = evaluate(world.hand_in(captain, round_), U=0.123456)
    client = sign_in(captain)
    pages = [client.get(reverse("submission", args=[contest.slug, made.pk])), client.get(round_address(contest))]
    for page in pages:
        if shown is None:
            assert "0.12" not in page.content.decode()
        else:
            assert shown in page.content.decode()
    if shown is None:
        assert "The file is valid. Its figures are not told yet." in text_of(pages[0])
    if policy == "delayed":
        world.move_to(round_, "attack")
        assert "0.123456" in client.get(reverse("submission", args=[contest.slug, made.pk])).content.decode()
