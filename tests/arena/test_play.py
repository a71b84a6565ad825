"""Pages of participants: contest, round, submission, targets, questions."""

from __future__ import annotations

import gzip
import hashlib
import re
import zipfile
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.conf import LazySettings
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import AsyncClient, Client
from django.urls import reverse
from django.utils import timezone, translation

from tests.arena import world
from tokumei_arena.core import announcements, intake
from tokumei_arena.core.errors import RefusedError, TooManyError
from tokumei_arena.core.packing import pack
from tokumei_arena.core.storage import put_bytes
from tokumei_arena.core.targets import make_due_targets
from tokumei_arena.games import FileSpec, find_game
from tokumei_arena.models import (
    Announcement,
    Attempt,
    Blob,
    Choice,
    Clarification,
    Contest,
    DataFile,
    Evaluation,
    LogEntry,
    Membership,
    Person,
    Round,
    Submission,
    Target,
    TargetFile,
)

pytestmark = pytest.mark.django_db
FINDING = {
    "code": "quantity",
    "message": {"en": "the quantity is not a number", "ja": "数量が数値ではありません"},
    "file": "A",
    "line": 7,
    "column": 5,
    "name": "quantity",
    "value": "<script>alert(1)</script>",
}


def sign_in(person: Person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def text_of(response: Any) -> str:
    """Return the words of a page without its tags, spaces as one."""
    page = response.content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def evaluate(submission: Submission, *, findings: list[dict[str, Any]] | None = None, **figures: Any) -> Submission:
    """Write what a worker would have found."""
    listed = findings or []
    submission.evaluation = Evaluation.objects.create(
        submission=submission,
        rule_set="pws2018",
        rule_version="1",
        inputs={},
        valid=not listed,
        figures=figures,
        findings=listed,
        finding_count=len(listed),
        fingerprint="0" * 64,
    )
    submission.state, submission.verdict = "done", "invalid" if listed else "valid"
    submission.save()
    if listed:
        intake.free_slot(submission)
    return submission


def give(client: Client, address: str, data: bytes = world.GOOD_A, name: str = "A.csv", **fields: str) -> Any:
    return client.post(address, {"file": SimpleUploadedFile(name, data), **fields})


def round_address(contest: Contest) -> str:
    return reverse("round", args=[contest.slug, "final"])


# Contest


@pytest.mark.parametrize(
    ("phase", "sentence"),
    [
        (None, "Nothing to do yet. The phase “registration” begins:"),
        ("registration", "Nothing to do yet. The phase “anonymization” begins:"),
        ("anonymize", "Download the data, anonymize it and hand it in until:"),
        ("attack", "Your team has attacked every target."),
        ("scoring", "The referees check the scores."),
        ("published", "The results are out."),
    ],
)
def test_the_contest_page_says_what_to_do_next(phase: str | None, sentence: str) -> None:
    contest = world.make_contest(phase)
    _team, captain = world.make_team(contest, "Alpha")
    assert sentence in text_of(sign_in(captain).get(reverse("contest", args=[contest.slug])))


def test_the_contest_page_leads_to_a_team_first() -> None:
    late = reverse("contest", args=[world.make_contest("attack").slug])
    assert "Registration is closed." in text_of(sign_in(world.make_person("Latecomer")).get(late))
    contest = world.make_contest("registration")
    address = reverse("contest", args=[contest.slug])
    assert f"{reverse('account_login')}?next={address}" in Client().get(address).content.decode()
    assert "You are in no team yet" in text_of(sign_in(world.make_person("Stranger")).get(address))
    _team, waiting = world.make_team(contest, "Waiting", approved=False)
    assert "Your team waits for the referee's approval." in text_of(sign_in(waiting).get(address)).replace(
        "&#x27;", "'"
    )
    Membership.objects.filter(person=waiting).update(terms_accepted_at=None)
    assert "Accept the terms of participation." in text_of(sign_in(waiting).get(address))


def test_the_contest_page_shows_rules_phases_news_and_answers() -> None:
    contest = world.make_contest("attack", about="<b>Purchases</b> of a shop")
    Announcement.objects.create(contest=contest, title="Power cut", body="Extended by <i>an hour</i>.")
    team, _captain = world.make_team(contest, "Alpha")
    Clarification.objects.create(
        contest=contest, team=team, question="May rows be deleted?", answer="Yes.", answered_at=timezone.now(),
        for_everybody=True,
    )  # fmt: skip
    Clarification.objects.create(contest=contest, team=team, question="A secret question")
    page = Client().get(reverse("contest", args=[contest.slug])).content.decode()
    assert "&lt;b&gt;Purchases&lt;/b&gt; of a shop" in page
    assert "Extended by &lt;i&gt;an hour&lt;/i&gt;." in page
    assert "May rows be deleted?" in page
    assert "A secret question" not in page
    assert "Lowest U among the files" in page
    assert re.search(r'aria-current="true">\s*<td>Attack</td>', page)
    with translation.override("ja"):
        japanese = Client(headers={"accept-language": "ja"}).get(reverse("contest", args=[contest.slug]))
    assert "有効な再識別を受けなかったファイルのうち" in japanese.content.decode()


def test_a_closed_contest_does_not_exist_for_strangers() -> None:
    contest = world.make_contest(is_open=False)
    _team, captain = world.make_team(contest, "Alpha")
    for name in ("contest", "clarifications"):
        assert Client().get(reverse(name, args=[contest.slug])).status_code == 404
        assert sign_in(captain).get(reverse(name, args=[contest.slug])).status_code == 200
    assert Client().get(round_address(contest)).status_code == 404
    assert sign_in(captain).get(reverse("round", args=[contest.slug, "practice"])).status_code == 404


# Handing in


def test_a_file_is_handed_in_by_the_form() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    client = sign_in(captain)
    answer = give(client, round_address(contest), note=" first <try> ")
    made = Submission.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, reverse("submission", args=[contest.slug, made.pk]))
    assert (made.note, made.blob.name, made.person) == ("first <try>", "A.csv", captain)
    page = client.get(answer["Location"]).content.decode()
    assert "first &lt;try&gt;" in page
    assert hashlib.sha256(world.GOOD_A).hexdigest() in page
    assert 'hx-trigger="every 1s"' in page
    evaluate(made, U=0.25, il_date=0.5)
    part = client.get(reverse("submission_status", args=[contest.slug, made.pk])).content.decode()
    assert "hx-get" not in part
    assert "0.250000" in part
    assert "<html" not in part


