"""The public summary of a release: what a person who gets the folder should read first.

It tells nothing that the release, its method and its parameters do not tell: no figure is taken from the original or
from the Secret, because an exact figure (a loss, a hash) would confirm a guess. Of the audit it has the outcome alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from tokumei.data.cell_widths import cell_shares
from tokumei.data.release_facts import ReleaseFacts
from tokumei.data.results import Outcome
from tokumei.words import percent

_OUTCOMES = {
    Outcome.SAFE: (
        "Names are safe at k = {k}, proven: someone who holds the complete original data and knows the method "
        "names the owner of a pseudonym with probability at most 1/{k}."
    ),
    Outcome.NOT_SHOWN_UNSAFE: (
        "The audit found no attack that does better than its limit for k = {k}, but could not prove that there is none."
    ),
    Outcome.UNSAFE: (
        "The audit found it unsafe: it must not be handed out without other safeguards, such as a contract that "
        "forbids re-identification."
    ),
}
# Words of the first releases of 0.1: what was made with them stays as canonical as it was.
_EARLIER_OUTCOMES = {
    Outcome.SAFE: (
        "The audit found it safe at k = {k}: someone who holds the complete original data and knows the method "
        "names the owner of a pseudonym with probability at most 1/{k}."
    )
}
_READING = """\
- `value`: one value, the original one unless the method changes values; an empty cell holds none.
- `[a;b]`: a value from a to b, both included.
- `{a;b;c}`: one of these values.
- `*`: withheld.

A pseudonym stands for one person, unless the method renews, splits or exchanges pseudonyms. Pseudonyms are random and
mean nothing elsewhere; the order of the rows tells nothing either."""


def public_summary(
    facts: ReleaseFacts,
    *,
    parameters: Mapping[str, Any],
    about: str = "",
    verdict: tuple[Outcome, int] | None = None,
    made_by: str = "",
    earlier_words: bool = False,
) -> str:
    """Return the summary of a release as Markdown text.

    ``made_by`` is the version that made the release (default: the installed one), which may have used
    ``earlier_words``.
    """
    settings = ", ".join(f"{name} = {value}" for name, value in parameters.items() if value not in (None, ""))
    kept = sorted({field.column for field in facts.schema.kept})
    lines = [
        "# About this release",
        "",
        f"{facts.records:,} records under {facts.pseudonyms:,} pseudonyms, made by tokumei "
        f"{made_by or version('tokumei')} with the method {facts.method or 'unknown'}"
        + (f" ({about})" if about else "")
        + (f"; {settings}." if settings else "."),
        "",
        "## How to read it",
        "",
        _READING,
        "",
        "## Columns",
        "",
        "| column | kind | one value | generalized | withheld | typical width |",
        "| --- | --- | ---: | ---: | ---: | --- |",
        *_columns(facts),
        *_apart(facts),
        "",
        "## Protection",
        "",
        _protection(verdict, _OUTCOMES | _EARLIER_OUTCOMES if earlier_words else _OUTCOMES),
    ]
    if kept:
        lines += ["", f"Published unchanged by decision of the publisher: {', '.join(kept)}."]
    lines += [
        "",
        "Not excluded by it: learning that somebody is among the people of the data, learning what all members of a",
        "group have in common, and links that become known from elsewhere.",
    ]
    return "\n".join(lines) + "\n"


def _apart(facts: ReleaseFacts) -> list[str]:
    names = [name for name, demand in facts.schema.demands.items() if demand.apart]
    if not names:
        return []
    return [
        "",
        f"Published apart: {', '.join(names)}. `groups.csv` says which pseudonyms are one group, `sensitive.csv` how",
        "often the members of a group have each value; which of them has which is not said.",
    ]


def stated_verdicts(text: str) -> list[tuple[Outcome, int] | None]:
    """Return the verdicts that a summary may state: no audit, or an outcome at one of the numbers it names as k."""
    numbers = sorted({int(number) for number in re.findall(r"(?<![\d.,])[1-9]\d{0,8}(?![\d.,]*\d)", text)})
    return [None, *((outcome, k) for outcome in Outcome for k in numbers or [0])]


def _columns(facts: ReleaseFacts) -> list[str]:
    kinds = {field.name: field.kind.value for field in facts.schema.fields}
    shares = cell_shares(facts)
    # A name must not break the table.
    names = [" ".join(one.name.replace("|", "\\|").split()) for one in shares]
    # The bytes of a summary are judged: missing cells count as exact there, as they always have.
    return [
        f"| {name} | {kinds[one.name]} | {percent(one.plain)} | {percent(one.generalized)} "
        f"| {percent(one.suppressed)} | {one.typical} |"
        for name, one in zip(names, shares, strict=True)
    ]


def _protection(verdict: tuple[Outcome, int] | None, words: Mapping[Outcome, str]) -> str:
    if verdict is None:
        return "No audit was made of this release."
    outcome, k = verdict
    return words[outcome].format(k=k)
