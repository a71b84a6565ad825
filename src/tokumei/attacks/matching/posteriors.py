"""How probable every link is when all perfect matchings are equally likely, or weighted.

Small components are computed exactly by dynamic programming over subsets, forward and backward, which gives all
marginals at once in O(s 2^s), and so are narrow ones of any size (`frontier`). Others are sampled by a worm chain: take
a random pseudonym's link away, let the pseudonym without a subject choose among its candidates (by weight) and push out
whoever holds the choice, until one of them chooses the free subject. On the states with and without a gap the chain
satisfies detailed balance (a gap at v has weight W(v) = sum of v's weights), so the perfect matchings it passes have
the wanted distribution; it can turn any cycle, hence reaches every perfect matching. (A chain that only exchanges two
links cannot.)

>>> exact_marginals(np.ones((3, 3)))[0].round(3).tolist()[0]
[0.333, 0.333, 0.333]
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from math import lgamma, log

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.matching.frontier import sweep
from tokumei.attacks.matching.matchings import Bipartite, Component, Matches
from tokumei.progress import stage

EXACT_SIZE = 20
CHAIN_STEPS = 20_000_000
STEPS_PER_EDGE = 20_000
# Between so many steps of a chain the time is looked at.
STEPS_AT_ONCE = 500_000
# Chains from different matchings that differ by more have not seen the same: nothing is computed.
LARGE_DIFFERENCE = 0.05


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

    def largest(self) -> Floats:
        """Return the largest probability of every pseudonym."""
        best = np.zeros(self.graph.pseudonyms)
        np.maximum.at(best, self.graph.pseudonym, self.probability)
        return best

    def of_pairs(self, pseudonym: Ints, subject: Ints) -> Floats:
        """Return the probability of these links, 0 where there is no edge."""
        width = self.graph.subjects
        keys = self.graph.pseudonym * width + self.graph.subject
        wanted = pseudonym * width + subject
        place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        if len(keys) == 0:
            return np.zeros(len(wanted))
        return np.where(keys[place] == wanted, self.probability[place], 0.0)


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


@njit(cache=True, nogil=True)
def _scrambled(state: np.uint64) -> np.uint64:
    """Return the next state of a 64-bit xorshift generator (Marsaglia); numba compiles it in no time."""
    state = state ^ (state << np.uint64(13))
    state = state ^ (state >> np.uint64(7))
    return state ^ (state << np.uint64(17))


# Places in the memory of a chain between two calls of the kernel.
_ROW, _FREE, _INSIDE, _PASSED, _DONE, _TAKEN = range(6)


@njit(cache=True, nogil=True)
def _worm(  # noqa: PLR0917
    starts: Ints,
    columns: Ints,
    cumulative: Floats,
    row_edge: Ints,
    holder: Ints,
    settled: Ints,
    since: Ints,
    held: Floats,
    kept: Ints,
    memory: Ints,
    state: npt.NDArray[np.uint64],
    every: int,
    until: int,
) -> None:
    """Run the chain until so many steps are done, also in the middle of a walk; the arrays hold all it knows.

    ``held`` counts for how many of the matchings passed each edge was held, up to when its row last changed.
    """
    rows = len(starts) - 1
    unit = 1.0 / 2.0**53
    draw_state = state[0]
    row, free, inside = memory[_ROW], memory[_FREE], memory[_INSIDE]
    passed, done, taken = memory[_PASSED], memory[_DONE], memory[_TAKEN]
    while done < until:
        if not inside:
            draw_state = _scrambled(draw_state)
            row = int((draw_state >> np.uint64(11)) * unit * rows)
            free = columns[row_edge[row]]
            inside = 1
        done += 1
        low, high = starts[row], starts[row + 1] - 1
        draw_state = _scrambled(draw_state)
        draw = (draw_state >> np.uint64(11)) * unit * cumulative[high]
        while low < high:
            middle = (low + high) // 2
            if cumulative[middle] <= draw:
                low = middle + 1
            else:
                high = middle
        # A row counts with the edge it held whenever it leaves it; what it holds within a walk counts for nothing.
        held[settled[row]] += passed - since[row]
        row_edge[row] = low
        column = columns[low]
        pushed = holder[column]
        holder[column] = row
        settled[row] = low
        since[row] = passed
        if column != free:
            row = pushed
            continue
        inside = 0
        passed += 1
        if taken < len(kept) and done >= every * (taken + 1):
            kept[taken] = row_edge
            taken += 1
    memory[_ROW], memory[_FREE], memory[_INSIDE] = row, free, inside
    memory[_PASSED], memory[_DONE], memory[_TAKEN] = passed, done, taken
    state[0] = draw_state


def worm_chain(
    starts: Ints,
    columns: Ints,
    row_edge: Ints,
    *,
    steps: int,
    rng: np.random.Generator,
    weights: Floats | None = None,
    samples: int = 0,
    deadline: float | None = None,
) -> tuple[Floats, Ints]:
    """Return the share of time every edge was held and ``samples`` matchings (as edge numbers per row).

    Row r has the edges ``starts[r]:starts[r + 1]`` to ``columns``; ``row_edge`` is a perfect matching to begin with.
    Fewer samples come, and shares of a shorter time, if ``deadline`` passes or one walk takes all the steps.
    """
    weight = np.ones(len(columns)) if weights is None else np.asarray(weights, dtype=np.float64)
    running = np.cumsum(weight)
    before = np.concatenate(([0.0], running))[starts[:-1]]
    cumulative = running - np.repeat(before, np.diff(starts))
    rows = len(starts) - 1
    edge, holder = row_edge.copy(), np.empty(rows, dtype=np.int64)
    holder[columns[edge]] = np.arange(rows)
    settled, since, held = edge.copy(), np.zeros(rows, dtype=np.int64), np.zeros(len(columns))
    kept, memory = np.empty((samples, rows), dtype=np.int64), np.zeros(6, dtype=np.int64)
    state = np.array([int(rng.integers(1, 2**62))], dtype=np.uint64)
    every = steps // (samples + 1) + 1
    while memory[_DONE] < steps and (deadline is None or time.monotonic() < deadline):
        until = min(int(memory[_DONE]) + STEPS_AT_ONCE, steps)
        _worm(starts, columns, cumulative, edge, holder, settled, since, held, kept, memory, state, every, until)
    passed = int(memory[_PASSED])
    if passed == 0:
        held[row_edge] = 1.0
        return held, kept[:0]
    np.add.at(held, settled, passed - since)
    return held / passed, kept[: int(memory[_TAKEN])]


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
    exact_size: int = EXACT_SIZE,
    steps: int = CHAIN_STEPS,
    deadline: float | None = None,
) -> Posterior:
    """Return the probability of every link: exact in small, narrow and complete components, sampled twice elsewhere.

    Components of up to ``exact_size`` members are small; with 1 everything that is not complete is sampled.
    """
    graph = matches.graph
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
            elif exact_size > 1 and (exact := _narrow(matches, component, weights, deadline)) is not None:
                probability[component.edges], log_matchings[number] = exact
            else:
                runs = _sampled(matches, component, weights, steps, rng, deadline)
                apart = float((runs.max(axis=0) - runs.min(axis=0)).max())
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
    matches: Matches, component: Component, weights: Floats | None, deadline: float | None
) -> tuple[Floats, float] | None:
    """Return the exact marginals of a component and the logarithm of its number of matchings; None: too wide."""
    starts, columns, _ = chain_layout(matches, component)
    swept = sweep(starts, columns, None if weights is None else weights[component.edges], deadline=deadline)
    return None if swept is None else (swept.marginals(), swept.log_count)


def _sampled(  # noqa: PLR0917
    matches: Matches,
    component: Component,
    weights: Floats | None,
    steps: int,
    rng: np.random.Generator,
    deadline: float | None,
) -> Floats:
    """Run chains from matchings far from each other on a component; a row each."""
    starts, columns, row_edge = chain_layout(matches, component)
    chosen = None if weights is None else weights[component.edges]
    budget = min(steps, STEPS_PER_EDGE * len(component.edges))
    begins = [row_edge, far_matching(starts, columns, row_edge, rng)]
    # Every chain gets its share of the time that is left.
    now = time.monotonic()
    ends = [None if deadline is None else now + (deadline - now) * (turn + 1) / 2 for turn in range(2)]
    return np.stack(
        [
            worm_chain(starts, columns, begin, steps=budget, rng=rng, weights=chosen, deadline=end)[0]
            for begin, end in zip(begins, ends, strict=True)
        ]
    )


def far_matching(starts: Ints, columns: Ints, row_edge: Ints, rng: np.random.Generator) -> Ints:
    """Return a perfect matching with as few edges of this one as possible, a random one of those, as edge numbers."""
    cost = rng.uniform(1.0, 2.0, size=len(columns))
    cost[row_edge] += 2.0 * len(row_edge)
    rows = len(starts) - 1
    matrix = csr_matrix((cost, columns, starts), shape=(rows, rows))
    row, column = min_weight_full_bipartite_matching(matrix)
    held = np.full(rows, -1, dtype=np.int64)
    held[row] = column
    return np.flatnonzero(columns == held[np.repeat(np.arange(rows), np.diff(starts))]).astype(np.int64)


def symmetrized(found: Posterior, kind: Ints) -> Posterior:
    """Return the posterior with equal probabilities for pseudonyms of one kind (identical histories are exchangeable).

    Exact values do not change; sampled ones lose noise, and no link of k exchangeable pseudonyms exceeds 1/k.
    """
    graph = found.graph
    real = graph.pseudonym < graph.pseudonyms - graph.blanks
    key = kind[graph.pseudonym[real]] * graph.subjects + graph.subject[real]
    _, group = np.unique(key, return_inverse=True)
    sums = np.bincount(group, weights=found.probability[real])
    probability = found.probability.copy()
    probability[real] = (sums / np.bincount(group))[group]
    return replace(found, probability=probability)


def sample_matchings(
    matches: Matches, *, rng: np.random.Generator, above: int = EXACT_SIZE, count: int = 300, steps: int = 2_000_000
) -> dict[int, Ints]:
    """Return random perfect matchings of components larger than ``above``: component -> edge numbers, a row each."""
    samples = {}
    for number, component in enumerate(matches.components):
        if len(component) > above:
            samples[number] = component.edges[drawn_matchings(matches, component, rng, samples=count, steps=steps)[1]]
    return samples


def drawn_matchings(
    matches: Matches, component: Component, rng: np.random.Generator, *, samples: int, steps: int
) -> tuple[Floats, Ints]:
    """Return the marginals of a component and random perfect matchings: independent ones, or those of a chain.

    A chain that has not moved within its steps gives the matching that is known.
    """
    starts, columns, row_edge = chain_layout(matches, component)
    if len(columns) == len(component) ** 2:
        return _permuted(columns, len(component), rng, samples=samples)
    swept = sweep(starts, columns)
    if swept is not None:
        return swept.marginals(), swept.draws(samples, rng)
    share, kept = worm_chain(starts, columns, row_edge, steps=steps, rng=rng, samples=samples)
    return share, kept if len(kept) > 1 else np.stack((row_edge, row_edge))


def _permuted(columns: Ints, size: int, rng: np.random.Generator, *, samples: int) -> tuple[Floats, Ints]:
    """Return the marginals and random matchings of a complete component: every permutation is one, none is likelier."""
    row = np.arange(size)
    edge = np.argsort(columns.reshape(size, size), axis=1) + size * row[:, None]
    column = rng.permuted(np.tile(row, (samples, 1)), axis=1)
    return np.full(size * size, 1.0 / size), edge[row, column]


def chain_layout(matches: Matches, component: Component) -> tuple[Ints, Ints, Ints]:
    """Return a component as rows of edges, and the known perfect matching as edge numbers."""
    graph = matches.graph
    row = np.searchsorted(component.pseudonyms, graph.pseudonym[component.edges])
    columns = np.searchsorted(component.subjects, graph.subject[component.edges])
    starts = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(component))))).astype(np.int64)
    held = graph.subject[component.edges] == matches.subject_of[graph.pseudonym[component.edges]]
    return starts, columns.astype(np.int64), np.flatnonzero(held).astype(np.int64)
