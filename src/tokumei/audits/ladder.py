"""The ladder of attackers who know little: questions 2, 3 and 4 of an audit (contents, attributes, membership).

Every figure has an interval over the people looked for, and as its baseline the same attacker's figure on a release
without the person. Who knows nothing at all reads records off the release and singles people out.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.attacks import (
    LADDER_PEOPLE,
    QUICK_PEOPLE,
    USUAL_RECORDS,
    Climbed,
    Learned,
    PublishedClasses,
    Targets,
    climb_rung,
    draw_targets,
    few_classes,
    guessed_records,
    infer_column,
    ladder_rungs,
    lay_out_classes,
    own_classes,
    recovered,
    single_out,
)
from tokumei.audits.answers import Answer, Question
from tokumei.audits.membership import membership_curve, membership_scores
from tokumei.audits.truth import true_owners
from tokumei.data import (
    Evidence,
    Goal,
    History,
    Interval,
    Reason,
    Release,
    Score,
    Secret,
    coarse_columns,
    in_middles,
    records_with_people,
    release_with_people,
)
from tokumei.progress import stage

USUAL = f"records-{USUAL_RECORDS}"
_Z95 = 1.959963984540054


def climb_ladder(
    history: History,
    release: Release,
    secret: Secret | None = None,
    *,
    rng: np.random.Generator,
    sensitive: Sequence[str] | None = None,
    quick: bool = False,
    deadline: float | None = None,
) -> dict[Question, Answer]:
    """Let every attacker of the ladder try a sample of people; return the answers to questions 2, 3 and 4.

    Without the Secret the class that explains the records of a person best is taken for the person's own.
    ``sensitive`` names columns to be inferred (default: those of the schema). ``quick`` tries one attacker on fewer
    people; after the ``deadline`` (time.monotonic) no attacker begins. Where both have a table of people its columns
    are asked about like others, and more attackers come from there: those who hold such a table (linkage).
    """
    person: tuple[str, ...] = ()
    if history.people is not None and release.people is not None:
        person = tuple(column.name for column in history.people.schema.columns if not column.drop)
        history = records_with_people(history)
        release = release_with_people(release, history)
        # Records of others may stand under a pseudonym: whose row of the table it has is what counts.
        secret = None if secret is None else replace(secret, rows=secret.rows[:0])
    if sensitive is None:
        sensitive = [column.name for column in history.schema.columns if column.sensitive and not column.drop]
    # Who knows the grids looks at cells of them; what he learns is compared with the values themselves.
    truth = history
    if coarse_columns(release.schema):
        history, release = in_middles(history, release)
    classes = lay_out_classes(history, release, person=person)
    owner = None if secret is None else true_owners(history, classes.histories, secret)
    class_of = own_classes(history, classes, owner)
    people = QUICK_PEOPLE if quick else LADDER_PEOPLE
    targets = draw_targets(history, np.flatnonzero((class_of >= 0) & (history.counts() > 0)), people=people, rng=rng)
    if len(targets) == 0:
        nobody = (Reason(code="ladder-nobody"),)
        asked = (Question.CONTENTS, Question.ATTRIBUTES, Question.MEMBERSHIP)
        return {question: Answer(question=question, skipped=nobody) for question in asked}
    rungs = ladder_rungs(history, quick=quick, person=person)
    climbed: list[Climbed] = []
    skipped: list[Reason] = []
    with stage("attackers who know little", total=len(rungs) + 2) as advance:
        # What an outsider gets is quick and comes first: it must not fall to the deadline.
        outsider = _outsider(history, truth, classes, class_of, people=people, rng=rng)
        advance(1)
        attributes = _attributes(history, classes, class_of, targets, sensitive)
        advance(1)
        for rung in sorted(rungs, key=lambda rung: rung.name != USUAL):
            if deadline is not None and time.monotonic() > deadline and climbed:
                skipped.append(Reason(code="ladder-deadline", values={"attacker": rung.name}))
            else:
                climbed.append(climb_rung(history, classes, class_of, targets, rung, truth=truth))
            advance(1)
    climbed.sort(key=lambda one: [rung.name for rung in rungs].index(one.rung.name))
    return {
        Question.CONTENTS: _contents(climbed, outsider, tuple(skipped)),
        Question.ATTRIBUTES: attributes,
        Question.MEMBERSHIP: _membership(climbed, tuple(skipped)),
    }


def mean_score(name: str, values: Floats, without: Floats | None = None) -> Score:
    """Return the mean of per-person shares with its 95 % interval; ``without`` are the same without the release.

    The interval is Wilson's (1927) with the variance of the shares: it stays inside [0, 1] and does not shrink to
    nothing where all values agree.
    """
    present = values[~np.isnan(values)]
    baseline = None if without is None or np.isnan(without).all() else float(np.nanmean(without))
    if len(present) == 0:
        unknown = Interval(0.0, 1.0)
        return Score(name=name, value=0.0, goal=Goal.LOWER, highest=1.0, interval=unknown, baseline=baseline)
    mean, count = float(present.mean()), len(present)
    scale = 1 + _Z95**2 / count
    centre = (mean + _Z95**2 / (2 * count)) / scale
    half = _Z95 / scale * np.sqrt(float(present.var()) / count + _Z95**2 / (4 * count * count))
    interval = Interval(float(max(centre - half, 0.0)), float(min(centre + half, 1.0)))
    return Score(name=name, value=mean, goal=Goal.LOWER, highest=1.0, interval=interval, baseline=baseline)


def _outsider(
    history: History,
    truth: History,
    classes: PublishedClasses,
    class_of: Ints,
    *,
    people: int,
    rng: np.random.Generator,
) -> dict[str, Score]:
    """Return what somebody gets who knows nothing of anybody and has no original."""
    singles = single_out(history, classes, class_of, predicates=people, rng=rng)
    read = few_classes(classes, rng=rng)
    looked_at = np.where(read[class_of] & (class_of >= 0), class_of, -1)
    letters = recovered(truth, classes, looked_at, *guessed_records(classes, rng=rng, read=read))
    return {
        "outsider/records-recovered": mean_score("records-recovered", letters),
        "outsider/singled-out": mean_score("singled-out", singles.isolated(), singles.elsewhere()),
    }


def _contents(climbed: Sequence[Climbed], outsider: dict[str, Score], skipped: tuple[Reason, ...]) -> Answer:
    figures: dict[str, Score] = {}
    finest: list[str] = []
    for one in climbed:
        figures[f"{one.rung.name}/class-found"] = mean_score("class-found", one.found, one.chance)
        seen: set[str] = set()
        for (field, grain), (with_release, without) in one.learned.items():
            if not with_release.wanted.any():
                # He knows all there is, such as the columns of the row that he holds.
                continue
            key = f"{one.rung.name}/{field}-{grain}"
            figures[key] = _learned_score(f"{field}-{grain}", with_release, without)
            if field not in seen and one.rung.name == USUAL:
                finest.append(key)
            seen.add(field)
    # The column in which the release tells most beyond what is known without it stands for all.
    headline = max(finest, key=lambda key: figures[key].value - (figures[key].baseline or 0.0), default="")
    return Answer(question=Question.CONTENTS, figures={**figures, **outsider}, headline=headline, skipped=skipped)


def _learned_score(name: str, with_release: Learned, without: Learned) -> Score:
    recall, recall_without = with_release.recall(), without.recall()
    parts = {
        key: float(np.nanmean(shares))
        for key, shares in (("recall", recall), ("recall_without", recall_without))
        if not np.isnan(shares).all()
    }
    return replace(mean_score(name, with_release.precision(), without.precision()), parts=parts)


def _attributes(
    history: History, classes: PublishedClasses, class_of: Ints, targets: Targets, sensitive: Sequence[str]
) -> Answer:
    figures: dict[str, Score] = {}
    for column in sensitive:
        inferred = infer_column(history, classes, class_of, targets, column)
        if inferred is None:
            continue
        figures[f"all-but-{column}/inferred"] = mean_score("inferred", inferred.right, inferred.right_without)
        figures[f"all-but-{column}/certain"] = mean_score("certain", inferred.sure, inferred.sure_without)
    certain = [key for key in figures if key.endswith("/certain")]
    headline = max(certain, key=lambda key: figures[key].value - (figures[key].baseline or 0.0), default="")
    reasons = () if figures else (Reason(code="ladder-no-sensitive"),)
    return Answer(question=Question.ATTRIBUTES, figures=figures, headline=headline, reasons=reasons)


def _membership(climbed: Sequence[Climbed], skipped: tuple[Reason, ...]) -> Answer:
    figures: dict[str, Score] = {}
    curves: list[pl.DataFrame] = []
    for one in climbed:
        auc, tpr = membership_scores(one.inside, one.outside)
        figures[f"{one.rung.name}/membership-auc"] = auc
        figures[f"{one.rung.name}/membership-tpr"] = tpr
        curve = membership_curve(one.inside, one.outside)
        curves.append(curve.select(pl.lit(one.rung.name).alias("attacker"), pl.all()))
    return Answer(
        question=Question.MEMBERSHIP,
        figures=figures,
        headline=f"{USUAL}/membership-tpr",
        skipped=skipped,
        evidence=Evidence({"membership_curve": pl.concat(curves)}),
    )
