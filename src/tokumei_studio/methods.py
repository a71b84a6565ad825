"""The methods that the studio offers: those that are made for any data, not for one contest."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from tokumei.errors import UnknownPartError
from tokumei.parts import Method, find_part, has_parameter
from tokumei.profiles import Content

CONTESTS = "tokumei.contests."
# The one whose promise is proven stands first; the names alone taken away show what that is worth.
FIRST = ("k-anonymity", "microaggregation", "k-concealment", "pseudonymize")
TRIED = ("k-anonymity", "pseudonymize")


@cache
def offered() -> dict[str, type[Method]]:
    """Return the methods by name, the usual ones first; one of another package that cannot be loaded is left out."""
    names = [entry.name for entry in entry_points(group="tokumei.methods") if not entry.value.startswith(CONTESTS)]
    methods: dict[str, type[Method]] = {}
    for name in [*(name for name in FIRST if name in names), *sorted(set(names) - set(FIRST))]:
        try:
            methods[name] = find_part("anonymizer", name)
        except UnknownPartError:
            continue
    return methods


def has_k(name: str) -> bool:
    """Return whether a method has a k."""
    return name in offered() and has_parameter(offered()[name], "k")


def contents() -> list[str]:
    """Return the profiles of what contents show."""
    return [str(profile) for profile in Content]
