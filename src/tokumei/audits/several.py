"""Question 5: what this release and the earlier ones of the same people give together.

Groups of two releases that have somebody in common are linked by what they show; then only those people stay candidates
who fit all linked groups. Two releases that are safe alone can leave one candidate together.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import scipy.sparse as sp

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks import PublishedClasses, consistency_graph, lay_out_classes, linked_people, own_classes
from tokumei.audits.answers import Answer, Question
from tokumei.audits.ladder import mean_score
from tokumei.audits.truth import listed_owners, true_owners
from tokumei.data import Goal, History, Reason, Release, Score, Secret
from tokumei.progress import stage


def combine_releases(
    history: History,
    release: Release,
    earlier: Sequence[Release],
    secrets: Sequence[Secret | pl.DataFrame | None] = (),
    *,
    deadline: float | None = None,
) -> Answer:
    """Answer question 5 from this release and the earlier ones, all coded after the same original.

    ``secrets`` are those of this release and of the earlier ones, as far as they are at hand, or lists of some of their
    pseudonyms and subjects; without one the class that explains the records of a person best is taken for the person's
    own. After the ``deadline`` (time.monotonic) pairs that were not compared stay candidates.
    """
    if not earlier:
        return Answer(question=Question.RELEASES, reasons=(Reason(code="no-earlier-release"),))
    everything = [release, *earlier]
    known = [*secrets, *[None] * (len(everything) - len(secrets))]
    with stage("several releases", total=2 * len(everything)) as advance:
        laid_out = [lay_out_classes(history, one) for one in everything]
        own = []
        for classes, secret in zip(laid_out, known, strict=True):
            own.append(own_classes(history, classes, _owners(history, classes, secret)))
            advance(1)
        people = np.flatnonzero(np.all([classes_of >= 0 for classes_of in own], axis=0))
        if len(people) == 0:
            return Answer(question=Question.RELEASES, skipped=(Reason(code="nobody-in-both"),))
        linked = np.ones(len(people), dtype=np.bool_)
        for classes, classes_of in zip(laid_out[1:], own[1:], strict=True):
            linked &= linked_people(laid_out[0], classes, own[0][people], classes_of[people])
        fitting = []
        for one, classes, classes_of in zip(everything, laid_out, own, strict=True):
            fitting.append(_fitting(history, one, classes, deadline)[classes_of[people]])
            advance(1)
    late = deadline is not None and time.monotonic() > deadline
    skipped = (Reason(code="several-deadline"),) if late else ()
    figures = _figures(laid_out, [classes_of[people] for classes_of in own], linked, fitting)
    return Answer(question=Question.RELEASES, figures=figures, headline="releases/named", skipped=skipped)


def _owners(history: History, classes: PublishedClasses, secret: Secret | pl.DataFrame | None) -> Ints | None:
    """Return the subject of every pseudonym as far as it is known, None where nothing is."""
    if isinstance(secret, pl.DataFrame):
        return listed_owners(history, classes.histories, secret)
    return None if secret is None else true_owners(history, classes.histories, secret)


def _fitting(history: History, release: Release, classes: PublishedClasses, deadline: float | None) -> sp.csr_array:
    """Return which subjects (columns) fit every class (row)."""
    graph = consistency_graph(history, release, deadline=deadline).graph
    table = sp.csr_array(graph.matrix())
    return table[classes.histories.first_of]


def _figures(
    laid_out: Sequence[PublishedClasses], own: Sequence[Ints], linked: Bools, fitting: Sequence[sp.csr_array]
) -> dict[str, Score]:
    alone: list[Floats] = []
    together = fitting[0].astype(np.int64)
    for classes, mine, table in zip(laid_out, own, fitting, strict=True):
        candidates = np.maximum(np.asarray(table.sum(axis=1)).ravel(), classes.members[mine])
        alone.append(1.0 / candidates)
    for table in fitting[1:]:
        together = together.multiply(table)
    left = np.maximum(np.asarray(together.sum(axis=1)).ravel().astype(np.float64), 1.0)
    # Who is not linked is as well hidden as in the release that hides worst.
    best_alone = np.max(alone, axis=0)
    named = np.where(linked, np.maximum(1.0 / left, best_alone), best_alone)
    chance = laid_out[0].members[own[0]] / len(laid_out[1])
    fewest, mean = float(left.min()), float(left.mean())
    before = float((1.0 / best_alone).mean())
    return {
        "releases/named": mean_score("named", named, best_alone),
        "releases/linked": mean_score("linked", linked.astype(np.float64), np.minimum(chance, 1.0)),
        "releases/candidates-left": replace(
            Score(name="candidates-left", value=mean, goal=Goal.HIGHER, baseline=before), parts={"fewest": fewest}
        ),
    }
