"""How the method of a release is run again: from a guessed seed, or with fresh coins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tokumei.audits import FreshRun, Rerun, rerun_figures
from tokumei.data import History, Release, Secret
from tokumei.errors import TokumeiError
from tokumei.flow.making import Made, anonymized
from tokumei.flow.opening import Opened
from tokumei.flow.plan import make_method
from tokumei.parts import Method

LARGEST_SEED = 2**63 - 1
# Runs that teach the attack, and runs on which it is measured.
RUNS, HELD_OUT = 50, 10


def method_of(released: Made | Opened) -> Method | None:
    """Return the method with its parameters; None where the release does not tell them, or nobody registers it.

    Parameters that name a file of the publisher are not at hand: the manifest tells the name alone.
    """
    if isinstance(released, Made):
        return released.method
    settings = {name: value for name, value in released.parameters.items() if value is not None}
    if any(isinstance(value, str) and value.startswith("@") for value in settings.values()):
        return None
    try:
        method = make_method(released.release.method, settings)
        method.require(released.history)
    except TokumeiError:
        return None
    return method


def replay_of(released: Made | Opened) -> Callable[[int], tuple[Release, Secret]] | None:
    """Return what makes the release again from a seed, as `anonymize --seed` does; None without the method."""
    method = method_of(released)
    return None if method is None else lambda seed: anonymized(released.history, method, seed=seed)


def fresh_run_of(method: Method) -> FreshRun:
    """Return how a method is run with the coins of a generator, as the flow runs it."""

    def fresh_run(history: History, rng: np.random.Generator) -> tuple[Release, Secret]:
        return anonymized(history, method, seed=int(rng.integers(LARGEST_SEED)))

    return fresh_run


def rerun_of(
    released: Made | Opened, *, seed: int = 0, runs: int = RUNS, held_out: int = HELD_OUT
) -> Callable[[int], Rerun | None] | None:
    """Return how the audit re-runs the method of a release, for a given k; None where the method is not known.

    What is returned gives None where the method cannot be run on a sample of the people.
    """
    method = method_of(released)
    if method is None:
        return None

    def rerun(k: int) -> Rerun | None:
        try:
            return rerun_figures(
                released.history,
                fresh_run_of(method),
                rng=np.random.default_rng(seed),
                release=released.release,
                secret=released.secret,
                k=k,
                runs=runs,
                held_out=held_out,
            )
        except TokumeiError:
            return None

    return rerun
