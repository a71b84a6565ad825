"""The ladder of attackers who know little: what they find, learn, infer, and whether they can tell who is in the data.

Questions 2, 3 and 4 of an audit (contents, attributes, membership). Every figure has an interval over the people
looked for, and beside it the same attacker's figure on a release without the person: the class of the person is left
out, everything else stays (leave-one-out).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.ladder.classes import PublishedClasses, lay_out_classes
from benchmarks.ladder.downcoding import guessed_records, recovered
from benchmarks.ladder.explaining import log_ratios, posterior_classes
from benchmarks.ladder.knowing import Rung, Targets, draw_targets, known_by
from benchmarks.ladder.learning import Learned, learned
from benchmarks.ladder.singling import single_out
from tokumei.array_types import Floats, Ints
from tokumei.data import Goal, History, Interval, Release, Score
from tokumei.progress import stage

PEOPLE = 400
QUICK_PEOPLE = 100
MOST_RECORDS = 5
USUAL_RECORDS = 3
LOW_RATE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """How well somebody tells people in the data from others: area under the curve, and hits at 1 % false alarms."""

    auc: Score
    tpr: Score
    false_alarms: tuple[float, ...]
    hits: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RungFigures:
    """What one attacker gets: the class found, other values learned by column and grain, and membership."""

    rung: Rung
    people: int
    found: Score
    learned: Mapping[str, Score]
    membership: Membership


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """All attackers who know little, the outsider who knows nothing, and what is inferred of sensitive columns."""

    rungs: tuple[RungFigures, ...]
    records: Score
    singled: Score
    attributes: Mapping[str, Score] = field(default_factory=dict)


def default_rungs(history: History, *, quick: bool = False) -> tuple[Rung, ...]:
    """Return the attackers of an audit: 1 to 5 records, exact and blurred, one column only, all but one."""
    columns = [column.name for column in history.schema.columns if not column.drop]
    usual = Rung(name=f"records-{USUAL_RECORDS}", records=USUAL_RECORDS)
    if quick:
        return (usual,)
    exact = [Rung(name=f"records-{count}", records=count) for count in range(1, MOST_RECORDS + 1)]
    blurred = Rung(name=f"blurred-{USUAL_RECORDS}", records=USUAL_RECORDS, blurred=True)
    single = [Rung(name=f"only-{name}", records=USUAL_RECORDS, columns=(name,)) for name in columns]
    return (*exact, blurred, *(single if len(columns) > 1 else ()), Rung(name="all-but-one", records=None))


def climb(
    history: History,
    release: Release,
    owner: Ints | None,
    *,
    rng: np.random.Generator,
    sensitive: Sequence[str] = (),
    quick: bool = False,
) -> Ladder:
    """Let every attacker of the ladder try a sample of people.

    ``owner`` gives the subject of every pseudonym (names in sorted order; negative: several); without it the class that
    explains all records of a person best is taken for the person's own. ``sensitive`` names columns to be inferred.
    """
    classes = lay_out_classes(history, release)
    class_of = _classes_of(history, classes, owner)
    people = QUICK_PEOPLE if quick else PEOPLE
    targets = draw_targets(history, np.flatnonzero(class_of >= 0), people=people, rng=rng)
    rungs = default_rungs(history, quick=quick)
    figures = []
    with stage("attackers who know little", total=len(rungs) + 2) as advance:
        for rung in rungs:
            figures.append(_climbed(history, classes, class_of, targets, rung))
            advance(1)
        singles = single_out(history, classes, class_of, predicates=people, rng=rng)
        advance(1)
        letters = recovered(history, classes, class_of, *guessed_records(classes, rng=rng))
        attributes = {
            name: score
            for name in sensitive
            if (score := _inferred(history, classes, class_of, targets, name)) is not None
        }
        advance(1)
    return Ladder(
        rungs=tuple(figures),
        records=mean_score("records-recovered", letters),
        singled=mean_score("singled-out", singles.isolated(), singles.elsewhere()),
        attributes=attributes,
    )


def mean_score(name: str, values: Floats, without: Floats | None = None) -> Score:
    """Return the mean of per-person shares with its 95 % interval; ``without`` are the same without the release."""
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return Score(name=name, value=0.0, goal=Goal.LOWER, highest=1.0, interval=Interval(0.0, 1.0))
    mean = float(present.mean())
    # Wilson's interval: it stays inside [0, 1] and does not shrink to nothing where all values agree.
    z, count = 1.96, len(present)
    spread = min(float(present.var()), mean * (1 - mean)) if 0 < mean < 1 else 0.0
    centre = (mean + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * np.sqrt(spread / count + z * z / (4 * count * count))
    interval = Interval(float(max(centre - half, 0.0)), float(min(centre + half, 1.0)))
    baseline = None if without is None or np.isnan(without).all() else float(np.nanmean(without))
    return Score(name=name, value=mean, goal=Goal.LOWER, highest=1.0, interval=interval, baseline=baseline)


def _classes_of(history: History, classes: PublishedClasses, owner: Ints | None) -> Ints:
    """Return the class of every subject, -1 where it has none or several."""
    class_of = np.full(len(history.subjects), -1, dtype=np.int64)
    if owner is not None:
        single = owner >= 0
        class_of[owner[single]] = classes.histories.kind[single]
        return class_of
    everybody = draw_targets(
        history, np.arange(len(history.subjects)), people=len(history.subjects), rng=np.random.default_rng(0)
    )
    for begin in range(0, len(everybody), PEOPLE):
        part = everybody.part(begin, begin + PEOPLE)
        known, _ = known_by(history, classes, part, Rung(name="everything", records=MOST_RECORDS * 4))
        class_of[part.subject] = log_ratios(classes, known, len(part)).argmax(axis=1)
    return class_of


def _climbed(history: History, classes: PublishedClasses, class_of: Ints, targets: Targets, rung: Rung) -> RungFigures:
    known, rows = known_by(history, classes, targets, rung)
    ratios = log_ratios(classes, known, len(targets))
    own = class_of[targets.subject]
    elsewhere = ratios.copy()
    elsewhere[np.arange(len(targets)), own] = -np.inf
    beliefs = posterior_classes(classes, ratios)
    best = beliefs >= beliefs.max(axis=1, keepdims=True) * (1 - 1e-9)
    found = best[np.arange(len(targets)), own] / best.sum(axis=1)
    cells = {
        name: (known.target[known.sure[:, place]], rows[known.sure[:, place]])
        for place, name in enumerate(classes.fields)
    }
    with_release = learned(history, classes, targets, cells, beliefs)
    without = learned(history, classes, targets, cells, posterior_classes(classes, elsewhere))
    return RungFigures(
        rung=rung,
        people=len(targets),
        found=mean_score("class-found", found, classes.members[own] / classes.members.sum()),
        learned={
            f"{name}:{grain}": _learned_score(name, grain, with_release[name, grain], without[name, grain])
            for name, grain in with_release
        },
        membership=_membership(ratios.max(axis=1), elsewhere.max(axis=1)),
    )


def _learned_score(name: str, grain: str, with_release: Learned, without: Learned) -> Score:
    score = mean_score(f"learned {name} by {grain}", with_release.precision(), without.precision())
    recall = with_release.recall()
    parts = {"recall": float(np.nanmean(recall)) if not np.isnan(recall).all() else 0.0}
    return Score(
        name=score.name,
        value=score.value,
        goal=score.goal,
        highest=score.highest,
        interval=score.interval,
        baseline=score.baseline,
        parts=parts,
    )


def _membership(inside: Floats, outside: Floats) -> Membership:
    """Return the curve of a test that calls those members who are explained well enough."""
    order = np.sort(outside)
    below = np.searchsorted(order, inside, side="left")
    equal = np.searchsorted(order, inside, side="right") - below
    wins = (below + 0.5 * equal) / len(outside)
    limits = np.unique(np.concatenate((inside, outside)))[::-1]
    alarms = 1.0 - np.searchsorted(order, limits, side="left") / len(outside)
    hits = 1.0 - np.searchsorted(np.sort(inside), limits, side="left") / len(inside)
    # Equal scores are one point of the curve: they cannot be told apart.
    allowed = alarms <= LOW_RATE
    rate = float(hits[allowed].max()) if allowed.any() else 0.0
    caught = np.concatenate((np.ones(round(rate * len(inside))), np.zeros(len(inside) - round(rate * len(inside)))))
    grid = np.concatenate(([0.0, 0.001, 0.01], np.linspace(0.05, 1.0, 20)))
    return Membership(
        auc=mean_score("membership-auc", wins, np.full(1, 0.5)),
        tpr=mean_score("membership-tpr", caught, np.full(1, LOW_RATE)),
        false_alarms=tuple(grid.tolist()),
        hits=tuple(float(hits[alarms <= limit].max(initial=0.0)) for limit in grid),
    )


def _inferred(
    history: History, classes: PublishedClasses, class_of: Ints, targets: Targets, column: str
) -> Score | None:
    """Return how often somebody who knows everything else names the value of a sensitive column."""
    others = tuple(one.name for one in history.schema.columns if not one.drop and one.name != column)
    names = [name for name in classes.fields if history.schema.field(name).column == column]
    if not names or not others:
        return None
    rung = Rung(name=f"all-but-{column}", records=10**9, columns=others, whole=True)
    known, _ = known_by(history, classes, targets, rung)
    ratios = log_ratios(classes, known, len(targets))
    elsewhere = ratios.copy()
    elsewhere[np.arange(len(targets)), class_of[targets.subject]] = -np.inf
    nothing = {name: (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)) for name in classes.fields}
    shares = []
    for scores in (ratios, elsewhere):
        results = learned(history, classes, targets, nothing, posterior_classes(classes, scores), only=names)
        finest = [results[key] for key in results if key[1] == next(g for n, g in results if n == key[0])]
        shares.append(np.nanmean([result.precision() for result in finest], axis=0))
    return mean_score(f"inferred {column}", shares[0], shares[1])
