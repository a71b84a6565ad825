"""Uniform concealment: the design from the data alone, the owners drawn afterwards, every link exactly 1/k.

The hulls that are published are a function of the data; who owns which is drawn with fresh coins, each possible link
with probability 1/g in a hull of g >= k subjects (dependent rounding). Whatever an attacker knows of data, program and
release, his probability for a link is an average of such numbers: at most 1/k. Six rules keep this true (research
part 3):

1. The owners are drawn once; no draw is compared with another, none is repeated.
2. What a draw happened to lose is a hint: the expected loss is told (`UniformConcealment.expected_loss`), no other.
3. Row count, cells, suppression and alignment of a hull come from its set; row count is that of the shortest member.
4. All rows of a hull are always published, whoever owns it; how many records are lost in total does not depend on it.
5. Ties, solvers and input order may shape the design, never the draw. Who publishes the same data again under the same
   pseudonyms needs the same Secret.
6. Nobody is left out: a remainder makes a clique larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.data import History, Release, Secret
from tokumei.methods.concealment.dependent_rounding import draw_matching
from tokumei.methods.concealment.hulls import publish_hulls
from tokumei.methods.concealment.record_unions import nothing_published, require_subjects
from tokumei.methods.concealment.uniform_design import assignment_design, expected_costs, set_design
from tokumei.methods.grouping.groups import Groups
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.pseudonyms import draw_pseudonyms
from tokumei.parts import Method, parameter


def draw_owners(hulls: Groups, *, rng: np.random.Generator) -> Ints:
    """Return the owner of every hull; each member of a hull of g subjects with probability exactly 1/g.

    Cliques (g hulls of the same g subjects) are dealt out by a random permutation, which leaves most open; all else by
    dependent rounding.
    """
    sets = [tuple(sorted(members)) for members in hulls.lists()]
    copies: dict[tuple[int, ...], list[int]] = {}
    for position, members in enumerate(sets):
        copies.setdefault(members, []).append(position)
    owners = np.full(len(sets), -1, dtype=np.int64)
    for members, positions in copies.items():
        if len(positions) == len(members):
            owners[positions] = rng.permutation(members)
    rest = np.flatnonzero(owners < 0)
    if len(rest):
        sizes = hulls.sizes()[rest]
        row = np.repeat(np.arange(len(rest)), sizes)
        member = np.concatenate([np.array(sets[position]) for position in rest.tolist()])
        subjects, column = np.unique(member, return_inverse=True)
        weight = np.repeat(lcm(*np.unique(sizes).tolist()) // sizes, sizes)
        held = draw_matching(row, column, weight, rng=rng)
        owners[rest[row[held]]] = subjects[column[held]]
    return owners


@dataclass(frozen=True, kw_only=True)
class UniformConcealment(Method):
    """Hulls of k subjects designed from the data alone, owners drawn afterwards with every link exactly 1/k.

    Protects every single link, by proof: nobody whose knowledge comes from the original data, the release and this
    program names the owner of a pseudonym with a probability above 1/k, whatever the method of attack.

    Does not protect several people at once as well as k-anonymity does: of all designs with k candidates, groups of
    identical histories have the most complete hypotheses (Bregman-Minc), so that every other design makes whole
    components easier to guess, and a link that leaks by another way says more about the others. The contest test of
    2018 catches a k = 2 design with triangles twice as often as pairs, k = 3 with sets of four twice as often as
    3-anonymity; the ``assignment`` design at k = 3 more often than even 2-anonymity. Never tell what the drawn
    release lost against the original (rule 2): a contest that prints U of the file does.
    """

    name: ClassVar[str] = "uniform-concealment"
    summary: ClassVar[str] = "hulls of k subjects, owners drawn afterwards: every single link is 1/k by proof"
    source: ClassVar[str] = "uniform concealment; own"
    generalizes: ClassVar[bool] = True
    valid_under: ClassVar[frozenset[str]] = frozenset({"pws2018"})

    k: int = parameter(2, "every link has probability 1/k or less", low=2)
    design: str = parameter("sets", "how hulls are chosen", choices=("sets", "assignment"))
    candidates: int = parameter(10, "pairs per subject whose cost is computed exactly", low=1)
    limit: int = parameter(150, "longer histories are compared in chunks of this length", low=1)
    final: int = parameter(3000, "longer histories are published by chunks of this length", low=1)
    block: int = parameter(300, "most subjects that are compared with each other", low=2)
    threads: int = parameter(1, "threads for the costs; the result is the same", low=1)

    def hulls(self, table: RecordTable) -> Groups:
        """Return the design: the set of subjects of every published history. No coin is thrown for it."""
        make = set_design if self.design == "sets" else assignment_design
        return make(table, self.k, per_unit=self.candidates, limit=self.limit, block=self.block, threads=self.threads)

    def expected_loss(self, history: History) -> float:
        """Return the utility U that the draw has on average: the figure that may be published beside the release."""
        table = RecordTable.from_history(history)
        cells = len(history) * len(history.schema.fields)
        if cells == 0:
            return 0.0
        return float(expected_costs(table, self.hulls(table), limit=self.final, threads=self.threads).sum()) / cells

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the hulls under random pseudonyms, in random order."""
        return self.with_draws(history, rng=rng, draws=0)[:2]

    def with_draws(self, history: History, *, rng: np.random.Generator, draws: int) -> tuple[Release, Secret, Ints]:
        """Return release and secret, and further draws of the owners that the same design could have had.

        One line per draw: the subject number of every pseudonym, pseudonyms in the order of their text. An audit of
        one file cannot certify a design; design and sampler together can (research part 3).
        """
        require_subjects(history, self.k, self.name)
        if len(history) == 0:
            return *nothing_published(history, self.name), np.empty((draws, 0), dtype=np.int64)
        table = RecordTable.from_history(history)
        hulls = self.hulls(table)
        owners = draw_owners(hulls, rng=rng)
        names = draw_pseudonyms(len(hulls), rng=rng, avoid=history.subjects)
        release, secret = publish_hulls(
            history, table, hulls, owners, names, method=self.name, rng=rng, limit=self.final, threads=self.threads
        )
        by_name = names.arg_sort().to_numpy()
        others = [table.owners[draw_owners(hulls, rng=rng)][by_name] for _ in range(draws)]
        return release, secret, np.array(others, dtype=np.int64).reshape(draws, len(hulls))
