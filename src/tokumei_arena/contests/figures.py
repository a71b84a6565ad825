"""Every figure of a contest once, with what it means, by where it is first met."""

from __future__ import annotations

from tokumei.contests import Both, Column
from tokumei_arena.models import Contest
from tokumei_arena.rules import rules_of

RELEASE, GUESSES, RANKING = "release", "guesses", "ranking"


def figures_of(contest: Contest) -> list[tuple[str, list[tuple[Column, Both]]]]:
    """Return the figures of releases, of guesses and of the rankings; what nobody explained has its title."""
    rules = rules_of(contest)
    table, meanings = rules.rank_round((), ()), rules.explanations()
    seen: set[str] = set()
    groups = []
    for group, columns in (
        (RELEASE, rules.release_columns),
        (GUESSES, rules.guess_columns),
        (RANKING, (*table.anonymizer_columns, *table.attacker_columns)),
    ):
        fresh = [
            one for at, one in enumerate(columns) if one.key not in {*seen, *(column.key for column in columns[:at])}
        ]
        seen |= {one.key for one in fresh}
        groups.append((group, [(one, meanings.get(one.key, one.title)) for one in fresh]))
    return groups
