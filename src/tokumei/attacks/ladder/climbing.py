"""One attacker of the ladder tries a sample of people: what he finds, learns, and how well he is explained at all.

Everything is measured twice: on the release, and on a release without the person (the class of the person is left out,
everything else stays; leave-one-out).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.ladder.classes import PublishedClasses
from tokumei.attacks.ladder.explaining import log_ratios, posterior_classes
from tokumei.attacks.ladder.knowing import Rung, Targets, blurred, draw_targets, known_by
from tokumei.attacks.ladder.learning import Learned, believed, learned
from tokumei.attacks.ladder.settings import LADDER_PEOPLE, MOST_RECORDS, SURE, USUAL_RECORDS
from tokumei.data import History


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Climbed:
    """What one attacker gets of every target.

    ``found`` is the probability with which he names the right class, ``chance`` that of a blind guess; ``learned`` has
    for every field and grain what he learns with the release and without; ``inside`` and ``outside`` are how well the
    best class explains what he knows, with the person in the release and without.
    """

    rung: Rung
    found: Floats
    chance: Floats
    learned: Mapping[tuple[str, str], tuple[Learned, Learned]]
    inside: Floats
    outside: Floats


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Inferred:
    """Of every target, with the release and without: the value is named right; it is right and the attacker is sure."""

    right: Floats
    right_without: Floats
    sure: Floats
    sure_without: Floats


def ladder_rungs(history: History, *, quick: bool = False, person: tuple[str, ...] = ()) -> tuple[Rung, ...]:
    """Return the attackers of an audit: 1 to 5 records, exact and blurred, one column only, all but one.

    Where ``person`` names columns of a table of people, those who know records do not know these; others know the row
    of the person, as another table would tell it, alone or beside records.
    """
    columns = [column.name for column in history.schema.columns if not column.drop and column.name not in person]
    # Nothing is said where everything is known.
    of_records = tuple(columns) if person else ()
    usual = Rung(name=f"records-{USUAL_RECORDS}", records=USUAL_RECORDS, columns=of_records)
    if quick:
        return (usual, *_who_know_people(person)[:1])
    exact = [Rung(name=f"records-{count}", records=count, columns=of_records) for count in range(1, MOST_RECORDS + 1)]
    blurred = Rung(name=f"blurred-{USUAL_RECORDS}", records=USUAL_RECORDS, blurred=True, columns=of_records)
    single = [Rung(name=f"only-{name}", records=USUAL_RECORDS, columns=(name,)) for name in columns]
    last = Rung(name="all-but-one", records=None, columns=of_records)
    return (*exact, blurred, *(single if len(columns) > 1 else ()), *_who_know_people(person), last)


def _who_know_people(person: tuple[str, ...]) -> tuple[Rung, ...]:
    """Return the attackers who hold another table of the same people: all of its columns, one of them, or more."""
    if not person:
        return ()
    single = (
        [Rung(name=f"person-only-{name}", records=0, columns=(name,)) for name in person] if len(person) > 1 else []
    )
    both = Rung(name=f"person-and-records-{USUAL_RECORDS}", records=USUAL_RECORDS)
    return (Rung(name="person", records=0, columns=person), *single, both)


def own_classes(history: History, classes: PublishedClasses, owner: Ints | None) -> Ints:
    """Return the class of every subject, -1 where it has none or several.

    ``owner`` is the subject of every pseudonym (names in sorted order; negative: several); without it the class that
    explains the records of a person best is taken for the person's own.
    """
    class_of = np.full(len(history.subjects), -1, dtype=np.int64)
    if owner is not None:
        single = owner >= 0
        class_of[owner[single]] = classes.histories.kind[single]
        return class_of
    present = np.flatnonzero(history.counts() > 0)
    everybody = draw_targets(history, present, people=len(present), rng=np.random.default_rng(0))
    for begin in range(0, len(everybody), LADDER_PEOPLE):
        part = everybody.part(begin, begin + LADDER_PEOPLE)
        known, _ = known_by(history, classes, part, Rung(name="everything", records=MOST_RECORDS * 4))
        class_of[part.subject] = log_ratios(classes, [known], len(part)).argmax(axis=1)
    return class_of


def climb_rung(
    history: History,
    classes: PublishedClasses,
    class_of: Ints,
    targets: Targets,
    rung: Rung,
    *,
    truth: History | None = None,
) -> Climbed:
    """Let one attacker try all targets; ``class_of`` is everybody's own class.

    ``truth`` has the values that are to be learned, where ``history`` shows them as grids do (default: the same).
    """
    known, rows = known_by(history, classes, targets, rung)
    views = [known] if rung.blurred else [known, blurred(history, classes, known)]
    ratios = log_ratios(classes, views, len(targets))
    own = class_of[targets.subject]
    elsewhere = _without(ratios, own)
    beliefs = posterior_classes(classes, ratios)
    best = beliefs[:, :-1] >= beliefs[:, :-1].max(axis=1, keepdims=True) * (1 - 1e-9)
    cells = {
        name: (known.target[known.sure[:, place]], rows[known.sure[:, place]])
        for place, name in enumerate(classes.fields)
    }
    both = (history, truth or history)
    with_release = learned(both, classes, targets, cells, beliefs)
    without = learned(both, classes, targets, cells, posterior_classes(classes, elsewhere), left_out=own)
    return Climbed(
        rung=rung,
        found=best[np.arange(len(targets)), own] / best.sum(axis=1),
        chance=classes.members[own] / classes.members.sum(),
        learned={key: (with_release[key], without[key]) for key in with_release},
        inside=ratios.max(axis=1),
        outside=elsewhere.max(axis=1),
    )


def infer_column(
    history: History, classes: PublishedClasses, class_of: Ints, targets: Targets, column: str
) -> Inferred | None:
    """Return what somebody who knows everything else of a person names in a sensitive column; None if it is not there.

    Of a history the value is that of most of the person's records.
    """
    others = tuple(one.name for one in history.schema.columns if not one.drop and one.name != column)
    names = [name for name in classes.fields if history.schema.field(name).column == column]
    if not names or not others:
        return None
    known, _ = known_by(history, classes, targets, Rung(name=column, records=None, columns=others, whole=True))
    ratios = log_ratios(classes, [known, blurred(history, classes, known)], len(targets))
    own = class_of[targets.subject]
    right: list[Bools] = []
    sure: list[Bools] = []
    # He knows that the person is in the release, or that it is not.
    with_release = posterior_classes(classes, ratios, present=True)
    for beliefs, left_out in ((with_release, None), (posterior_classes(classes, _without(ratios, own)), own)):
        correct = np.ones(len(targets), dtype=np.bool_)
        belief = np.ones(len(targets))
        for name in names:
            value, probability = believed(classes, name, beliefs, left_out)
            correct &= value == _usual_value(history, targets, name)
            belief = np.minimum(belief, probability)
        right.append(correct)
        sure.append(correct & (belief >= SURE))
    return Inferred(
        right=right[0].astype(np.float64),
        right_without=right[1].astype(np.float64),
        sure=sure[0].astype(np.float64),
        sure_without=sure[1].astype(np.float64),
    )


def _without(ratios: Floats, own: Ints) -> Floats:
    """Return how well classes explain what is known if the own class is not there."""
    elsewhere = ratios.copy()
    elsewhere[np.arange(len(own)), own] = -np.inf
    return elsewhere


def _usual_value(history: History, targets: Targets, name: str) -> Ints:
    """Return the most frequent value of every target (the smallest of several)."""
    codes = history.codes[name][targets.rows]
    target = np.repeat(np.arange(len(targets)), np.diff(targets.starts))
    pairs, counts = np.unique(np.stack((target, codes)), axis=1, return_counts=True)
    order = np.lexsort((pairs[1], -counts, pairs[0]))
    first = np.unique(pairs[0][order], return_index=True)[1]
    return pairs[1][order][first]
