"""Several methods on the same data: how much each loses, how much the best attack names, and which are the best.

A method that fails is a row with its reason, not the end of the run. Nothing is published and nothing secret is kept.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from tokumei.audits import Answer, AuditResult, Question, audit_release
from tokumei.data import History, Outcome
from tokumei.errors import InfeasibleError, ParameterError, SchemaError, TokumeiError, UnknownPartError
from tokumei.flow.auditing import little_known
from tokumei.flow.gate import refuse_identifiers
from tokumei.flow.judging import attack_success, measure
from tokumei.flow.making import Made, compared_with, release
from tokumei.flow.opening import Opened
from tokumei.flow.plan import plan_of
from tokumei.flow.replaying import rerun_of
from tokumei.metrics import RecordsKept
from tokumei.parts import find_part, has_parameter, make_part
from tokumei.profiles import read_content
from tokumei.progress import stage

# Attacks beside those of the audit: cheap, and strong where a release contradicts the original.
EXTRA_ATTACKS = ("re-uniq", "re-item")
# Re-runs of each method: fewer than in an audit, where one release is judged and not many.
COMPARED_RUNS, COMPARED_HELD_OUT = 20, 5
# What releases of tables are usually compared by; those that say nothing of the data are left empty.
COMPARED_MEASURES = (
    "ncp",
    "gen-iloss",
    "discernibility",
    "average-class",
    "non-uniform-entropy",
    "kl-divergence",
    "sse-sst",
    "propensity",
    "model-accuracy",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One method with its k and other settings, and what came out; ``failure`` is the code of what went wrong.

    ``risk`` is the share that the best attack names. ``learned``, ``inferred`` and ``recognized`` are the figures that
    stand for contents, attributes and membership: what an attacker gets who knows little. ``measures`` are the values
    of the metrics that releases are usually compared by.
    """

    method: str
    k: int | None = None
    content: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    loss: float | None = None
    kept: float | None = None
    risk: float | None = None
    best_attack: str = ""
    verdict: str = ""
    candidates: int | None = None
    learned: float | None = None
    inferred: float | None = None
    recognized: float | None = None
    front: bool = False
    failure: str = ""
    message: str = ""
    seconds: float = 0.0
    measures: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How the run is named in tables and charts."""
        return " ".join([self.method, *([] if self.k is None else [f"k={self.k}"]), *filter(None, [self.content])])

    @property
    def choosable(self) -> bool:
        """Whether the release was measured and not found unsafe, so that it can be chosen."""
        return self.loss is not None and self.risk is not None and self.verdict != Outcome.UNSAFE.value

    def as_dict(self) -> dict[str, object]:
        """Return the run as plain values for JSON."""
        return {"release": self.name, **dataclasses.asdict(self), "settings": self.setting_texts()}

    def setting_texts(self) -> list[str]:
        """Return the settings as they are given on the command line."""
        return [
            f"{name}={str(value).lower() if isinstance(value, bool) else value}"
            for name, value in self.settings.items()
        ]


def plan_runs(
    methods: Sequence[str], ks: Sequence[int], settings: Mapping[str, Mapping[str, Any]], contents: Sequence[str] = ()
) -> list[Run]:
    """Return the runs to do: every method with every k, once if it has none, and with every one of the ``contents``.

    Methods that do not generalize have no contents. ``settings`` has the values of parameters by method and name.
    Raises UnknownPartError for an unknown method, ParameterError for wrong settings or those of a method not compared.
    """
    for content in contents:
        read_content(content)
    for name in settings:
        if name not in methods:
            message = f"--set names the method '{name}', which is not compared; add it to --methods"
            raise ParameterError(message, code="usage")
    runs = []
    for method in dict.fromkeys(methods):
        part = find_part("anonymizer", method)
        own = settings.get(method, {})
        # A mistake in what was asked for is told before the work; only what the data forbids becomes a row.
        make_part(part, own)
        several = has_parameter(part, "k") and "k" not in own and ks
        levels: Sequence[int | None] = list(dict.fromkeys(ks)) if several else [None]
        profiles = list(dict.fromkeys(contents)) if part.generalizes and contents else [""]
        runs += [Run(method=method, k=k, content=one, settings=own) for k in levels for one in profiles]
    return runs


def compare(
    history: History,
    runs: Sequence[Run],
    *,
    allow: Sequence[str] = (),
    seed: int | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    measures: bool = True,
    quick: bool = False,
) -> list[Run]:
    """Do all runs and return them with their results, the best trade-offs marked.

    Without ``measures`` nothing is measured beside loss, risk and records kept; ``quick`` leaves them out too, and runs
    no method again to see what an attacker would learn from that. Raises LeakError before any work if a
    column seems to name people and is not in ``allow``.
    """
    refuse_identifiers(history, allow)
    done = []
    with stage("compare", total=len(runs)) as advance:
        for run in runs:
            begin = time.monotonic()
            with stage(f"compare: {run.name}"):
                made, result = _attempt(
                    history, run, allow=allow, seed=seed, threads=threads, time_limit=time_limit, quick=quick
                )
                if measures and not quick and made is not None:
                    result = dataclasses.replace(result, measures=_measures(made))
            done.append(dataclasses.replace(result, seconds=time.monotonic() - begin))
            advance(1)
    return mark_front(done)


def some_subjects(history: History, people: int, *, seed: int = 0) -> History:
    """Return all records of so many people, drawn at random: to try methods where all of the data would take long."""
    if people >= len(history.subjects):
        return history
    chosen = np.random.default_rng(seed).choice(len(history.subjects), size=people, replace=False)
    rows = np.flatnonzero(np.isin(history.subject, chosen))
    # Read anew: values that none of these people has are no part of their data.
    sample = History.from_frame(history.take(rows).text(), history.schema)
    if history.people is None:
        return sample
    own = np.flatnonzero(np.isin(history.people.subject, chosen))
    return sample.with_people(History.from_frame(history.people.take(own).text(), history.people.schema))


def _attempt(
    history: History,
    run: Run,
    *,
    allow: Sequence[str],
    seed: int | None,
    threads: int | None,
    time_limit: float | None,
    quick: bool,
) -> tuple[Made | None, Run]:
    """Return the run with its result, and the release unless it failed."""
    plan = plan_of(run.method, run.settings, k=run.k, seed=seed, allow=tuple(allow), content=run.content)
    try:
        # A release that the gate refuses could not be published: it is no choice.
        made = release(history, plan, threads=threads, audit=False)
        return made, judged(made, run, seed=seed, time_limit=time_limit, quick=quick)
    except TokumeiError as error:
        return None, dataclasses.replace(run, failure=error.code, message=error.message)
    except MemoryError:
        message = "the memory is not enough for this method; give less data"
        return None, dataclasses.replace(run, failure="memory", message=message)
    except Exception as error:
        # The text of a fault of ours, or of another package's part, may hold data: only its kind is told.
        message = f"internal error ({type(error).__name__}); run 'tokumei anonymize' with this method to see more"
        return None, dataclasses.replace(run, failure="internal", message=message)


def _measures(made: Made) -> dict[str, float]:
    """Return the value of every measure that says something of the data."""
    found = {}
    for name in COMPARED_MEASURES:
        with suppress(InfeasibleError, SchemaError, UnknownPartError):
            found[name] = measure(made, [make_part(find_part("metric", name))])[0].told
    return found


def judged(
    made: Made, run: Run, *, seed: int | None = None, time_limit: float | None = None, quick: bool = False
) -> Run:
    """Return a run with what its release loses and what the attacks name; ``quick`` runs no method again."""
    rerun = None if quick else rerun_of(made, seed=seed or 0, runs=COMPARED_RUNS, held_out=COMPARED_HELD_OUT)
    # A comparison publishes nothing: its verdict is about the method, whose release will be made without a seed.
    original, secret = compared_with(made.method, made.history, dataclasses.replace(made.secret, seed=None))
    audit = audit_release(original, made.release, secret, k=run.k, time_limit=time_limit, rerun=rerun)
    answers = little_known(made, quick=True, seed=seed or 0)
    risk, attack = largest_risk(audit, extra_attacks(made, seed=seed))
    return dataclasses.replace(
        run,
        loss=made.utility.value,
        kept=RecordsKept().measure(made.history, made.release, made.secret).value,
        risk=risk,
        best_attack=attack,
        verdict=audit.verdict.outcome.value,
        candidates=audit.min_candidates,
        learned=_headline(answers[Question.CONTENTS]),
        inferred=_headline(answers[Question.ATTRIBUTES]),
        recognized=_headline(answers[Question.MEMBERSHIP]),
    )


def _headline(answer: Answer) -> float | None:
    return None if answer.figure is None else answer.figure.value


def extra_attacks(released: Made | Opened, *, seed: int | None = None) -> dict[str, tuple[float, float]]:
    """Return share and baseline of the attacks beside those of the audit, without those that do not fit the data.

    They see the records sorted by subject and content: what they guess does not depend on their order in a file.
    """
    in_order = dataclasses.replace(released, history=released.history.take(released.history.order))
    shares = {}
    for name in EXTRA_ATTACKS:
        try:
            score = attack_success(in_order, make_part(find_part("attack", name)), seed=seed or 0)
        except (InfeasibleError, SchemaError):
            continue
        shares[name] = (score.value, score.baseline or 0.0)
    return shares


def largest_risk(audit: AuditResult, extra: Mapping[str, tuple[float, float]]) -> tuple[float, str]:
    """Return the largest share that any attack names, and that attack; ties go to the first by name."""
    shares = {name: figure.share for name, figure in audit.reidentified.items()}
    shares |= {name: share for name, (share, _) in extra.items()}
    best = min(shares, key=lambda name: (-shares[name], name), default="")
    return shares.get(best, 0.0), best


def mark_front(runs: Sequence[Run]) -> list[Run]:
    """Mark the best trade-offs (Pareto front): the runs that no other beats in loss and risk at once.

    What failed or was found unsafe is none and beats nobody: pseudonyms alone lose nothing and protect nobody.
    """
    points = [(run.loss, run.risk) for run in runs if run.choosable]
    loss, risk = (np.array(side, dtype=np.float64) for side in (zip(*points, strict=True) if points else ((), ())))
    marked = []
    for run in runs:
        beaten = True
        if run.choosable and run.loss is not None and run.risk is not None:
            no_worse = (loss <= run.loss) & (risk <= run.risk)
            beaten = bool((no_worse & ((loss < run.loss) | (risk < run.risk))).any())
        marked.append(dataclasses.replace(run, front=not beaten))
    return marked


def run_frame(runs: Sequence[Run]) -> pl.DataFrame:
    """Return the runs as a table without what differs from run to run (seconds)."""
    rows = [
        {
            "release": run.name,
            "method": run.method,
            "k": run.k,
            "content": run.content,
            "settings": " ".join(run.setting_texts()),
            "loss": run.loss,
            "kept": run.kept,
            "risk": run.risk,
            "best_attack": run.best_attack,
            "verdict": run.verdict,
            "candidates": run.candidates,
            "learned": run.learned,
            "inferred": run.inferred,
            "recognized": run.recognized,
            "front": run.front,
            "failure": run.failure,
            "message": run.message,
            **{name: run.measures.get(name) for name in COMPARED_MEASURES},
        }
        for run in runs
    ]
    kinds = {"k": pl.Int64, "loss": pl.Float64, "kept": pl.Float64, "risk": pl.Float64, "candidates": pl.Int64}
    kinds |= dict.fromkeys(("learned", "inferred", "recognized", *COMPARED_MEASURES), pl.Float64)
    return pl.DataFrame(rows, schema_overrides=kinds)
