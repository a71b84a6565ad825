"""What makes a contest an event: rounds and copies, officials, longer phases, lists of participants, the ceremony."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.arena import pages, world
from tests.arena.played import evaluate, played_contest
from tests.arena.playing import sign_in
from tokumei_arena import access
from tokumei_arena.boards import (
    agree_to_publish,
    end_ceremony,
    make_archive,
    overall_visible,
    remove_archive,
    reveal_next,
    revealing,
    visible_tables,
)
from tokumei_arena.contests import (
    add_round,
    attach,
    clone_contest,
    edit_rounds,
    extend_for_team,
    put_page,
    remove_round,
    template_rounds,
)
from tokumei_arena.errors import ArenaError, NotAllowedError, NotNowError, RefusedError
from tokumei_arena.models import Contest, LogEntry, Office, OneTimeLink, Person, PublicFile, Rescore, Round
from tokumei_arena.rules import parameters_of
from tokumei_arena.teams import ListRefusedError, accept_invitation, end_office, invite_list, offer_office, take_office
from tokumei_arena.teams.participants import Invited
from tokumei_arena.work import intake
from tokumei_arena.work.targets import due_rounds, make_due_targets

pytestmark = pytest.mark.django_db


@pytest.fixture
def referee() -> Person:
    person = world.make_person("Referee", referee=True)
    pages.add_second_factor(person)
    return person


def last_action(contest: Contest) -> str:
    entry = LogEntry.objects.filter(contest=contest.pk).order_by("number").last()
    assert entry is not None
    return entry.action


@pytest.mark.parametrize("template", ["rules", "single", "league", "workshop"])
def test_templates_give_rounds_whose_weights_add_up(template: str) -> None:
    for rule_set in ("pws2018", "pws2021"):
        plans = template_rounds(template, rule_set, timezone.now(), count=7)
        assert sum(plan.weight for plan in plans.values()) == 1
        assert all(kind == plan.kind for kind, plan in plans.items())
    if template == "league":
        assert [kind for kind in plans if kind != "practice"][-2:] == ["preliminary-6", "final"]
        assert plans["final"].starts["registration"] == plans["preliminary-6"].starts["published"]


def test_a_contest_of_many_rounds_is_made_on_one_page(referee: Person) -> None:
    desk = sign_in(referee)
    address = reverse("desk_contest_new") + "?rules=pws2018&template=league&count=4"
    page = desk.get(address)
    html = pages.check_page(page)
    assert "preliminary-3-included" in html
    fields = {"name": "League", "team_size": "5", "terms": ""}
    for form in page.context["rounds"]:
        for part in (form["starts"], form["form"]):
            for field in part:
                value = field.value()
                if value is not None and value is not False and value != "":
                    fields[field.html_name] = f"{value:%Y-%m-%dT%H:%M}" if hasattr(value, "tzinfo") else str(value)
    made = desk.post(address, fields)
    assert made.status_code == 302
    contest = Contest.objects.get()
    assert [one.kind for one in contest.rounds.all()] == ["preliminary", "preliminary-2", "preliminary-3", "final"]
    third = contest.rounds.get(kind="preliminary-3")
    assert (third.get_kind_display(), parameters_of(third)["round"]) == ("preliminary round 3", "preliminary")
    assert desk.get(reverse("round", args=[contest.slug, "preliminary-3"])).status_code == 200


def test_rounds_are_added_and_removed(referee: Person) -> None:
    contest = world.make_contest(None, kinds=("preliminary", "final"))
    Round.objects.filter(contest=contest).update(weight=Decimal("0.5"))
    made = add_round(contest, "preliminary", by=referee, name="Second chance")
    assert [one.kind for one in contest.rounds.all()] == ["preliminary", "preliminary-2", "final"]
    assert (made.get_kind_display(), made.weight) == ("Second chance", Decimal(0))
    ends = contest.rounds.get(kind="final").phases.get(kind="published").starts_at
    assert made.phases.get(kind="registration").starts_at == ends
    with pytest.raises(RefusedError):
        remove_round(contest.rounds.get(kind="final"), by=referee)
    remove_round(made, by=referee)
    assert contest.rounds.count() == 2
    assert last_action(contest) == "round.remove"


def test_a_copy_has_settings_rounds_and_pages_but_no_teams(referee: Person) -> None:
    contest = world.make_contest("published", kinds=("practice", "final"))
    Round.objects.filter(contest=contest, kind="practice").update(weight=0)
    world.make_team(contest, "Alpha")
    page = put_page(contest, by=referee, title="Rules", body="# Fair")
    attach(page, world.upload(b"1\n"), name="a.csv", by=referee)
    begins = timezone.now() + timedelta(days=100)
    made = clone_contest(contest, name="Cup again", begins=begins, by=referee)
    assert (made.is_open, made.teams.count(), made.seed != contest.seed) == (False, 0, True)
    assert min(one.starts_at for round_ in made.rounds.all() for one in round_.phases.all()) == begins
    copied = made.pages.get().attachments.get()
    assert copied.blob_id != page.attachments.get().blob_id
    assert copied.blob.sha256 == page.attachments.get().blob.sha256
    _team, captain = world.make_team(made, "Beta")
    with pytest.raises(NotAllowedError):
        clone_contest(contest, name="x", begins=begins, by=captain)


def test_offices_are_taken_by_link_and_never_beside_a_team(referee: Person) -> None:
    contest = world.make_contest("anonymize")
    _team, captain = world.make_team(contest, "Alpha")
    token = offer_office(contest, "observer", by=referee)
    with pytest.raises(NotAllowedError):
        take_office(token, captain)
    guest = world.make_person("Guest")
    client = sign_in(guest)
    assert client.post(reverse("take_office", args=[token])).status_code == 302
    assert access.office(Person.objects.get(pk=guest.pk), contest) == "observer"
    # Who sees everything needs a second factor, and cannot play, not even later.
    assert client.get(reverse("desk_contest", args=[contest.slug])).status_code == 302
    pages.add_second_factor(guest)
    html = pages.check_page(client.get(reverse("desk_contest", args=[contest.slug])))
    assert "observer of this contest" in html
    assert captain.email not in pages.check_page(client.get(reverse("desk_teams", args=[contest.slug])))
    end_office(Office.objects.get(), by=guest)
    _done, (join,) = invited(contest, referee, b"team,email,role\nLate,late@example.org,captain\n")
    with pytest.raises(NotAllowedError) as refused:
        accept_invitation(join, guest, terms_accepted=True)
    assert refused.value.code == "was-referee"


def invited(contest: Contest, referee: Person, data: bytes) -> tuple[Invited, list[str]]:
    """Return what came of a list, and the tokens of its invitations."""
    told: list[str] = []

    def address_of(token: str) -> str:
        told.append(token)
        return token

    return invite_list(contest, data, by=referee, address_of=address_of), told


def test_an_owner_does_not_own_other_contests(referee: Person) -> None:
    mine, other = world.make_contest("anonymize"), world.make_contest("anonymize")
    owner = world.make_person("Owner")
    take_office(offer_office(mine, "owner", by=referee), owner)
    edit_rounds(mine, {"final": {"name": "Grand final"}}, by=owner)
    with pytest.raises(NotAllowedError):
        edit_rounds(other, {"final": {"name": "Mine"}}, by=owner)
    with pytest.raises(NotAllowedError):
        offer_office(other, "owner", by=owner)


GOOD_LIST = """team,email,role,affiliation
Alpha,ann@example.org,captain,大学
Alpha,bob@example.org,,
Beta,cy@example.org,キャプテン,
"""
BAD_LIST = """team,email,role
,ann@example.org,captain
Alpha,not an address,captain
Alpha,bob@example.org,chief
Alpha,bob@example.org,captain
ａｌｐｈａ,eve@example.org,captain
Beta,dan@example.org,member
Gamma,referee@example.org,captain
Delta,one@example.org,captain,extra,cells
"""


def test_all_faults_of_a_list_are_told_together_and_nothing_changes(referee: Person) -> None:
    contest = world.make_contest("registration", team_size=2)
    desk = sign_in(referee)
    address = reverse("desk_participants", args=[contest.slug])
    html = pages.check_page(desk.post(address, {"text": BAD_LIST}), 400)
    for line, word in (
        (2, "the team is missing"),
        (3, "is no complete e-mail address"),
        (4, "there is no role “chief”"),
        (5, "stands in line 4 too"),
        (6, "looks like “Alpha”"),
        (7, "the team “Beta” has no captain"),
        (8, "is an official"),
        (9, "more cells"),
    ):
        assert f"line {line}: " in html, line
        assert word in html, word
    assert "would have" in html
    assert not contest.teams.exists()
    assert not OneTimeLink.objects.exists()
    for data, code in ((b"name\n", "bad-list"), (b"\xff\xfe\x81", "bad-encoding"), (b'team,email\n"', "bad-list")):
        with pytest.raises(RefusedError) as refused:
            invite_list(contest, data, by=referee, address_of=str)
        assert refused.value.code == code


def test_a_list_makes_teams_and_invites_and_can_be_sent_again(referee: Person, mailoutbox: list[object]) -> None:
    contest = world.make_contest("anonymize")
    done, told = invited(contest, referee, GOOD_LIST.encode("cp932"))
    assert (done.teams, len(done.invited), done.known, len(mailoutbox)) == (2, 3, 0, 3)
    ann = world.make_person("ann")
    accept_invitation(told[0], ann, terms_accepted=True)
    assert access.need_member(ann, contest, "captain").affiliation == "大学"
    again = invite_list(contest, GOOD_LIST.encode(), by=referee, address_of=str)
    assert (again.teams, len(again.invited), again.known) == (0, 0, 3)
    with pytest.raises(ListRefusedError):
        invite_list(contest, b"team,email\nBeta,ann@example.org\n", by=referee, address_of=str)


def test_one_team_may_anonymize_longer_and_is_published_later(referee: Person) -> None:
    contest = world.make_contest("anonymize")
    round_ = contest.rounds.get()
    (alpha, ann), (_beta, bob) = world.make_team(contest, "Alpha"), world.make_team(contest, "Beta")
    world.hand_in(bob, round_)
    evaluate()
    world.move_to(round_, "attack")
    phase, now = round_.phases.get(kind="anonymize"), timezone.now()
    for until in (now - timedelta(minutes=1), now + timedelta(days=3)):
        with pytest.raises(ArenaError):
            extend_for_team(phase, alpha, until, by=referee, reason="ill")
    with pytest.raises(NotNowError):
        world.hand_in(ann, round_)
    given = extend_for_team(phase, alpha, now + timedelta(minutes=20), by=referee, reason="ill")
    assert last_action(contest) == "phase.extend-for-team"
    assert len(make_due_targets(round_)) == 1
    world.hand_in(ann, round_)
    with pytest.raises(NotNowError):
        world.hand_in(bob, round_)
    evaluate()
    # Who still anonymizes sees nothing of the others; the team reads why it has more time.
    assert not access.targets(ann, round_).exists()
    assert "ill" in pages.check_page(sign_in(ann).get(reverse("round", args=[contest.slug, "final"])))
    assert due_rounds() == []
    type(given).objects.update(until=timezone.now())
    assert due_rounds() == [round_]
    (late,) = make_due_targets(round_)
    assert (late.team, due_rounds()) == (alpha, [])
    assert late.alias not in set(round_.targets.exclude(pk=late.pk).values_list("alias", flat=True))
    with pytest.raises(NotNowError):
        extend_for_team(phase, alpha, now + timedelta(minutes=30), by=referee, reason="again")


def test_one_team_may_attack_longer_but_not_beyond_the_results(referee: Person) -> None:
    contest, (_ann, _bob, gus) = played_contest("scoring")
    round_ = contest.rounds.get()
    target, team = round_.targets.get(team__name="Beta"), access.need_member(gus, contest)
    phase = round_.phases.get(kind="attack")
    guesses = world.upload(world.guesses(4), "F1.csv")
    with pytest.raises(NotNowError):
        intake.submit_guesses(gus, target, guesses, name="F1.csv")
    extend_for_team(phase, team, timezone.now() + timedelta(minutes=30), by=referee, reason="power cut")
    intake.submit_guesses(gus, target, guesses, name="F1.csv")
    world.move_to(round_, "published")
    with pytest.raises(NotNowError):
        intake.submit_guesses(gus, target, guesses, name="F1.csv")


def test_a_ceremony_reveals_rank_by_rank_from_the_last(referee: Person) -> None:
    contest, (ann, _bob, _gus) = played_contest("scoring")
    round_ = contest.rounds.get()
    edit_rounds(contest, {"final": {"ceremony": True}}, by=referee)
    round_.refresh_from_db()
    with pytest.raises(NotNowError):
        reveal_next(round_, "attackers", by=referee)
    world.move_to(round_, "published")
    round_ = Round.objects.get(pk=round_.pk)
    assert visible_tables(ann, round_) is None
    assert not overall_visible(ann, contest)
    page = reverse("ceremony", args=[contest.slug, "final"])
    before = pages.text_of(pages.check_page(Client().get(page)))
    assert "Beta" not in before
    shown = {one.table.key: one for one in revealing(round_)}
    ranks = sorted({row.rank for row in shown["attackers"].table.rows if row.rank}, reverse=True)
    seen = [reveal_next(round_, "attackers", by=referee)[0].rank for _ in ranks]
    assert seen == ranks
    with pytest.raises(NotNowError):
        reveal_next(round_, "attackers", by=referee)
    with pytest.raises(NotAllowedError):
        end_ceremony(round_, by=ann)
    html = pages.check_page(Client().get(page))
    assert "Beta" in html
    end_ceremony(round_, by=referee)
    assert visible_tables(ann, Round.objects.get(pk=round_.pk)) is not None
    with pytest.raises(NotNowError):
        edit_rounds(contest, {"final": {"ceremony": False}}, by=referee)


def test_the_archive_keeps_results_and_only_files_of_who_agreed(referee: Person) -> None:
    contest, (ann, bob, _gus) = played_contest("published")
    team = access.need_member(ann, contest)
    with pytest.raises(NotAllowedError):
        agree_to_publish(team, agrees=True, by=bob)
    for captain, wishes in ((ann, (True,)), (bob, (True, False))):
        for agrees in wishes:
            agree_to_publish(access.need_member(captain, contest), agrees=agrees, by=captain)
    address = reverse("archive", args=[contest.slug])
    assert Client().get(address).status_code == 404
    make_archive(contest, by=referee)
    html = pages.check_page(Client().get(address))
    assert html.count("/archive/files/") == PublicFile.objects.count() == 1
    file = PublicFile.objects.select_related("blob", "team").get()
    assert (file.team.name, file.blob.area) == ("Alpha", "published")
    got = Client().get(reverse("archive_file", args=[contest.slug, file.pk]))
    assert got["Content-Disposition"].startswith("attachment")
    assert hashlib.sha256(b"".join(got.streaming_content)).hexdigest() == file.blob.sha256  # type: ignore[attr-defined]
    # What was said stays said, whatever happens to the tables.
    Rescore.objects.all().delete()
    contest.teams.filter(name="Beta").update(name="Renamed")
    assert "Renamed" not in Client().get(address).content.decode().split("</nav>", 2)[2]
    document = Client().get(reverse("archive_json", args=[contest.slug])).json()
    assert [one["kind"] for one in document["rounds"]] == ["final"]
    with pytest.raises(NotNowError):
        agree_to_publish(team, agrees=False, by=ann)
    remove_archive(Contest.objects.get(pk=contest.pk), by=referee, reason="a team asked")
    assert Client().get(address).status_code == 404
    assert last_action(contest) == "archive.remove"