def test_a_form_sent_twice_makes_one_submission_and_another_file_another_one() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    client = sign_in(captain)
    nonce = re.search(r'name="nonce" value="(\w+)"', client.get(round_address(contest)).content.decode())
    assert nonce
    first, again, other = (
        give(client, round_address(contest), data, nonce=nonce[1]) for data in (b"a,b\n", b"a,b\n", b"c,d\n")
    )
    assert first["Location"] == again["Location"] != other["Location"]
    assert Submission.objects.count() == 2


@pytest.mark.parametrize(
    ("fields", "status", "sentence"),
    [
        ({}, 400, "Choose a file first"),
        ({"file": b""}, 400, "The file is empty; choose another one"),
        (
            {"file": b"x" * 101},
            400,
            "The upload is larger than 100 bytes; compress it (.gz or .zip) or make it smaller",
        ),
        ({"file": b"x", "note": "n" * 201}, 400, "The note is longer than 200 characters; shorten it"),
    ],
)
def test_what_is_wrong_with_an_upload_stands_beside_the_form(
    settings: LazySettings, fields: dict[str, Any], status: int, sentence: str
) -> None:
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "upload_bytes": 100}
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    if "file" in fields:
        fields["file"] = SimpleUploadedFile("A.csv", fields["file"])
    answer = sign_in(captain).post(round_address(contest), fields)
    assert answer.status_code == status
    assert f'role="alert" id="upload-error">{sentence}' in answer.content.decode().replace("\xa0", " ")
    assert not Blob.objects.filter(area=Blob.Area.UPLOADS).exists()


def test_who_may_not_hand_in_is_told_why_and_sees_no_form() -> None:
    contest = world.make_contest("attack")
    _team, captain = world.make_team(contest, "Alpha")
    page = sign_in(captain).get(round_address(contest)).content.decode()
    assert "The phase “anonymization” is over" in page
    assert 'type="file"' not in page
    late = give(sign_in(captain), round_address(contest))
    assert late.status_code == 409
    world.move_to(contest.rounds.get(), "anonymize")
    Membership.objects.update(role="adviser")
    refused = give(sign_in(captain), round_address(contest))
    assert refused.status_code == 403
    assert "Your role in the team does not allow this" in text_of(refused)
    anonymous = give(Client(), round_address(contest))
    assert anonymous["Location"] == f"{reverse('account_login')}?next={round_address(contest)}"
    assert Submission.objects.count() == 0


def test_a_flood_is_slowed_down_per_person_and_team(settings: LazySettings) -> None:
    contest = world.make_contest()
    team, captain = world.make_team(contest, "Alpha")
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "submits_per_minute": 2, "team_submits_per_minute": 3}
    world.hand_in(captain, contest.rounds.get())
    world.hand_in(captain, contest.rounds.get(), b"1\n")
    answer = give(sign_in(captain), round_address(contest))
    assert answer.status_code == 429
    assert re.search(r"Too many at once; try again in \d+ seconds?", text_of(answer))
    mate = world.make_person("Mate")
    Membership.objects.create(contest=contest, team=team, person=mate, role="member", terms_accepted_at=timezone.now())
    world.hand_in(mate, contest.rounds.get(), b"2\n")
    with pytest.raises(TooManyError, match="too many at once"):
        world.hand_in(mate, contest.rounds.get(), b"3\n")


