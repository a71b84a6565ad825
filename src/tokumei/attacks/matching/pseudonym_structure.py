"""Pseudonyms that are not independent of who has them: orders and remainders inside a group, and patterns of numbers.

Pseudonyms that were drawn at random show no relation to the ranks of their owners. With the truth every such relation
is a clue like others. Without it, what can be seen is a pattern of the pseudonyms themselves: members of a group whose
numbers all leave different remainders, or numbers that are multiples of one, modulo another (their sorted distances
then have at most three values: the three-distance theorem, Sos 1958).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import exp

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.attacks.matching.id_arithmetic import numbers_in
from tokumei.attacks.matching.matchings import Matches
from tokumei.words import Message

MODULI = range(2, 11)
# In large graphs only the smallest moduli are tried: every variant looks at all links.
FEW_MODULI, MANY_LINKS = range(2, 4), 50_000
FEWEST_NUMBERS, DENSEST_STEPS = 8, 10
SHUFFLES = 60


def ranks_inside(group: Ints, value: Floats | Ints) -> Ints:
    """Return the rank of every value among those of its group, from 0."""
    order = np.lexsort((value, group))
    start = np.concatenate(([True], np.diff(group[order]) != 0))
    first = np.maximum.accumulate(np.where(start, np.arange(len(order)), 0))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - first
    return rank


def group_scores(
    pseudonym_ranks: list[Floats], subject_ranks: list[Floats], matches: Matches
) -> Iterator[tuple[Message, Floats]]:
    """Yield the distance of the ranks inside their group, for every link and every way to order both sides."""
    graph = matches.graph
    real = graph.pseudonyms - graph.blanks
    group_of_subject = np.empty(graph.subjects, dtype=np.int64)
    group_of_subject[matches.subject_of] = matches.component_of
    inside = graph.pseudonym < real
    for values in pseudonym_ranks:
        padded = np.concatenate((values, np.full(graph.blanks, np.inf)))
        mine = ranks_inside(matches.component_of, padded)
        for theirs in subject_ranks:
            rank = ranks_inside(group_of_subject, theirs)
            largest = np.bincount(matches.component_of)[matches.component_of] - 1
            for backwards in (False, True):
                own = largest - mine if backwards else mine
                distance = np.abs(own[graph.pseudonym] - rank[graph.subject]).astype(np.float64)
                yield Message("detail.group-order"), np.where(inside, distance, 0.0)


def remainder_scores(
    names: pl.Series, subject_numbers: list[Ints], matches: Matches
) -> Iterator[tuple[Message, Floats]]:
    """Yield, for every small modulus and shift, which links agree: pseudonym and number of the subject, 0 if so."""
    published, graph = numbers_in(names), matches.graph
    if published is None:
        return
    group_of_subject = np.empty(graph.subjects, dtype=np.int64)
    group_of_subject[matches.subject_of] = matches.component_of
    numbers = [*subject_numbers, ranks_inside(group_of_subject, np.arange(graph.subjects))]
    inside = graph.pseudonym < graph.pseudonyms - graph.blanks
    own = published[np.where(inside, graph.pseudonym, 0)]
    for modulus in MODULI if len(graph) < MANY_LINKS else FEW_MODULI:
        for number in numbers:
            rest = (own - number[graph.subject]) % modulus
            for shift in range(modulus):
                yield Message("detail.remainder", {"modulus": modulus}), (inside & (rest != shift)).astype(np.float64)
    if len(graph) < MANY_LINKS:
        # The rank in the group and the own number: what somebody would hide in a digit.
        for value, modulus in _pieces(own):
            for number in (numbers[0], numbers[-1]):
                rest = (value - number[graph.subject]) % modulus
                for shift in range(modulus):
                    yield Message("detail.digit-of-pseudonym"), (inside & (rest != shift)).astype(np.float64)


def _pieces(numbers: Ints) -> Iterator[tuple[Ints, int]]:
    """Yield what can be marked in a number beside its remainders, and the modulus that shows it."""
    digits = [numbers // 10**place % 10 for place in range(9)]
    even = np.sum([digit % 2 == 0 for digit in digits], axis=0)
    bits = [numbers >> place & 1 for place in range(30)]
    counts = [even, np.sum(bits, axis=0), np.sum(digits, axis=0)]
    for value, modulus in product([*digits[1:], *counts], FEW_MODULI):
        yield value.astype(np.int64), modulus
    for bit in bits[1:]:
        yield bit, 2


def patterns(names: pl.Series, kind: Ints, *, rng: np.random.Generator) -> Iterator[tuple[Message, float]]:
    """Yield patterns of the pseudonyms themselves, and the chance that random ones show them (all tried together)."""
    published = numbers_in(names)
    if published is None:
        return
    steps = np.diff(np.sort(published))
    if len(published) >= FEWEST_NUMBERS and (steps > 0).all():
        distances = np.unique(steps // np.gcd.reduce(steps))
        # Numbers that follow each other, some left out, are dense: they may be shuffled as well as any.
        if 1 < len(distances) <= 3 and distances[-1] > DENSEST_STEPS:
            yield Message("detail.three-distances"), 0.0
    for modulus in MODULI:
        chance = _distinct_remainders(published % modulus, kind, rng) * len(MODULI)
        yield Message("detail.distinct-remainders", {"modulus": modulus}), min(chance, 1.0)


def _distinct_remainders(rest: Ints, kind: Ints, rng: np.random.Generator) -> float:
    """Return the chance that members of a group share a remainder as rarely as here, by shuffling the remainders."""
    width = int(rest.max()) + 1

    def shared(values: Ints) -> int:
        counts = np.bincount(kind * width + values)
        return int((counts * (counts - 1)).sum()) // 2

    shuffled = np.array([shared(rng.permutation(rest)) for _ in range(SHUFFLES)])
    far = (float(shuffled.mean()) - shared(rest)) / max(float(shuffled.std()), 0.5)
    return exp(-far * far / 2) if far > 0 else 1.0
