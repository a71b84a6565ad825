"""Pseudonyms that are numbers computed from the subject's number: a x + b, also modulo something, or x XOR c.

Two pseudonyms and a candidate of each determine a and b (one determines c); whether the rule is true shows on the
others. The number of a subject is the one in its id, or its place among all ids or in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.attacks.matching.matchings import Bipartite
from tokumei.attacks.matching.naming_rules import NamingRule
from tokumei.words import Message

MODULI = (10**4, 10**5, 10**6, 10**7, 10**8, 10**9, 10**9 + 7, 2**16, 2**20, 2**24, 2**31 - 1, 2**31, 2**32)
# Two anchors with at most so many candidates each; so many pairs of anchors, as a difference may have no inverse.
MOST_CANDIDATES, ANCHORS = 6, 4
PROBES, DENSE = 16, 50
# Anchors, their candidates, three numbers of a subject and all moduli: what a hit by chance is multiplied by.
TRIED = 50_000
_HEXADECIMAL = "^[0-9a-f]{1,15}$"


def _has_letters(text: pl.Series) -> bool:
    return bool(text.str.contains("[a-f]").any())


def numbers_in(names: pl.Series) -> Ints | None:
    """Return the whole number in every name, None if some name has none that fits 60 bits.

    It is that of its digits, or all of the name, where all are hexadecimal numbers of one length.
    """
    text = names.cast(pl.String)
    length = text.str.len_bytes()
    if len(text) and length.min() == length.max() and text.str.contains(_HEXADECIMAL).all() and _has_letters(text):
        return np.array([int(name, 16) for name in text.to_list()], dtype=np.int64)
    digits = names.cast(pl.String).str.replace_all(r"\D", "").cast(pl.Int64, strict=False)
    if digits.has_nulls() or len(digits) == 0 or int(digits.max() or 0) >= 2**60:  # type: ignore[arg-type]
        return None
    return digits.to_numpy()


def arithmetic_owners(
    names: pl.Series, subjects: pl.Series, appearance: Ints, graph: Bipartite
) -> Iterator[NamingRule]:
    """Yield rules of arithmetic that give most pseudonyms, and whom each of them names.

    ``appearance`` is the place of every subject in the file; ``graph`` tells the candidates of the anchors.
    """
    published = numbers_in(names)
    if published is None or len(names) < 4:
        return
    places = np.arange(len(subjects), dtype=np.int64)
    inputs = [numbers for numbers in (numbers_in(subjects), places, appearance) if numbers is not None]
    anchors = _anchors(graph, len(names))
    where = {int(value): place for place, value in enumerate(published.tolist())}
    for numbers in inputs:
        for rule in dict.fromkeys(_rules(published, numbers, anchors, graph)):
            owner = _owners(rule, numbers, where, len(names))
            if owner is not None and _fits(owner, graph):
                yield NamingRule(Message("detail.arithmetic"), TRIED, owner)


def _fits(owner: Ints, graph: Bipartite) -> bool:
    """Whether at least half of those whom a rule names are candidates: of a true one all are."""
    named = np.flatnonzero(owner >= 0)
    links = graph.pseudonym * graph.subjects + graph.subject
    return bool(2 * np.isin(named * graph.subjects + owner[named], links).sum() >= len(named) > 0)


def _anchors(graph: Bipartite, names: int) -> Ints:
    """Return pseudonyms with few candidates, spread over all."""
    few = np.flatnonzero(graph.degrees()[:names] <= MOST_CANDIDATES)
    return few[np.unique(np.linspace(0, max(len(few) - 1, 0), min(ANCHORS + 1, len(few))).astype(np.int64))]


def _rules(published: Ints, numbers: Ints, anchors: Ints, graph: Bipartite) -> Iterator[tuple[int, int, int, int]]:
    """Yield rules (kind, a, b, modulus) that give the anchors a candidate each; modulus 0 is none, kind 1 is XOR."""
    # Numbers that nearly fill their range hit each other whatever the rule: only moduli of the range itself make sense.
    largest = int(published.max())
    dense = largest < DENSE * len(published)
    moduli = (largest + 1, len(published)) if dense else tuple(modulus for modulus in MODULI if modulus > largest)
    anchors = anchors[:2] if dense else anchors
    candidates = [graph.subject[graph.starts[anchor] : graph.starts[anchor + 1]].tolist() for anchor in anchors]
    for first, anchor in enumerate(anchors[:1]):
        for subject in candidates[first]:
            yield 1, int(published[anchor]) ^ int(numbers[subject]), 0, 0
    for one, other in zip(range(len(anchors)), range(1, len(anchors)), strict=False):
        rise = int(published[anchors[one]] - published[anchors[other]])
        for left in candidates[one]:
            for right in candidates[other]:
                run = int(numbers[left] - numbers[right])
                if run and rise % run == 0:
                    slope = rise // run
                    yield 0, slope, int(published[anchors[one]]) - slope * int(numbers[left]), 0
                for modulus in moduli:
                    if run and gcd(run, modulus) == 1:
                        slope = rise * pow(run, -1, modulus) % modulus
                        yield 0, slope, (int(published[anchors[one]]) - slope * int(numbers[left])) % modulus, modulus


def _owners(rule: tuple[int, int, int, int], numbers: Ints, where: dict[int, int], names: int) -> Ints | None:
    """Return whom a rule names, None if it does not give most of the pseudonyms."""
    kind, slope, shift, modulus = rule

    def image(number: int) -> int:
        if kind == 1:
            return number ^ slope
        value = slope * number + shift
        return value % modulus if modulus else value

    probes = np.unique(np.linspace(0, len(numbers) - 1, PROBES).astype(np.int64))
    hits = sum(image(int(numbers[place])) in where for place in probes)
    if 2 * hits * len(numbers) < len(probes) * names:
        return None
    owner = np.full(names, -1, dtype=np.int64)
    for subject, number in enumerate(numbers.tolist()):
        place = where.get(image(number))
        if place is not None:
            owner[place] = subject
    return owner
