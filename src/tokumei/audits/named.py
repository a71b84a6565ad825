"""What each attack of the audit names, as figures: its choices against the truth, or against chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter, itemgetter

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.attacks import (
    Basis,
    CheapestMatching,
    Choice,
    Histories,
    Hits,
    MatchAttack,
    Matches,
    MatchingPosterior,
    MatchView,
    Posterior,
    PredictablePseudonyms,
    RangeAsymmetry,
    ReleaseOrder,
    SetPosition,
    SuppressionPattern,
    hits_against_chance,
    patterns,
)
from tokumei.audits.result import AttackFigure
from tokumei.data import Reason
from tokumei.words import Message

# Hits that chance explains with less than this, all variants of an attack taken together, are a leak.
CHANCE = 5e-4


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Examiner:
    """Judges the choices of attacks on one release, by the truth if it is known.

    ``posterior`` is what the attacker believes without any further attack; ``samples`` are drawn matchings of large
    components.
    """

    view: MatchView
    matches: Matches
    posterior: Posterior
    owner: Ints | None
    samples: Mapping[int, Ints] = field(default_factory=dict)
    named: int = field(init=False)
    blind: AttackFigure = field(init=False)

    def __post_init__(self) -> None:
        """Count the real pseudonyms; find what blind guessing among their candidates names."""
        graph = self.matches.graph
        object.__setattr__(self, "named", graph.pseudonyms - graph.blanks)
        baseline = float((1.0 / graph.degrees()[: self.named]).mean())
        object.__setattr__(self, "blind", AttackFigure(share=baseline, baseline=baseline))

    def figure(self, attack: MatchAttack) -> AttackFigure:
        """Return what an attack names."""
        figures = [self.blind]
        for basis, choices in groupby(attack.choices(self.view), key=attrgetter("basis")):
            if basis is Basis.RULE:
                figures.append(self._best_rule(choices))
            elif basis is not Basis.CLUE:
                return self._weighed(next(choices))
            elif self.owner is not None:
                figures.insert(1, self._best_clue(list(choices)))
        return min(figures[1:] or figures, key=lambda figure: figure.chance)

    def _share(self, naming: Floats) -> float:
        """Return the share of pseudonyms that are named, by the truth."""
        assert self.owner is not None
        graph = self.matches.graph
        real = graph.pseudonym < self.named
        true = graph.subject[real] == self.owner[graph.pseudonym[real]]
        return float((naming[real] * true).sum()) / max(self.named, 1)

    def _hits(self, naming: Floats) -> Hits:
        """Return how far the hits are from chance."""
        assert self.owner is not None
        return hits_against_chance(self.matches, self.posterior, naming, self.owner, self.samples)

    def _naming(self, choice: Choice) -> Floats:
        """Return the probability that each link of the match graph is named; where the choice is silent, blindly."""
        graph, chosen = self.matches.graph, choice.graph
        fits = self.view.fitting(chosen)
        naming = self.posterior.probability.copy()
        naming[np.isin(graph.pseudonym, chosen.pseudonym[fits])] = 0.0
        naming[graph.places(chosen.pseudonym[fits], chosen.subject[fits])] = choice.named()[fits]
        return naming

    def _weighed(self, choice: Choice) -> AttackFigure:
        """Name for every pseudonym the likeliest subject; a pattern counts only if chance does not explain its hits."""
        baseline, naming = self.blind.baseline, self._naming(choice)
        if self.owner is None:
            largest = np.zeros(self.matches.graph.pseudonyms)
            if choice.basis is Basis.BELIEF:
                np.maximum.at(largest, choice.graph.pseudonym, choice.weight)
            else:
                np.maximum.at(largest, self.matches.graph.pseudonym, naming)
            detail = choice.finding or Message("detail.unchecked")
            return AttackFigure(share=float(largest[: self.named].mean()), baseline=baseline, detail=detail)
        hits = self._hits(naming)
        share, chance = self._share(naming), hits.chance
        told = choice.basis is Basis.BELIEF or chance < CHANCE
        detectable = None if choice.basis is Basis.BELIEF else hits.detectable(CHANCE)
        return AttackFigure(
            share=share if told else baseline,
            baseline=baseline,
            observed=share,
            chance=chance,
            detail=choice.finding,
            detectable=detectable,
        )

    def _best_clue(self, clues: Sequence[Choice]) -> AttackFigure:
        """Return the variant that chance explains least."""
        assert self.owner is not None
        judged = [
            hits_against_chance(self.matches, self.posterior, clue.weight, self.owner, self.samples) for clue in clues
        ]
        best = min(range(len(clues)), key=lambda number: judged[number].chance)
        hits = judged[best]
        observed, baseline = hits.hits / max(self.named, 1), self.blind.baseline
        chance = min(hits.chance * len(clues), 1.0)
        told = chance < CHANCE
        return AttackFigure(
            share=observed if told else baseline,
            baseline=baseline,
            observed=observed,
            chance=chance,
            detail=clues[best].finding if told else None,
            detectable=hits.detectable(CHANCE / len(clues)),
        )

    def _best_rule(self, rules: Iterable[Choice]) -> AttackFigure:
        """Return the rule that chance explains least, if it names far more candidates than chance."""
        graph = self.matches.graph
        degrees = graph.degrees()
        best = self.blind
        for rule in rules:
            if len(rule.graph) == 0:
                continue
            fits = self.view.fitting(rule.graph)
            # Where nearly everybody fits everybody the data refute no rule: then the names themselves may tell.
            chance = chance_of_consistency(degrees[rule.graph.pseudonym] / graph.subjects, int(fits.sum()))
            chance = min(chance, rule.chance)
            share, observed = float(fits.sum()) / self.named, None
            if self.owner is not None:
                right = self.owner[rule.graph.pseudonym[fits]] == rule.graph.subject[fits]
                if 2 * right.sum() <= len(right):
                    continue
                naming = self._naming(rule)
                share = observed = self._share(naming)
                chance = min(chance, self._hits(naming).chance)
            chance = min(chance * rule.tried, 1.0)
            if chance < min(CHANCE, best.chance):
                best = replace(best, share=share, observed=observed, chance=chance, detail=rule.finding)
        return best


def attack_figures(
    examiner: Examiner, *, thorough: bool, seeds: int = 0
) -> tuple[dict[str, AttackFigure], list[Reason]]:
    """Run the attacks; return the figures by attack name, and what was skipped.

    Without ``thorough`` only the posterior is judged. ``seeds`` is how many small seeds are tried on pseudonyms.
    """
    attacks: list[MatchAttack] = [MatchingPosterior()]
    if thorough:
        attacks += [CheapestMatching(), SuppressionPattern(), RangeAsymmetry(), SetPosition(), ReleaseOrder()]
        attacks.append(PredictablePseudonyms(seeds=seeds))
    figures = {attack.name: examiner.figure(attack) for attack in attacks}
    if not thorough:
        return figures, [Reason(code="cheap-part")]
    skipped = []
    if examiner.view.costs is not None and examiner.view.costs.skipped:
        skipped.append(Reason(code="no-cost", values={"count": examiner.view.costs.skipped}))
    if examiner.owner is None:
        skipped.append(Reason(code="without-secret"))
    skipped.append(Reason(code="keyed-pseudonyms"))
    if seeds == 0:
        skipped.append(Reason(code="seeds-not-tried"))
    return figures, skipped


def pseudonym_pattern(histories: Histories, rng: np.random.Generator) -> Message | None:
    """Return the pattern of the pseudonyms that chance explains least, None if chance explains all of them."""
    seen = [(chance, finding) for finding, chance in patterns(histories.names, histories.kind, rng=rng)]
    chance, finding = min(seen, key=itemgetter(0), default=(1.0, None))
    return finding if chance < CHANCE else None


def chance_of_consistency(probability: Floats, hits: int) -> float:
    """Bound the probability that as many random names are candidates (Hoeffding's bound with the mean)."""
    count, mean = len(probability), float(probability.mean())
    share = hits / count
    if share <= mean:
        return 1.0
    above = share * np.log(share / mean)
    below = (1 - share) * np.log((1 - share) / (1 - mean)) if share < 1 else 0.0
    return float(np.exp(-count * (above + below)))
