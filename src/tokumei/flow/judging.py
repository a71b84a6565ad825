"""A release is judged: by an attack, and by metrics."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tokumei.data import Goal, Guesses, Score, Secret
from tokumei.errors import InfeasibleError, InputError, SchemaError, TokumeiError, UnknownPartError
from tokumei.flow.large import LargeRelease
from tokumei.flow.making import Made, seeded
from tokumei.flow.opening import Opened
from tokumei.parts import Attack, CombinableMetric, Metric, find_part, make_part, part_names
from tokumei.progress import stage
from tokumei.words import Message


@dataclass(frozen=True, eq=False)
class Measured:
    """The scores of a release, why some metrics say nothing of such data, and which ones broke."""

    scores: list[Score]
    skipped: list[str]
    failed: list[str]


def run_attack(released: Made | Opened, attack: Attack, *, seed: int | None = None) -> Guesses:
    """Return what an attack guesses that holds the whole original."""
    attack.require(released.history)
    with stage(f"attack: {attack.name}"):
        return attack.guess(released.history, released.release, rng=seeded(seed))


def attack_success(released: Made | Opened, attack: Attack, *, seed: int | None = None) -> Score:
    """Return the share of pseudonyms that an attack names right, beside random guessing."""
    guesses = run_attack(released, attack, seed=seed)
    pseudonyms, subjects = released.release.pseudonyms.n_unique(), len(released.history.subjects)
    return Score(
        name=f"re-identified by {attack.name}",
        value=guesses.hits(_truth(released).owners) / pseudonyms if pseudonyms else 0.0,
        goal=Goal.LOWER,
        highest=1.0,
        baseline=1 / subjects if subjects else 0.0,
    )


def measure(released: Made | Opened, metrics: Sequence[Metric]) -> list[Score]:
    """Return the score of every metric; one that cannot tell raises its reason."""
    known = _added_up(released, metrics)
    return [known.get(metric) or _measured(metric, released) for metric in metrics]


def measure_all(released: Made | Opened) -> Measured:
    """Return the scores of all registered metrics; one that is broken or has no use for the data stops no other.

    Metrics that need people or rows belong to contests whose releases have them, and are left out elsewhere.
    """
    measured = Measured([], [], [])
    fitting: list[Metric] = []
    for name in part_names("metric"):
        try:
            part = find_part("metric", name)
            if part.needs == ("records",) or (released.history.people is not None and "people" in part.needs):
                fitting.append(make_part(part))
        except UnknownPartError as error:
            measured.failed.append(str(error))
    known = _added_up(released, fitting)
    for metric in fitting:
        try:
            measured.scores.append(known.get(metric) or _measured(metric, released))
        except (InfeasibleError, SchemaError) as error:
            measured.skipped.append(str(error))
        except UnknownPartError as error:
            measured.failed.append(str(error))
    return measured


def _whole(released: Made | Opened) -> LargeRelease | None:
    return released.whole if isinstance(released, Opened) else None


def _added_up(released: Made | Opened, metrics: Sequence[Metric]) -> dict[Metric, Score]:
    """Return the exact scores of a release that is not held, by the metrics that add up over its parts.

    One that has no use for such data says so of the sample first.
    """
    whole = _whole(released)
    if whole is None:
        return {}
    adding: list[CombinableMetric] = []
    for metric in metrics:
        if isinstance(metric, CombinableMetric):
            with suppress(InfeasibleError, SchemaError):
                _measured(metric, released)
                adding.append(metric)
    return dict(zip(adding, whole.scores(adding), strict=True)) if adding else {}


def _measured(metric: Metric, released: Made | Opened) -> Score:
    """Return the score of a release that is held; of the sample of another, with a word that it is one."""
    metric.require(released.history)
    whole = _whole(released)
    try:
        with stage(f"judge: {metric.name}"):
            score = metric.measure(released.history, released.release, _truth(released))
            if whole is None:
                return score
            people = {"people": len(released.history.subjects), "all": len(whole.survey.subjects)}
            return replace(score, warnings=(*score.warnings, Message("warning.sampled", people)))
    except TokumeiError:
        raise
    except Exception as error:
        # The text of a foreign error may hold data: only its kind and its place are told.
        *_, last = traceback.extract_tb(error.__traceback__)
        message = (
            f"the metric '{metric.name}' fails ({type(error).__name__} in {Path(last.filename).name}, line "
            f"{last.lineno}); repair or remove the package that registers it"
        )
        raise UnknownPartError(message, code="broken-part") from error


def _truth(released: Made | Opened) -> Secret:
    if released.secret is None:
        message = "only the secret of a release tells what became of each record; name its file"
        raise InputError(message, code="no-secret")
    return released.secret
