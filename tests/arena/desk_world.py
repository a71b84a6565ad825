"""What tests of the referee desk share: a signed-in referee, the forms as pages fill them, entries of the log."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.arena import world
from tests.arena.pages import add_second_factor
from tokumei_arena.models import Contest, LogEntry, Person

__all__ = ["desk", "edit_form", "entry_of", "referee"]


@pytest.fixture
def referee() -> Person:
    """Return a referee with a second factor."""
    person = world.make_person("Ref", referee=True)
    add_second_factor(person)
    return person


@pytest.fixture
def desk(client: Client, referee: Person) -> Client:
    """Return a browser in which the referee is signed in."""
    client.force_login(referee)
    return client


def entry_of(action: str) -> dict[str, Any]:
    """Return the details of the only entry of this kind, which a person made."""
    entry = LogEntry.objects.get(action=action)
    assert entry.actor != "system"
    return {**entry.detail, "object": entry.object_id}


def edit_form(contest: Contest, **changes: Any) -> dict[str, Any]:
    """Return the form of the settings as the page fills it."""
    fields: dict[str, Any] = {"name": contest.name, "terms": contest.terms, "team_size": 10, "needs_approval": "on"}
    for one in contest.rounds.all():
        fields |= {f"{one.kind}-weight": one.weight, f"{one.kind}-attack_limit": 1, f"{one.kind}-freeze_minutes": 0}
        fields |= {f"{one.kind}-release_feedback": "exact", f"{one.kind}-attack_feedback": "delayed"}
        fields |= {f"{one.kind}-blind": "on"} if one.blind else {}
    return {**fields, "parameter-p": "1/3", "parameter-alpha": "1/2000", **changes}
