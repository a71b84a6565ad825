"""What every kind of viewer may do at every address in every phase: all of it is listed here, or the test fails.

Letters stand for viewers: a anonymous, s signed in without a team, o captain of another team, and of the team that owns
the objects v an adviser, m a member, c the captain; r a referee. One text holds for all phases; six are for nothing
begun, registration, anonymize, attack, scoring, published.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.arena import walk, world
from tests.effort import EFFORT
from tokumei_arena.models import Contest

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

LETTERS = dict(zip("asovmcr", walk.ROLES, strict=True))
REASON = {"reason": "because"}

# Who is let in: neither refused, nor sent to sign in, nor told that there is nothing.
ACCESS: dict[str, str | tuple[str, ...]] = {
    "GET api/v1/openapi.json": "asovmcr",
    "POST api/v1/openapi.json": "asovmcr",
    "GET api/v1/contests/<slug>/rounds/<kind>/board": "sovmcr",
    "GET api/v1/contests/<slug>/rounds/<kind>/matrix": "sovmcr",
    "GET api/v1/contests/<slug>/overall": "sovmcr",
    "GET api/v1/log/heads": "asovmcr",
    "GET api/v1/me": "sovmcr",
    "GET api/v1/contests": "sovmcr",
    "POST api/v1/contests": "r",
    "GET api/v1/contests/<slug>": "sovmcr",
    "GET api/v1/contests/<slug>/announcements": "sovmcr",
    "POST api/v1/contests/<slug>/announcements": "r",
    "GET api/v1/contests/<slug>/questions": "sovmcr",
    "POST api/v1/contests/<slug>/questions": "ovmc",
    "GET api/v1/contests/<slug>/rounds/<kind>/data": "sovmcr",
    "POST api/v1/contests/<slug>/rounds/<kind>/data": "r",
    "GET api/v1/contests/<slug>/rounds/<kind>/data/<uuidstr:file>": ("r", "r", "vmcr", "vmcr", "vmcr", "vmcr"),
    "GET api/v1/contests/<slug>/submissions": "sovmcr",
    "POST api/v1/contests/<slug>/rounds/<kind>/submissions": "omc",
    "GET api/v1/contests/<slug>/submissions/<uuidstr:number>": "vmcr",
    "GET api/v1/contests/<slug>/submissions/<uuidstr:number>/file": "vmcr",
    "POST api/v1/contests/<slug>/submissions/<uuidstr:number>/choose": "c",
    "GET api/v1/contests/<slug>/rounds/<kind>/targets": "sovmcr",
    "GET api/v1/contests/<slug>/rounds/<kind>/targets/<uuidstr:number>": ("r", "r", "r", "or", "or", "or"),
    "GET api/v1/contests/<slug>/rounds/<kind>/targets/<uuidstr:number>/files/<uuidstr:file>": (
        "r",
        "r",
        "r",
        "or",
        "or",
        "or",
    ),
    "POST api/v1/contests/<slug>/rounds/<kind>/targets/<uuidstr:number>/guesses": ("", "", "", "o", "o", "o"),
    "GET api/v1/contests/<slug>/metrics": "sovmcr",
    "GET api/v1/contests/<slug>/rounds/<kind>/kit": "sovmcr",
    "GET api/v1/contests/<slug>/rounds/<kind>/all-targets": ("r", "r", "r", "or", "or", "or"),
    "POST api/v1/contests/<slug>/rounds/<kind>/answers": "ovmc",
    "POST api/v1/contests/<slug>/rounds/<kind>/check": "omc",
    "GET api/v1/contests/<slug>/rounds/<kind>/checks/<uuidstr:number>": "vmc",
    "POST api/v1/contests/<slug>/rounds/<kind>/targets/<uuidstr:number>/check": ("", "", "", "o", "o", "o"),
    "POST api/v1/contests/<slug>/open": "r",
    "POST api/v1/contests/<slug>/hide": "r",
    "POST api/v1/contests/<slug>/rounds/<kind>/phases/<phase>/extend": "r",
    "POST api/v1/contests/<slug>/rounds/<kind>/phases/<phase>/close": "r",
    "POST api/v1/contests/<slug>/rounds/<kind>/data/generate": "r",
    "GET api/v1/contests/<slug>/teams": "r",
    "POST api/v1/contests/<slug>/teams": "s",
    "POST api/v1/contests/<slug>/teams/<uuidstr:number>/approve": "r",
    "POST api/v1/contests/<slug>/teams/<uuidstr:number>/disqualify": "r",
    "GET api/v1/contests/<slug>/queue": "r",
    "POST api/v1/contests/<slug>/questions/<uuidstr:number>/answer": "r",
    "GET api/v1/contests/<slug>/team": "ovmc",
    "POST api/v1/contests/<slug>/team/invitations": "oc",
    "POST api/v1/join": "s",
    "POST api/v1/contests/<slug>/terms": "ovmc",
    "GET api/v1/": "",
    "POST api/v1/": "",
    "GET api/v1/<path:rest>": "",
    "POST api/v1/<path:rest>": "",
    "GET ": "asovmcr",
    "GET preferences/": "sovmcr",
    "POST preferences/": "sovmcr",
    "GET preferences/erase/": "sovmcr",
    "POST preferences/erase/": "sovmcr",
    "GET tokens/": "sovmcr",
    "POST tokens/": "sovmcr",
    "POST tokens/<uuid:pk>/revoke/": "c",
    "GET referee/<str:token>/": "asovmcr",
    "POST referee/<str:token>/": "asr",
    "GET log/": "asovmcr",
    "GET language/": "asovmcr",
    "POST language/": "asovmcr",
    "GET join/<str:token>/": "asovmcr",
    "POST join/<str:token>/": "as",
    "GET c/<slug:slug>/terms/": "asovmcr",
    "POST c/<slug:slug>/terms/": "asovmcr",
    "GET c/<slug:slug>/teams/new/": "sovmcr",
    "POST c/<slug:slug>/teams/new/": "sovmc",
    "GET c/<slug:slug>/team/": "sovmcr",
    "POST c/<slug:slug>/team/edit/": "oc",
    "POST c/<slug:slug>/team/invite/": "oc",
    "POST c/<slug:slug>/team/invitations/<uuid:pk>/revoke/": "vmc",
    "POST c/<slug:slug>/team/members/<uuid:pk>/role/": "vmc",
    "POST c/<slug:slug>/team/members/<uuid:pk>/remove/": "vmc",
    "POST c/<slug:slug>/team/leave/": "ovmc",
    "GET c/<slug:slug>/": "asovmcr",
    "GET c/<slug:slug>/metrics/": "asovmcr",
    "GET c/<slug:slug>/logo/": "asovmcr",
    "GET c/<slug:slug>/look.css": "asovmcr",
    "GET c/<slug:slug>/<round_kind:kind>/kit/": "asovmcr",
    "GET c/<slug:slug>/<round_kind:kind>/check/": "asovmcr",
    "POST c/<slug:slug>/<round_kind:kind>/check/": "omc",
    "GET c/<slug:slug>/<round_kind:kind>/checks/<uuid:pk>/": "vmc",
    "GET c/<slug:slug>/<round_kind:kind>/targets.zip": ("r", "r", "r", "or", "or", "or"),
    "POST c/<slug:slug>/<round_kind:kind>/answers/": "sovmcr",
    "GET c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/check/": ("r", "r", "r", "or", "or", "or"),
    "POST c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/check/": ("", "", "", "o", "o", "o"),
    "POST c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/ask/": ("r", "r", "r", "or", "or", "or"),
    "GET c/<slug:slug>/questions/": "asovmcr",
    "POST c/<slug:slug>/questions/": "ovmc",
    "GET c/<slug:slug>/submissions/<uuid:pk>/": "vmcr",
    "GET c/<slug:slug>/submissions/<uuid:pk>/status/": "vmcr",
    "GET c/<slug:slug>/submissions/<uuid:pk>/file/": "vmcr",
    "POST c/<slug:slug>/submissions/<uuid:pk>/choose/": "vmcr",
    "GET c/<slug:slug>/<round_kind:kind>/": "asovmcr",
    "POST c/<slug:slug>/<round_kind:kind>/": "omc",
    "GET c/<slug:slug>/<round_kind:kind>/data/<uuid:pk>/": ("r", "r", "vmcr", "vmcr", "vmcr", "vmcr"),
    "GET c/<slug:slug>/<round_kind:kind>/targets/": "asovmcr",
    "GET c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/": ("r", "r", "r", "or", "or", "or"),
    "POST c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/": ("", "", "", "o", "o", "o"),
    "GET c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/files/<uuid:file_pk>/": ("r", "r", "r", "or", "or", "or"),
    "GET c/<slug:slug>/<round_kind:kind>/board/": "asovmcr",
    "GET c/<slug:slug>/<round_kind:kind>/board/part/": "asovmcr",
    "GET c/<slug:slug>/<round_kind:kind>/board.<export_format:ending>": "asovmcr",
    "GET c/<slug:slug>/overall/": "asovmcr",
    "GET c/<slug:slug>/overall.<export_format:ending>": ("r", "r", "r", "r", "r", "asovmcr"),
    "GET desk/": "r",
    "GET desk/contests/new/": "r",
    "POST desk/contests/new/": "r",
    "GET desk/messages/": "r",
    "POST desk/messages/<uuid:pk>/done/": "r",
    "GET desk/referees/": "r",
    "POST desk/referees/link/": "r",
    "POST desk/referees/<uuid:pk>/resign/": "r",
    "POST desk/accounts/erase/": "r",
    "GET desk/log/": "r",
    "GET desk/health/": "r",
    "GET desk/operations/": "r",
    "GET desk/c/<slug:slug>/": "r",
    "GET desk/c/<slug:slug>/live/": "r",
    "GET desk/c/<slug:slug>/failed/": "r",
    "POST desk/c/<slug:slug>/submissions/<uuid:pk>/again/": "r",
    "POST desk/c/<slug:slug>/targets/<uuid:pk>/again/": "r",
    "POST desk/c/<slug:slug>/open/": "r",
    "GET desk/c/<slug:slug>/look/": "r",
    "POST desk/c/<slug:slug>/look/": "r",
    "GET desk/c/<slug:slug>/edit/": "r",
    "POST desk/c/<slug:slug>/edit/": "r",
    "GET desk/c/<slug:slug>/phases/": "r",
    "POST desk/c/<slug:slug>/phases/<uuid:pk>/extend/": "r",
    "POST desk/c/<slug:slug>/phases/<uuid:pk>/close/": "r",
    "GET desk/c/<slug:slug>/teams/": "r",
    "POST desk/c/<slug:slug>/teams/<uuid:pk>/<slug:decision>/": "r",
    "GET desk/c/<slug:slug>/notices/": "r",
    "POST desk/c/<slug:slug>/notices/new/": "r",
    "POST desk/c/<slug:slug>/notices/<uuid:pk>/withdraw/": "r",
    "POST desk/c/<slug:slug>/questions/<uuid:pk>/answer/": "r",
    "GET desk/c/<slug:slug>/rescores/": "r",
    "GET desk/c/<slug:slug>/rescores/<uuid:pk>/": "r",
    "GET desk/c/<slug:slug>/rescores/<uuid:pk>/part/": "r",
    "POST desk/c/<slug:slug>/rescores/<uuid:pk>/apply/": "r",
    "POST desk/c/<slug:slug>/rescores/<uuid:pk>/discard/": "r",
    "POST desk/c/<slug:slug>/<round_kind:kind>/rescore/": "r",
    "POST desk/c/<slug:slug>/<round_kind:kind>/times/": "r",
    "GET desk/c/<slug:slug>/<round_kind:kind>/data/": "r",
    "POST desk/c/<slug:slug>/<round_kind:kind>/data/": "r",
    "POST desk/c/<slug:slug>/<round_kind:kind>/data/generate/": "r",
    "POST desk/c/<slug:slug>/<round_kind:kind>/data/remove/": "r",
}
# Whose request changes something, with the bodies below; other requests to change something change nothing.
CHANGES: dict[str, str | tuple[str, ...]] = {
    "api/v1/contests/<slug>/announcements": "r",
    "api/v1/contests/<slug>/questions": "ovmc",
    "api/v1/contests/<slug>/rounds/<kind>/submissions": ("", "", "omc", "", "", ""),
    "api/v1/contests/<slug>/submissions/<uuidstr:number>/choose": ("", "", "c", "", "", ""),
    "api/v1/contests/<slug>/rounds/<kind>/targets/<uuidstr:number>/guesses": ("", "", "", "o", "", ""),
    "api/v1/contests/<slug>/rounds/<kind>/check": ("", "", "omc", "", "", ""),
    "api/v1/contests/<slug>/rounds/<kind>/targets/<uuidstr:number>/check": ("", "", "", "o", "", ""),
    "api/v1/contests/<slug>/open": "r",
    "api/v1/contests/<slug>/hide": "r",
    "api/v1/contests/<slug>/rounds/<kind>/phases/<phase>/close": ("", "", "r", "", "", ""),
    "api/v1/contests/<slug>/teams": ("", "s", "", "", "", ""),
    "api/v1/contests/<slug>/teams/<uuidstr:number>/disqualify": "r",
    "api/v1/contests/<slug>/questions/<uuidstr:number>/answer": "r",
    "api/v1/contests/<slug>/team/invitations": "oc",
    "api/v1/join": "s",
    "preferences/": "sovmcr",
    "tokens/": "sovmcr",
    "tokens/<uuid:pk>/revoke/": "c",
    "referee/<str:token>/": "as",
    "join/<str:token>/": "s",
    "c/<slug:slug>/teams/new/": ("", "s", "", "", "", ""),
    "c/<slug:slug>/team/edit/": "c",
    "c/<slug:slug>/team/invite/": "oc",
    "c/<slug:slug>/team/invitations/<uuid:pk>/revoke/": "c",
    "c/<slug:slug>/team/members/<uuid:pk>/role/": "c",
    "c/<slug:slug>/team/members/<uuid:pk>/remove/": "c",
    "c/<slug:slug>/team/leave/": "vm",
    "c/<slug:slug>/questions/": "ovmc",
    "c/<slug:slug>/submissions/<uuid:pk>/choose/": ("", "", "c", "", "", ""),
    "c/<slug:slug>/<round_kind:kind>/": ("", "", "omc", "", "", ""),
    "c/<slug:slug>/<round_kind:kind>/check/": ("", "", "omc", "", "", ""),
    "c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/": ("", "", "", "o", "", ""),
    "c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/check/": ("", "", "", "o", "", ""),
    "desk/c/<slug:slug>/look/": "r",
    "desk/messages/<uuid:pk>/done/": "r",
    "desk/referees/link/": "r",
    "desk/referees/<uuid:pk>/resign/": "r",
    "desk/accounts/erase/": "r",
    "desk/c/<slug:slug>/open/": "r",
    "desk/c/<slug:slug>/phases/<uuid:pk>/close/": ("", "", "r", "", "", ""),
    "desk/c/<slug:slug>/notices/new/": "r",
    "desk/c/<slug:slug>/notices/<uuid:pk>/withdraw/": "r",
    "desk/c/<slug:slug>/rescores/<uuid:pk>/apply/": "r",
    "desk/c/<slug:slug>/rescores/<uuid:pk>/discard/": "r",
}
BODIES: dict[str, dict[str, Any]] = {
    # Out of range, so that no data is generated.
    "desk_generate": {"subjects": "0"},
    "generate_data": {"subjects": 0},
    "preferences": {"name": "New Name", "language": "en", "time_zone": ""},
    "erase_account": {"sure": "on"},
    "tokens": {"name": "laptop", "scopes": ["read"], "days": "30"},
    "become_referee": {
        "name": "Neo",
        "email": "neo@example.org",
        "password1": "a long enough phrase",
        "password2": "a long enough phrase",
    },
    "join_team": {"terms": "on"},
    "terms": {"terms": "on"},
    "team_new": {"name": "Gamma", "affiliation": "", "terms": "on"},
    "team_edit": {"name": "Alpha", "affiliation": "Lab"},
    "team_invite": {"role": "member", "email": ""},
    "member_role": {"role": "adviser"},
    "clarifications": {"question": "why?"},
    "round": {"file": world.GOOD_A},
    "target": {"file": world.guesses(), "confirmed": "yes"},
    "release_check": {"file": world.GOOD_A},
    "guesses_check": {"file": world.guesses()},
    "check": {"file": world.GOOD_A},
    "check_answer": {"file": world.guesses()},
    "answers": {"file": b"no zip"},
    "desk_look": {"own_colour": "on", "colour": "#7a1f5c"},
    "desk_open": {"open": "no"},
    "desk_phase_close": REASON,
    "desk_team_decide": REASON,
    "desk_announce": {"title": "t", "body": "b"},
    "desk_rescore_start": REASON,
    "desk_rescore_discard": REASON,
    "desk_erase": {"email": "stranger@example.org"},
    "list_announcements": {"title": "t", "body": "b"},
    "list_questions": {"question": "why?"},
    "submit": {"file": world.GOOD_A},
    "guess": {"file": world.guesses()},
    "teams": {"name": "Gamma", "terms": True, "accept_terms": True},
    "close_phase": REASON,
    "disqualify_team": REASON,
    "answer": {"answer": "so"},
    "invite": {"role": "member"},
    "join": {"token": "join", "accept_terms": True},
}


def _expected(table: dict[str, str | tuple[str, ...]], key: str, phase: str | None, viewers: str) -> str:
    rule = table.get(key, "")
    letters = rule if isinstance(rule, str) else rule[walk.PHASES.index(phase)]
    return "".join(letter for letter in letters if letter in viewers)


def _depends_on_the_phase(pattern: str) -> bool:
    """Return whether the lists say that an address answers differently in some phases."""
    rules = [ACCESS.get(f"GET {pattern}", ""), ACCESS.get(f"POST {pattern}", ""), CHANGES.get(pattern, "")]
    return any(not isinstance(rule, str) for rule in rules)


def _viewers(pattern: str, number: int, phase: str | None) -> str:
    """Return who tries an address in this phase.

    Where the phase decides, everybody in every phase. Elsewhere everybody in one phase and one viewer in half
    of the others, in turns; the walk of everybody through everything is a campaign.
    """
    when = walk.PHASES.index(phase)
    if EFFORT == "campaign" or _depends_on_the_phase(pattern) or number % len(walk.PHASES) == when:
        return "".join(LETTERS)
    return list(LETTERS)[(number + when) % len(LETTERS)] if (number + when) % 2 else ""


@pytest.mark.effort
@pytest.mark.parametrize("phase", walk.PHASES)
def test_every_viewer_at_every_address(phase: str | None, record_property: Callable[[str, object], None]) -> None:
    town = walk.build(phase)
    wrong, requests = [], 0
    for number, (pattern, name) in enumerate(walk.routes().items()):
        if pattern.startswith("accounts/"):
            # The addresses of allauth are listed one by one in routes_allauth, and tested with the accounts.
            continue
        path, viewers = walk.address(town, name, pattern), _viewers(pattern, number, phase)
        if not viewers:
            continue
        for method in ("GET", "POST"):
            key = f"{method} {pattern}"
            if key not in ACCESS:
                tried = walk.try_route(town, "referee", method, path)
                assert tried.status == 405, f"{key} is not listed"
                continue
            body = BODIES.get(name) if method == "POST" else None
            results = {letter: walk.try_route(town, LETTERS[letter], method, path, body) for letter in viewers}
            requests += len(results)
            let_in = "".join(letter for letter, tried in results.items() if tried.allowed)
            changed = "".join(letter for letter, tried in results.items() if tried.allowed and tried.wrote)
            broken = [letter for letter, tried in results.items() if tried.status >= 500]
            if broken or let_in != _expected(ACCESS, key, phase, viewers):
                wrong.append(f"{key}: let in {let_in!r} of {viewers!r}, broken for {broken}")
            if changed != (_expected(CHANGES, pattern, phase, viewers) if method == "POST" else ""):
                wrong.append(f"{key}: changed something for {changed!r} of {viewers!r}")
    assert not wrong, "\n".join(wrong)
    record_property("figure", f"{requests} requests in the phase {phase}: who may is let in, nobody else")


def test_the_lists_name_no_address_that_is_gone() -> None:
    patterns = walk.routes()
    assert {key.split(" ", 1)[1] for key in ACCESS} | set(CHANGES) <= set(patterns)
    assert set(BODIES) <= set(patterns.values())


def test_a_hidden_contest_does_not_exist_for_outsiders() -> None:
    town = walk.build("published")
    Contest.objects.update(is_open=False)
    for pattern, name in walk.routes().items():
        if not re.match(r"(c|api/v1/contests|desk/c)/<", pattern):
            continue
        path = walk.address(town, name, pattern)
        for method in ("GET", "POST"):
            for role in ("anonymous", "stranger"):
                if f"{method} {pattern}" in ACCESS:
                    tried = walk.try_route(town, role, method, path, BODIES.get(name) if method == "POST" else None)
                    assert not tried.allowed, f"{method} {pattern} as {role}"
                    assert not tried.wrote, f"{method} {pattern} as {role}"
