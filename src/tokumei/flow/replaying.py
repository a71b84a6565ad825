"""The method of a release that was made or opened, to be run again as the flow runs it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tokumei.audits import Replay, Rerun, rerun_figures
from tokumei.data import History, Release, Secret
from tokumei.errors import TokumeiError
from tokumei.flow.making import Made, anonymized
from tokumei.flow.opening import Opened
from tokumei.parts import Method, find_part, make_part

LARGEST_SEED = 2**63 - 1
# Runs that teach the attack, and runs on which it is measured.
RUNS, HELD_OUT = 50, 10


def method_of(released: Made | Opened) -> Method | None:
    """Return the method with its parameters; None where the release does not tell them, or nobody registers it.

    A parameter that names a file (``@FILE``) cannot be read again: the manifest tells the name alone.
    """
    if isinstance(released, Made):
        return released.method
    if any(isinstance(value, str) and value.startswith("@") for value in released.parameters.values()):
        return None
    try:
        method: Method = make_part(find_part("anonymizer", released.release.method), released.parameters)
        method.require(released.history)
    except TokumeiError:
        return None
    return method


def replay_of(method: Method) -> Replay:
    """Return how a method is run with the coins of a generator: exactly as the flow runs it."""

    def replay(history: History, rng: np.random.Generator) -> tuple[Release, Secret]:
        return anonymized(history, method, seed=int(rng.integers(LARGEST_SEED)))

    return replay


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
                replay_of(method),
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
