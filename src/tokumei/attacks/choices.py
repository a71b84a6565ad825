"""How attacks on the match graph give their choices: one way for the command ``attack`` and for the audit.

Such an attack looks at a `MatchView` (what the attacker holds, laid out) and gives a `Choice` for each variant it
knows: links of pseudonyms and subjects with weights, and what it saw. ``guess`` names by the variant that was asked
for; the audit judges all of them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

import numpy as np

from tokumei.array_types import Bools, Floats
from tokumei.attacks.matching.cheapest import EdgeCosts, cheapest_matches, edge_costs
from tokumei.attacks.matching.clues import named_links
from tokumei.attacks.matching.consistency import Consistency, consistency_graph
from tokumei.attacks.matching.matchings import Bipartite, Matches, NoPerfectMatchingError, find_matches, with_blanks
from tokumei.attacks.matching.naming_rules import NamingRule
from tokumei.attacks.matching.posteriors import FULL_EFFORT, Effort, Posterior, posterior
from tokumei.data import Guesses, History, Release
from tokumei.parts import Attack
from tokumei.words import Message

MOST_BLANK_EDGES = 5_000_000


class Basis(Enum):
    """What a choice rests on, and so how far it can be trusted.

    A belief is the probability of each link. A pattern and a clue are something seen beside the content: their hits
    must be beyond chance, and a clue cannot be judged at all without the truth. A rule names one subject for each
    pseudonym, whether it fits or not, and is believed if far more fit than chance explains.
    """

    BELIEF = auto()
    PATTERN = auto()
    CLUE = auto()
    RULE = auto()


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Choice:
    """Whom a variant of an attack names: of every pseudonym the link with the largest weight.

    ``finding`` says what was seen; ``tried`` is how many variants of its kind there are, and ``chance`` bounds the
    chance that names drawn at random would show it. Pseudonyms without a link in ``graph`` are not named.
    """

    basis: Basis
    graph: Bipartite
    weight: Floats
    finding: Message | None = None
    tried: int = 1
    chance: float = 1.0

    @classmethod
    def of_rules(cls, rules: Iterable[NamingRule], subjects: int) -> Iterator[Choice]:
        """Yield the choice of every rule."""
        for finding, tried, subject, chance in rules:
            pseudonym = np.flatnonzero(subject >= 0)
            graph, weight = Bipartite(subjects, len(subject), subject[pseudonym], pseudonym), np.ones(len(pseudonym))
            yield cls(basis=Basis.RULE, graph=graph, weight=weight, finding=finding, tried=tried, chance=chance)

    @classmethod
    def of_clues(cls, graph: Bipartite, scores: Sequence[tuple[Message, Floats]]) -> list[Choice]:
        """Return, for every finding with scores of the links, the choice of the candidates with the smallest score."""
        return [
            cls(basis=Basis.CLUE, graph=graph, weight=named_links(graph, score), finding=finding)
            for finding, score in scores
        ]

    def named(self) -> Floats:
        """Return the probability that each link is named; ties are shared."""
        return named_links(self.graph, -self.weight)


@dataclass(eq=False, kw_only=True)
class MatchView:
    """What the attacker holds: the data, who fits whom and, if everybody can have a subject, the matches.

    ``written`` is the release with the elements of sets in written order. ``known`` is the posterior of the matches
    where it was computed before; ``effort`` is spent on posteriors, and after the ``deadline`` no more costs and
    samples are computed.
    """

    knowledge: History
    release: Release
    written: Release
    consistency: Consistency
    matches: Matches | None
    rng: np.random.Generator
    known: Posterior | None = None
    effort: Effort = FULL_EFFORT
    deadline: float | None = None
    costs: EdgeCosts | None = field(default=None, init=False)
    _cheapest: Posterior | None = field(default=None, init=False)

    @classmethod
    def of(cls, knowledge: History, release: Release, *, rng: np.random.Generator) -> MatchView:
        """Lay out what is known; several pseudonyms per subject or changed values leave no perfect matching."""
        consistency = consistency_graph(knowledge, release)
        graph = consistency.graph
        blank_edges = (graph.subjects - graph.pseudonyms) * graph.subjects
        matches = None
        if graph.pseudonyms <= graph.subjects and blank_edges <= MOST_BLANK_EDGES and len(graph):
            try:
                matches = find_matches(with_blanks(graph))
            except NoPerfectMatchingError:
                matches = None
        return cls(
            knowledge=knowledge, release=release, written=release, consistency=consistency, matches=matches, rng=rng
        )

    @property
    def graph(self) -> Bipartite:
        """The match graph, or the consistency graph where there is no perfect matching."""
        return self.consistency.graph if self.matches is None else self.matches.graph

    def fitting(self, graph: Bipartite) -> Bools:
        """Return which links of another graph stand in this one."""
        return self.graph.places(graph.pseudonym, graph.subject) >= 0

    def posterior(self, matches: Matches) -> Posterior:
        """Return how probable every link of all hypotheses is."""
        if self.known is not None:
            return self.known
        return self._computed(matches)

    def _computed(self, matches: Matches) -> Posterior:
        kind = self.consistency.histories.kind
        return posterior(matches, rng=self.rng, kind=kind, effort=self.effort, deadline=self.deadline)

    def cheapest(self, matches: Matches) -> Posterior:
        """Return how probable every link of the hypotheses with the smallest total cell error is."""
        if self._cheapest is None:
            self.costs = edge_costs(self.knowledge, self.release, self.consistency, matches, deadline=self.deadline)
            cheapest = cheapest_matches(matches, self.costs.cost)
            self._cheapest = self._computed(cheapest)
        return self._cheapest

    def blind(self) -> Choice:
        """Return equal weights of all candidates of every pseudonym."""
        graph = self.graph
        weight = 1.0 / np.maximum(graph.degrees(), 1)[graph.pseudonym]
        return Choice(basis=Basis.BELIEF, graph=graph, weight=weight)

    def guesses(self, choice: Choice, *, attack: str) -> Guesses:
        """Name the subject of the heaviest link of every pseudonym, ties at random; the surest guesses come first."""
        graph = choice.graph
        real = graph.pseudonym < graph.pseudonyms - graph.blanks
        pseudonym, subject, sure = graph.pseudonym[real], graph.subject[real], np.round(choice.weight[real], 9)
        order = np.lexsort((self.rng.random(len(sure)), -sure, pseudonym))
        _, first = np.unique(pseudonym[order], return_index=True)
        best = order[first]
        best = best[np.argsort(-sure[best], kind="stable")]
        names = self.consistency.histories.names[pseudonym[best]]
        return Guesses.of_pairs(names, self.knowledge.subjects[subject[best]], attack=attack)


@dataclass(frozen=True, kw_only=True)
class MatchAttack(Attack):
    """An attack that gives its choices from a view of the match graph."""

    @abstractmethod
    def choices(self, view: MatchView) -> Iterator[Choice]:
        """Yield whom the attack names, a choice for every variant it knows; none where it has no hold."""

    def variant(self) -> Message | None:
        """Return the finding of the variant that the parameters ask for, None if there is only one."""
        return None

    def asked_for(self, view: MatchView, choices: Iterable[Choice]) -> Choice:
        """Return the choice of the variant that is asked for, a blind one if the attack has no hold."""
        wanted = self.variant()
        return next((choice for choice in choices if wanted in (None, choice.finding)), None) or view.blind()

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return one guess for every pseudonym that the choice names."""
        view = MatchView.of(knowledge, release, rng=rng)
        return view.guesses(self.asked_for(view, self.choices(view)), attack=self.name)