def test_several_files_become_one_zip_whose_bytes_do_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    both = {"en": "rows", "ja": "行"}
    monkeypatch.setattr(type(find_game("pws2018")), "release_files", (FileSpec("D", both), FileSpec("E", both)))
    client = sign_in(captain)
    page = client.get(round_address(contest)).content.decode()
    assert 'name="file-D"' in page
    assert 'name="file-E"' in page

    def files(**given: bytes) -> dict[str, SimpleUploadedFile]:
        return {f"file-{name}": SimpleUploadedFile("x.csv", data) for name, data in given.items()}

    missing = client.post(round_address(contest), files(D=b"1\n"))
    assert "These files are missing: E.csv; choose all files, or one zip that holds them" in text_of(missing)
    packed = client.post(round_address(contest), files(D=b"1\n", E=gzip.compress(b"2\n")))
    assert "These files are compressed: E.csv; choose plain ones" in text_of(packed)
    client.post(round_address(contest), files(E=b"2\n", D=b"1\n"))
    client.post(round_address(contest), files(D=b"1\n", E=b"2\n"))
    one, other = Submission.objects.all()
    assert one.blob.sha256 == other.blob.sha256
    with pack({name: ContentFile(name.encode()) for name in "DE"}) as file:
        archive = zipfile.ZipFile(BytesIO(file.read()))
    assert [(entry.filename, entry.date_time[0]) for entry in archive.infolist()] == [("D.csv", 1980), ("E.csv", 1980)]
    assert archive.read("E.csv") == b"E"


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


# Targets


@pytest.fixture
def attack() -> tuple[Contest, Target, Person, Person]:
    contest = world.make_contest()
    round_ = contest.rounds.get()
    captains = [world.make_team(contest, name)[1] for name in ("Alpha", "Beta")]
    for captain in captains:
        evaluate(world.hand_in(captain, round_), U=0.5)
    world.move_to(round_, "attack")
    for one in make_due_targets(round_):
        blob = put_bytes(Blob.Area.PUBLISHED, "A1.csv", b"published\n")
        TargetFile.objects.create(target=one, name="A1", blob=blob)
        TargetFile.objects.create(target=one, name="key", blob=put_bytes(Blob.Area.TRUTH, "key.csv", b"truth\n"))
    Target.objects.update(state="done")
    return contest, Target.objects.get(team__name="Alpha"), captains[0], captains[1]


def test_targets_show_alias_and_published_files_but_not_whose_they_are(
    attack: tuple[Contest, Target, Person, Person],
) -> None:
    contest, target, alpha, beta = attack
    listed = sign_in(beta).get(reverse("targets", args=[contest.slug, "final"])).content.decode()
    address = reverse("target", args=[contest.slug, "final", target.pk])
    assert target.alias in listed
    assert "1 of 1" in listed
    assert "Alpha" not in listed
    page = sign_in(beta).get(address).content.decode()
    assert "Alpha" not in page
    published, truth = (
        TargetFile.objects.get(target=target, name="A1"),
        TargetFile.objects.get(target=target, name="key"),
    )
    assert str(truth.pk) not in page
    files = [reverse("target_file", args=[contest.slug, "final", target.pk, one.pk]) for one in (published, truth)]
    answer = sign_in(beta).get(files[0])
    assert b"".join(answer.streaming_content) == b"published\n"  # type: ignore[attr-defined]
    assert answer["Content-Disposition"] == f'attachment; filename="{target.alias}-A1.csv"'
    assert sign_in(beta).get(files[1]).status_code == 404
    for stranger in (sign_in(alpha), Client(), sign_in(world.make_person("Nobody"))):
        assert stranger.get(address).status_code == 404
        assert stranger.post(address).status_code == 404
        assert stranger.get(files[0]).status_code == 404
    assert target.alias not in sign_in(alpha).get(reverse("targets", args=[contest.slug, "final"])).content.decode()


