"""What a release gives away beside its content: where in a cell the own value stands, which cells are suppressed.

Every clue gives each link of the match graph a score; an attacker who knows the algorithm takes, for every pseudonym,
the candidate with the smallest score. `named_links` turns scores into the probability of naming each link, ties shared
equally; `hits_against_chance` says how unlikely the hits would be if the clue told nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from math import exp, log

import numpy as np
import polars as pl
from numba import njit

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.matching.consistency import Consistency, Histories
from tokumei.attacks.matching.matchings import Bipartite, Component, Matches
from tokumei.attacks.matching.posteriors import Posterior
from tokumei.attacks.matching.record_fit import FitIndex, append_fits
from tokumei.data import Cells, RangeCells, Release, SetCells
from tokumei.words import Message

TIE = 1e-9
LARGEST_GROUP = 50
# The exact probability of hits is computed in small data, where the bound does not decide: in parts of a hit.
EXACT_MEMBERS, EXACT_GROUP, PARTS = 150, 5, 60
NEARLY, EXACT_BELOW = 1e-9, 0.3

# What an algorithm may do to the own value, as factors of (mean position, share inside, distance from the middle).
RANGE_VARIANTS: Mapping[str, tuple[float, float, float]] = {
    "inside": (0.0, -1.0, 0.0),
    "at an end": (0.0, 1.0, 0.0),
    "low": (1.0, 0.0, 0.0),
    "high": (-1.0, 0.0, 0.0),
    "middle": (0.0, 0.0, 1.0),
}
SET_VARIANTS: Mapping[str, tuple[float, float, float]] = {"first": (1.0, 0.0, 0.0), "last": (-1.0, 0.0, 0.0)}


def position_detail(variant: str) -> Message:
    """Return where the own value was seen to stand."""
    return Message(f"detail.{variant.replace(' ', '-')}")


def named_links(graph: Bipartite, score: Floats) -> Floats:
    """Return the probability that the attacker names each link: the smallest score of its pseudonym, ties shared."""
    least = np.full(graph.pseudonyms, np.inf)
    np.minimum.at(least, graph.pseudonym, score)
    tied = score <= least[graph.pseudonym] + TIE
    number = np.bincount(graph.pseudonym[tied], minlength=graph.pseudonyms)
    return np.where(tied, 1.0 / np.maximum(number, 1)[graph.pseudonym], 0.0)


@dataclass(frozen=True, slots=True)
class Hits:
    """Expected hits of a clue with the truth known, what it would hit if it told nothing, and a bound on chance.

    ``groups`` is how many components the clue says something of, ``mean`` the share of hits there by chance.
    """

    hits: float
    expected: float
    chance: float
    groups: int = 0
    mean: float = 1.0

    def detectable(self, chance: float) -> float | None:
        """Return the smallest share of right names that chance would explain with at most ``chance``.

        By the bound that judges hits; None if not even all right names would be beyond chance.
        """
        return smallest_visible(self.groups, self.mean, chance)


def hits_against_chance(
    matches: Matches, blind: Posterior, choice: Floats, owner: Ints, samples: Mapping[int, Ints] | None = None
) -> Hits:
    """Compare the hits of a clue with those of a clue without information.

    Under "no information" the share of hits of every component is an independent number in [0, 1] with a known mean;
    Hoeffding's bound exp(-n KL(share, mean)) limits the probability of so many hits by chance. Where everything was
    hit, the probability is at most one in the number of perfect matchings. Inside a large component, ``samples`` of its
    perfect matchings give mean and deviation of the hits, and exp(-z^2 / 2) is taken for the probability.
    """
    graph = matches.graph
    real = graph.pseudonym < graph.pseudonyms - graph.blanks
    true = real & (graph.subject == owner[np.minimum(graph.pseudonym, len(owner) - 1)])
    count = int(matches.component_of.max(initial=-1)) + 1
    where = matches.component_of[graph.pseudonym]
    sizes = np.maximum(np.bincount(matches.component_of, minlength=count), 1)
    hits = np.bincount(where, weights=choice * true, minlength=count)
    expected = np.bincount(where, weights=choice * blind.probability * real, minlength=count)
    # Components with one hypothesis, or in which all candidates tie, tell nothing either way.
    told = np.bincount(where, weights=np.abs(choice - blind.probability), minlength=count) > TIE
    if not told.any():
        return Hits(float(hits.sum()), float(expected.sum()), 1.0)
    share = float(np.mean(hits[told] / sizes[told]))
    mean = float(np.mean(expected[told] / sizes[told]))
    chance = 1.0 if share <= mean else exp(-float(told.sum()) * _divergence(min(share, 1.0), mean))
    if share > 1 - TIE:
        chance = min(chance, exp(-float(np.nansum(blind.log_matchings[told]))))
    for number, edges in (samples or {}).items():
        blindly = choice[edges].sum(axis=1)
        far = (hits[number] - float(blindly.mean())) / max(float(blindly.std()), 1.0)
        if far > 0:
            chance = min(chance, len(samples or {}) * exp(-far * far / 2))
    if NEARLY < chance < EXACT_BELOW:
        exact = _exact_chance(matches, choice, told, float(hits[told].sum()))
        chance = chance if exact is None else min(chance, exact)
    return Hits(float(hits.sum()), float(expected.sum()), chance, int(told.sum()), mean)


def smallest_visible(groups: int, mean: float, chance: float) -> float | None:
    """Return the smallest share s with exp(-groups KL(s, mean)) <= chance, None if there is none."""
    if groups == 0 or mean >= 1 or exp(-groups * _divergence(1.0, mean)) > chance:
        return None
    low, high = mean, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if exp(-groups * _divergence(middle, mean)) <= chance else (middle, high)
    return high


def _exact_chance(matches: Matches, choice: Floats, told: Bools, hits: float) -> float | None:
    """Return the probability of as many hits if all perfect matchings are equally likely; None where that is large.

    Ties are shared among at most six candidates, so that hits count in sixtieths.
    """
    components = [component for number, component in enumerate(matches.components) if told[number]]
    if sum(map(len, components)) > EXACT_MEMBERS or max(map(len, components)) > EXACT_GROUP:
        return None
    total = np.ones(1)
    for component in components:
        size = len(component)
        named, allowed = np.zeros((size, size)), np.zeros((size, size), dtype=np.bool_)
        row = np.searchsorted(component.pseudonyms, matches.graph.pseudonym[component.edges])
        column = np.searchsorted(component.subjects, matches.graph.subject[component.edges])
        named[row, column], allowed[row, column] = choice[component.edges], True
        worlds = np.array(list(permutations(range(size))))
        worlds = worlds[allowed[np.arange(size), worlds].all(axis=1)]
        counts = np.round(named[np.arange(size), worlds].sum(axis=1) * PARTS).astype(np.int64)
        total = np.convolve(total, np.bincount(counts) / len(worlds))
    return float(total[max(round(hits * PARTS) - 1, 0) :].sum())


def _divergence(share: float, mean: float) -> float:
    """Return KL(Bernoulli(share), Bernoulli(mean))."""
    mean = min(max(mean, 1e-12), 1 - 1e-12)
    above = share * log(share / mean) if share > 0 else 0.0
    below = (1 - share) * log((1 - share) / (1 - mean)) if share < 1 else 0.0
    return max(above + below, 0.0)


def differing_edges(matches: Matches, histories: Histories) -> Bools:
    """Return which links lie in a component whose pseudonyms did not all publish the same history."""
    graph = matches.graph
    real = graph.pseudonyms - graph.blanks
    mask = np.zeros(len(graph), dtype=np.bool_)
    for component in matches.components:
        members = component.pseudonyms[component.pseudonyms < real]
        if len(np.unique(histories.kind[members])) > 1:
            mask[component.edges] = True
    return mask & (graph.pseudonym < real)


@njit(cache=True, nogil=True)
def _positions(  # noqa: PLR0917
    index: FitIndex, rows: Ints, starts: Ints, left: Ints, right: Ints, field: int, offsets: Ints, codes: Ints
) -> Floats:
    """Sum, over the cells of each pair, where the subject's values stand: position 0..1, inside, distance from middle.

    With ``offsets`` the field holds sets as written, otherwise ranges. Each record counts once, its fits averaged.
    """
    sums = np.zeros((len(left), 4))
    fits = np.empty(1024, dtype=np.int64)
    for pair in range(len(left)):
        begin = index.offsets[right[pair]]
        for place in range(starts[left[pair]], starts[left[pair] + 1]):
            record = rows[place]
            low, width = index.lo[record, field], index.hi[record, field] - index.lo[record, field]
            if len(offsets) > 0:
                low, width = offsets[record], offsets[record + 1] - offsets[record] - 1
            if width <= 0 or (len(offsets) == 0 and width > 2**60):
                continue
            fits, used = append_fits(index, record, right[pair], fits, 0)
            for number in range(used):
                value = index.codes[begin + fits[number], field]
                position = float(value - low) / width
                if len(offsets) > 0:
                    for element in range(width + 1):
                        if codes[low + element] == value:
                            position = element / width
                sums[pair, 0] += position / used
                if 0 < position < 1:
                    sums[pair, 1] += 1.0 / used
                sums[pair, 2] += abs(position - 0.5) / used
            if used > 0:
                sums[pair, 3] += 1.0
    return sums


def _scores(
    consistency: Consistency,
    matches: Matches,
    fields: list[tuple[int, Cells]],
    edges: Bools,
    variants: Mapping[str, tuple[float, float, float]],
) -> list[tuple[Message, Floats]]:
    """Return the score of every link under each variant; links outside the mask score 0."""
    graph, histories = matches.graph, consistency.histories
    where = np.flatnonzero(edges)
    total = np.zeros((len(where), 4))
    nothing = np.empty(0, dtype=np.int64)
    for position, cells in fields:
        offsets, codes = (cells.offsets, cells.codes) if isinstance(cells, SetCells) else (nothing, nothing)
        total += _positions(
            consistency.index, histories.rows, histories.starts, graph.pseudonym[where], graph.subject[where], position,
            offsets, codes,
        )  # fmt: skip
    mean = total[:, :3] / np.maximum(total[:, 3:], 1.0)
    scores = np.zeros((len(variants), len(graph)))
    scores[:, where] = [mean @ np.array(factors) for factors in variants.values()]
    return [(position_detail(name), score) for name, score in zip(variants, scores, strict=True)]


def range_scores(release: Release, consistency: Consistency, matches: Matches) -> list[tuple[Message, Floats]]:
    """Return scores by where in the published ranges a candidate's values stand; equal histories tell nothing."""
    fields: list[tuple[int, Cells]] = [
        (position, release.cells[spec.name])
        for position, spec in enumerate(release.schema.fields)
        if isinstance(release.cells[spec.name], RangeCells)
    ]
    return _scores(consistency, matches, fields, differing_edges(matches, consistency.histories), RANGE_VARIANTS)


