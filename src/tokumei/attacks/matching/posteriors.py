"""How probable every link is when all perfect matchings are equally likely, or weighted.

Small components are computed exactly by dynamic programming over subsets, forward and backward, which gives all
marginals at once in O(s 2^s), and so are narrow ones of any size (`frontier`). Others are sampled (`chains`).

>>> exact_marginals(np.ones((3, 3)))[0].round(3).tolist()[0]
[0.333, 0.333, 0.333]
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import lgamma, log

import numpy as np
import numpy.typing as npt
from numba import njit

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.matching.chains import LARGE_DIFFERENCE, WormChain, agreeing_chains, chain_layout
from tokumei.attacks.matching.frontier import MOST_TRANSITIONS, sweep
from tokumei.attacks.matching.matchings import Bipartite, Component, Matches
from tokumei.progress import stage

EXACT_SIZE = 20
CHAIN_STEPS = 20_000_000
STEPS_PER_EDGE = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much is spent on one component: at most so many transitions of a sweep, and steps of each of two chains.

    With ``enough`` chains that agree within it, or that never will, end before (`agreeing_chains`); how far they differ
    is told with the posterior.
    """

    steps: int = CHAIN_STEPS
    transitions: int = MOST_TRANSITIONS
    enough: float = 0.0


FULL_EFFORT = Effort()


@dataclass(frozen=True, eq=False, slots=True)
class Posterior:
    """The probability of every edge of a match graph.

    ``log_matchings[c]`` is the logarithm of the (weighted) number of perfect matchings of component c, NaN where it was
    sampled; ``difference`` the largest disagreement of two chains that began far from each other (0 if all is exact);
    ``sampled`` and ``skipped`` count components. Where chains disagree by more than LARGE_DIFFERENCE (``apart`` is by
    how much), or time was over, nothing is ``computed`` for the pseudonyms: candidates count as equally likely.
    """

    graph: Bipartite
    probability: Floats
    log_matchings: Floats
    difference: float = 0.0
    sampled: int = 0
    skipped: int = 0
    apart: float = 0.0
    computed: Bools = field(default_factory=lambda: np.ones(0, dtype=np.bool_))

    @property
    def wide(self) -> Bools:
        """Which components were found too wide for a sweep, or not looked at."""
        return np.isnan(self.log_matchings)

    def largest(self) -> Floats:
        """Return the largest probability of every pseudonym."""
        best = np.zeros(self.graph.pseudonyms)
        np.maximum.at(best, self.graph.pseudonym, self.probability)
        return best

    def of_pairs(self, pseudonym: Ints, subject: Ints) -> Floats:
        """Return the probability of these links, 0 where there is no edge."""
        place = self.graph.places(pseudonym, subject)
        return np.where(place >= 0, self.probability[place], 0.0) if len(self.graph) else np.zeros(len(place))


@njit(cache=True, nogil=True)
def _subset_marginals(weights: Floats) -> tuple[Floats, float]:
    """Return all marginals and the permanent; ``forward[S]`` sums over the first |S| rows placed on the columns S."""
    size = weights.shape[0]
    full = (1 << size) - 1
    forward = np.zeros(full + 1)
    backward = np.zeros(full + 1)
    marginals = np.zeros((size, size))
    taken = np.zeros(full + 1, dtype=np.int8)
    forward[0] = 1.0
    for subset in range(1, full + 1):
        taken[subset] = taken[subset >> 1] + (subset & 1)
        row = taken[subset] - 1
        total = 0.0
        for column in range(size):
            if subset >> column & 1:
                total += weights[row, column] * forward[subset ^ (1 << column)]
        forward[subset] = total
    backward[full] = 1.0
    for subset in range(full - 1, -1, -1):
        row = taken[subset]
        here = forward[subset]
        total = 0.0
        for column in range(size):
            if not subset >> column & 1:
                part = weights[row, column] * backward[subset | (1 << column)]
                total += part
                marginals[row, column] += here * part
        backward[subset] = total
    return marginals, forward[full]


def exact_marginals(weights: npt.ArrayLike) -> tuple[Floats, float]:
    """Return the marginals of a random perfect matching (rows x columns) and the logarithm of the permanent.

    A matching is drawn with probability proportional to the product of its weights.
    """
    matrix = np.ascontiguousarray(weights, dtype=np.float64)
    scale = matrix.max(axis=1)
    if (scale <= 0).any():
        message = "a row without a positive weight has no perfect matching"
        raise ValueError(message)
    marginals, permanent = _subset_marginals(matrix / scale[:, None])
    if permanent <= 0:
        message = "the weights allow no perfect matching"
        raise ValueError(message)
    return marginals / permanent, log(permanent) + float(np.log(scale).sum())


def component_weights(graph: Bipartite, component: Component, weights: Floats | None = None) -> Floats:
    """Return the weights of a component as a square matrix, pseudonyms in rows, 0 where there is no edge."""
    size = len(component.pseudonyms)
    matrix = np.zeros((size, size))
    row = np.searchsorted(component.pseudonyms, graph.pseudonym[component.edges])
    column = np.searchsorted(component.subjects, graph.subject[component.edges])
    matrix[row, column] = 1.0 if weights is None else weights[component.edges]
    return matrix


