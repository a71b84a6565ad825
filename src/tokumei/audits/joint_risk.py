"""How likely an attacker who chooses his guesses well passes the contest's test, in one attempt and in several.

Guesses inside one component stand or fall together: a pair of exchangeable histories gives two hits or none. The
attacker chooses how many guesses n to hand in and from which components; the release is found unsafe when at least
r(n) of them are right (spec B.7). For every component the distribution of hits of its best guesses is computed (exactly
where the perfect matchings can be listed, else from samples), then components are combined in several orders and the
best n is taken; few people are guessed in every possible way instead. All perfect matchings are held equally likely.

>>> pmf = exchangeable_hits(3, 3)
>>> [round(float(value), 4) for value in pmf]
[0.3333, 0.5, 0.0, 0.1667]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial

import numpy as np
import scipy

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks import Component, Matches, chain_layout, component_weights, drawn_matchings
from tokumei.audits.coordinated import coordinated_survival

Offers = Sequence[Floats]
MOST_MATCHINGS = 2_000
EXACT_EXCHANGEABLE = 60
SAMPLES = 2_000
MOST_GUESSES = 1_000
CHAIN_STEPS = 4_000_000
# Every guess is tried in every world where these are so few together.
MOST_TRIALS = 200_000


@dataclass(frozen=True, slots=True)
class JointRisk:
    """The probability of being found unsafe in one attempt, the number of guesses that reaches it, and survival.

    ``survives`` is of independent attempts, ``coordinated`` of as many that agree on their guesses.
    """

    probability: float
    guesses: int
    survives: float
    coordinated: float = 1.0


def exchangeable_hits(size: int, guesses: int) -> Floats:
    """Return the distribution of hits when ``guesses`` members of ``size`` exchangeable ones are named.

    The hits are the fixed points of a uniformly random permutation among the named members.
    """
    hits = []
    for right in range(guesses + 1):
        ways = sum(
            (-1) ** extra * comb(guesses - right, extra) * factorial(size - right - extra)
            for extra in range(guesses - right + 1)
        )
        hits.append(Fraction(comb(guesses, right) * ways, factorial(size)))
    return np.array([float(value) for value in hits])


def hit_offers(matches: Matches, component: Component, rng: np.random.Generator, *, wide: bool = False) -> Offers:
    """Return for g = 0, 1, ... the distribution of hits of the best g guesses inside a component."""
    size = len(component)
    named = component.pseudonyms < matches.graph.pseudonyms - matches.graph.blanks
    if component.complete and named.all() and size <= EXACT_EXCHANGEABLE:
        return [exchangeable_hits(size, guesses) for guesses in range(size + 1)]
    allowed = component_weights(matches.graph, component) > 0
    worlds = _all_matchings(allowed)
    if worlds is not None:
        worlds = worlds[:, named]
        return _offers_of(worlds, worlds, worlds)
    starts, columns, _ = chain_layout(matches, component)
    share, drawn = drawn_matchings(matches, component, rng, samples=2 * SAMPLES, steps=CHAIN_STEPS, wide=wide)
    worlds = columns[drawn]
    marginals = np.zeros((size, size))
    marginals[np.repeat(np.arange(size), np.diff(starts)), columns] = share
    _, likeliest = scipy.optimize.linear_sum_assignment(marginals, maximize=True)
    # Guesses are chosen on one half of the samples and judged on the other.
    half = len(worlds) // 2
    guesses = np.vstack((likeliest[None, :], worlds[:8]))
    return _offers_of(guesses[:, named], worlds[:half, named], worlds[half:, named])


def _all_matchings(allowed: Bools) -> Ints | None:
    """Return all perfect matchings (a column per row), None if there are too many to list."""
    partial = np.zeros((1, 0), dtype=np.int64)
    for row in range(len(allowed)):
        choices = np.flatnonzero(allowed[row])
        added = np.tile(choices, len(partial))[:, None]
        grown = np.concatenate((np.repeat(partial, len(choices), axis=0), added), axis=1)
        fresh = (grown[:, :-1] != grown[:, -1:]).all(axis=1)
        partial = grown[fresh]
        if len(partial) > MOST_MATCHINGS:
            return None
    return partial


def _offers_of(guesses: Ints, chosen_on: Ints, judged_on: Ints) -> Offers:
    """Return, for every number of guesses, the hits of the guess whose links most often all hold together."""
    size = guesses.shape[1]
    best: list[Floats] = [np.ones(1)] * (size + 1)
    joint = np.full(size + 1, -1.0)
    for guess in np.unique(guesses, axis=0)[:64]:
        order = _greedy_order(chosen_on == guess)
        hits = np.cumsum((judged_on == guess)[:, order], axis=1)
        for number in range(1, size + 1):
            pmf = np.bincount(hits[:, number - 1], minlength=number + 1) / len(hits)
            value = pmf[number] + 1e-6 * float(hits[:, number - 1].mean())
            if value > joint[number]:
                joint[number], best[number] = value, pmf
    return best


def _greedy_order(right: Bools) -> Ints:
    """Order the links of a guess so that each next one most often holds together with all before it."""
    size = right.shape[1]
    if size > 100:
        return np.argsort(-right.sum(axis=0), kind="stable").astype(np.int64)
    worlds = right
    order: list[int] = []
    left = np.ones(size, dtype=np.bool_)
    for _ in range(size):
        # Where no world is left that holds all of them, the remaining links follow by their own frequency.
        together = (worlds if len(worlds) else right).sum(axis=0) + right.mean(axis=0) / 2
        link = int(np.argmax(np.where(left, together, -1.0)))
        order.append(link)
        left[link] = False
        worlds = worlds[worlds[:, link]]
    return np.array(order, dtype=np.int64)


def joint_risk(
    matches: Matches,
    thresholds: Mapping[str, Sequence[int]],
    *,
    rng: np.random.Generator,
    attempts: int = 13,
    worlds: Ints | None = None,
    wide: Bools | None = None,
) -> dict[str, JointRisk]:
    """Return the risk under every named table of thresholds (r(0), r(1), ...), trying all n the tables know.

    ``worlds`` are draws of a randomized design (the subject of every real pseudonym, a row each); they take the place
    of equally likely perfect matchings. Components that are known to be ``wide`` are sampled at once.
    """
    offers = _offers_by_component(matches, rng, wide) if worlds is None else _offers_by_draws(matches, worlds)
    longest = min(max(len(table) for table in thresholds.values()) - 1, MOST_GUESSES, matches.graph.pseudonyms)
    best = dict.fromkeys(thresholds, (0.0, 0))
    for distribution in [*_strategies(offers, longest), *(_tried(matches) if worlds is None else [])]:
        guesses = len(distribution) - 1
        tail = np.concatenate((np.cumsum(distribution[::-1])[::-1], [0.0]))
        for name, table in thresholds.items():
            if guesses < len(table):
                probability = float(tail[min(table[guesses], guesses + 1)])
                if probability > best[name][0] + 1e-12:
                    best[name] = (probability, guesses)
    result = {}
    for name, (probability, guesses) in best.items():
        certain = min(probability, 1.0)
        table = thresholds[name]
        needed = table[guesses] if guesses < len(table) else guesses + 1
        agreed = coordinated_survival(_usual_size(offers), guesses, needed, attempts, certain)
        result[name] = JointRisk(certain, guesses, (1.0 - certain) ** attempts, agreed)
    return result


def _tried(matches: Matches) -> list[Floats]:
    """Return the distributions of hits of every guess that a few people allow, one of each kind; none of many people.

    Components taken one by one miss guesses that are good for a threshold only together.
    """
    graph = matches.graph
    real = graph.pseudonyms - graph.blanks
    choices = float(np.log(graph.degrees()[:real] + 1.0).sum())
    if choices > np.log(MOST_TRIALS):
        return []
    allowed = np.zeros((graph.pseudonyms, graph.subjects), dtype=np.bool_)
    allowed[graph.pseudonym, graph.subject] = True
    worlds = _all_matchings(allowed)
    if worlds is None or choices + np.log(len(worlds)) > np.log(MOST_TRIALS):
        return []
    hits = np.zeros((1, len(worlds)), dtype=np.int8)
    guesses = np.zeros(1, dtype=np.int64)
    for pseudonym in range(real):
        right = worlds[:, pseudonym] == np.flatnonzero(allowed[pseudonym])[:, None]
        # Nobody is named, or each of those who may be.
        named = np.concatenate((np.zeros((1, len(worlds)), dtype=np.int8), right.astype(np.int8)))
        hits = (hits[:, None, :] + named[None, :, :]).reshape(-1, len(worlds))
        guesses = (guesses[:, None] + (np.arange(len(named)) > 0)[None, :]).reshape(-1)
    counts = np.stack([(hits == right).sum(axis=1) for right in range(real + 1)], axis=1)
    kinds = np.unique(np.column_stack((guesses, counts)), axis=0)
    return [kind[1 : kind[0] + 2] / len(worlds) for kind in kinds if kind[0] > 0]


def _usual_size(offers: Sequence[Offers]) -> int:
    """Return the size that most components have."""
    return int(np.bincount([len(offer) - 1 for offer in offers]).argmax()) if offers else 1


def _offers_by_component(matches: Matches, rng: np.random.Generator, wide: Bools | None) -> list[Offers]:
    """Return the offers of every component; components of one shape are computed once."""
    known: dict[bytes, Offers] = {}
    offers: list[Offers] = []
    real = matches.graph.pseudonyms - matches.graph.blanks
    for number, component in enumerate(matches.components):
        blank = component.pseudonyms >= real
        if blank.all():
            continue
        shape = component_weights(matches.graph, component) > 0
        key = len(shape).to_bytes(8, "little") + np.packbits(shape).tobytes() + np.packbits(blank).tobytes()
        if key not in known:
            known[key] = hit_offers(matches, component, rng, wide=wide is not None and bool(wide[number]))
        offers.append(known[key])
    return offers


def _offers_by_draws(matches: Matches, worlds: Ints) -> list[Offers]:
    """Return the offers of every component from draws; one half chooses the guesses, the other judges them."""
    half = len(worlds) // 2
    offers = []
    for component in matches.components:
        named = component.pseudonyms[component.pseudonyms < worlds.shape[1]]
        if len(named):
            part = worlds[:, named]
            offers.append(_offers_of(part[:half][:32], part[:half], part[half:]))
    return offers


def _strategies(offers: Sequence[Offers], longest: int) -> list[Floats]:
    """Return the distributions of hits of many ways to spend up to ``longest`` guesses."""

    def joint_per_guess(offer: Offers) -> float:
        return float(np.log(max(offer[-1][-1], 1e-300))) / (len(offer) - 1)

    def single(offer: Offers) -> float:
        return float(offer[1][-1])

    rules: list[Callable[[Offers], tuple[float, ...]]] = [
        lambda offer: (-joint_per_guess(offer), -len(offer)),
        lambda offer: (-len(offer), -joint_per_guess(offer)),
    ]
    found: list[Floats] = []
    for rule in rules:
        found += _whole_components(sorted(offers, key=rule), longest)
    spread = np.ones(1)
    for offer in sorted(offers, key=single, reverse=True)[:longest]:
        spread = np.convolve(spread, offer[1])
        found.append(spread)
    return found


def _whole_components(offers: Sequence[Offers], longest: int) -> list[Floats]:
    """Spend guesses on whole components in this order, the remainder on a part of one of those that follow."""
    found: list[Floats] = []
    spent = np.ones(1)
    for position, offer in enumerate(offers):
        following = {id(later): later for later in offers[position : position + 1]}
        following |= {id(later): later for later in (offers[-1], offers[(position + len(offers)) // 2])}
        for later in following.values():
            found += [
                np.convolve(spent, later[guesses])
                for guesses in range(1, len(later))
                if len(spent) - 1 + guesses <= longest
            ]
        spent = np.convolve(spent, offer[-1])
        if len(spent) - 1 >= longest:
            break
    return found
