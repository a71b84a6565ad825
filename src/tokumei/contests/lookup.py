"""Contests by name, as packages register them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokumei.contests.base import Contest
from tokumei.errors import UnknownPartError
from tokumei.parts import find_part, make_part, part_names


def find_contest(name: str) -> type[Contest]:
    """Return the class of a contest."""
    found = find_part("contest", name)
    if not issubclass(found, Contest) or found.name != name:
        message = f"what is registered as the contest '{name}' is no Contest of this name; repair its package"
        raise UnknownPartError(message, code="broken-part")
    return found


def make_contest(name: str, parameters: Mapping[str, Any] | None = None) -> Contest:
    """Return a contest with these parameters; a ParameterError says which one cannot be."""
    return make_part(find_contest(name), parameters or {})


def playable_contests() -> dict[str, type[Contest]]:
    """Return the contests with an attack task by name; those of packages that are broken are left out."""
    contests = {}
    for name in part_names("contest"):
        try:
            contest = find_contest(name)
        except UnknownPartError:
            continue
        if contest.has_attack_task:
            contests[name] = contest
    return contests


def suggested_contest() -> str:
    """Return the name of the contest to offer first: one that recommends itself, else the first by name."""
    contests = playable_contests()
    return next((name for name, contest in contests.items() if contest.recommended), next(iter(contests)))
