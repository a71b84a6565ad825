"""What is asked of an audit, as one value: command line, Python, report and demo hand it on without looking inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokumei.arguments import check_whole
from tokumei.audits.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """What must hold, how long may be searched, and who gets the release.

    ``k`` is what must hold (default: the k of the method's parameters, else what the release seems to aim at). With
    ``limits`` all questions decide the verdict, otherwise naming alone. ``time_limit`` is that of naming, in seconds;
    ``seed`` that of Markov chains and of the people whom attackers look for; ``guess_seeds`` how many small seeds are
    tried on the release. ``quick`` leaves out to run the method again, and all attackers who know little but one;
    ``allow`` names columns that may be published although they seem to name people. ``fresh`` computes once more what
    was kept beside the release.
    """

    k: int | None = None
    limits: Limits | None = None
    time_limit: float | None = None
    seed: int = 0
    guess_seeds: int = 0
    quick: bool = False
    allow: Sequence[str] = ()
    fresh: bool = False

    def __post_init__(self) -> None:
        """Refuse a k that is no whole number."""
        check_whole("k", self.k, least=1)
