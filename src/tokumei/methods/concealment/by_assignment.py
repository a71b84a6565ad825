"""k-concealment by assignment: the union of k permutations, for k = 2 one linear assignment without fixed points.

Pseudonym j publishes the hull of {j, s1(j), ..., s(k-1)(j)} with disjoint permutations s; the graph is k-regular, so
that every edge lies in a perfect matching. A pairing is such a permutation: for k = 2 the cheapest assignment never
costs more (research part 1, (b)). A cycle of even length is never cheaper than the better of its two pairings, so that
it is cut into pairs; only odd cycles remain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from tokumei.array_types import Floats, Ints
from tokumei.data import History, Release, Secret
from tokumei.methods.concealment.hulls import pair_cost_matrix, publish_hulls
from tokumei.methods.concealment.record_unions import nothing_published, require_subjects
from tokumei.methods.grouping.blocks import cut_blocks
from tokumei.methods.grouping.candidates import FORBIDDEN
from tokumei.methods.grouping.groups import Groups
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.pseudonyms import draw_pseudonyms
from tokumei.parts import Method, parameter
from tokumei.progress import stage


def disjoint_permutations(cost: npt.ArrayLike, count: int) -> Ints:
    """Return ``count`` permutations (lines) without fixed points and without a common pair, each cheapest in turn."""
    matrix = np.array(cost, dtype=np.float64)
    if count >= len(matrix):
        raise ValueError(f"{len(matrix)} elements have no {count} such permutations")
    np.fill_diagonal(matrix, FORBIDDEN)
    found = np.empty((count, len(matrix)), dtype=np.int64)
    every = np.arange(len(matrix))
    for line in range(count):
        found[line] = linear_sum_assignment(matrix)[1]
        matrix[every, found[line]] = FORBIDDEN
    return found


def cycles_of(permutation: Ints) -> list[list[int]]:
    """Return the cycles of a permutation, each from its smallest element on."""
    seen = np.zeros(len(permutation), dtype=np.bool_)
    cycles = []
    for start in range(len(permutation)):
        cycle = []
        element = start
        while not seen[element]:
            seen[element] = True
            cycle.append(element)
            element = int(permutation[element])
        if cycle:
            cycles.append(cycle)
    return cycles


def cut_cycles(permutation: Ints, cost: Floats, longest: int = 0) -> Ints:
    """Return the permutation with even cycles cut into pairs, and odd ones that are longer than ``longest`` (0: any).

    From a long odd cycle the cheapest stretch of odd length is closed to a cycle of its own, the rest is paired.
    """
    result = permutation.copy()
    for cycle in cycles_of(permutation):
        for part in _parts(cycle, cost, longest):
            result[part] = np.roll(part, -1)
    return result


def _parts(cycle: list[int], cost: Floats, longest: int) -> list[list[int]]:
    length = len(cycle)
    if length % 2 and (longest == 0 or length <= longest):
        return [cycle]
    stretches = [0] if length % 2 == 0 else range(3, max(longest, 3) + 1, 2)
    choices = []
    for stretch in stretches:
        for start in range(length if stretch else 2):
            turned = cycle[start:] + cycle[:start]
            pairs = [turned[place : place + 2] for place in range(stretch, length, 2)]
            choices.append([turned[:stretch], *pairs] if stretch else pairs)
    return min(choices, key=lambda parts: sum(_cycle_cost(part, cost) for part in parts))


def _cycle_cost(cycle: list[int], cost: Floats) -> float:
    return float(cost[cycle, np.roll(cycle, -1)].sum())


def turn_cycles(permutation: Ints, *, rng: np.random.Generator) -> Ints:
    """Return the owner of every hull {j, s(j)}: in each cycle all j or all s(j), by one fair coin."""
    owner = np.arange(len(permutation))
    cycles = cycles_of(permutation)
    for cycle, turned in zip(cycles, rng.integers(0, 2, len(cycles)), strict=True):
        if turned:
            owner[cycle] = permutation[cycle]
    return owner


def assignment_hulls(
    table: RecordTable, k: int, *, longest: int, per_unit: int, limit: int, block: int, threads: int = 1
) -> Ints:
    """Return one line per unit: the unit and its image under each of the k - 1 permutations."""
    members = np.empty((len(table), k), dtype=np.int64)
    blocks = cut_blocks(table, most=max(block, 2 * k), fewest=k)
    with stage("assignment", total=len(blocks)) as advance:
        for part in blocks:
            cost = pair_cost_matrix(part.of(table), per_unit=per_unit, limit=limit, threads=threads)
            found = disjoint_permutations(cost, k - 1)
            if k == 2:
                found[0] = cut_cycles(found[0], cost, longest)
            members[part.units, 0] = part.units
            members[part.units, 1:] = part.units[found].T
            advance(1)
    return members


@dataclass(frozen=True, kw_only=True)
class KConcealmentByAssignment(Method):
    """The union of k permutations; with k = 2 no dearer than optimal pairing, and never worse than even for one link.

    Protects, with k = 2, against everybody who knows the original, the release and this program: which of its two
    candidates owns a pseudonym is one fair coin per cycle, thrown after everything that is published was made.

    Does not protect several people at once: all links of a cycle fall together, with probability 1/2, where pairs fall
    one by one; ``longest`` bounds the cycles. With k >= 3 the own history is in every hull and the cheapest complete
    hypothesis is mostly the true one: prototypes named 72 to 93 % of the people. For k >= 3 use
    `k-anonymity`, or `uniform-concealment`, which draws the owners afterwards.
    """

    name: ClassVar[str] = "k-concealment-assignment"
    summary: ClassVar[str] = "every pseudonym is the hull of k subjects given by disjoint permutations"
    source: ClassVar[str] = "k-regular concealment by linear assignment; own"
    generalizes: ClassVar[bool] = True
    valid_under: ClassVar[frozenset[str]] = frozenset({"pws2018"})

    k: int = parameter(2, "how many subjects every pseudonym may stand for", low=2)
    longest: int = parameter(3, "longest cycle for k = 2, 3 or more: its links fall together (0: any)", low=0)
    candidates: int = parameter(10, "pairs per subject whose cost is computed exactly", low=1)
    limit: int = parameter(600, "longer histories are compared in chunks of this length", low=1)
    final: int = parameter(3000, "longer histories are published by chunks of this length", low=1)
    block: int = parameter(2000, "most subjects that are compared with each other", low=2)
    threads: int = parameter(1, "threads for the costs; the result is the same", low=1)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the hulls under random pseudonyms, in random order."""
        require_subjects(history, self.k, self.name)
        if len(history) == 0:
            return nothing_published(history, self.name)
        table = RecordTable.from_history(history)
        members = assignment_hulls(
            table,
            self.k,
            longest=self.longest,
            per_unit=self.candidates,
            limit=self.limit,
            block=self.block,
            threads=self.threads,
        )
        owners = turn_cycles(members[:, 1], rng=rng) if self.k == 2 else members[:, 0]
        return publish_hulls(
            history,
            table,
            Groups.of_equal(members),
            owners,
            draw_pseudonyms(len(table), rng=rng, avoid=history.subjects),
            method=self.name,
            rng=rng,
            limit=self.final,
            threads=self.threads,
        )