def test_guesses_are_handed_in_and_tries_counted_per_target(attack: tuple[Contest, Target, Person, Person]) -> None:
    contest, target, _alpha, beta = attack
    client, address = sign_in(beta), reverse("target", args=[contest.slug, "final", target.pk])
    answer = give(client, address, world.guesses(), "F1.csv")
    made = Submission.objects.get(kind="guesses")
    assert answer["Location"] == reverse("submission", args=[contest.slug, made.pk])
    again = give(client, address, b"1,2\n", "F1.csv")
    assert again.status_code == 429
    assert "A submission that may use your last try is still being evaluated; wait for it" in text_of(again)
    evaluate(made, hits=8, n=8, unsafe=True)
    page = client.get(address).content.decode()
    assert "Tries left: <strong>0</strong> of 1" in page
    assert 'type="file"' not in page
    assert "0 of 1" in client.get(reverse("targets", args=[contest.slug, "final"])).content.decode()
    own = client.get(answer["Location"])
    assert "Its figures are not told yet" in text_of(own)
    assert "unsafe" not in own.content.decode()
    world.move_to(target.round, "scoring")
    assert re.search(
        r'<td class="number">8</td>.*<td class="number">yes</td>',
        client.get(answer["Location"]).content.decode(),
        re.DOTALL,
    )


def test_nothing_can_be_attacked_before_its_time(attack: tuple[Contest, Target, Person, Person]) -> None:
    contest, target, _alpha, beta = attack
    world.move_to(target.round, "anonymize")
    assert sign_in(beta).get(reverse("target", args=[contest.slug, "final", target.pk])).status_code == 404
    page = sign_in(beta).get(reverse("targets", args=[contest.slug, "final"]))
    assert "The targets appear when the attack phase begins." in text_of(page)
    world.move_to(target.round, "scoring")
    late = give(sign_in(beta), reverse("target", args=[contest.slug, "final", target.pk]))
    assert late.status_code == 409
    assert "The phase “attack” is over" in text_of(late)


# Questions


def test_questions_are_read_by_the_team_that_asked_and_by_referees() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    _other, rival = world.make_team(contest, "Beta")
    address = reverse("clarifications", args=[contest.slug])
    answer = sign_in(captain).post(address, {"question": "What is <U>?"})
    assert answer["Location"] == address
    assert "What is &lt;U&gt;?" in sign_in(captain).get(address).content.decode()
    for other in (sign_in(rival), Client()):
        assert "What is" not in other.get(address).content.decode()
    Clarification.objects.update(answer="A loss.", answered_at=timezone.now(), for_everybody=True)
    seen = Client().get(address).content.decode()
    assert "A loss." in seen
    assert "Alpha" not in seen
    assert LogEntry.objects.get(action="question.ask").object_id == str(Clarification.objects.get().pk)


def test_a_question_must_be_one() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    address = reverse("clarifications", args=[contest.slug])
    answer = sign_in(captain).post(address, {"question": "  "})
    assert answer.status_code == 400
    assert 'role="alert">Write a question first' in answer.content.decode()
    with pytest.raises(RefusedError, match="longer than 4000 characters"):
        announcements.ask(captain, contest, "x" * 4001)
    stranger = sign_in(world.make_person("Stranger")).post(address, {"question": "Hello?"})
    assert stranger.status_code == 403
    assert "You are in no team of this contest" in text_of(stranger)
    assert Client().post(address, {"question": "Hello?"}).status_code == 302


def test_questions_are_limited_per_hour(settings: LazySettings) -> None:
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "questions_per_hour": 1}
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    announcements.ask(captain, contest, "One?")
    with pytest.raises(TooManyError, match=r"try again in \d+ second"):
        announcements.ask(captain, contest, "Two?")


# Concurrency


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["release", "guesses"])
def test_fifty_submissions_at_the_last_try_leave_exactly_one(kind: str) -> None:
    contest = world.make_contest()
    round_ = contest.rounds.get()
    Round.objects.update(release_limit=1)
    round_.refresh_from_db()
    captains = [world.make_team(contest, name)[1] for name in ("Alpha", "Beta")]
    target = None
    if kind == "guesses":
        evaluate(world.hand_in(captains[0], round_), U=0.5)
        world.move_to(round_, "attack")
        make_due_targets(round_)
        Target.objects.update(state="done")
        target = Target.objects.select_related("round").get()
    before = Submission.objects.count()

    def attempt(number: int) -> str:
        try:
            file = world.upload(f"{number}\n".encode())
            if target is None:
                intake.submit_release(captains[1], Round.objects.get(pk=round_.pk), file, name="A.csv")
            else:
                intake.submit_guesses(captains[1], Target.objects.get(pk=target.pk), file, name="F1.csv")
        except TooManyError as error:
            return error.code
        finally:
            connection.close()
        return "accepted"

    with ThreadPoolExecutor(16) as pool:
        outcomes = list(pool.map(attempt, range(50)))
    assert sorted(set(outcomes)) == ["accepted", "try-pending"]
    assert outcomes.count("accepted") == 1
    assert Submission.objects.count() == before + 1
    assert Attempt.objects.filter(submission__team__name="Beta").count() == 1
    # What was refused leaves nothing behind.
    assert Blob.objects.filter(area=Blob.Area.UPLOADS).count() == Submission.objects.count()
