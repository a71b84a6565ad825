"""PWS Cup 2017: the use-case utility E1 to E6 of an anonymized history AT (spec B.10.3, golden README)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tokumei.contests.pws2017.utility import Utility2017, utility_2017
from tokumei.contests.reading import read_contest
from tokumei.parts import RuleSet

__all__ = ["Pws2017"]


@dataclass(frozen=True, kw_only=True)
class Pws2017(RuleSet):
    """The rule set of PWS Cup 2017, as far as later contests use it: its utility metrics."""

    name: ClassVar[str] = "pws2017"
    summary: ClassVar[str] = "purchase histories with monthly pseudonyms: utility E1 to E6"
    source: ClassVar[str] = "PWS Cup 2017 committee programs (spec B.10.3, E)"

    strict: bool = False

    def utility(self, m: Path, t: Path, at: Path) -> Utility2017:
        """Return E1 to E6; M is read because the official programs want it, its content is not used."""
        read_contest(m, "pws2017", "M")
        original, anonymized = read_contest(t, "pws2017", "T"), read_contest(at, "pws2017", "AT")
        return utility_2017(original, anonymized, strict=self.strict)
