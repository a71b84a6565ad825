"""What the 2016 checkers find, as values; the sentences stand in ``words/en.toml`` and ``ja.toml``.

Every sentence says what stands in the file, what is wrong with it and what to write instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from tokumei.contests.check_result import shortened
from tokumei.errors import Finding
from tokumei.words import Message, Words

# Where the texts of this year stand.
HOME = "tokumei.contests.pws2016"
MASTER_CODES = ("", *Words("en", HOME).group("finding"))


@dataclass(frozen=True, eq=False, slots=True)
class MasterExplainer:
    """Tells findings in one file from its text columns and the figures it was compared with."""

    frame: pl.DataFrame
    figures: Mapping[str, object] = field(default_factory=dict)

    def finding(self, line: int, cell: int | None, code: str) -> Finding:
        """Return the finding with its message."""
        value, name = "", None
        if cell is not None and line <= self.frame.height:
            name = self.frame.columns[cell - 1]
            value = str(self.frame[name][line - 1])
        message = Message(f"finding.{code}", {"value": shortened(value), **self.figures}, HOME)
        return Finding(code, message, line, cell, name, value)