def posterior(
    matches: Matches,
    *,
    rng: np.random.Generator,
    weights: Floats | None = None,
    kind: Ints | None = None,
    exact_size: int = EXACT_SIZE,
    effort: Effort = FULL_EFFORT,
    deadline: float | None = None,
) -> Posterior:
    """Return the probability of every link: exact in small, narrow and complete components, sampled twice elsewhere.

    Components of up to ``exact_size`` members are small; with 1 everything that is not complete is sampled. Pseudonyms
    of one ``kind`` published identical histories and are exchangeable: no link of k of them exceeds 1/k.
    """
    graph = matches.graph
    if kind is not None:
        # Blank pseudonyms have no history to be equal.
        kind = np.concatenate((kind, kind.max(initial=-1) + 1 + np.arange(graph.blanks)))
    probability = np.zeros(len(graph))
    log_matchings = np.full(len(matches.components), np.nan)
    difference, apart_most, sampled, skipped = 0.0, 0.0, 0, 0
    computed = np.ones(graph.pseudonyms, dtype=np.bool_)
    sizes = np.array([len(component.pseudonyms) for component in matches.components], dtype=np.int64)
    edges = np.array([len(component.edges) for component in matches.components], dtype=np.int64)
    alike = (edges == sizes**2) & (weights is None)
    # Where a posterior is not computed all candidates are equally likely.
    blind = 1.0 / np.maximum(graph.degrees(), 1)
    with stage("posteriors", total=graph.pseudonyms) as advance:
        # In a complete component every link is as likely as any other; most releases have hardly another kind.
        for number in np.flatnonzero(alike):
            probability[matches.components[number].edges] = 1.0 / sizes[number]
            log_matchings[number] = lgamma(sizes[number] + 1)
        advance(int(sizes[alike].sum()))
        for number in np.flatnonzero(~alike):
            component = matches.components[number]
            if sizes[number] <= exact_size:
                matrix = component_weights(graph, component, weights)
                marginals, log_matchings[number] = exact_marginals(matrix)
                probability[component.edges] = marginals[matrix > 0]
            elif deadline is not None and time.monotonic() > deadline:
                skipped += 1
                computed[component.pseudonyms] = False
                probability[component.edges] = blind[graph.pseudonym[component.edges]]
            elif exact_size > 1 and (exact := _narrow(matches, component, weights, effort, deadline)) is not None:
                probability[component.edges], log_matchings[number] = exact
            else:
                runs = _sampled(matches, component, weights, kind, effort, rng, deadline)
                apart = float(np.ptp(runs, axis=0).max())
                sampled += 1
                if apart > LARGE_DIFFERENCE:
                    computed[component.pseudonyms] = False
                    apart_most = max(apart_most, apart)
                    probability[component.edges] = blind[graph.pseudonym[component.edges]]
                else:
                    probability[component.edges] = runs.mean(axis=0)
                    difference = max(difference, apart)
            advance(int(sizes[number]))
    return Posterior(graph, probability, log_matchings, difference, sampled, skipped, apart_most, computed)


def _narrow(
    matches: Matches, component: Component, weights: Floats | None, effort: Effort, deadline: float | None
) -> tuple[Floats, float] | None:
    """Return the exact marginals of a component and the logarithm of its number of matchings; None: too wide."""
    starts, columns, _ = chain_layout(matches, component)
    chosen = None if weights is None else weights[component.edges]
    swept = sweep(starts, columns, chosen, most=effort.transitions, deadline=deadline)
    return None if swept is None else (swept.marginals(), swept.log_count)


def _sampled(  # noqa: PLR0917
    matches: Matches,
    component: Component,
    weights: Floats | None,
    kind: Ints | None,
    effort: Effort,
    rng: np.random.Generator,
    deadline: float | None,
) -> Floats:
    """Run chains from matchings far from each other on a component; a row each."""
    chosen = None if weights is None else weights[component.edges]
    steps = min(effort.steps, STEPS_PER_EDGE * len(component.edges))
    layout = chain_layout(matches, component)
    kinds = None if kind is None else kind[component.pseudonyms]
    return agreeing_chains(*layout, rng, chosen, steps=steps, kind=kinds, enough=effort.enough, deadline=deadline)


def sample_matchings(
    matches: Matches, known: Posterior, *, rng: np.random.Generator, count: int = 300, steps: int = 2_000_000
) -> dict[int, Ints]:
    """Return random perfect matchings of large components: component -> edge numbers, a row each.

    ``known`` is a posterior of the same matches: what was too wide for its sweeps is drawn by chains.
    """
    return {
        number: component.edges[drawn_matchings(matches, component, rng, samples=count, steps=steps, wide=wide)[1]]
        for number, (component, wide) in enumerate(zip(matches.components, known.wide.tolist(), strict=True))
        if len(component) > EXACT_SIZE
    }


def drawn_matchings(
    matches: Matches, component: Component, rng: np.random.Generator, *, samples: int, steps: int, wide: bool = False
) -> tuple[Floats, Ints]:
    """Return the marginals of a component and random perfect matchings: independent ones, or those of a chain.

    A component that is known to be ``wide`` is not swept. A chain that has not moved within its steps gives the
    matching that is known.
    """
    starts, columns, row_edge = chain_layout(matches, component)
    if len(columns) == len(component) ** 2:
        return _permuted(columns, len(component), rng, samples=samples)
    swept = None if wide else sweep(starts, columns)
    if swept is not None:
        return swept.marginals(), swept.draws(samples, rng)
    chain = WormChain(starts, columns, row_edge, rng, steps=steps, samples=samples)
    chain.run(steps)
    kept = chain.kept()
    return chain.shares(), kept if len(kept) > 1 else np.stack((row_edge, row_edge))


def _permuted(columns: Ints, size: int, rng: np.random.Generator, *, samples: int) -> tuple[Floats, Ints]:
    """Return the marginals and random matchings of a complete component: every permutation is one, none is likelier."""
    row = np.arange(size)
    edge = np.argsort(columns.reshape(size, size), axis=1) + size * row[:, None]
    column = rng.permuted(np.tile(row, (samples, 1)), axis=1)
    return np.full(size * size, 1.0 / size), edge[row, column]