def set_scores(release: Release, consistency: Consistency, matches: Matches) -> list[tuple[Message, Floats]]:
    """Return scores by the position of a candidate's value in sets as written; none if all are in dictionary order."""
    fields: list[tuple[int, Cells]] = []
    for position, spec in enumerate(release.schema.fields):
        cells = release.cells[spec.name]
        if isinstance(cells, SetCells):
            inside = np.diff(cells.owners()) == 0
            if (np.diff(cells.codes)[inside] < 0).any():
                fields.append((position, cells))
    if not fields:
        return []
    real = matches.graph.pseudonym < matches.graph.pseudonyms - matches.graph.blanks
    return _scores(consistency, matches, fields, real, SET_VARIANTS)


def suppression_components(release: Release, histories: Histories, matches: Matches) -> list[Component]:
    """Return the components with histories that are equal but for cells suppressed in one and shown in another."""
    real = matches.graph.pseudonyms - matches.graph.blanks
    suspects = [
        component
        for component in matches.components
        if 1 < len(component) <= LARGEST_GROUP
        and component.pseudonyms[-1] < real
        and len(np.unique(histories.kind[component.pseudonyms])) > 1
    ]
    if not suspects or not any(cells.suppressed.any() for cells in release.cells.values()):
        return []
    content = np.stack([_content(release.cells[spec.name]) for spec in release.schema.fields], axis=1)
    return [component for component in suspects if _differ_by_suppression(content, histories, component)]


