"""What the 2018 checkers find, as values; the sentences stand in ``words/en.toml`` and ``ja.toml``.

Every sentence names what stands in the file (shortened, control characters escaped), what is wrong with it and what
may be written instead. Customers of T are never named: a line number says enough to the owner of the file.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tokumei.contests.check_result import shortened
from tokumei.contests.pws2018.release_columns import MAX_SET_SIZE, Conflicts
from tokumei.contests.pws2018.release_lines import MAX_LINE_LENGTH, ReleaseLines
from tokumei.errors import Finding
from tokumei.words import Message

# Where the texts of this year stand.
HOME = "tokumei.contests.pws2018"
_NAMES = ("pseudonym", "date", "goods", "price", "quantity")
_ORDERED = ("date", "price", "quantity")
_GUESS_NAMES = ("pseudonym", "customer")


def _message(code: str, **values: object) -> Message:
    return Message(code, values, HOME)


class ReleaseExplainer:
    """Tells the findings of the A checker."""

    def __init__(self, lines: ReleaseLines, original: pl.DataFrame, conflicts: Conflicts | None) -> None:
        """Keep the file, T and the earlier lines (by line) that inconsistent pseudonyms contradict."""
        self._lines = lines
        self._original = original
        self._columns = original.get_columns()
        self._conflicts = conflicts
        self._goods: frozenset[str] | None = None

    def finding(self, line: int, cell: int | None, code: str) -> Finding:
        """Return one finding with its message."""
        if cell is None:
            return Finding(code, self._of_line(line, code), line)
        name = _NAMES[cell - 1]
        text = self._lines.text(line).split(",")[cell - 1]
        value = shortened(text)
        if code == "inconsistent":
            message = _message("finding.inconsistent", value=value, reason=self._conflict(line))
        elif code == "invalid" and name == "goods":
            reason = self._set_reason(text[1:-1].split(";"))
            message = _message("finding.invalid-goods", value=value, reason=reason, most=MAX_SET_SIZE)
        else:
            message = self._of_cell(line, cell, code, value)
        return Finding(code, message, line, cell, name, value)

    def _of_line(self, line: int, code: str) -> Message:
        """Return the message of a finding about a whole line or the file."""
        facts: dict[str, int] = {"rows": self._original.height, "line": line, "longest": MAX_LINE_LENGTH}
        if code in ("too-many-cells", "not-enough-cells"):
            text = self._lines.text(line)
            facts["count"] = text.count(",") + 1 if text else 0
        elif code == "line-too-long":
            facts["length"] = self._lines.length(line)
        return _message(f"finding.{code}", **facts)

    def _of_cell(self, line: int, cell: int, code: str, value: str) -> Message:
        """Return the message of a wrong pseudonym or date, price, quantity, or of goods that lack the original."""
        name = _NAMES[cell - 1]
        original = shortened(str(self._columns[cell - 1][line - 1]))
        if name not in _ORDERED:
            return _message(f"finding.{code}-{name}", value=value, original=original)
        column, allowed = _message(f"column.{name}"), _message(f"allowed.{name}")
        return _message(f"finding.{code}-ordered", value=value, original=original, name=column, allowed=allowed)

    def _set_reason(self, elements: list[str]) -> Message:
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
        return _message(f"set.{key}", element=element, count=len(elements))

    def _conflict(self, line: int) -> Message:
        """Say which earlier line a pseudonym contradicts."""
        assert self._conflicts is not None
        customer_line = int(self._conflicts.customer_row[line - 1])
        pseudonym_line = int(self._conflicts.pseudonym_row[line - 1])
        key, earlier = ("customer", customer_line) if customer_line else ("pseudonym", pseudonym_line)
        return _message(f"conflict.{key}", line=earlier)


@dataclass(frozen=True, eq=False, slots=True)
class GuessExplainer:
    """Tells the findings of the F' checker."""

    lines: pl.Series
    first_lines: dict[str, int]

    def finding(self, line: int, cell: int | None, code: str) -> Finding:
        """Return one finding with its message."""
        text = str(self.lines[line - 1])
        value = text if cell is None else text.split(",")[cell - 1]
        message = _message(f"finding.{code}", value=shortened(value), first=self.first_lines.get(value, 0))
        name = None if cell is None else _GUESS_NAMES[cell - 1]
        return Finding(code, message, line, cell, name, shortened(value))
