"""How long a lease lasts comes from the environment."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from tokumei_arena import environment


def test_a_lease_lasts_as_long_as_the_variable_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOKUMEI_ARENA_LEASE", raising=False)
    assert environment.lease_seconds() == 30
    monkeypatch.setenv("TOKUMEI_ARENA_LEASE", "3")
    assert environment.lease_seconds() == 3


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "soon"])
def test_a_lease_is_a_whole_number_of_seconds(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("TOKUMEI_ARENA_LEASE", text)
    message = f"TOKUMEI_ARENA_LEASE is '{text}', but it has to be a whole number of seconds from 1 on"
    with pytest.raises(ImproperlyConfigured, match=message):
        environment.lease_seconds()
