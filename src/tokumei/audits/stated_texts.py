"""Whether a stated parameter leaves room for a message: what stands there must be what the data lets stand there.

A text is a list of at most as many pieces as there are columns, each a column once, a short number or rule, or both
(``price=10``, ``age:0.5``, ``city=up1``, ``1_5``). Anything else, such as a hierarchy or the name of its file, may be
what the method took; whoever has the release alone cannot tell it from a message.
"""

from __future__ import annotations

import re
from collections.abc import Collection

# Digits of a number among the parameters that publishers choose; more would be room for a message.
MOST_DIGITS = 6
_SHORT_NUMBER = re.compile(r"\d{1,4}(\.\d{1,4})?")
_NUMBER = r"-?(?:\d{1,6}(?:\.\d{1,2})?|\d{1,4}\.\d{1,4})"
_UNITS = "minute|hour|day|week|month|quarter|year"
_RULE = re.compile(rf"\*|up\d{{1,2}}|{_UNITS}|{_NUMBER}|(?:{_NUMBER}%?)?\.\.(?:{_NUMBER}%?)?")
# ``name=rule``, ``name:rule`` or a rule alone; a name may hold both marks.
_NAMED = re.compile(r"(?:(.*)[=:])?([^=:]*)", re.DOTALL)
_SEPARATORS = (",", ";", "_")


def is_short(value: object) -> bool:
    """Return whether a value that is no text has few digits.

    >>> is_short(0.05), is_short(3), is_short(0.001002003004), is_short(1002003004), is_short(None)
    (True, True, False, False, True)
    """
    if isinstance(value, float):
        return len(repr(value).replace(".", "").lstrip("0")) <= MOST_DIGITS
    return isinstance(value, str) or value is None or len(str(abs(int(value)))) <= MOST_DIGITS  # type: ignore[call-overload]


def is_weights(text: str, columns: Collection[str]) -> bool:
    """Return whether a text is a list of columns, each with a short number.

    >>> is_weights("price:2,day:0.5", {"price", "day"}), is_weights("1 is s001", {"price"})
    (True, False)
    """
    pieces = [piece.rpartition(":") for piece in text.split(",")] if text else []
    return all(name in columns and _SHORT_NUMBER.fullmatch(number) for name, _, number in pieces)


def speaks_of_columns(text: str, columns: Collection[str]) -> bool:
    """Return whether a text is a list of columns and short rules.

    >>> [speaks_of_columns(text, {"price", "day"}) for text in ("price=10,day=month", "1_2", "price=..99%", "price")]
    [True, True, True, True]
    >>> [speaks_of_columns(text, {"price", "day"}) for text in ("1_2_3", "rice>food", "@1-is-s001", "price=1,price=2")]
    [False, False, False, False]
    """
    return not text or any(_is_list(text.split(separator), columns) for separator in _SEPARATORS)


def _is_list(pieces: list[str], columns: Collection[str]) -> bool:
    named = []
    for piece in map(str.strip, pieces):
        name, rule = (piece, "") if piece in columns else _NAMED.fullmatch(piece).groups()  # type: ignore[union-attr]
        if (name is not None and name not in columns) or (rule and not _RULE.fullmatch(rule)):
            return False
        named += [name] if name else []
    return len(named) == len(set(named)) and len(pieces) <= len(columns)
