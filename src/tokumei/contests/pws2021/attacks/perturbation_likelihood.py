"""Our own attack on 2021 files: membership and linkage by likelihood ratios of an estimated perturbation.

How rows of C became rows of D is unknown, but the same for all rows; expectation maximization learns it from the test
rows themselves. Two models compete, and the likelier one answers: *noise* (every column is changed on its own) and
*exchange* (whole records change places within a reach of information loss and outside a circle of near records, as
swaps and decoys do).

Both the test rows and D keep the order of B (spec D.6), which narrows the places of every row further: the unknown
places ascend. With places drawn uniformly and sorted, every ascending sequence is equally likely beforehand, and a
forward and a backward pass over (item, place) give exact posteriors, even where items are absent.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.contests.pws2021.attacks.row_attack import DELETED, GUESSES, RowAttack
from tokumei.contests.pws2021.rows import COMPARED, pair_distances, pair_losses
from tokumei.contests.pws2021.table import NOMINAL, HealthTable, same_levels
from tokumei.parts import parameter


@dataclass(frozen=True, eq=False, slots=True)
class Alignment:
    """P(item is present at place) for all items and places, and the log-likelihood of the ratios."""

    places: Floats
    log_likelihood: float

    @property
    def present(self) -> Floats:
        """P(item is present)."""
        return self.places.sum(axis=1)


def align_ordered(ratios: Floats, presence: float) -> Alignment:
    """Return posteriors from likelihood ratios (item at place : item absent) for ascending places."""
    items, places = ratios.shape
    emission = (1.0 - presence) + presence * ratios
    forward = np.empty_like(emission)
    backward = np.empty_like(emission)
    reached = np.ones(places)
    # Against the number of ascending sequences, which all weigh the same beforehand.
    log_likelihood = lgamma(places) + lgamma(items + 1) - lgamma(places + items)
    for item in range(items):
        forward[item] = emission[item] * reached
        total = forward[item].sum()
        log_likelihood += float(np.log(total))
        forward[item] /= total
        reached = np.cumsum(forward[item])
    onward = np.ones(places)
    for item in range(items - 1, -1, -1):
        backward[item] = onward / onward.sum()
        onward = np.cumsum((emission[item] * backward[item])[::-1])[::-1]
    posterior = forward * backward
    posterior /= posterior.sum(axis=1, keepdims=True)
    return Alignment(posterior * (presence * ratios / emission), log_likelihood)


def align_independently(ratios: Floats, presence: float) -> Alignment:
    """Return posteriors for items whose places know nothing of each other."""
    weight = presence * ratios / ratios.shape[1]
    total = (1.0 - presence) + weight.sum(axis=1)
    return Alignment(weight / total[:, None], float(np.log(total).sum()))


AGE_REACH, BMI_REACH = 12, 8
LOSS_EDGES = (0.5, 1.5, 2.5, 3.0, 4.0)
RANK_EDGES = (3, 10, 25, 50, 100, 200)
SMOOTHING = 0.5
# What an order must add to the log-likelihood of a model to be believed. Estimation finds 0 to 6 (2.9 on average) in
# rows of team 06's release that were shuffled and 4.5 to 10 (8.0) in those in order, 60 to 150 where cells have noise.
# Models are not compared with each other for it: exchanged records are exact copies elsewhere, which makes noise
# without an order likely beyond all others, and false.
ENOUGH = 4.0


@dataclass(frozen=True, eq=False, slots=True)
class _Feature:
    """A discrete comparison of every test row with every row of D, and how common each class is per test row."""

    classes: Ints
    background: Floats
    start: Floats


def _feature(classes: Ints, start: Floats, *, pooled: bool = False) -> _Feature:
    """Count how often each class occurs with each test row (pooled: with all of them)."""
    count = len(start)
    items = len(classes)
    flat = classes + np.arange(items)[:, None] * count
    seen = np.bincount(flat.ravel(), minlength=items * count).reshape(items, count) + SMOOTHING
    if pooled:
        seen = np.broadcast_to(seen.sum(axis=0), seen.shape)
    return _Feature(classes, seen / seen.sum(axis=1, keepdims=True), start / start.sum())


def noise_classes(test: HealthTable, release: HealthTable) -> list[_Feature]:
    """Return one feature per column: equal or not, and the signed difference of numbers in whole steps."""
    features = []
    matching = np.array([0.1, 0.9])
    for column in range(len(NOMINAL)):
        equal = test.codes[:, column, None] == release.codes[None, :, column]
        features.append(_feature(equal.astype(np.int64), matching))
    for name in COMPARED:
        equal = test.number(name)[:, None] == release.number(name)[None, :]
        features.append(_feature(equal.astype(np.int64), matching))
    for name, reach in (("age", AGE_REACH), ("bmi", BMI_REACH)):
        difference = release.number(name)[None, :] - test.number(name)[:, None]
        # An exact match is a class of its own: rounding alone already moves most values.
        steps = np.clip(np.floor(difference), -reach, reach).astype(np.int64) + reach
        classes = np.where(difference == 0, 2 * reach + 1, steps)
        away = np.abs(np.arange(-reach, reach + 1) + 0.5)
        features.append(_feature(classes, np.append(np.exp(-away), 1.0)))
    return features


def exchange_classes(test: HealthTable, release: HealthTable) -> list[_Feature]:
    """Return one feature: the information loss together with the rank of the distance, in classes."""
    losses = np.searchsorted(LOSS_EDGES, pair_losses(test, release), side="left")
    order = np.argsort(pair_distances(test, release), axis=1, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(order.shape[1])[None, :], axis=1)
    ranks = np.searchsorted(RANK_EDGES, rank, side="right")
    width = len(RANK_EDGES) + 1
    count = (len(LOSS_EDGES) + 1) * width
    reachable = np.arange(count) // width < len(LOSS_EDGES)
    return [_feature(losses * width + ranks, np.where(reachable, 1.0, 0.01), pooled=True)]


@dataclass(frozen=True, kw_only=True)
class PerturbationLikelihood(RowAttack):
    """Likelihood ratios of an estimated perturbation, with ascending places; the likelier of two models answers."""

    name: ClassVar[str] = "likelihood"
    summary: ClassVar[str] = "membership and linkage by an estimated perturbation, rows in the order of B"
    source: ClassVar[str] = "own; record linkage after Fellegi and Sunter (1969) with expectation maximization"

    presence: float = parameter(0.5, "share of the test rows that were kept", low=0.01, high=0.99)
    ordered: bool | None = parameter(
        None, "whether the test rows and D keep the order of the original table (default: what the rows speak for)"
    )
    model: str = parameter("best", "how rows were changed", choices=("best", "noise", "exchange"))
    rounds: int = parameter(15, "rounds of estimation", low=1, high=1000)
    mixed: bool = parameter(True, "guess rows for topk even where the answer is 'deleted', as the checker allows")

    def choose(self, test: HealthTable, published: HealthTable, *, rng: np.random.Generator) -> Ints:  # noqa: ARG002
        """Answer the likeliest rows; nothing is left to chance."""
        return self.answers(self.posterior(test, published))

    def posterior(self, test: HealthTable, release: HealthTable) -> Alignment:
        """Return P(test row became row of D) under the likelier model."""
        test, release = same_levels([test, release])
        models = {"noise": noise_classes, "exchange": exchange_classes}
        features = [models[name](test, release) for name in ([self.model] if self.model in models else models)]
        if self.ordered is not None:
            return max((self._estimated(one, ordered=self.ordered) for one in features), key=lambda pair: pair[1])[0]
        loose = [self._estimated(one, ordered=False)[0] for one in features]
        fits = [
            (alignment, added)
            for (alignment, added), without in zip(
                (self._estimated(one, ordered=True) for one in features), loose, strict=True
            )
            if added > ENOUGH and alignment.log_likelihood > without.log_likelihood
        ]
        if fits:
            return max(fits, key=lambda pair: pair[1])[0]
        return max(loose, key=lambda alignment: alignment.log_likelihood)

    def _estimated(self, features: list[_Feature], *, ordered: bool) -> tuple[Alignment, float]:
        """Alternate between places of the rows and the perturbation that they show; return also how far to trust it.

        Planted copies make a wrong model likely, but not in the right order: where order is known, a model is as good
        as what order adds to its likelihood.
        """
        changes = [feature.start for feature in features]
        align = align_ordered if ordered else align_independently
        for _ in range(self.rounds):
            alignment = align(_ratios(features, changes), self.presence)
            changes = [_learned(feature, alignment.places) for feature in features]
        ratios = _ratios(features, changes)
        alignment = align(ratios, self.presence)
        without = align_independently(ratios, self.presence).log_likelihood if ordered else 0.0
        return alignment, alignment.log_likelihood - without

    def answers(self, alignment: Alignment) -> Ints:
        """Return three guesses per test row: members by the best product of recall and precision, then places."""
        present = alignment.present
        order = np.argsort(-present, kind="stable")
        # recall x precision is hits^2 over the number of answers, up to a constant.
        expected = np.cumsum(present[order]) ** 2 / np.arange(1, len(order) + 1)
        members = order[: int(expected.argmax()) + 1]
        best = np.argsort(-alignment.places, axis=1, kind="stable")[:, :GUESSES]
        guesses = np.full((len(present), GUESSES), DELETED, dtype=np.int64)
        if self.mixed:
            width = min(GUESSES - 1, best.shape[1])
            guesses[:, 1 : 1 + width] = best[:, :width]
        guesses[members] = DELETED
        guesses[members, : best.shape[1]] = best[members]
        return guesses


def _ratios(features: list[_Feature], changes: list[Floats]) -> Floats:
    """Return the likelihood ratio of every pair: the perturbation against the chance of the same comparison."""
    logs = np.zeros(features[0].classes.shape)
    for feature, change in zip(features, changes, strict=True):
        table = np.log(change)[None, :] - np.log(feature.background)
        logs += np.take_along_axis(table, feature.classes, axis=1)
    return np.exp(np.minimum(logs, 600.0))


def _learned(feature: _Feature, places: Floats) -> Floats:
    """Return how often each class occurs with true pairs, slightly smoothed towards where the search began."""
    seen = np.bincount(feature.classes.ravel(), weights=places.ravel(), minlength=len(feature.start))
    smoothed = seen.astype(np.float64) + SMOOTHING * feature.start
    return smoothed / smoothed.sum()
