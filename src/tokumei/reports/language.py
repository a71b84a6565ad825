"""The texts of reports: one table per language (``words/en.toml``, ``words/ja.toml``) with the same keys.

>>> Words("en")("verdict.safe", k=3), Words("ja")("verdict.safe", k=3)
('Safe at k = 3', 'k = 3 で安全')
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from tokumei.data import Reason
from tokumei.errors import ParameterError, did_you_mean

__all__ = ["LANGUAGES", "Words", "table"]

LANGUAGES = ("en", "ja")
# What an attack found, as the audit says it, and under which key it stands in the tables.
_DETAILS = (
    (r"as the attacker believes; not checked", "unchecked"),
    (r"(inside|at an end|low|high|middle|first|last)", ""),
    (r"(\d+) groups with (\d+) pseudonyms differ only in what is suppressed", "suppression"),
    (r"(\d+) of (\d+) pseudonyms drop to one owner", "counts"),
    (r"the subject's own name", "own-name"),
    (r"an unkeyed (\S+) digest of the subject", "digest"),
    (r"the subject's number plus (-?\d+)", "shifted"),
    (r"numpy's default generator with seed (\d+) \(sorted order\)", "seeded-default-sorted"),
    (r"numpy's default generator with seed (\d+) \(file order\)", "seeded-default-file"),
    (r"numpy's legacy generator with seed (\d+) \(sorted order\)", "seeded-legacy-sorted"),
    (r"numpy's legacy generator with seed (\d+) \(file order\)", "seeded-legacy-file"),
)
_ORDER = re.compile(r"(text|number|appearance)( reversed)? / (text|number|appearance)")


@cache
def table(language: str) -> Mapping[str, str]:
    """Return all texts of a language under keys of the form ``group.name``."""
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        message = f"there is no report in the language '{language}'{did_you_mean(language, LANGUAGES)}; known: {known}"
        raise ParameterError(message)
    text = files("tokumei.words").joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return {
        f"{group}.{name}": value for group, entries in tomllib.loads(text).items() for name, value in entries.items()
    }


class Words:
    """The texts of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._table = table(language)

    def __call__(self, key: str, *places: object, **values: object) -> str:
        """Return the text under a key with its values filled in."""
        return self._table[key].format(*places, **values)

    def named(self, group: str, name: str) -> str:
        """Return the text for a registered name, or the name itself: others may have added theirs."""
        return self._table.get(f"{group}.{name}", name)

    def terms(self) -> dict[str, tuple[str, str]]:
        """Return the glossary: for every term its name and its definition."""
        terms = {key.removeprefix("term."): text for key, text in self._table.items() if key.startswith("term.")}
        return {key: (text.partition("|")[0], text.partition("|")[2]) for key, text in terms.items()}

    def reason(self, reason: Reason) -> tuple[str, str]:
        """Return a reason of a verdict, and its remedy (empty if there is none)."""
        form = str(reason.values.get("form", reason.code))
        if f"reason.{form}" not in self._table:
            # A judge of another package has reasons of its own; its sentence is better than none.
            return reason.sentence, reason.remedy
        values = {**reason.values, "sentence": reason.sentence, "remedy": reason.remedy}
        if values.get("detail"):
            values["detail"] = self.detail(str(values["detail"]))
        remedy = self(f"remedy.{form}", **values) if reason.remedy and f"remedy.{form}" in self._table else ""
        return self(f"reason.{form}", **values), remedy

    def detail(self, detail: str) -> str:
        """Return what an attack found in this language."""
        if found := _ORDER.fullmatch(detail):
            own, reverse, other = found.groups()
            key = "detail.order-reversed" if reverse else "detail.order"
            return self(key, self(f"detail.order-{own}"), self(f"detail.order-{other}"))
        for pattern, key in _DETAILS:
            if found := re.fullmatch(pattern, detail):
                return self(f"detail.{key or detail.replace(' ', '-')}", *found.groups())
        return detail
