"""What rules behind the names and the order of a release name, by the truth alone: nobody's candidates are needed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.attacks import (
    Bipartite,
    Histories,
    NamingRule,
    PredictablePseudonyms,
    ReleaseOrder,
    ordered_owners,
    predicted_owners,
)
from tokumei.audits.named import CHANCE, chance_of_consistency
from tokumei.audits.result import AttackFigure
from tokumei.data import History


def rule_figures(history: History, histories: Histories, owner: Ints) -> dict[str, AttackFigure]:
    """Return what the best rule of each kind names, if it is right far more often than guessing inside equal histories.

    ``owner`` is the subject of every pseudonym. Equal histories are a proof only for names that nothing computes.
    """
    blind = 1.0 / np.bincount(histories.kind)[histories.kind]
    truth = Bipartite.of_edges(len(history.subjects), len(owner), owner, np.arange(len(owner)))
    rules: dict[str, Iterable[NamingRule]] = {
        ReleaseOrder.name: ordered_owners(history, histories),
        PredictablePseudonyms.name: predicted_owners(history, histories, truth),
    }
    return {name: _best(tried, owner, blind) for name, tried in rules.items()}


def _best(rules: Iterable[NamingRule], owner: Ints, blind: Floats) -> AttackFigure:
    """Return what the rule names that chance explains least."""
    best = AttackFigure(share=float(blind.mean()), baseline=float(blind.mean()))
    for rule in rules:
        named = rule.owner >= 0
        right = int((rule.owner[named] == owner[named]).sum())
        if 2 * right <= int(named.sum()):
            continue
        chance = min(chance_of_consistency(blind[named], right) * rule.tried, 1.0)
        if chance < min(CHANCE, best.chance):
            share = (right + float(blind[~named].sum())) / len(owner)
            best = AttackFigure(share=share, baseline=best.baseline, observed=share, chance=chance, detail=rule.finding)
    return best
