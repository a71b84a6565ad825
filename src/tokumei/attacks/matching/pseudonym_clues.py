"""What pseudonyms and the order of a release give away: order kept, numbers shifted, unkeyed digests, small seeds.

All of it needs only names and positions, so that the attacker can try everything; a guess counts only where the match
graph allows it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.attacks.matching.consistency import Histories
from tokumei.attacks.matching.matchings import Bipartite
from tokumei.data import History
from tokumei.words import Message

FEW = 5
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


def ordered_owners(history: History, histories: Histories) -> Iterator[tuple[Message, int, Ints]]:
    """Yield, like `predicted_owners`, whom each pseudonym stands for if an order was kept exactly."""
    if len(histories.names) != len(history.subjects):
        return
    pairs = _order_pairs(history, histories)
    for finding, rank, theirs in pairs:
        listed = np.argsort(theirs, kind="stable")
        place = np.argsort(np.argsort(rank, kind="stable"), kind="stable")
        yield finding, len(pairs), listed[place]


def predicted_owners(history: History, histories: Histories, *, seeds: int = 0) -> Iterator[tuple[Message, int, Ints]]:
    """Yield guesses of the rule behind the pseudonyms: what it is, how many such rules are tried, and whom it names.

    It names a subject for every pseudonym, -1 where it names none. The seeds 0, 1, ... below ``seeds`` are tried too.
    """
    names, subjects = histories.names, history.subjects
    yield Message("detail.own-name"), FEW, _lookup(names, subjects)
    texts = subjects.to_list()
    for name, digest in _digests().items():
        whole = pl.Series([digest(text) for text in texts], dtype=pl.String)
        length = int(names.str.len_chars().to_numpy().min(initial=64))
        if length >= 6:
            finding = Message("detail.digest", {"digest": name})
            yield finding, FEW, _lookup(names.str.to_lowercase(), whole.str.head(length))
    published, original = _numbers(names), _numbers(subjects)
    if published is not None and original is not None and len(published) == len(original):
        shift = np.sort(published)[0] - np.sort(original)[0]
        if shift:
            shifted = pl.Series((original + shift).astype(np.int64)).cast(pl.String)
            finding = Message("detail.shifted", {"shift": int(shift)})
            yield finding, FEW, _lookup(published.astype(str).tolist(), shifted)
    if published is not None and len(published) == len(subjects) <= MOST_FOR_SEEDS:
        yield from _seeded(history, published, seeds)


def _lookup(names: pl.Series | list[str], keys: pl.Series) -> Ints:
    """Return the position of every name among the keys, -1 if it is not there."""
    place = {key: position for position, key in enumerate(keys.to_list())}
    return np.array([place.get(name, -1) for name in names], dtype=np.int64)


def _digests() -> dict[str, Callable[[str], str]]:
    return {
        "MD5": lambda text: hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(),
        "SHA-1": lambda text: hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest(),
        "SHA-256": lambda text: hashlib.sha256(text.encode()).hexdigest(),
    }


def _seeded(history: History, published: Ints, seeds: int) -> Iterator[tuple[Message, int, Ints]]:
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
                    yield finding, 8 * seeds, listed[rule[published - base]]