def _content(cells: Cells) -> Ints:
    """Return numbers that are equal where cells say the same, 0 where they are suppressed."""
    frame = pl.DataFrame({str(number): key for number, key in enumerate(cells.sort_keys())})
    number = frame.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64)
    return np.where(cells.suppressed, 0, number)


def _differ_by_suppression(content: Ints, histories: Histories, component: Component) -> bool:
    """Whether some two histories of the component agree in every cell that both show, and differ otherwise."""
    _, first = np.unique(histories.kind[component.pseudonyms], return_index=True)
    members = [histories.rows_of(int(pseudonym)) for pseudonym in component.pseudonyms[first]]
    return any(
        _agree_where_shown(content[one], content[other])
        for number, one in enumerate(members)
        for other in members[:number]
        if len(one) == len(other)
    )


def _agree_where_shown(one: Ints, other: Ints) -> bool:
    """Whether, field by field, what only one history shows is no more than what the other suppresses."""
    for column in range(one.shape[1]):
        values, code = np.unique(np.concatenate((one[:, column], other[:, column])), return_inverse=True)
        counts = [np.bincount(part, minlength=len(values)) for part in np.split(code, 2)]
        surplus = counts[0] - counts[1]
        shown = values != 0
        hidden = [int(count[~shown].sum()) for count in counts]
        if surplus[shown].clip(min=0).sum() > hidden[1] or (-surplus[shown]).clip(min=0).sum() > hidden[0]:
            return False
    return True
