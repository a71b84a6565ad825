"""What each attack of the audit names, as figures: the posteriors, the cheapest matchings, and every clue.

Stages do not import each other; the attacks of ``tokumei.attack`` use the same kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.attacks import (
    Consistency,
    Evidence,
    Matches,
    Posterior,
    cheapest_matches,
    choices,
    edge_costs,
    evidence,
    order_scores,
    ordered_owners,
    posterior,
    predicted_owners,
    range_scores,
    set_scores,
    suppression_components,
    symmetrized,
)
from tokumei.audits.result import AttackFigure
from tokumei.data import History, Reason, Release

__all__ = ["Attacker", "attack_figures", "posterior_figure"]

# Eighteen orders and a few variants are tried; a true leak in fifteen groups is far below this.
CHANCE = 1e-4


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Attacker:
    """What the attacks share: the data, the match graph with its posterior, and the truth if it is known."""

    history: History
    release: Release
    written: Release
    consistency: Consistency
    matches: Matches
    posterior: Posterior
    owner: Ints | None
    rng: np.random.Generator
    deadline: float | None = None
    seeds: int = 0
    samples: Mapping[int, Ints] = field(default_factory=dict)

    @property
    def named(self) -> int:
        """The number of real pseudonyms."""
        return self.matches.graph.pseudonyms - self.matches.graph.blanks

    def baseline(self) -> float:
        """Return the share that blind guessing among the candidates names."""
        return float((1.0 / self.matches.graph.degrees()[: self.named]).mean())

    def share(self, choice: Floats) -> float:
        """Return the share of pseudonyms that these choices name, by the truth."""
        assert self.owner is not None
        graph = self.matches.graph
        real = graph.pseudonym < self.named
        true = graph.subject[real] == self.owner[graph.pseudonym[real]]
        return float((choice[real] * true).sum()) / max(self.named, 1)

    def evidence(self, choice: Floats) -> Evidence:
        """Return how far the hits of these choices are from chance."""
        assert self.owner is not None
        return evidence(self.matches, self.posterior, choice, self.owner, self.samples)

    def best_clue(self, scores: Mapping[str, Floats]) -> AttackFigure:
        """Return the variant of a clue that chance explains least; without the truth a clue cannot be judged."""
        baseline = self.baseline()
        best = AttackFigure(share=baseline, baseline=baseline)
        if self.owner is None:
            return best
        for name, score in scores.items():
            choice = choices(self.matches.graph, score)
            seen = self.evidence(choice)
            observed = seen.hits / max(self.named, 1)
            if best.observed is None or seen.chance < best.chance:
                told = seen.chance < CHANCE
                best = AttackFigure(
                    share=observed if told else baseline,
                    baseline=baseline,
                    observed=observed,
                    chance=seen.chance,
                    detail=name if told else "",
                )
        return best


def attack_figures(attacker: Attacker) -> tuple[dict[str, AttackFigure], list[Reason]]:
    """Run every attack; return the figures by attack name and what was skipped."""
    skipped: list[Reason] = []
    figures = {"matching-posterior": posterior_figure(attacker, attacker.posterior)}
    costs = edge_costs(
        attacker.history, attacker.release, attacker.consistency, attacker.matches, deadline=attacker.deadline
    )
    if costs.skipped:
        sentence = f"cheapest-matching: {costs.skipped} pairs of pseudonym and subject have no cost (size or time)"
        skipped.append(Reason(code="no-cost", sentence=sentence, values={"count": costs.skipped}))
    cheapest = cheapest_matches(attacker.matches, costs.cost)
    tight = posterior(cheapest, rng=attacker.rng, deadline=attacker.deadline)
    tight = symmetrized(tight, attacker.consistency.histories.kind)
    figures["cheapest-matching"] = posterior_figure(attacker, tight)
    figures["suppression-pattern"] = _suppression_figure(attacker, tight)
    figures["range-asymmetry"] = attacker.best_clue(
        range_scores(attacker.release, attacker.consistency, attacker.matches)
    )
    figures["set-position"] = attacker.best_clue(set_scores(attacker.written, attacker.consistency, attacker.matches))
    histories = attacker.consistency.histories
    if attacker.owner is None:
        figures["release-order"] = _rule_figure(attacker, ordered_owners(attacker.history, histories))
    else:
        orders = order_scores(attacker.history, histories, attacker.matches.graph)
        figures["release-order"] = attacker.best_clue(orders)
    rules = predicted_owners(attacker.history, histories, seeds=attacker.seeds)
    figures["predictable-pseudonyms"] = _rule_figure(attacker, rules)
    if attacker.owner is None:
        sentence = (
            "range-asymmetry, set-position: not judged without the Secret; release-order: only an exactly kept order"
        )
        skipped.append(Reason(code="without-secret", sentence=sentence))
    if attacker.seeds == 0:
        sentence = "guessable seeds: the random choices are held unknown; ask for a number of seeds to try them"
        skipped.append(Reason(code="seeds-not-tried", sentence=sentence))
    return figures, skipped


def posterior_figure(attacker: Attacker, found: Posterior) -> AttackFigure:
    """Name for every pseudonym the likeliest subject; the posterior may cover only part of the match graph."""
    baseline = attacker.baseline()
    claimed = float(found.largest()[: attacker.named].mean())
    if attacker.owner is None:
        return AttackFigure(share=claimed, baseline=baseline, detail="as the attacker believes; not checked")
    choice = _on_matches(attacker, found, choices(found.graph, -found.probability))
    share = attacker.share(choice)
    seen = attacker.evidence(choice)
    return AttackFigure(share=share, baseline=baseline, observed=share, chance=seen.chance)


def _on_matches(attacker: Attacker, found: Posterior, choice: Floats) -> Floats:
    """Carry choices on the edges of a smaller graph over to the match graph."""
    graph = attacker.matches.graph
    place = np.searchsorted(
        graph.pseudonym * graph.subjects + graph.subject, found.graph.pseudonym * graph.subjects + found.graph.subject
    )
    result = np.zeros(len(graph))
    result[place] = choice
    return result


def _suppression_figure(attacker: Attacker, tight: Posterior) -> AttackFigure:
    """Use the cheapest matchings only where histories differ by suppression alone."""
    graph, baseline = attacker.matches.graph, attacker.baseline()
    found = suppression_components(attacker.release, attacker.consistency.histories, attacker.matches)
    if not found:
        return AttackFigure(share=baseline, baseline=baseline)
    concerned = sum(len(component) for component in found)
    detail = f"{len(found)} groups with {concerned} pseudonyms differ only in what is suppressed"
    choice = attacker.posterior.probability.copy()
    cheapest = _on_matches(attacker, tight, choices(tight.graph, -tight.probability))
    for component in found:
        choice[component.edges] = cheapest[component.edges]
    if attacker.owner is None:
        best = np.zeros(graph.pseudonyms)
        np.maximum.at(best, graph.pseudonym, choice)
        return AttackFigure(share=float(best[: attacker.named].mean()), baseline=baseline, detail=detail)
    share = attacker.share(choice)
    seen = attacker.evidence(choice)
    told = seen.chance < CHANCE
    return AttackFigure(
        share=share if told else baseline, baseline=baseline, observed=share, chance=seen.chance, detail=detail
    )


def _rule_figure(attacker: Attacker, rules: Iterable[tuple[str, int, Ints]]) -> AttackFigure:
    """Try rules that may have made the pseudonyms; a rule is believed if it names far more candidates than chance."""
    graph, baseline = attacker.matches.graph, attacker.baseline()
    best = AttackFigure(share=baseline, baseline=baseline)
    keys = graph.pseudonym * graph.subjects + graph.subject
    for name, tried, subject in rules:
        pseudonym = np.flatnonzero(subject >= 0)
        if len(pseudonym) == 0:
            continue
        wanted = pseudonym * graph.subjects + subject[pseudonym]
        possible = np.isin(wanted, keys)
        chance = _chance_of_consistency(graph.degrees()[pseudonym] / graph.subjects, int(possible.sum()))
        share, observed = float(possible.sum()) / attacker.named, None
        if attacker.owner is not None:
            choice = attacker.posterior.probability.copy()
            choice[np.isin(graph.pseudonym, pseudonym[possible])] = 0.0
            choice[np.searchsorted(keys, wanted[possible])] = 1.0
            share = observed = attacker.share(choice)
            right = attacker.owner[pseudonym[possible]] == subject[pseudonym[possible]]
            seen = attacker.evidence(choice)
            chance = min(chance, seen.chance) if 2 * right.sum() > len(right) else 1.0
        if chance * tried < min(CHANCE, best.chance):
            best = AttackFigure(share=share, baseline=baseline, observed=observed, chance=chance * tried, detail=name)
    return best


def _chance_of_consistency(probability: Floats, hits: int) -> float:
    """Bound the probability that as many random names are candidates (Hoeffding's bound with the mean)."""
    count, mean = len(probability), float(probability.mean())
    share = hits / count
    if share <= mean:
        return 1.0
    above = share * np.log(share / mean)
    below = (1 - share) * np.log((1 - share) / (1 - mean)) if share < 1 else 0.0
    return float(np.exp(-count * (above + below)))
