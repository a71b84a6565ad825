"""The language of the person at the terminal: ``--language``, else ``TOKUMEI_LANGUAGE``, else the locale, else English.

JSON documents are English, whoever reads them.
"""

from __future__ import annotations

import os
from typing import Annotated

import typer

from tokumei.words import Words

# What --language said in this run.
_asked_language: list[str] = []


def forget_language() -> None:
    """Begin a run in which nobody has asked for a language yet."""
    _asked_language.clear()


def _speak(language: str | None) -> str:
    """Speak the language that ``--language`` asks for, from here on; return it, or the one that is spoken."""
    if language is not None:
        _asked_language[:] = [Words(language).language]
    return spoken_words().language


SpokenOption = Annotated[
    str | None,
    typer.Option("--language", metavar="en|ja", callback=_speak, help="English or Japanese (default: your locale's)."),
]


def spoken_words() -> Words:
    """Return the words of the person at the terminal: those of ``--language``, ``TOKUMEI_LANGUAGE`` or the locale."""
    names = ("TOKUMEI_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    first = next(filter(None, [*_asked_language, *(os.environ.get(name, "") for name in names)]), "")
    return Words("ja" if first.lower().startswith("ja") else "en")


def heads(*names: str) -> list[str]:
    """Return the heads of a table in the language of the person at the terminal."""
    words = spoken_words()
    return [words(f"cli.{name}") if name else "" for name in names]


def spoken_time(seconds: float | None, words: Words) -> str:
    """Return a time in words.

    >>> [spoken_time(one, Words("en")) for one in (0.3, 42.4, 200, 8000, None)]
    ['1 s', '42 s', '3 min', '2.2 h', '']
    """
    if seconds is None:
        return ""
    if seconds < 100:
        return words("cli.second", count=max(round(seconds), 1))
    if seconds < 6000:
        return words("cli.minute", count=round(seconds / 60))
    return words("cli.hour", count=f"{seconds / 3600:.1f}")
