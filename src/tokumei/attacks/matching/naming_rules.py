"""A rule that says whose pseudonym is whose from names and places alone, and how likely chance would be to keep it."""

from __future__ import annotations

from math import exp, log
from typing import NamedTuple

from tokumei.array_types import Ints
from tokumei.words import Message


class NamingRule(NamedTuple):
    """What a rule is, how many such rules are tried, and the subject that it names for every pseudonym, -1 for none.

    ``chance`` bounds the probability that names that were drawn at random would keep the rule as often; 1 where the
    names alone do not tell.
    """

    finding: Message
    tried: int
    owner: Ints
    chance: float = 1.0


def chance_of_hits(hits: int, expected: float) -> float:
    """Bound the probability of at least so many rare events where so many are expected (Chernoff, Poisson's tail).

    >>> chance_of_hits(3, 3.0), chance_of_hits(20, 0.1) < 1e-37
    (1.0, True)
    """
    if hits <= expected or expected <= 0:
        return 1.0 if hits <= expected else 0.0
    return exp(-expected + hits - hits * log(hits / expected))
