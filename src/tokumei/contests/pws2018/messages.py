"""Sentences for the findings of the 2018 checkers, in English and Japanese.

Every sentence names what stands in the file (shortened, control characters escaped), what is wrong with it and what
may be written instead. Customers of T are never named: a line number says enough to the owner of the file.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tokumei.contests.check_result import Language
from tokumei.contests.pws2018.release_columns import MAX_SET_SIZE, Conflicts
from tokumei.contests.pws2018.release_lines import MAX_LINE_LENGTH, ReleaseLines
from tokumei.errors import Finding

__all__ = ["GuessExplainer", "ReleaseExplainer", "shortened"]

_SHOWN_CHARACTERS = 40
_NAMES = ("pseudonym", "date", "goods", "price", "quantity")
_GUESS_NAMES = ("pseudonym", "customer")

Sentences = dict[str, dict[Language, str]]

_RANGES: Sentences = {
    "date": {
        "en": "a day of 2010 or 2011 such as 2011/1/15, a range [first;last] of two such days in order, or *",
        "ja": "2010年か2011年の実在する日付（例 2011/1/15）、その2つを早い順に並べた範囲 [始め;終わり]、または *",
    },
    "price": {
        "en": "0.01 to 99999.99 with at most two decimals and no leading zero, a range [low;high] of two such prices "
        "in order, or *",
        "ja": "0.01〜99999.99（小数は2桁まで、先頭に余分な0なし）、その2つを小さい順に並べた範囲 [下限;上限]、または *",
    },
    "quantity": {
        "en": "a whole number from 1 to 999999 without leading zeros, a range [low;high] of two such numbers in order, "
        "or *",
        "ja": "1〜999999の整数（先頭の0なし）、その2つを小さい順に並べた範囲 [下限;上限]、または *",
    },
}

_RELEASE: Sentences = {
    "INVALID pseudonym": {
        "en": "'{value}' is not a pseudonym: write a whole number from 1 to 999999999 without leading zeros, or delete "
        "the whole row with *,*,*,*,*",
        "ja": "「{value}」は仮名として使えません。先頭に0のない1〜999999999の整数を書くか、*,*,*,*,* で行全体を削除して"
        "ください",
    },
    "INVALID ordered": {
        "en": "'{value}' is not allowed as a {name}: write {allowed}; no spaces, no sets",
        "ja": "「{value}」は{name}として使えません。{allowed} を、空白や集合を使わずに書いてください",
    },
    "INVALID goods": {
        "en": "the set '{value}' {reason}: write 1 to {most} different goods of T as {{a;b}}, without spaces",
        "ja": "集合「{value}」{reason}。Tにある商品を1〜{most}個、重複も空白もなく {{a;b}} の形で書いてください",
    },
    "NOT_CONTAINED ordered": {
        "en": "'{value}' does not contain the original {name} '{original}': write that value, a range [low;high] that "
        "contains it, or *",
        "ja": "「{value}」は元の{name}「{original}」を含みません。その値、それを含む範囲 [下限;上限]、または * を書いて"
        "ください",
    },
    "NOT_CONTAINED goods": {
        "en": "'{value}' does not contain the original goods '{original}': write that id, a set {{a;b}} of goods of T "
        "that includes it, or *",
        "ja": "「{value}」は元の商品「{original}」を含みません。その商品ID、それを含むTの商品の集合 {{a;b}}、または * "
        "を書いてください",
    },
    "INCONSISTENT": {
        "en": "pseudonym '{value}' {reason}: use one pseudonym per customer over the whole file, and each for one "
        "customer only",
        "ja": "仮名「{value}」は一対一ではありません（{reason}）。ファイル全体で顧客1人に仮名1つ、仮名1つに顧客1人と"
        "してください",
    },
    "TOO_MANY_CELLS": {
        "en": "the line has {count} cells: write exactly 5, separated by commas; inside ranges and sets write ';' "
        "instead of ','",
        "ja": "この行には{count}個のセルがあります。カンマ区切りでちょうど5個にし、範囲や集合の中では「,」でなく「;」を"
        "使ってください",
    },
    "NOT_ENOUGH_CELLS": {
        "en": "the line has {count} cells: write exactly 5, separated by commas; a deleted row is *,*,*,*,*",
        "ja": "この行には{count}個のセルしかありません。カンマ区切りでちょうど5個にしてください（削除した行は "
        "*,*,*,*,*）",
    },
    "TOO_MANY_LINES": {
        "en": "T has only {rows} lines: remove this line and all that follow; a blank line at the end counts as well",
        "ja": "Tは{rows}行しかありません。この行以降を取り除いてください（末尾の空行も1行と数えます）",
    },
    "NOT_ENOUGH_LINES": {
        "en": "the file ends after {line} lines, but T has {rows}: line i of A belongs to line i of T; write "
        "*,*,*,*,* for a deleted row",
        "ja": "ファイルは{line}行で終わっていますが、Tは{rows}行あります。Aのi行目はTのi行目に対応します。削除した行は "
        "*,*,*,*,* と書いてください",
    },
    "BAD_NEWLINE": {
        "en": "a carriage return (CR) stands here without a line feed (LF) after it: end lines with LF or CRLF; "
        "nothing from this line on was checked",
        "ja": "LFの続かないCRがあります。改行はLFかCRLFにしてください。この行以降は検査していません",
    },
    "LINE_TOO_LONG": {
        "en": "the line has {length} characters, at most {longest} are allowed: use smaller sets, or *; nothing from "
        "this line on was checked",
        "ja": "この行は{length}文字あり、上限の{longest}文字を超えています。集合を小さくするか * にしてください。"
        "この行以降は検査していません",
    },
}

_SET_REASONS: Sentences = {
    "size": {"en": "has {count} elements", "ja": "には{count}個の要素があります"},
    "empty": {"en": "has an empty element", "ja": "に空の要素があります"},
    "unknown": {
        "en": "names '{element}', which does not occur in T",
        "ja": "の「{element}」はTにありません",
    },
    "twice": {"en": "names '{element}' twice", "ja": "に「{element}」が2回あります"},
}

_CONFLICTS: Sentences = {
    "customer": {
        "en": "is not the one that this customer has since line {line}",
        "ja": "この顧客には{line}行目で別の仮名が付いています",
    },
    "pseudonym": {
        "en": "belongs to another customer since line {line}",
        "ja": "この仮名は{line}行目で別の顧客に付いています",
    },
}

_GUESSES: Sentences = {
    "INVALID_FORMAT": {
        "en": "'{value}' is not a guess: write pseudonym,customer as two whole numbers, with nothing else in the line "
        "(no header, spaces, quotes or blank lines)",
        "ja": "「{value}」は推定の形式ではありません。「仮名,顧客ID」を数字だけで書いてください（見出し、空白、引用符、"
        "空行は使えません）",
    },
    "UNKNOWN_PSEUDONYM": {
        "en": "pseudonym '{value}' does not occur in the published file: write one exactly as it stands there "
        "(pseudonym first, then customer)",
        "ja": "仮名「{value}」は公開ファイルにありません。そこにある仮名をそのまま書いてください（仮名、顧客IDの順）",
    },
    "UNKNOWN_CUSTOMER": {
        "en": "customer '{value}' does not occur in T: write an id exactly as it stands there (pseudonym first, then "
        "customer)",
        "ja": "顧客「{value}」はTにありません。そこにあるIDをそのまま書いてください（仮名、顧客IDの順）",
    },
    "DUPLICATE_PSEUDONYM": {
        "en": "pseudonym '{value}' was already guessed in line {first}: keep one guess per pseudonym",
        "ja": "仮名「{value}」は{first}行目ですでに推定されています。仮名ごとに推定は1つだけにしてください",
    },
}

_JAPANESE_NAMES = {"date": "日付", "price": "単価", "quantity": "数量"}


def shortened(text: str) -> str:
    """Return text that fits into a sentence and cannot disturb a terminal."""
    cut = text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in cut)


class ReleaseExplainer:
    """Makes the sentences of the A checker."""

    def __init__(self, lines: ReleaseLines, original: pl.DataFrame, conflicts: Conflicts | None) -> None:
        """Keep the file, T and the earlier lines (by line) that inconsistent pseudonyms contradict."""
        self._lines = lines
        self._original = original
        self._columns = original.get_columns()
        self._conflicts = conflicts
        self._goods: frozenset[str] | None = None

    def finding(self, line: int, cell: int | None, code: str, language: Language) -> Finding:
        """Return one finding with its sentence."""
        if cell is None:
            return Finding(code, self._line_message(line, code, language), line)
        name = _NAMES[cell - 1]
        text = self._lines.text(line).split(",")[cell - 1]
        value = shortened(text)
        if code == "INCONSISTENT":
            reason = self._conflict(line, language)
            message = _RELEASE[code][language].format(value=value, reason=reason)
        elif code == "INVALID" and name == "goods":
            reason = self._set_reason(text[1:-1].split(";"), language)
            message = _RELEASE["INVALID goods"][language].format(value=value, reason=reason, most=MAX_SET_SIZE)
        else:
            message = self._cell_message(line, cell, code, value, language)
        return Finding(code, message, line, cell, name, value)

    def _line_message(self, line: int, code: str, language: Language) -> str:
        """Return the sentence of a finding about a whole line or the file."""
        facts: dict[str, int] = {"rows": self._original.height, "line": line, "longest": MAX_LINE_LENGTH}
        if code in ("TOO_MANY_CELLS", "NOT_ENOUGH_CELLS"):
            text = self._lines.text(line)
            facts["count"] = text.count(",") + 1 if text else 0
        elif code == "LINE_TOO_LONG":
            facts["length"] = self._lines.length(line)
        return _RELEASE[code][language].format(**facts)

    def _cell_message(self, line: int, cell: int, code: str, value: str, language: Language) -> str:
        """Return the sentence of a wrong pseudonym or date, price, quantity, or of goods that lack the original."""
        name = _NAMES[cell - 1]
        original = shortened(str(self._columns[cell - 1][line - 1]))
        shown_name = name if language == "en" else _JAPANESE_NAMES.get(name, name)
        allowed = _RANGES[name][language] if name in _RANGES else ""
        key = f"{code} {'ordered' if name in _RANGES else name}"
        return _RELEASE[key][language].format(value=value, original=original, name=shown_name, allowed=allowed)

    def _set_reason(self, elements: list[str], language: Language) -> str:
        """Say what is wrong with the elements of a set."""
        if self._goods is None:
            self._goods = frozenset(self._original["goods"].unique().to_list())
        unknown = [element for element in elements if element and element not in self._goods]
        repeated = [element for place, element in enumerate(elements) if element in elements[:place]]
        if "" in elements:
            key = "empty"
        elif unknown:
            key = "unknown"
        elif repeated:
            key = "twice"
        else:
            key = "size"
        element = shortened((unknown or repeated or [""])[0])
        return _SET_REASONS[key][language].format(element=element, count=len(elements))

    def _conflict(self, line: int, language: Language) -> str:
        """Say which earlier line a pseudonym contradicts."""
        assert self._conflicts is not None
        customer_line = int(self._conflicts.customer_row[line - 1])
        pseudonym_line = int(self._conflicts.pseudonym_row[line - 1])
        key, earlier = ("customer", customer_line) if customer_line else ("pseudonym", pseudonym_line)
        return _CONFLICTS[key][language].format(line=earlier)


@dataclass(frozen=True, eq=False, slots=True)
class GuessExplainer:
    """Makes the sentences of the F' checker."""

    lines: pl.Series
    first_lines: dict[str, int]

    def finding(self, line: int, cell: int | None, code: str, language: Language) -> Finding:
        """Return one finding with its sentence."""
        text = str(self.lines[line - 1])
        value = text if cell is None else text.split(",")[cell - 1]
        first = self.first_lines.get(value, 0)
        message = _GUESSES[code][language].format(value=shortened(value), first=first)
        name = None if cell is None else _GUESS_NAMES[cell - 1]
        return Finding(code, message, line, cell, name, shortened(value))
