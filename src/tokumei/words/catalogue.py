"""What is said, as values: a message is a code with what its sentence shows, and every language has one catalogue.

The general catalogue is ``tokumei/words/en.toml`` and ``ja.toml``, with the same keys; a contest or another package
has its own in a folder ``words`` and may use the general texts too. Values stay values until the edge: the command
line, reports and pages make words of them with `Words`. A text says how it shows a value: ``{share:percent}``,
``{count:,}``; a value may be a message itself, or a tuple of names.

>>> message = Message("reason.few-candidates", {"below": 2, "pseudonyms": 9, "k": 3})
>>> str(message)
'2 of 9 pseudonyms have fewer than 3 candidates'
>>> Words("ja").say(message)
'9 個の仮IDのうち 2 個は候補が 3 人未満です'
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from tokumei.errors import ParameterError, did_you_mean
from tokumei.words.numbers import amount, percent

LANGUAGES = ("en", "ja")
HOUSE = "tokumei"
SHOWN_NAMES = 5
_FORMATS: Mapping[str, Callable[[Any], str]] = {"percent": percent, "amount": amount}


@dataclass(frozen=True, slots=True)
class Message:
    """A code of a catalogue (``group.name``) with the values of its text; ``home`` is the package of the catalogue."""

    code: str
    values: Mapping[str, object] = field(default_factory=dict, hash=False)
    home: str = HOUSE

    def __str__(self) -> str:
        """Return the message in English."""
        return Words("en").say(self)


@cache
def texts(language: str, home: str = HOUSE) -> Mapping[str, str]:
    """Return the texts of a language under keys ``group.name``: those of a package, and the general ones.

    Raises ParameterError for a language without a catalogue.
    """
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        message = f"there is no report in the language '{language}'{did_you_mean(language, LANGUAGES)}; known: {known}"
        raise ParameterError(message)
    text = files(home).joinpath("words", f"{language}.toml").read_text(encoding="utf-8")
    own = {
        f"{group}.{name}": value for group, entries in tomllib.loads(text).items() for name, value in entries.items()
    }
    return own if home == HOUSE else {**texts(language), **own}


class Words(string.Formatter):
    """The texts of one language, for one package."""

    # ``{recipient:recipient}`` shows what a value of this group is called in a language.
    _NAMED = ("question", "recipient")

    def __init__(self, language: str, home: str = HOUSE) -> None:
        self.language = language
        self.home = home
        self.table = texts(language, home)

    def __call__(self, key: str, **values: object) -> str:
        """Return the text under a key with its values filled in."""
        return self.vformat(self.table[key], (), values)

    def first(
        self, groups: Sequence[str], names: Sequence[str], values: Mapping[str, object], home: str = HOUSE
    ) -> str:
        """Return the first text there is for one of these names in one of these groups, empty if there is none."""
        words = self.of(home)
        keys = [f"{group}.{name}" for group in groups for name in names]
        key = next(filter(words.table.__contains__, keys), None)
        return "" if key is None else words(key, **values)

    def say(self, message: Message | str) -> str:
        """Return a message in this language; what is text already stays as it is."""
        if isinstance(message, str):
            return message
        return self.of(message.home)(message.code, **message.values)

    def of(self, home: str) -> Words:
        """Return the texts of this language for a package."""
        return self if home == self.home else Words(self.language, home)

    def named(self, group: str, name: str) -> str:
        """Return the text for a registered name, or the name itself: others may have added theirs."""
        return self.table.get(f"{group}.{name}", name)

    def each(self, group: str, *names: str) -> list[str]:
        """Return the texts of several names of a group, without values filled in."""
        return [self.table[f"{group}.{name}"] for name in names]

    def group(self, group: str) -> dict[str, str]:
        """Return all texts of a group by name, without values filled in."""
        start = f"{group}."
        return {key.removeprefix(start): text for key, text in self.table.items() if key.startswith(start)}

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return one value as a text asks for it."""
        if isinstance(value, Message):
            return self.say(value)
        if isinstance(value, tuple) and all(isinstance(one, Message) for one in value):
            return self.table["list.pause"].join(map(self.say, value))
        if isinstance(value, tuple):
            shown = self.table["list.separator"].join(self("list.name", name=name) for name in value[:SHOWN_NAMES])
            return self("list.more", shown=shown, more=len(value) - SHOWN_NAMES) if value[SHOWN_NAMES:] else shown
        if format_spec in self._NAMED:
            return self.named(format_spec, str(value))
        form = _FORMATS.get(format_spec)
        return format(value, format_spec) if form is None else form(value)


def in_both(message: Message | str) -> dict[str, str]:
    """Return a message in every language, for records that outlive the program that made them."""
    return {language: Words(language).say(message) for language in LANGUAGES}
