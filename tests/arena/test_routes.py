"""What every kind of viewer may do at every address in every phase: all of it is listed here, or the test fails.

Letters stand for viewers: a anonymous, s signed in without a team, o captain of another team, and of the team that owns
the objects v an adviser, m a member, c the captain; x the owner of another contest; of this one b an observer, f a
referee, w an owner; r a referee of the arena. One text holds for all phases; six are for nothing begun, registration,
anonymize, attack, scoring, published.
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

LETTERS = dict(zip("asovmcxbfwr", walk.ROLES, strict=True))
OFFICIALS = "xbfw"
REASON = {"reason": "because"}

# Who is let in: neither refused, nor sent to sign in, nor told that there is nothing.
ACCESS: dict[str, str | tuple[str, ...]] = {
    "GET api/v1/log/heads": "asovmcxbfwr",
    "GET log/": "asovmcxbfwr",
    "GET desk/health/": "r",
    "GET api/v1/contests/<slug>/metrics": "sovmcxbfwr",
    "GET api/v1/contests/<slug>/rounds/<kind>/kit": "sovmcxbfwr",
    "GET api/v1/contests/<slug>/rounds/<kind>/all-targets": ("bfwr", "bfwr", "bfwr", "obfwr", "obfwr", "obfwr"),
    "POST api/v1/contests/<slug>/rounds/<kind>/answers": "ovmc",
    "POST api/v1/contests/<slug>/rounds/<kind>/check": "omc",
    "GET api/v1/contests/<slug>/rounds/<kind>/checks/<uuidstr:number>": "vmc",
    "POST api/v1/contests/<slug>/rounds/<kind>/targets/<uuidstr:number>/check": ("", "", "", "o", "o", "o"),
    "GET c/<slug:slug>/metrics/": "asovmcxbfwr",
    "GET c/<slug:slug>/logo/": "asovmcxbfwr",
    "GET c/<slug:slug>/look.css": "asovmcxbfwr",
    "GET c/<slug:slug>/<round_kind:kind>/kit/": "asovmcxbfwr",
    "GET c/<slug:slug>/<round_kind:kind>/check/": "asovmcxbfwr",
    "POST c/<slug:slug>/<round_kind:kind>/check/": "omc",
    "GET c/<slug:slug>/<round_kind:kind>/checks/<uuid:pk>/": "vmc",
    "GET c/<slug:slug>/<round_kind:kind>/targets.zip": ("bfwr", "bfwr", "bfwr", "obfwr", "obfwr", "obfwr"),
    "POST c/<slug:slug>/<round_kind:kind>/answers/": "sovmcxbfwr",
    "GET c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/check/": ("bfwr", "bfwr", "bfwr", "obfwr", "obfwr", "obfwr"),
    "POST c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/check/": ("", "", "", "o", "o", "o"),
    "POST c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/ask/": ("bfwr", "bfwr", "bfwr", "obfwr", "obfwr", "obfwr"),
    "GET desk/c/<slug:slug>/look/": "bfwr",
    "POST desk/c/<slug:slug>/look/": "fwr",
    "GET api/v1/openapi.json": "asovmcxbfwr",
    "POST api/v1/openapi.json": "asovmcxbfwr",
    "GET api/v1/contests/<slug>/rounds/<kind>/board": "sovmcxbfwr",
    "GET api/v1/contests/<slug>/rounds/<kind>/matrix": "sovmcxbfwr",
    "GET api/v1/contests/<slug>/overall": "sovmcxbfwr",
    "GET api/v1/me": "sovmcxbfwr",
    "GET api/v1/contests": "sovmcxbfwr",
    # Whoever has an office anywhere is told first what is wrong with the body.
    "POST api/v1/contests": "xbfwr",
    "GET api/v1/contests/<slug>": "sovmcxbfwr",
    "GET api/v1/contests/<slug>/announcements": "sovmcxbfwr",
    "POST api/v1/contests/<slug>/announcements": "fwr",
    "GET api/v1/contests/<slug>/questions": "sovmcxbfwr",
    "POST api/v1/contests/<slug>/questions": "ovmc",
    "GET api/v1/contests/<slug>/rounds/<kind>/data": "sovmcxbfwr",
    "POST api/v1/contests/<slug>/rounds/<kind>/data": "fwr",
    "GET api/v1/contests/<slug>/rounds/<kind>/data/<uuidstr:file>": (
        "bfwr",
        "bfwr",
        "vmcbfwr",
        "vmcbfwr",
        "vmcbfwr",
        "vmcbfwr",
    ),
    "GET api/v1/contests/<slug>/submissions": "sovmcxbfwr",
    "POST api/v1/contests/<slug>/rounds/<kind>/submissions": "omc",
    "GET api/v1/contests/<slug>/submissions/<uuidstr:number>": "vmcbfwr",
    "GET api/v1/contests/<slug>/submissions/<uuidstr:number>/file": "vmcbfwr",
    "POST api/v1/contests/<slug>/submissions/<uuidstr:number>/choose": "c",
    "GET api/v1/contests/<slug>/rounds/<kind>/targets": "sovmcxbfwr",
    "GET api/v1/contests/<slug>/rounds/<kind>/targets/<uuidstr:number>": (
        "bfwr",
        "bfwr",
        "bfwr",
        "obfwr",
        "obfwr",
        "obfwr",
    ),
    "GET api/v1/contests/<slug>/rounds/<kind>/targets/<uuidstr:number>/files/<uuidstr:file>": (
        "bfwr",
        "bfwr",
        "bfwr",
        "obfwr",
        "obfwr",
        "obfwr",
    ),
    "POST api/v1/contests/<slug>/rounds/<kind>/targets/<uuidstr:number>/guesses": ("", "", "", "o", "o", "o"),
    "POST api/v1/contests/<slug>/open": "wr",
    "POST api/v1/contests/<slug>/hide": "wr",
    "POST api/v1/contests/<slug>/look": "fwr",
    "POST api/v1/contests/<slug>/rounds/<kind>/phases/<phase>/extend": "xbfwr",
    "POST api/v1/contests/<slug>/rounds/<kind>/phases/<phase>/close": "fwr",
    "POST api/v1/contests/<slug>/rounds/<kind>/data/generate": "fwr",
    "GET api/v1/contests/<slug>/teams": "bfwr",
    "POST api/v1/contests/<slug>/teams": "sx",
    "POST api/v1/contests/<slug>/teams/<uuidstr:number>/approve": "fwr",
    "POST api/v1/contests/<slug>/teams/<uuidstr:number>/disqualify": "fwr",
    "GET api/v1/contests/<slug>/queue": "bfwr",
    "POST api/v1/contests/<slug>/questions/<uuidstr:number>/answer": "fwr",
    "GET api/v1/contests/<slug>/team": "ovmc",
    "POST api/v1/contests/<slug>/team/invitations": "oc",
    "POST api/v1/join": "sx",
    "POST api/v1/contests/<slug>/terms": "ovmc",
    "GET api/v1/": "",
    "POST api/v1/": "",
    "GET api/v1/<path:rest>": "",
    "POST api/v1/<path:rest>": "",
    "GET ": "asovmcxbfwr",
    "GET preferences/": "sovmcxbfwr",
    "POST preferences/": "sovmcxbfwr",
    "GET preferences/data/": "sovmcxbfwr",
    "POST preferences/data/": "sovmcxbfwr",
    "GET preferences/erase/": "sovmcxbfwr",
    "POST preferences/erase/": "sovmcxbfwr",
    "GET tokens/": "sovmcxbfwr",
    "POST tokens/": "sovmcxbfwr",
    "POST tokens/<uuid:pk>/revoke/": "c",
    "GET referee/<str:token>/": "asovmcxbfwr",
    "POST referee/<str:token>/": "asxbfwr",
    "GET language/": "asovmcxbfwr",
    "POST language/": "asovmcxbfwr",
    "GET join/<str:token>/": "asovmcxbfwr",
    "POST join/<str:token>/": "asx",
    "GET c/<slug:slug>/terms/": "asovmcxbfwr",
    "POST c/<slug:slug>/terms/": "asovmcxbfwr",
    "GET c/<slug:slug>/teams/new/": "sovmcxbfwr",
    "POST c/<slug:slug>/teams/new/": "sovmcx",
    "GET c/<slug:slug>/team/": "sovmcxbfwr",
    "POST c/<slug:slug>/team/edit/": "oc",
    "POST c/<slug:slug>/team/invite/": "oc",
    "POST c/<slug:slug>/team/invitations/<uuid:pk>/revoke/": "vmc",
    "POST c/<slug:slug>/team/members/<uuid:pk>/role/": "vmc",
    "POST c/<slug:slug>/team/members/<uuid:pk>/remove/": "vmc",
    "POST c/<slug:slug>/team/leave/": "ovmc",
    "GET c/<slug:slug>/": "asovmcxbfwr",
    "GET c/<slug:slug>/questions/": "asovmcxbfwr",
    "POST c/<slug:slug>/questions/": "ovmc",
    "GET c/<slug:slug>/submissions/<uuid:pk>/": "vmcbfwr",
    "GET c/<slug:slug>/submissions/<uuid:pk>/status/": "vmcbfwr",
    "GET c/<slug:slug>/submissions/<uuid:pk>/file/": "vmcbfwr",
    "POST c/<slug:slug>/submissions/<uuid:pk>/choose/": "vmcbfwr",
    "GET c/<slug:slug>/<round_kind:kind>/": "asovmcxbfwr",
    "POST c/<slug:slug>/<round_kind:kind>/": "omc",
    "GET c/<slug:slug>/<round_kind:kind>/data/<uuid:pk>/": ("bfwr", "bfwr", "vmcbfwr", "vmcbfwr", "vmcbfwr", "vmcbfwr"),
    "GET c/<slug:slug>/<round_kind:kind>/targets/": "asovmcxbfwr",
    "GET c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/": ("bfwr", "bfwr", "bfwr", "obfwr", "obfwr", "obfwr"),
    "POST c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/": ("", "", "", "o", "o", "o"),
    "GET c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/files/<uuid:file_pk>/": (
        "bfwr",
        "bfwr",
        "bfwr",
        "obfwr",
        "obfwr",
        "obfwr",
    ),
    "GET c/<slug:slug>/<round_kind:kind>/board/": "asovmcxbfwr",
    "GET c/<slug:slug>/<round_kind:kind>/board/part/": "asovmcxbfwr",
    "GET c/<slug:slug>/<round_kind:kind>/board.<export_format:ending>": "asovmcxbfwr",
    "GET c/<slug:slug>/overall/": "asovmcxbfwr",
    "GET c/<slug:slug>/overall.<export_format:ending>": ("bfwr", "bfwr", "bfwr", "bfwr", "bfwr", "bfwr"),
    "GET desk/": "xbfwr",
    "GET desk/contests/new/": "r",
    "POST desk/contests/new/": "r",
    "GET desk/messages/": "r",
    "POST desk/messages/<uuid:pk>/done/": "r",
    "GET desk/referees/": "r",
    "POST desk/referees/link/": "r",
    "POST desk/referees/<uuid:pk>/resign/": "r",
    "POST desk/accounts/erase/": "r",
    "GET desk/log/": "r",
    "GET desk/operations/": "r",
    "GET desk/c/<slug:slug>/": "bfwr",
    "GET desk/c/<slug:slug>/live/": "bfwr",
    "GET desk/c/<slug:slug>/failed/": "bfwr",
    "POST desk/c/<slug:slug>/submissions/<uuid:pk>/again/": "fwr",
    "POST desk/c/<slug:slug>/targets/<uuid:pk>/again/": "fwr",
    "POST desk/c/<slug:slug>/open/": "wr",
    "GET desk/c/<slug:slug>/edit/": "bfwr",
    "POST desk/c/<slug:slug>/edit/": "wr",
    "GET desk/c/<slug:slug>/phases/": "bfwr",
    "POST desk/c/<slug:slug>/phases/<uuid:pk>/extend/": "fwr",
    "POST desk/c/<slug:slug>/phases/<uuid:pk>/close/": "fwr",
    "GET desk/c/<slug:slug>/teams/": "bfwr",
    "POST desk/c/<slug:slug>/teams/<uuid:pk>/<slug:decision>/": "fwr",
    "GET desk/c/<slug:slug>/notices/": "bfwr",
    "POST desk/c/<slug:slug>/notices/new/": "fwr",
    "POST desk/c/<slug:slug>/notices/<uuid:pk>/withdraw/": "fwr",
    "POST desk/c/<slug:slug>/questions/<uuid:pk>/answer/": "fwr",
    "GET desk/c/<slug:slug>/rescores/": "bfwr",
    "GET desk/c/<slug:slug>/rescores/<uuid:pk>/": "bfwr",
    "GET desk/c/<slug:slug>/rescores/<uuid:pk>/part/": "bfwr",
    "POST desk/c/<slug:slug>/rescores/<uuid:pk>/apply/": "fwr",
    "POST desk/c/<slug:slug>/rescores/<uuid:pk>/discard/": "fwr",
    "POST desk/c/<slug:slug>/<round_kind:kind>/rescore/": "fwr",
    "POST desk/c/<slug:slug>/<round_kind:kind>/times/": "fwr",
    "GET desk/c/<slug:slug>/<round_kind:kind>/data/": "bfwr",
    "POST desk/c/<slug:slug>/<round_kind:kind>/data/": "fwr",
    "POST desk/c/<slug:slug>/<round_kind:kind>/data/generate/": "fwr",
    "POST desk/c/<slug:slug>/<round_kind:kind>/data/remove/": "fwr",
    "GET api/v1/contests/<slug>/pages": "sovmcxbfwr",
    "POST api/v1/contests/<slug>/pages": "fwr",
    "POST api/v1/contests/<slug>/pages/<page>": "fwr",
    "GET api/v1/contests/<slug>/pages/<page>/files/<uuidstr:file>": "sovmcxbfwr",
    "POST api/v1/contests/<slug>/pages/<page>/files": "fwr",
    "POST api/v1/contests/<slug>/clone": "r",
    "POST api/v1/contests/<slug>/rounds/<kind>/teams/<uuidstr:number>/extend": "fwr",
    "POST api/v1/contests/<slug>/participants": "fwr",
    "POST api/v1/contests/<slug>/rounds/<kind>/reveal": "fwr",
    "GET api/v1/contests/<slug>/log": "bfwr",
    "GET api/v1/contests/<slug>/archive": "sovmcxbfwr",
    "GET office/<str:token>/": "asovmcxbfwr",
    "POST office/<str:token>/": "asxbfwr",
    "GET c/<slug:slug>/pages/": "asovmcxbfwr",
    "GET c/<slug:slug>/pages/<slug:name>/": "asovmcxbfwr",
    "GET c/<slug:slug>/pages/<slug:name>/files/<uuid:pk>/": "asovmcxbfwr",
    "POST c/<slug:slug>/team/publish/": "ovmc",
    "GET c/<slug:slug>/team/certificate/": "ovmc",
    "GET c/<slug:slug>/<round_kind:kind>/ceremony/": ("", "", "", "", "", "asovmcxbfwr"),
    "GET c/<slug:slug>/<round_kind:kind>/ceremony/part/": ("", "", "", "", "", "asovmcxbfwr"),
    "GET c/<slug:slug>/archive/": "asovmcxbfwr",
    "GET c/<slug:slug>/archive.json": "asovmcxbfwr",
    "GET c/<slug:slug>/archive/files/<uuid:pk>/": "asovmcxbfwr",
    "GET desk/log.<log_format:ending>": "r",
    "GET desk/c/<slug:slug>/log/": "bfwr",
    "GET desk/c/<slug:slug>/log.<log_format:ending>": "bfwr",
    "GET desk/c/<slug:slug>/clone/": "bfwr",
    "POST desk/c/<slug:slug>/clone/": "r",
    "POST desk/c/<slug:slug>/rounds/add/": "wr",
    "GET desk/c/<slug:slug>/officials/": "bfwr",
    "POST desk/c/<slug:slug>/officials/offer/": "wr",
    "POST desk/c/<slug:slug>/officials/<uuid:pk>/change/": "wr",
    "POST desk/c/<slug:slug>/officials/<uuid:pk>/end/": "fwr",
    "GET desk/c/<slug:slug>/news/": "bfwr",
    "POST desk/c/<slug:slug>/news/": "wr",
    "POST desk/c/<slug:slug>/news/<uuid:pk>/test/": "wr",
    "POST desk/c/<slug:slug>/news/<uuid:pk>/remove/": "wr",
    "GET desk/c/<slug:slug>/results/": "bfwr",
    "POST desk/c/<slug:slug>/results/archive/": "wr",
    "POST desk/c/<slug:slug>/results/archive/remove/": "wr",
    "GET desk/c/<slug:slug>/participants/": "bfwr",
    "POST desk/c/<slug:slug>/participants/": "fwr",
    "POST desk/c/<slug:slug>/extensions/": "fwr",
    "POST desk/c/<slug:slug>/extensions/<uuid:pk>/end/": "fwr",
    "GET desk/c/<slug:slug>/certificates/<uuid:pk>/": "bfwr",
    "GET desk/c/<slug:slug>/pages/": "bfwr",
    "POST desk/c/<slug:slug>/pages/": "fwr",
    "GET desk/c/<slug:slug>/pages/<slug:name>/": "bfwr",
    "POST desk/c/<slug:slug>/pages/<slug:name>/": "fwr",
    "POST desk/c/<slug:slug>/pages/<slug:name>/remove/": "fwr",
    "POST desk/c/<slug:slug>/pages/<slug:name>/files/new/": "fwr",
    "POST desk/c/<slug:slug>/pages/<slug:name>/files/<uuid:pk>/remove/": "fwr",
    "POST desk/c/<slug:slug>/<round_kind:kind>/remove/": "wr",
    "POST desk/c/<slug:slug>/<round_kind:kind>/ceremony/reveal/": "fwr",
    "POST desk/c/<slug:slug>/<round_kind:kind>/ceremony/end/": "fwr",
}
# (Beta may attack longer than the others; the results of the round wait for a ceremony.)
# Whose request changes something, with the bodies below; other requests to change something change nothing.
CHANGES: dict[str, str | tuple[str, ...]] = {
    "api/v1/contests/<slug>/rounds/<kind>/check": ("", "", "omc", "", "", ""),
    "api/v1/contests/<slug>/rounds/<kind>/targets/<uuidstr:number>/check": ("", "", "", "o", "o", ""),
    "c/<slug:slug>/<round_kind:kind>/check/": ("", "", "omc", "", "", ""),
    "c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/check/": ("", "", "", "o", "o", ""),
    "desk/c/<slug:slug>/look/": "fwr",
    "desk/c/<slug:slug>/<round_kind:kind>/ceremony/reveal/": ("", "", "", "", "", "fwr"),
    "api/v1/contests/<slug>/announcements": "fwr",
    "api/v1/contests/<slug>/questions": "ovmc",
    "api/v1/contests/<slug>/rounds/<kind>/submissions": ("", "", "omc", "", "", ""),
    "api/v1/contests/<slug>/submissions/<uuidstr:number>/choose": ("", "", "c", "", "", ""),
    "api/v1/contests/<slug>/rounds/<kind>/targets/<uuidstr:number>/guesses": ("", "", "", "o", "o", ""),
    "api/v1/contests/<slug>/open": "wr",
    "api/v1/contests/<slug>/hide": "wr",
    "api/v1/contests/<slug>/look": "fwr",
    "api/v1/contests/<slug>/rounds/<kind>/phases/<phase>/close": ("", "", "fwr", "", "", ""),
    "api/v1/contests/<slug>/teams": ("", "sx", "", "", "", ""),
    "api/v1/contests/<slug>/teams/<uuidstr:number>/disqualify": "fwr",
    "api/v1/contests/<slug>/questions/<uuidstr:number>/answer": "fwr",
    "api/v1/contests/<slug>/team/invitations": "oc",
    "api/v1/join": "sx",
    "preferences/": "sovmcxbfwr",
    "tokens/": "sovmcxbfwr",
    "tokens/<uuid:pk>/revoke/": "c",
    "referee/<str:token>/": "asxbfw",
    "join/<str:token>/": "sx",
    "c/<slug:slug>/teams/new/": ("", "sx", "", "", "", ""),
    "c/<slug:slug>/team/edit/": "c",
    "c/<slug:slug>/team/invite/": "oc",
    "c/<slug:slug>/team/invitations/<uuid:pk>/revoke/": "c",
    "c/<slug:slug>/team/members/<uuid:pk>/role/": "c",
    "c/<slug:slug>/team/members/<uuid:pk>/remove/": "c",
    "c/<slug:slug>/team/leave/": "vm",
    "c/<slug:slug>/questions/": "ovmc",
    "c/<slug:slug>/submissions/<uuid:pk>/choose/": ("", "", "c", "", "", ""),
    "c/<slug:slug>/<round_kind:kind>/": ("", "", "omc", "", "", ""),
    "c/<slug:slug>/<round_kind:kind>/targets/<uuid:pk>/": ("", "", "", "o", "o", ""),
    "desk/messages/<uuid:pk>/done/": "r",
    "desk/referees/link/": "r",
    "desk/referees/<uuid:pk>/resign/": "r",
    "desk/accounts/erase/": "r",
    "desk/c/<slug:slug>/open/": "wr",
    "desk/c/<slug:slug>/phases/<uuid:pk>/close/": ("", "", "fwr", "", "", ""),
    "desk/c/<slug:slug>/notices/new/": "fwr",
    "desk/c/<slug:slug>/notices/<uuid:pk>/withdraw/": "fwr",
    "desk/c/<slug:slug>/rescores/<uuid:pk>/apply/": "fwr",
    "desk/c/<slug:slug>/rescores/<uuid:pk>/discard/": "fwr",
    "api/v1/contests/<slug>/pages": "fwr",
    "api/v1/contests/<slug>/pages/<page>": "fwr",
    "api/v1/contests/<slug>/pages/<page>/files": "fwr",
    "api/v1/contests/<slug>/clone": "r",
    "api/v1/contests/<slug>/participants": "fwr",
    "office/<str:token>/": "sx",
    "desk/c/<slug:slug>/clone/": "r",
    "desk/c/<slug:slug>/rounds/add/": "wr",
    "desk/c/<slug:slug>/officials/offer/": "wr",
    "desk/c/<slug:slug>/officials/<uuid:pk>/change/": "wr",
    "desk/c/<slug:slug>/officials/<uuid:pk>/end/": "wr",
    "desk/c/<slug:slug>/news/": "wr",
    "desk/c/<slug:slug>/news/<uuid:pk>/test/": "wr",
    "desk/c/<slug:slug>/news/<uuid:pk>/remove/": "wr",
    "desk/c/<slug:slug>/results/archive/remove/": "wr",
    "desk/c/<slug:slug>/participants/": "fwr",
    "desk/c/<slug:slug>/extensions/<uuid:pk>/end/": "fwr",
    "desk/c/<slug:slug>/pages/": "fwr",
    "desk/c/<slug:slug>/pages/<slug:name>/": "fwr",
    "desk/c/<slug:slug>/pages/<slug:name>/remove/": "fwr",
    "desk/c/<slug:slug>/pages/<slug:name>/files/new/": "fwr",
    "desk/c/<slug:slug>/pages/<slug:name>/files/<uuid:pk>/remove/": "fwr",
    "desk/c/<slug:slug>/<round_kind:kind>/ceremony/end/": ("", "", "", "", "", "fwr"),
}
BODIES: dict[str, dict[str, Any]] = {
    "release_check": {"file": world.GOOD_A},
    "guesses_check": {"file": world.guesses()},
    "check": {"file": world.GOOD_A},
    "check_answer": {"file": world.guesses()},
    "answers": {"file": b"no zip"},
    "desk_look": {"own_colour": "on", "colour": "#7a1f5c"},
    "list_pages": {"title": "Questions", "body": "none"},
    "change_page": {"title": "Rules", "body": "changed"},
    "attach_file": {"file": b"1,2\n"},
    "clone": {"name": "Cup again", "begins": "2031-01-01T10:00:00Z"},
    # Too early, so that nothing changes.
    "extend_team": {"phase": "attack", "until": "2001-01-01T10:00:00Z", "reason": "because"},
    "participants": {"file": b"team,email,role\nNew,new@example.org,captain\n"},
    "reveal": {"ranking": "nobody"},
    "desk_clone": {"name": "Cup again", "begins": "2031-01-01T10:00"},
    "desk_round_add": {"sort": "preliminary"},
    "desk_official_offer": {"role": "observer"},
    "desk_official_change": {"role": "referee"},
    "desk_news": {"url": "https://example.org/hook", "events": ["phase"]},
    "desk_archive_remove": REASON,
    "desk_participants": {"text": "team,email,role\nNew,new@example.org,captain\n"},
    "desk_extension_end": REASON,
    "desk_pages": {"title": "Questions", "body": "none"},
    "desk_page": {"title": "Rules", "body": "changed"},
    "desk_page_attach": {"file": b"1,2\n"},
    "desk_reveal": {"ranking": "anonymizers"},
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

    Where the phase decides, everybody in every phase (of the officials of the contest one in turns). Elsewhere
    everybody in one phase and one viewer in half of the others, in turns; the walk of everybody through everything is
    a campaign.
    """
    when = walk.PHASES.index(phase)
    if EFFORT == "campaign" or number % len(walk.PHASES) == when:
        return "".join(LETTERS)
    if _depends_on_the_phase(pattern):
        others = OFFICIALS.replace(OFFICIALS[(number + when) % len(OFFICIALS)], "")
        return "".join(letter for letter in LETTERS if letter not in others)
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
