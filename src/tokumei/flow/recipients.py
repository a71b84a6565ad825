"""The plan that a recipient's limits ask for: contents, k, rare values and l are raised until the audit keeps to them.

Steps are lined up from what loses least to what loses most. The last one is tried first: if not even that keeps to the
limits, nothing does, and the reasons are told. Otherwise the steps between are halved, so that few releases are made.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tokumei.audits import AuditResult, AuditSettings, Limits, Question
from tokumei.data import Column, History, Kind, Outcome, Reason, Schema
from tokumei.errors import InfeasibleError
from tokumei.flow.auditing import audit
from tokumei.flow.making import Made, release
from tokumei.flow.plan import Plan
from tokumei.profiles import Content
from tokumei.progress import stage

SEARCH_SECONDS = 600.0
# A release and its audit may take so much of the time that is left; no further one is begun after that.
_SHARE = 0.5
_USUAL_K = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What is chosen at one step: a profile of contents, k, the bound of rare values, the l of sensitive columns."""

    content: str
    k: int
    rare: int = 0
    diversity: int = 2

    def name(self) -> str:
        """Return the step as a person reads it."""
        parts = [f"content = {self.content}", f"k = {self.k}"]
        parts += [f"rare = {self.rare}"] if self.rare else []
        return ", ".join([*parts, f"l = {self.diversity}"])


# From least to most loss, as measured on purchases (docs/contents.md).
STEPS = (
    Step(content="tight", k=3),
    Step(content="grid", k=3),
    Step(content="grid", k=5),
    Step(content="strong", k=3),
    Step(content="strong", k=5, rare=10),
    Step(content="strong", k=10, rare=20, diversity=3),
    Step(content="strong", k=20, rare=50, diversity=3),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A step that was tried: what it loses, what the limits say of it, and why not if they are not kept to."""

    step: Step
    loss: float | None
    outcome: str
    reasons: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return {"choices": self.step.name(), "loss": self.loss, "outcome": self.outcome, "reasons": list(self.reasons)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Searched:
    """What was found for a recipient: the release of least loss that keeps to the limits (None: none does)."""

    made: Made | None
    tried: tuple[Tried, ...]
    seconds: float

    def required(self, limits: Limits) -> Made:
        """Return the release; raise InfeasibleError with the reasons of the strongest step if there is none."""
        if self.made is not None:
            return self.made
        last = self.tried[-1]
        message = (
            f"no release that was tried keeps to the limits of the recipient '{limits.recipient}', not even "
            f"{last.step.name()}: {'; '.join(last.reasons) or last.outcome}; drop or coarsen the columns that tell "
            "most, or choose another recipient"
        )
        raise InfeasibleError(message, code="limits-not-met")


def steps_for(plan: Plan, schema: Schema, limits: Limits) -> tuple[Step, ...]:
    """Return the steps that are at least as strong as what was asked for; naming at most p needs k of at least 1/p."""
    order = list(Content)
    floor = order.index(Content(plan.content)) if plan.content else order.index(Content.GRID)
    asked = plan.parameters.get("k")
    naming = limits.highest.get(Question.NAMING, 1.0)
    least = max(asked if isinstance(asked, int) else _USUAL_K, math.ceil(1.0 / max(naming, 1e-6) - 1e-9))
    steps = [replace(step, k=max(step.k, least)) for step in STEPS if order.index(Content(step.content)) >= floor]
    if not schema.demands:
        steps = [replace(step, diversity=2) for step in steps]
    return tuple(dict.fromkeys(steps))


def chosen_plan(plan: Plan, step: Step, values: Mapping[str, int] | None = None) -> Plan:
    """Return the plan of a step; what the schema says of a column wins where it is stronger.

    ``values`` says how many values sensitive columns have: no group has more of them.
    """
    assert plan.schema is not None
    known = values or {}

    def chosen(column: Column) -> Column:
        rare = max(column.rare, step.rare) if column.kind is Kind.CATEGORY and not column.keep else column.rare
        most = min(step.diversity, known.get(column.name, step.diversity))
        if column.demand is None or not column.demand.asks or column.demand.values >= most:
            return replace(column, rare=rare if column.demand is None else column.rare)
        return replace(column, demand=replace(column.demand, values=float(most)))

    schema = replace(plan.schema, columns=tuple(map(chosen, plan.schema.columns)))
    return replace(plan, content=step.content, schema=schema, parameters={**plan.parameters, "k": step.k})


def release_for(
    history: History, plan: Plan, limits: Limits, *, threads: int | None = None, seconds: float = SEARCH_SECONDS
) -> Searched:
    """Return the release of least loss whose audit keeps to the limits of a recipient, with all that was tried."""
    begin = time.monotonic()
    plan = replace(plan, schema=history.schema)
    steps = steps_for(plan, history.schema, limits)
    demanded = [field for field in history.schema.fields if field.column in history.schema.demands]
    occurring = {field.name: np.unique(history.codes[field.name]) for field in demanded}
    values = {field.column: int(history.is_value(field.name, occurring[field.name]).sum()) for field in demanded}
    tried: dict[int, tuple[Made | None, Tried]] = {}

    def keeps(number: int) -> bool:
        with stage(f"recipient {limits.recipient}: {steps[number].name()}"):
            tried[number] = _attempt(history, chosen_plan(plan, steps[number], values), steps[number], limits, threads)
        return tried[number][0] is not None

    low, high = 0, len(steps) - 1
    found = keeps(high)
    while found and low < high and time.monotonic() - begin < _SHARE * seconds:
        middle = (low + high) // 2
        if keeps(middle):
            high = middle
        else:
            low = middle + 1
    kept = [(one.loss or 0.0, number) for number, (made, one) in tried.items() if made is not None]
    best = tried[min(kept)[1]][0] if kept else None
    rows = tuple(tried[number][1] for number in sorted(tried))
    return Searched(made=best, tried=rows, seconds=time.monotonic() - begin)


def _attempt(
    history: History, plan: Plan, step: Step, limits: Limits, threads: int | None
) -> tuple[Made | None, Tried]:
    """Make and judge one release; return it only if it keeps to the limits."""
    try:
        made = release(replace(history, schema=plan.schema or history.schema), plan, threads=threads, audit=False)
        result = audit(made, AuditSettings(limits=limits, quick=True, allow=plan.allow))
    except InfeasibleError as error:
        return None, Tried(step=step, loss=None, outcome=error.code, reasons=(error.message,))
    outcome = result.verdict.outcome
    told = Tried(step=step, loss=made.utility.value, outcome=outcome.value, reasons=tuple(map(str, _against(result))))
    return (replace(made, audit=result) if keeps_to_limits(result, seeded=plan.seed is not None) else None), told


def keeps_to_limits(result: AuditResult, *, seeded: bool) -> bool:
    """Return whether an audit keeps to all limits: with the whole interval of every figure, and names proven.

    A seed alone takes the proof of names away (whoever guesses it makes the release again): an experiment with one
    may go on.
    """
    reasons = _against(result)
    if result.verdict.outcome is Outcome.NOT_SHOWN_UNSAFE and seeded:
        return all(reason.code == "near-limit" and reason.values["question"] == Question.NAMING for reason in reasons)
    return result.verdict.outcome is Outcome.SAFE


def _against(result: AuditResult) -> tuple[Reason, ...]:
    """Return why the limits are not kept to, or not surely."""
    against = ("beyond-limit", "near-limit", "not-asked")
    return tuple(reason for reason in result.verdict.reasons if reason.code in against)
