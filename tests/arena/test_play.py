"""Pages of participants: the contest, and handing in."""

from __future__ import annotations

import gzip
import hashlib
import re
import zipfile
from io import BytesIO
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from tests.arena import world
from tests.arena.playing import evaluate, give, round_address, sign_in, text_of
from tokumei.contests import FileSpec, make_contest
from tokumei_arena.errors import TooManyError
from tokumei_arena.models import Announcement, Blob, Clarification, Membership, Submission
from tokumei_arena.records import pack

pytestmark = pytest.mark.django_db


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
    assert re.search(r'aria-current="step">\s*<span class="phase">Attack <', page)
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
    monkeypatch.setattr(type(make_contest("pws2018")), "release_files", (FileSpec("D", both), FileSpec("E", both)))
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
