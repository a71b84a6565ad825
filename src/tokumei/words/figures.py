"""Figures of an audit in words: ``records-3/date-day`` is "who knows 3 records: other values of 'date' (by day)"."""

from __future__ import annotations

from tokumei.words.catalogue import Words


def conclusion_line(
    outcome: str, k: int, words: Words, *, recipient: str = "", other_original: bool = False, believed: bool = False
) -> str:
    """Return what an audit concluded in one line; a release of another original is told before everything else.

    What is ``believed`` was proven without the Secret, which alone tells whether every pseudonym has another owner.

    >>> conclusion_line("safe", 3, Words("en"))
    'names: safe at k = 3, proven'
    """
    if recipient:
        conclusion = words(f"conclusion.{outcome}_recipient", recipient=recipient)
    else:
        conclusion = words(f"conclusion.{outcome}{'_believed' if believed and outcome == 'safe' else ''}", k=k)
    return words("conclusion.other-original", conclusion=conclusion) if other_original else conclusion


def figure_name(name: str, words: Words) -> str:
    """Return the name of a figure, ``attacker/what``, in words; columns keep their names.

    >>> figure_name("records-3/date-day", Words("en"))
    "who knows 3 records: other values of 'date' (by day)"
    >>> figure_name("only-goods/membership-tpr", Words("en"))
    "who knows only 'goods' of 3 records: members recognized at 1 % false alarms"
    """
    attacker, _, what = name.partition("/")
    if not what:
        return words.named("attack", words.named("what", name))
    return words("word.figure_of", attacker=attacker_name(attacker, words), what=measure_name(what, words))


def attacker_name(name: str, words: Words) -> str:
    """Return who attacks: by a name of its own, or of a kind with a number or a column."""
    kind, _, rest = name.rpartition("-")
    if f"attacker.{name}" in words.table:
        return words(f"attacker.{name}")
    if f"attacker.{kind}" in words.table:
        return words(f"attacker.{kind}", rest=rest)
    for kind in ("all-but", "person-only", "only"):
        if name.startswith(f"{kind}-"):
            return words(f"attacker.{kind}", rest=name.removeprefix(f"{kind}-"))
    return name


def measure_name(name: str, words: Words) -> str:
    """Return what is measured: by a name of its own, or the values of a column at a grain."""
    if f"what.{name}" in words.table:
        return words(f"what.{name}")
    column, _, grain = name.rpartition("-")
    if f"grain.{grain}" in words.table:
        return words("what.learned", column=column, grain=words(f"grain.{grain}"))
    return name


def typical_width(text: str, words: Words) -> str:
    """Return a width such as ``62 days`` in another language; ``±0.25`` is the same in all.

    >>> typical_width("62 days", Words("ja")), typical_width("±0.25", Words("ja"))
    ('62 日', '±0.25')
    """
    width, _, unit = text.partition(" ")
    return words(f"cli.width-{unit}", width=width) if unit else text
