"""The API: tokens and scopes, taking part, refereeing, results, and the one form of refusals."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from allauth.mfa.models import Authenticator
from django.conf import LazySettings
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.arena import world
from tests.arena.pages import add_second_factor
from tests.arena.pending import run_pending
from tests.arena.played import evaluate
from tokumei_arena import teams
from tokumei_arena.models import ApiToken, Blob, Contest, DataFile, Person, Submission, Target
from tokumei_arena.records.storage import put_bytes
from tokumei_arena.teams import links
from tokumei_arena.work import feedback

pytestmark = pytest.mark.django_db
EVERYTHING = ("read", "submit", "attack")


@pytest.fixture(autouse=True)
def _nothing_counted_before() -> None:
    for name in ("default", "pages"):
        caches[name].clear()


class Caller:
    """A program of a person."""

    def __init__(self, person: Person, *scopes: str, language: str = "en") -> None:
        wanted = scopes or (*EVERYTHING, *(("referee",) if person.is_referee else ()))
        if person.is_referee and not teams.has_second_factor(person):
            add_second_factor(person)
        self.token, text = links.make_token(person, name="test", scopes=wanted, lasts=timedelta(days=1))
        self.headers = {"Authorization": f"Bearer {text}", "Accept-Language": language}

    def get(self, path: str, status: int = 200, **query: str) -> Any:
        """Read a document."""
        return self._read(Client().get(f"/api/v1{path}", query, headers=self.headers), status)

    def post(self, path: str, body: dict[str, Any] | None = None, status: int = 200) -> Any:
        """Send a document."""
        sent = Client().post(f"/api/v1{path}", json.dumps(body or {}), "application/json", headers=self.headers)
        return self._read(sent, status)

    def upload(self, path: str, data: bytes, status: int = 201, *, key: str = "", name: str = "A.csv") -> Any:
        """Send a file."""
        headers = {**self.headers, **({"Idempotency-Key": key} if key else {})}
        form = {"file": SimpleUploadedFile(name, data), "note": "mine"}
        return self._read(Client().post(f"/api/v1{path}", form, headers=headers), status)

    def bytes(self, url: str) -> bytes:
        """Download."""
        response: Any = Client().get(url, headers=self.headers)
        assert response.status_code == 200
        assert response.headers["Content-Disposition"].startswith("attachment")
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        return b"".join(response.streaming_content)

    @staticmethod
    def _read(response: Any, status: int) -> Any:
        assert response.status_code == status, response.content
        return response.json()


def _code(document: dict[str, Any]) -> str:
    assert set(document) == {"error"}
    assert document["error"]["message"]
    return str(document["error"]["code"])


def test_every_operation_needs_a_token() -> None:
    schema = Client().get("/api/v1/openapi.json").json()
    public = ["/api/v1/log/heads"]
    operations = [(path, method) for path, listed in schema["paths"].items() for method in listed if path not in public]
    assert len(operations) > 30
    for path, method in operations:
        assert schema["paths"][path][method]["security"] == [{"TokenAuth": []}], path
        address = path.replace("{slug}", "cup-1").replace("{kind}", "final").replace("{phase}", "attack")
        for name in ("number", "file"):
            address = address.replace(f"{{{name}}}", str(uuid4()))
        response = getattr(Client(), method)(address)
        assert response.status_code == 401, path
        assert response.headers["WWW-Authenticate"] == "Bearer"
        assert _code(response.json()) == "no-token"


def test_cookies_unknown_expired_and_closed_accounts_tokens_are_not_accepted() -> None:
    person = world.make_person("Ann")
    browser = Client()
    browser.force_login(person)
    assert browser.get("/api/v1/me").status_code == 401
    caller = Caller(person)
    assert caller.get("/me")["name"] == "Ann"
    assert Client().get("/api/v1/me", headers={"Authorization": "Bearer nonsense"}).status_code == 401
    assert Client().get("/api/v1/me", headers={"Authorization": "Basic eDp5"}).status_code == 401
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert _code(caller.get("/me", 401)) == "no-token"
    ApiToken.objects.update(expires_at=None)
    Person.objects.update(is_active=False)
    assert _code(caller.get("/me", 401)) == "no-token"


def test_a_token_does_what_its_scopes_say() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    reader = Caller(captain, "read")
    place = "/contests/cup-1/rounds/final"
    assert _code(reader.upload(f"{place}/submissions", world.GOOD_A, 403)) == "scope"
    assert _code(Caller(captain, "submit").get("/me", 403)) == "scope"
    assert _code(reader.upload(f"{place}/targets/{uuid4()}/guesses", b"x", 403)) == "scope"
    assert _code(reader.get("/contests/cup-1/queue", 403)) == "scope"
    # Who is no referee any more gets nowhere with an old token.
    referee = world.make_person("Ref", referee=True)
    caller = Caller(referee)
    caller.get("/contests/cup-1/queue")
    Person.objects.filter(pk=referee.pk).update(is_referee=False)
    assert _code(caller.get("/contests/cup-1/queue", 403)) == "not-referee"
    assert ApiToken.objects.get(person=referee).last_used_at is not None


def test_a_referee_without_the_scope_sees_what_everybody_sees() -> None:
    world.make_contest(is_open=False)
    contest = world.make_contest("registration", needs_approval=False, terms="")
    _team, captain = world.make_team(contest, "Alpha")
    world.move_to(contest.rounds.get(), "anonymize")
    release = world.hand_in(captain, contest.rounds.get())
    world.move_to(contest.rounds.get(), "registration")
    person = world.make_person("Ref", referee=True)
    reader, referee = Caller(person, *EVERYTHING), Caller(person)
    assert (len(reader.get("/contests")), len(referee.get("/contests"))) == (1, 2)
    assert (reader.get("/me")["referee"], referee.get("/me")["referee"]) == (False, True)
    assert reader.get("/contests/cup-2/submissions") == []
    assert [one["id"] for one in referee.get("/contests/cup-2/submissions")] == [str(release.pk)]
    assert _code(reader.get("/contests/cup-2/rounds/final/matrix", 409)) == "not-published"
    assert _code(reader.post("/contests/cup-2/teams", {"name": "Spies"}, 403)) == "referee-in-team"


def test_a_referee_without_a_second_factor_gets_nowhere() -> None:
    world.make_contest()
    person = world.make_person("Ref", referee=True)
    referee = Caller(person)
    referee.get("/contests/cup-1/queue")
    Authenticator.objects.filter(user=person).delete()
    for path in ("/contests/cup-1/queue", "/contests"):
        assert referee.get(path, 403)["error"] == {
            "code": "second-factor",
            "message": "referees need a second factor; set one up first",
        }


def test_nobody_sees_what_is_not_for_them() -> None:
    world.make_contest(is_open=False)
    stranger = Caller(world.make_person("Stranger"))
    assert stranger.get("/contests") == []
    missing = {"error": {"code": "not-found", "message": "there is nothing here that you may see"}}
    assert stranger.get("/contests/cup-1", 404) == missing
    assert stranger.get("/contests/cup-1/rounds/final/board", 404) == missing
    assert _code(stranger.get("/nothing/here", 404)) == "not-found"
    contest = world.make_contest()
    _alpha, captain = world.make_team(contest, "Alpha")
    _beta, other = world.make_team(contest, "Beta")
    release = world.hand_in(captain, contest.rounds.get())
    assert Caller(captain).get(f"/contests/cup-2/submissions/{release.pk}")["team"] == "Alpha"
    assert Caller(other).get(f"/contests/cup-2/submissions/{release.pk}", 404) == missing
    assert Caller(other).get("/contests/cup-2/submissions") == []


def test_contest_tells_rounds_phases_files_and_own_team() -> None:
    contest = world.make_contest("attack", kinds=("preliminary", "final"))
    _team, captain = world.make_team(contest, "Alpha")
    found = Caller(captain, language="ja").get("/contests/cup-1")
    assert [one["kind"] for one in found["rounds"]] == ["preliminary", "final"]
    assert {one["phase"] for one in found["rounds"]} == {"attack"}
    assert [one["kind"] for one in found["rounds"][0]["phases"] if one["on"]] == ["attack"]
    assert found["release_files"] == [{"name": "A", "about": "匿名加工した履歴（Tと同じ行順）", "optional": False}]
    assert found["membership"]["team"]["name"] == "Alpha"
    assert found["membership"]["role"] == "captain"


@pytest.mark.half_second
@pytest.mark.database
def test_a_submission_from_upload_to_figures() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    caller = Caller(captain)
    place = "/contests/cup-1/rounds/final"
    (data,) = caller.get(f"{place}/data")
    assert (data["name"], caller.bytes(data["url"])) == ("T.csv", world.T)
    first = caller.upload(f"{place}/submissions", world.GOOD_A, key="k1")
    again = caller.upload(f"{place}/submissions", b"other bytes", key="k1")
    assert first["id"] == again["id"]
    assert (first["state"], first["verdict"], first["note"], first["size"]) == ("queued", "", "mine", len(world.GOOD_A))
    broken = caller.upload(f"{place}/submissions", world.GOOD_A.replace(b"2011/", b"2011-", 1))
    assert run_pending() == 2
    found = caller.get(f"/contests/cup-1/submissions/{first['id']}")
    assert (found["state"], found["verdict"], found["findings"]) == ("done", "valid", [])
    assert found["figures"]["U"] == 0.0
    assert caller.bytes(f"/api/v1/contests/cup-1/submissions/{first['id']}/file") == world.GOOD_A
    chosen = caller.post(f"/contests/cup-1/submissions/{first['id']}/choose")
    assert chosen["chosen"]
    assert _code(caller.post(f"/contests/cup-1/submissions/{broken['id']}/choose", status=400)) == "not-valid"
    finding = caller.get(f"/contests/cup-1/submissions/{broken['id']}")["findings"][0]
    assert finding["line"] == 1
    japanese = Caller(captain, language="ja").get(f"/contests/cup-1/submissions/{broken['id']}")["findings"][0]
    assert japanese["message"] != finding["message"]
    listed = caller.get("/contests/cup-1/submissions", round="final", kind="release")
    assert [one["verdict"] for one in listed] == ["invalid", "valid"]
    assert caller.get("/contests/cup-1/submissions", kind="guesses") == []


@pytest.mark.half_second
def test_figures_follow_the_feedback_policy() -> None:
    contest = world.make_contest(kinds=("final",))
    contest.rounds.update(release_feedback="none")
    _team, captain = world.make_team(contest, "Alpha")
    release = world.hand_in(captain, contest.rounds.get())
    evaluate()
    assert Caller(captain).get(f"/contests/cup-1/submissions/{release.pk}")["figures"] == {}
    referee = Caller(world.make_person("Ref", referee=True))
    assert referee.get(f"/contests/cup-1/submissions/{release.pk}")["figures"]["U"] == 0.0
    assert feedback.feedback_policy(contest.rounds.get(), "release") == "none"


def _attacked() -> tuple[Contest, Caller, Caller]:
    contest = world.make_contest()
    captains = [world.make_team(contest, name)[1] for name in ("Alpha", "Beta")]
    for captain in captains:
        world.hand_in(captain, contest.rounds.get())
    evaluate()
    world.move_to(contest.rounds.get(), "attack")
    evaluate()
    alpha, beta = (Caller(captain) for captain in captains)
    return contest, alpha, beta


@pytest.mark.half_second
def test_pages_and_api_give_a_file_the_same_name() -> None:
    contest, alpha, _beta = _attacked()
    round_, person = contest.rounds.get(), alpha.token.person
    own = DataFile.objects.create(
        round=round_, team=person.memberships.get().team, name="R", blob=put_bytes(Blob.Area.DATA, "R.csv", b"1\n")
    )
    common = DataFile.objects.get(round=round_, team=None)
    target = Target.objects.get(team__name="Beta")
    Target.objects.filter(pk=target.pk).update(alias="Quartz 2")
    published = target.files.get(name="A1")
    names = {
        str(common.pk): (reverse("data_file", args=["cup-1", "final", common.pk]), "T.csv"),
        str(own.pk): (reverse("data_file", args=["cup-1", "final", own.pk]), "R-team1.csv"),
        str(published.pk): (
            reverse("target_file", args=["cup-1", "final", target.pk, published.pk]),
            "Quartz-2-A1.csv",
        ),
    }
    place = "/contests/cup-1/rounds/final"
    listed = [*alpha.get(f"{place}/data"), *alpha.get(f"{place}/targets/{target.pk}")["files"]]
    assert {file["id"] for file in listed} == set(names)
    browser = Client()
    browser.force_login(person)
    for file in listed:
        page, name = names[file["id"]]
        assert file["name"] == name
        for answer in (browser.get(page), Client().get(file["url"], headers=alpha.headers)):
            assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
            assert b"".join(answer.streaming_content)  # type: ignore[attr-defined]


@pytest.mark.half_second
@pytest.mark.database
def test_attacks_and_results() -> None:
    contest, alpha, beta = _attacked()
    place = "/contests/cup-1/rounds/final"
    (target,) = alpha.get(f"{place}/targets")
    own = Target.objects.get(team__name="Alpha")
    assert target["id"] != str(own.pk)
    assert (target["state"], target["tries_left"]) == ("done", 1)
    (file,) = alpha.get(f"{place}/targets/{target['id']}")["files"]
    assert file["name"] == f"{target['alias'].replace(' ', '-')}-A1.csv"
    assert alpha.bytes(file["url"]).splitlines() == sorted(world.GOOD_A.splitlines())
    assert _code(alpha.get(f"{place}/targets/{own.pk}", 404)) == "not-found"
    assert _code(alpha.upload(f"{place}/targets/{own.pk}/guesses", b"1,1\n", 404)) == "not-found"
    made = alpha.upload(f"{place}/targets/{target['id']}/guesses", world.guesses(), name="F1.csv")
    assert evaluate() == 1
    found = alpha.get(f"/contests/cup-1/submissions/{made['id']}")
    assert (found["verdict"], found["target"], found["figures"]) == ("valid", target["alias"], {})
    assert _code(alpha.upload(f"{place}/targets/{target['id']}/guesses", b"1,1\n", 429)) == "no-tries-left"
    assert _code(alpha.get(f"{place}/matrix", 409)) == "not-published"
    assert _code(alpha.get("/contests/cup-1/overall", 409)) == "not-published"
    assert [one["name"] for one in alpha.get(f"{place}/board")["tables"]] == ["utility"]
    world.move_to(contest.rounds.get(), "published")
    board = beta.get(f"{place}/board")
    utility, anonymizers, attackers = board["tables"]
    assert board["complete"]
    assert [(row["team"], row["figures"]["U"]) for row in utility["rows"]] == [("Alpha", 0.0), ("Beta", 0.0)]
    assert [(row["team"], row["rank"], row["own"]) for row in anonymizers["rows"]] == [
        ("Alpha", 1, False),
        ("Beta", None, True),
    ]
    assert attackers["rows"][0]["team"] == "Alpha"
    assert attackers["rows"][0]["figures"]["hits"] == 8
    assert "Lowest U" in anonymizers["rule"]
    (cell,) = beta.get(f"{place}/matrix")["cells"]
    assert (cell["owner"], cell["attacker"], cell["figures"]["unsafe"]) == ("Beta", "Alpha", True)
    overall = beta.get("/contests/cup-1/overall")["tables"]
    assert [row["team"] for row in overall[0]["rows"]] == ["Alpha", "Beta"]


def test_teams_are_made_joined_and_approved() -> None:
    contest = world.make_contest("registration")
    ann, bob, referee = (Caller(world.make_person(name, referee=name == "Ref")) for name in ("Ann", "Bob", "Ref"))
    refused = ann.post("/contests/cup-1/teams", {"name": "Alpha"}, 400)
    assert _code(refused) == "terms-not-accepted"
    made = ann.post("/contests/cup-1/teams", {"name": "Alpha", "accept_terms": True}, 201)
    assert (made["role"], made["team"]["approved"], made["terms_accepted"]) == ("captain", False, True)
    token = ann.post("/contests/cup-1/team/invitations", {"role": "member"}, 201)["token"]
    joined = bob.post("/join", {"token": token}, 201)
    assert (joined["team"]["name"], joined["role"], joined["terms_accepted"]) == ("Alpha", "member", False)
    assert _code(Caller(world.make_person("Cid")).post("/join", {"token": token}, 400)) == "link-used"
    assert bob.post("/contests/cup-1/terms")["terms_accepted"]
    (listed,) = referee.get("/contests/cup-1/teams")
    assert referee.post(f"/contests/cup-1/teams/{listed['id']}/approve")["approved"]
    gone = referee.post(f"/contests/cup-1/teams/{listed['id']}/disqualify", {"reason": "two accounts"})
    assert gone["disqualified"]
    assert ann.get("/contests/cup-1/team")["team"]["approved"]
    assert _code(Caller(world.make_person("Dan")).get("/contests/cup-1/team", 404)) == "not-found"
    assert contest.teams.get().memberships.count() == 2


def _plan(**fields: Any) -> dict[str, Any]:
    now = timezone.now()
    kinds = ("registration", "anonymize", "attack", "scoring", "published")
    starts = {kind: (now + timedelta(hours=i) - timedelta(minutes=1)).isoformat() for i, kind in enumerate(kinds)}
    rounds = [{"kind": "final", "weight": "1", "starts": starts, "attack_limit": 2}]
    return {"name": "Spring Cup", "rule_set": "pws2018", "rounds": rounds, "open": True, **fields}


@pytest.mark.half_second
def test_a_referee_makes_a_contest_and_moves_its_phases() -> None:
    referee = Caller(world.make_person("Ref", referee=True))
    made = referee.post("/contests", _plan(), 201)
    assert (made["slug"], made["open"], made["rounds"][0]["phase"]) == ("spring-cup", True, "registration")
    assert made["rounds"][0]["attack_limit"] == 2
    assert _code(referee.post("/contests", _plan(rule_set="pws1999"), 400)) == "rule-set"
    place = "/contests/spring-cup/rounds/final"
    generated = referee.post(f"{place}/data/generate", {"subjects": 20}, 201)
    assert generated["figures"]["customers"] == 20
    replaced = referee.upload(f"{place}/data", world.T, name="T.csv")
    assert replaced["figures"]["rows"] == 24
    refused = referee.upload(f"{place}/data", b"no,data\n", 400)
    assert _code(refused) == "data-refused"
    assert refused["error"]["findings"][0]["message"]
    assert _code(referee.post(f"{place}/phases/registration/close", {"reason": " "}, 400)) == "reason-missing"
    assert referee.post(f"{place}/phases/registration/close", {"reason": "all here"})["phase"] == "anonymize"
    until = timezone.now() + timedelta(days=2)
    body = {"until": until.isoformat(), "reason": "more time"}
    extended = referee.post(f"{place}/phases/anonymize/extend", body)
    (anonymize,) = (one for one in extended["phases"] if one["on"])
    assert anonymize["ends_at"][:16] == until.isoformat()[:16]
    assert referee.get("/contests/spring-cup/queue")["submissions"] == {
        "queued": 0,
        "running": 0,
        "done": 0,
        "failed": 0,
    }
    assert referee.post("/contests/spring-cup/hide")["open"] is False
    assert referee.post("/contests/spring-cup/open")["open"] is True


def test_announcements_questions_and_answers() -> None:
    contest = world.make_contest()
    _alpha, captain = world.make_team(contest, "Alpha")
    _beta, other = world.make_team(contest, "Beta")
    referee, ann, bob = Caller(world.make_person("Ref", referee=True)), Caller(captain), Caller(other)
    referee.post("/contests/cup-1/announcements", {"title": "Hello", "body": "World"}, 201)
    assert [one["title"] for one in ann.get("/contests/cup-1/announcements")] == ["Hello"]
    asked = ann.post("/contests/cup-1/questions", {"question": "Why?"}, 201)
    assert (asked["own"], asked["answer"]) == (True, "")
    assert bob.get("/contests/cup-1/questions") == []
    answer = {"answer": "Because.", "for_everybody": True}
    referee.post(f"/contests/cup-1/questions/{asked['id']}/answer", answer)
    assert [(one["answer"], one["own"]) for one in bob.get("/contests/cup-1/questions")] == [("Because.", False)]


def test_refusals_have_one_form(settings: LazySettings) -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    caller, place = Caller(captain), "/contests/cup-1/rounds/final"
    response = Client().post(f"/api/v1{place}/submissions", {"note": "x"}, headers=caller.headers)
    assert (response.status_code, _code(response.json())) == (422, "bad-field")
    assert _code(caller.post("/contests/cup-1/questions", {"question": 7}, 422)) == "bad-field"
    broken = Client().post("/api/v1/join", "{", "application/json", headers=caller.headers)
    assert (broken.status_code, _code(broken.json())) == (400, "bad-request")
    wrong = Client().delete("/api/v1/me", headers=caller.headers)
    assert (wrong.status_code, wrong.headers["Allow"], _code(wrong.json())) == (405, "GET", "bad-method")
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "upload_bytes": 10}
    assert _code(caller.upload(f"{place}/submissions", world.GOOD_A, 413)) == "too-large"
    world.move_to(contest.rounds.get(), "attack")
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "upload_bytes": 10_000_000}
    refused = Caller(captain, language="ja").upload(f"{place}/submissions", world.GOOD_A, 409)
    assert _code(refused) == "phase-over"
    assert Submission.objects.count() == 0


def test_a_failure_of_ours_shows_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    world.make_contest()
    caller = Caller(world.make_person("Ann"))

    def broken(*_: object) -> None:
        message = "a secret detail"
        raise RuntimeError(message)

    monkeypatch.setattr("tokumei_arena.api.show.contest_document", broken)
    found = caller.get("/contests", 500)
    assert found == {"error": {"code": "internal", "message": "the server failed; your data is safe, try again later"}}


def test_a_program_that_calls_too_often_is_slowed_down(settings: LazySettings) -> None:
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "api_per_minute": 3}
    caller = Caller(world.make_person("Ann"))
    answers = [Client().get("/api/v1/me", headers=caller.headers) for _ in range(5)]
    # A minute may end in between, but not twice.
    assert [answer.status_code for answer in answers].count(429) in (1, 2)
    assert _code(answers[-1].json()) == "rate-limit" or answers[-1].status_code == 200
