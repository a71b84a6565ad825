"""What pseudonyms and the order of a release give away: orders kept, images of the id, remainders, small seeds.

All of it needs only names and positions, so that the attacker can try everything; a guess counts only where the match
graph allows it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.attacks.matching.consistency import Histories
from tokumei.attacks.matching.id_arithmetic import arithmetic_owners, numbers_in
from tokumei.attacks.matching.id_images import image_owners
from tokumei.attacks.matching.matchings import Bipartite, Matches
from tokumei.attacks.matching.naming_rules import NamingRule
from tokumei.attacks.matching.pseudonym_structure import group_scores, remainder_scores
from tokumei.data import History
from tokumei.words import Message

MOST_FOR_SEEDS = 20_000


def _ranks(values: npt.ArrayLike) -> Floats:
    """Return ranks scaled to 0..1."""
    order = np.argsort(np.argsort(np.asarray(values), kind="stable"), kind="stable")
    return order / max(len(order) - 1, 1)


def _numbers(names: pl.Series) -> Ints | None:
    """Return the names as whole numbers, None if some are not."""
    numbers = names.cast(pl.Int64, strict=False)
    return None if numbers.has_nulls() or len(numbers) == 0 else numbers.to_numpy()


def _orders(names: pl.Series, first_row: Ints) -> dict[str, Floats]:
    """Return the orders that names have: as text, as numbers, by first appearance."""
    orders = {"text": _ranks(names.rank("ordinal").to_numpy()), "appearance": _ranks(first_row)}
    numbers = _numbers(names)
    if numbers is not None:
        orders["number"] = _ranks(numbers)
    return orders


def _first_rows(member: Ints, count: int) -> Ints:
    """Return the first position of every member."""
    first = np.full(count, len(member), dtype=np.int64)
    np.minimum.at(first, member, np.arange(len(member)))
    return first


def order_detail(pseudonyms: str, subjects: str, *, backwards: bool) -> Message:
    """Return which order of the pseudonyms follows which order of the subjects."""
    orders = {"pseudonyms": Message(f"detail.order-{pseudonyms}"), "subjects": Message(f"detail.order-{subjects}")}
    return Message("detail.order-reversed" if backwards else "detail.order", orders)


def _order_pairs(history: History, histories: Histories) -> list[tuple[Message, Floats, Floats]]:
    """Return every way to order pseudonyms and subjects: what it is, and the ranks of both."""
    published = _orders(histories.names, _first_rows(histories.owner, len(histories.names)))
    original = _orders(history.subjects, _first_rows(history.subject, len(history.subjects)))
    return [
        (order_detail(name, other, backwards=backwards), 1.0 - mine if backwards else mine, theirs)
        for name, mine in published.items()
        for other, theirs in original.items()
        for backwards in (False, True)
    ]


def order_scores(history: History, histories: Histories, graph: Bipartite) -> list[tuple[Message, Floats]]:
    """Return, for every way to order pseudonyms and subjects, the distance of their ranks for each link."""
    inside = graph.pseudonym < graph.pseudonyms - graph.blanks
    pseudonym = np.where(inside, graph.pseudonym, 0)
    return [
        (finding, np.where(inside, np.abs(rank[pseudonym] - theirs[graph.subject]), 0.0))
        for finding, rank, theirs in _order_pairs(history, histories)
    ]


def ordered_owners(history: History, histories: Histories) -> Iterator[NamingRule]:
    """Yield, like `predicted_owners`, whom each pseudonym stands for if an order was kept exactly."""
    if len(histories.names) != len(history.subjects):
        return
    pairs = _order_pairs(history, histories)
    for finding, rank, theirs in pairs:
        listed = np.argsort(theirs, kind="stable")
        place = np.argsort(np.argsort(rank, kind="stable"), kind="stable")
        yield NamingRule(finding, len(pairs), listed[place])


def predicted_owners(
    history: History, histories: Histories, graph: Bipartite, *, seeds: int = 0
) -> Iterator[NamingRule]:
    """Yield guesses of the rule behind the pseudonyms.

    ``graph`` tells who may be whom; the seeds 0, 1, ...
    below ``seeds`` are tried too.
    """
    names, subjects = histories.names, history.subjects
    yield from image_owners(subjects, names)
    appearance = _first_rows(history.subject, len(subjects))
    places = np.argsort(np.argsort(appearance, kind="stable"), kind="stable").astype(np.int64)
    yield from arithmetic_owners(names, subjects, places, graph)
    published = _numbers(names)
    if published is not None and len(published) == len(subjects) <= MOST_FOR_SEEDS:
        yield from _seeded(history, published, seeds)


def group_clues(history: History, histories: Histories, matches: Matches) -> list[tuple[Message, Floats]]:
    """Return scores of every link by the order inside its group."""
    published = _orders(histories.names, _first_rows(histories.owner, len(histories.names)))
    original = _orders(history.subjects, _first_rows(history.subject, len(history.subjects)))
    return list(group_scores(list(published.values()), list(original.values()), matches))


def remainder_clues(history: History, histories: Histories, matches: Matches) -> list[tuple[Message, Floats]]:
    """Return scores of every link by remainders of the pseudonym and of the subject's number or place."""
    numbers = [np.arange(len(history.subjects), dtype=np.int64), numbers_in(history.subjects)]
    appearance = _first_rows(history.subject, len(history.subjects))
    numbers.append(np.argsort(np.argsort(appearance, kind="stable"), kind="stable").astype(np.int64))
    return list(remainder_scores(histories.names, [one for one in numbers if one is not None], matches))


def _seeded(history: History, published: Ints, seeds: int) -> Iterator[NamingRule]:
    """Yield the permutations that numpy's generators give for small seeds, if pseudonyms are consecutive numbers."""
    count = len(published)
    base = int(published.min())
    if int(published.max()) - base + 1 != count:
        return
    appearance = np.argsort(_first_rows(history.subject, count), kind="stable")
    for seed in range(seeds):
        permutations = {
            "default": np.random.default_rng(seed).permutation(count),
            "legacy": np.random.RandomState(seed).permutation(count),
        }
        for name, permutation in permutations.items():
            # Either subject i gets number permutation[i], or number i goes to subject permutation[i].
            for order, listed in (("sorted", np.arange(count)), ("file", appearance)):
                inverse = np.argsort(permutation)
                finding = Message(f"detail.seeded-{name}-{order}", {"seed": seed})
                for rule in (inverse, permutation):
                    yield NamingRule(finding, 8 * seeds, listed[rule[published - base]])
