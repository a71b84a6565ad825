"""Stages run after one another: anonymize, judge, publish, attack."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tokumei.errors import ParameterError
from tokumei.history import Goal, Guesses, History, Release, Score, Secret
from tokumei.parts import Anonymizer, Attack, Metric, find_part, make_part
from tokumei.progress import stage
from tokumei.publish.folder import in_published_order, refuse_leaks, write_release
from tokumei.publish.secret import default_secret_path, write_secret

__all__ = ["Published", "anonymize", "attack_success", "make_anonymizer", "measure", "publish", "seeded"]


@dataclass(frozen=True, eq=False)
class Published:
    """A release on disk, with where its parts are."""

    release: Release
    secret: Secret
    folder: Path
    secret_file: Path
    manifest: dict[str, Any]


def seeded(seed: int | None) -> np.random.Generator:
    """Return the generator of a run: repeatable from a seed, or the operating system's entropy without one."""
    return np.random.default_rng(seed)


def make_anonymizer(name: str, settings: Sequence[str] = (), *, k: int | None = None) -> Anonymizer:
    """Return a registered method with ``name=value`` settings; ``k`` is given to methods that have it."""
    part = find_part("anonymizer", name)
    texts = list(settings)
    if k is not None:
        if "k" not in [info.name for info in part.parameters()]:
            message = f"the method '{name}' has no k; leave --k out"
            raise ParameterError(message)
        texts.append(f"k={k}")
    method: Anonymizer = make_part(part, texts)
    return method


def anonymize(history: History, method: Anonymizer, *, seed: int | None = None) -> tuple[Release, Secret]:
    """Run a method and return the release in published order with its secret."""
    with stage(f"anonymize: {method.name}"):
        release, secret = method.anonymize(history, rng=seeded(seed))
    release, secret = in_published_order(release, secret)
    return release, dataclasses.replace(secret, seed=seed)


def publish(
    history: History,
    release: Release,
    secret: Secret,
    folder: Path,
    *,
    method: Anonymizer,
    secret_file: Path | None = None,
    data_format: str = "csv",
) -> Published:
    """Write the release folder and, beside it, the secret; refuse a release that still shows subject ids."""
    refuse_leaks(history, release, secret)
    path = secret_file or default_secret_path(folder)
    if folder.resolve() in path.resolve().parents:
        message = f"the secret must not lie inside the release folder: {path}; name another place with --secret"
        raise ParameterError(message)
    parameters = {info.name: getattr(method, info.name) for info in method.parameters()}
    # The secret goes first: a release whose secret could not be written would be lost to its publisher.
    write_secret(secret, path)
    try:
        manifest = write_release(release, folder, parameters=parameters, data_format=data_format)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return Published(release, secret, folder, path, manifest)


def attack_success(
    history: History, release: Release, secret: Secret, attack: Attack, *, seed: int | None = None
) -> tuple[Guesses, Score]:
    """Run an attack and return its guesses and the share of pseudonyms it names right, beside random guessing."""
    with stage(f"attack: {attack.name}"):
        guesses = attack.guess(history, release, rng=seeded(seed))
    pseudonyms = release.pseudonyms.n_unique()
    value = guesses.hits(secret.owners) / pseudonyms if pseudonyms else 0.0
    baseline = 1 / len(history.subjects) if len(history.subjects) else 0.0
    score = Score(name=f"re-identified by {attack.name}", value=value, goal=Goal.LOWER, highest=1.0, baseline=baseline)
    return guesses, score


def measure(history: History, release: Release, secret: Secret, metrics: Sequence[Metric]) -> list[Score]:
    """Return the score of every metric."""
    scores = []
    for metric in metrics:
        with stage(f"judge: {metric.name}"):
            scores.append(metric.measure(history, release, secret))
    return scores
