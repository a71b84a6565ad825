"""Teams: made in registration, joined by invitation, led by captains, approved by referees."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from tests.arena import world
from tests.arena.pages import add_second_factor, check_page, links_in, text_of
from tokumei_arena import access, teams
from tokumei_arena.errors import ArenaError, NotAllowedError, NotNowError, RefusedError, TooManyError
from tokumei_arena.models import Contest, LogEntry, Membership, Message, OneTimeLink, Person, Phase, Team
from tokumei_arena.records import logbook
from tokumei_arena.teams import links
from tokumei_arena.teams.membership import open_invitations

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _without_mail_server(settings: LazySettings) -> None:
    """Keep mails for the desk, and let no try of another test count."""
    settings.EMAIL_BACKEND = "tokumei_arena.teams.mail.DeskBackend"
    cache.clear()


def _join(team: Team, captain: Person, name: str, role: str = "member") -> Membership:
    token = teams.invite(team, captain, role)
    return teams.accept_invitation(token, world.make_person(name), terms_accepted=True)


def _member_of(team: Team, person: Person) -> Membership:
    return Membership.objects.get(team=team, person=person)


def _log(action: str) -> LogEntry:
    return LogEntry.objects.get(action=action)


# Making teams


def test_a_team_is_made_through_its_page(client: Client) -> None:
    contest = world.make_contest("registration")
    client.force_login(world.make_person("Hanako"))
    path = f"/c/{contest.slug}/teams/new/"
    assert "Be fair." in check_page(client.get(path))
    page = check_page(client.post(path, {"name": "Alpha"}))
    assert "This field is required." in page
    assert not Team.objects.exists()
    made = client.post(path, {"name": "  Alpha \u200b  One ", "affiliation": "Univ", "terms": "on"})
    assert made["Location"] == f"/c/{contest.slug}/team/"
    team = Team.objects.get()
    assert (team.name, team.affiliation, team.number, team.approved_at) == ("Alpha One", "Univ", 1, None)
    membership = Membership.objects.get()
    assert (membership.role, membership.terms_accepted_at is None) == ("captain", False)
    page = text_of(check_page(client.get(f"/c/{contest.slug}/team/")))
    assert "A referee has not approved this team yet." in page
    assert client.get(path)["Location"] == f"/c/{contest.slug}/team/"
    assert _log("team.make").detail == {"number": 1}


def test_teams_are_made_while_registration_is_open_even_beside_another_phase() -> None:
    contest = world.make_contest("anonymize")
    with pytest.raises(NotNowError, match="teams can be made only while registration is open"):
        teams.create_team(world.make_person("Hanako"), contest, name="Alpha", terms_accepted=True)
    until = timezone.now() + timedelta(hours=1)
    Phase.objects.filter(round__contest=contest, kind="registration").update(ends_at=until)
    on = contest.rounds.get().current_phase()
    assert on is not None
    assert on.kind == "anonymize"
    assert teams.create_team(Person.objects.get(), contest, name="Alpha", terms_accepted=True).number == 1


def test_no_approval_and_no_terms_make_a_team_ready_at_once() -> None:
    contest = world.make_contest("registration", needs_approval=False, terms="")
    hanako = world.make_person("Hanako")
    team = teams.create_team(hanako, contest, name="Alpha")
    assert team.approved_at is not None
    assert access.need_member(hanako, contest) == team


@pytest.mark.database
@pytest.mark.parametrize("name", ["alpha", "ALPHA", " Al\u00adpha ", "Ａlpha"])
def test_names_of_teams_differ_by_more_than_their_case(name: str) -> None:
    contest = world.make_contest("registration")
    world.make_team(contest, "Alpha")
    hanako = world.make_person("Hanako")
    with pytest.raises(RefusedError, match="another team has this name; choose a different one"):
        teams.create_team(hanako, contest, name=name, terms_accepted=True)
    with pytest.raises(RefusedError, match="give the team a name"):
        teams.create_team(hanako, contest, name=" \u200b ", terms_accepted=True)


@pytest.mark.database
def test_nobody_is_in_two_teams_and_referees_are_in_none() -> None:
    contest = world.make_contest("registration")
    _team, captain = world.make_team(contest, "Alpha")
    with pytest.raises(NotAllowedError, match="you are in a team of this contest already"):
        teams.create_team(captain, contest, name="Beta", terms_accepted=True)
    with pytest.raises(NotAllowedError, match="referees see everything and cannot be in a team"):
        teams.create_team(world.make_person("Ref", referee=True), contest, name="Beta", terms_accepted=True)
    with pytest.raises(RefusedError, match="accept the terms of this contest first"):
        teams.create_team(world.make_person("Hanako"), contest, name="Beta")


# Invitations


def test_an_invitation_is_shown_once_sent_and_accepted_once(client: Client) -> None:
    contest = world.make_contest("registration")
    team, captain = world.make_team(contest, "Alpha & <Co>")
    client.force_login(captain)
    form = {"role": "adviser", "email": "taro@example.org"}
    page = check_page(client.post(f"/c/{contest.slug}/team/invite/", form))
    found = re.search(r'id="new-link">http://testserver(/join/[^<]+/)<', page)
    assert found
    assert found[1] not in check_page(client.get(f"/c/{contest.slug}/team/"))
    message = Message.objects.get()
    assert (message.to, message.subject) == ("taro@example.org", "Invitation to the team “Alpha & <Co>”")
    assert links_in(message.body) == [found[1]]
    stranger = Client()
    page = check_page(stranger.get(found[1]))
    assert "Alpha &amp; &lt;Co&gt;" in page
    assert f"/accounts/login/?next={found[1]}" in page
    taro = world.make_person("Taro")
    stranger.force_login(taro)
    assert "This field is required." in check_page(stranger.post(found[1]))
    assert stranger.post(found[1], {"terms": "on"})["Location"] == f"/c/{contest.slug}/team/"
    membership = _member_of(team, taro)
    assert (membership.role, membership.terms_accepted_at is None) == ("adviser", False)
    other = Client()
    other.force_login(world.make_person("Jiro"))
    assert "This link was used before" in check_page(other.get(found[1]), 400)
    assert "This link was used before" in check_page(other.post(found[1], {"terms": "on"}), 400)
    assert _log("team.join").detail["person"] == str(taro.pk)
    assert "taro@example.org" not in str(list(LogEntry.objects.values()))


def test_invitations_expire_and_can_be_withdrawn(client: Client) -> None:
    team, captain = world.make_team(world.make_contest("registration"), "Alpha")
    hanako = world.make_person("Hanako")
    expired = teams.invite(team, captain)
    OneTimeLink.objects.update(expires_at=timezone.now())
    with pytest.raises(RefusedError, match="this link has expired; ask for a new one"):
        teams.accept_invitation(expired, hanako, terms_accepted=True)
    withdrawn = teams.invite(team, captain)
    (link,) = open_invitations(team)
    client.force_login(captain)
    client.post(f"/c/{team.contest.slug}/team/invitations/{link.pk}/revoke/")
    with pytest.raises(RefusedError, match="this link is not known"):
        teams.accept_invitation(withdrawn, hanako, terms_accepted=True)
    assert Membership.objects.count() == 1


def test_a_link_for_one_purpose_does_not_serve_another() -> None:
    team, captain = world.make_team(world.make_contest("registration"), "Alpha")
    with pytest.raises(RefusedError, match="this link is not known"):
        teams.become_referee(teams.invite(team, captain), email="a@example.org", name="A", password=world.PASSWORD)
    with pytest.raises(RefusedError, match="this link is not known"):
        teams.accept_invitation(teams.make_referee_link(), world.make_person("Hanako"))


@pytest.mark.database
def test_of_two_who_open_an_invitation_at_once_one_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    team, captain = world.make_team(world.make_contest("registration"), "Alpha")
    token = teams.invite(team, captain)
    seen = links.find_link(token, OneTimeLink.Purpose.TEAM)
    teams.accept_invitation(token, world.make_person("First"))
    # The second had looked the link up before the first used it.
    monkeypatch.setattr(links, "find_link", lambda *_words: seen)
    with pytest.raises(RefusedError, match="this link was used before; ask for a new one"):
        teams.accept_invitation(token, world.make_person("Second"))
    assert Membership.objects.filter(team=team).count() == 2


def test_a_full_team_takes_nobody_and_the_link_stays_good() -> None:
    contest = world.make_contest("registration", team_size=2)
    team, captain = world.make_team(contest, "Alpha")
    spare = teams.invite(team, captain)
    _join(team, captain, "Hanako")
    with pytest.raises(TooManyError, match=r"the team is full \(largest team: 2\)"):
        teams.accept_invitation(spare, world.make_person("Taro"), terms_accepted=True)
    with pytest.raises(TooManyError, match="the team is full"):
        teams.invite(team, captain)
    teams.remove_member(Membership.objects.get(person__name="Hanako"), by=captain)
    assert teams.accept_invitation(spare, Person.objects.get(name="Taro")).team == team


def test_who_joins_without_accepting_the_terms_is_asked_later(client: Client) -> None:
    contest = world.make_contest()
    team, captain = world.make_team(contest, "Alpha")
    hanako = world.make_person("Hanako")
    teams.accept_invitation(teams.invite(team, captain), hanako)
    with pytest.raises(NotAllowedError, match="accept the terms of this contest first"):
        access.need_member(hanako, contest)
    client.force_login(hanako)
    path = f"/c/{contest.slug}/terms/"
    assert path in check_page(client.get(f"/c/{contest.slug}/team/"))
    assert "This field is required." in check_page(client.post(path))
    client.post(path, {"terms": "on"})
    assert access.need_member(hanako, contest) == team
    assert "You accepted the terms" in check_page(client.get(path))
    with pytest.raises(NotAllowedError, match="you are in no team of this contest"):
        teams.accept_terms(world.make_person("Taro"), contest)


# Roles, leaving, removing


def test_the_last_captain_cannot_go_without_a_successor(client: Client) -> None:
    contest = world.make_contest()
    team, captain = world.make_team(contest, "Alpha")
    member = _join(team, captain, "Hanako")
    own = _member_of(team, captain)
    sentence = "a team needs a captain: make somebody else captain first"
    refused: list[Callable[[], None]] = [
        lambda: teams.leave_team(own),
        lambda: teams.change_role(own, "member", by=captain),
        lambda: teams.remove_member(own, by=captain),
    ]
    for act in refused:
        with pytest.raises(RefusedError, match=sentence):
            act()
    client.force_login(captain)
    page = client.post(f"/c/{contest.slug}/team/leave/", follow=True)
    assert "A team needs a captain" in text_of(check_page(page)).replace("a team", "A team")
    client.post(f"/c/{contest.slug}/team/members/{member.pk}/role/", {"role": "captain"})
    assert client.post(f"/c/{contest.slug}/team/leave/")["Location"] == "/"
    assert [one.person.name for one in team.memberships.all()] == ["Hanako"]
    assert _log("team.role").detail == {"person": str(member.person_id), "before": "member", "after": "captain"}


@pytest.mark.database
def test_a_team_nobody_is_left_in_is_dissolved_unless_it_handed_something_in() -> None:
    contest = world.make_contest()
    alpha, captain = world.make_team(contest, "Alpha")
    teams.leave_team(_member_of(alpha, captain))
    assert not Team.objects.exists()
    assert _log("team.dissolve").object_id == str(alpha.pk)
    beta, captain = world.make_team(contest, "Beta")
    world.hand_in(captain, contest.rounds.get())
    with pytest.raises(RefusedError, match="a team needs a captain"):
        teams.leave_team(_member_of(beta, captain))


def test_nobody_carries_data_from_one_team_to_another() -> None:
    contest = world.make_contest("registration")
    team, captain = world.make_team(contest, "Alpha")
    other, leader = world.make_team(contest, "Beta")
    early, late = _join(team, captain, "Early"), _join(team, captain, "Late")
    teams.leave_team(early)
    assert teams.accept_invitation(teams.invite(other, leader), early.person).team == other
    world.move_to(contest.rounds.get(), "anonymize")
    teams.remove_member(late, by=captain)
    with pytest.raises(NotAllowedError, match="you left a team after the data was handed out"):
        teams.accept_invitation(teams.invite(other, leader), late.person)


@pytest.mark.parametrize("role", ["member", "adviser", "stranger", "other captain"])
def test_only_captains_of_the_team_lead_it(client: Client, role: str) -> None:
    contest = world.make_contest("registration")
    team, captain = world.make_team(contest, "Alpha")
    _other, leader = world.make_team(contest, "Beta")
    if role == "stranger":
        person = world.make_person("Taro")
    else:
        person = leader if role == "other captain" else _join(team, captain, "Taro", role).person
    own = _member_of(team, captain)
    teams.invite(team, captain)
    (link,) = open_invitations(team)
    acts: list[Callable[[], object]] = [
        lambda: teams.invite(team, person),
        lambda: teams.revoke_invitation(link, by=person),
        lambda: teams.change_role(own, "captain", by=person),
        lambda: teams.remove_member(own, by=person),
        lambda: teams.edit_team(team, by=person, name="Gamma", affiliation=""),
    ]
    for act in acts:
        with pytest.raises(NotAllowedError, match="only captains of the team may do this"):
            act()
    # On the pages, the team of the address is always the own one: others are not found.
    client.force_login(person)
    base = f"/c/{contest.slug}/team/"
    for path in (f"members/{own.pk}/remove/", f"members/{own.pk}/role/", f"invitations/{link.pk}/revoke/"):
        assert client.post(base + path, {"role": "member"}).status_code == (
            302 if role in ("member", "adviser") else 404
        )
    assert _member_of(team, captain).role == "captain"
    assert open_invitations(team) == [link]


def test_names_change_in_registration_only(client: Client) -> None:
    contest = world.make_contest("registration")
    team, captain = world.make_team(contest, "Alpha")
    world.make_team(contest, "Beta")
    client.force_login(captain)
    path = f"/c/{contest.slug}/team/edit/"
    client.post(path, {"name": "Gamma", "affiliation": "Univ"})
    team.refresh_from_db()
    assert (team.name, team.affiliation) == ("Gamma", "Univ")
    assert "another team has this name" in check_page(client.post(path, {"name": "beta"}), 400)
    world.move_to(contest.rounds.get(), "anonymize")
    page = check_page(client.post(path, {"name": "Delta"}), 409)
    assert "the name can be changed only while registration is open" in page
    client.post(path, {"name": "Gamma", "affiliation": "Company"})
    team.refresh_from_db()
    assert (team.name, team.affiliation) == ("Gamma", "Company")


# Referees


def test_referees_approve_and_disqualify_with_a_reason() -> None:
    contest = world.make_contest()
    team, captain = world.make_team(contest, "Alpha", approved=False)
    referee = world.make_person("Ref", referee=True)
    acts: list[Callable[[], None]] = [
        lambda: teams.approve(team, captain),
        lambda: teams.disqualify(team, captain, "x"),
        lambda: teams.reinstate(team, captain, "x"),
    ]
    for act in acts:
        with pytest.raises(NotAllowedError, match="only referees may do this"):
            act()
    teams.approve(team, referee)
    teams.approve(team, referee)
    assert access.need_member(captain, contest) == team
    with pytest.raises(RefusedError, match="say why"):
        teams.disqualify(team, referee, " ")
    teams.disqualify(team, referee, "copied data")
    with pytest.raises(ArenaError, match="your team is disqualified"):
        world.hand_in(captain, contest.rounds.get())
    teams.reinstate(team, referee, "a mistake")
    team.refresh_from_db()
    assert (team.disqualified_at, team.disqualified_for) == (None, "")
    actions = [entry.action for entry in LogEntry.objects.all()]
    assert actions == ["team.approve", "team.disqualify", "team.reinstate"]
    assert logbook.verify() is None


def test_a_disqualified_team_reads_why(client: Client) -> None:
    contest = world.make_contest()
    team, captain = world.make_team(contest, "Alpha")
    teams.disqualify(team, world.make_person("Ref", referee=True), "copied <data>")
    client.force_login(captain)
    assert "copied &lt;data&gt;" in check_page(client.get(f"/c/{contest.slug}/team/"))


# Who sees which page


def _pages(contest: Contest) -> list[str]:
    return [f"/c/{contest.slug}/{page}" for page in ("team/", "terms/", "teams/new/")]


def test_team_pages_need_an_account_and_a_visible_contest(client: Client) -> None:
    contest = world.make_contest("registration")
    hidden = world.make_contest("registration", is_open=False)
    assert client.get(f"/c/{contest.slug}/team/")["Location"].startswith("/accounts/login/?next=")
    assert client.get(f"/c/{contest.slug}/teams/new/")["Location"].startswith("/accounts/login/?next=")
    assert "Be fair." in check_page(client.get(f"/c/{contest.slug}/terms/"))
    client.force_login(world.make_person("Hanako"))
    for path in _pages(contest):
        check_page(client.get(path))
    for path in _pages(hidden):
        check_page(client.get(path), 404)
    assert client.get(f"/c/{contest.slug}/team/leave/").status_code == 405
    check_page(client.post(f"/c/{contest.slug}/team/leave/"), 404)


def test_pages_of_a_team_differ_by_role(client: Client) -> None:
    contest = world.make_contest("registration")
    team, captain = world.make_team(contest, "Alpha")
    member = _join(team, captain, "Hanako")
    path = f"/c/{contest.slug}/team/"
    client.force_login(captain)
    assert f"members/{member.pk}/remove/" in check_page(client.get(path))
    client.force_login(member.person)
    page = check_page(client.get(path))
    assert "Hanako" in page
    assert "/remove/" not in page
    assert "/invite/" not in page
    referee = world.make_person("Ref", referee=True)
    add_second_factor(referee)
    client.force_login(referee)
    assert "Referees see everything" in check_page(client.get(path))
    world.move_to(contest.rounds.get(), "attack")
    client.force_login(world.make_person("Late"))
    assert "Registration is closed" in check_page(client.get(f"/c/{contest.slug}/teams/new/"))


def test_a_contest_that_is_not_public_opens_to_those_who_join() -> None:
    contest = world.make_contest("registration", is_open=False)
    team, captain = world.make_team(contest, "Alpha")
    hanako = world.make_person("Hanako")
    assert not access.contests(hanako).exists()
    teams.accept_invitation(teams.invite(team, captain), hanako)
    assert access.contests(hanako).get() == contest
