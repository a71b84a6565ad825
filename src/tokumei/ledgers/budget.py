"""The privacy budget of a ledger: a total that is declared once, and everything that was spent of it.

What is spent is written down before a table is, so that no interruption makes it free; epsilons and deltas add up
(basic composition; Dwork and Roth 2014, theorem 3.16). One ledger is one population: tables of the same people belong
into one ledger.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tokumei.errors import InfeasibleError, ParameterError
from tokumei.ledgers.book import Ledger

BUDGET = "budget"
# Sums of decimal fractions end some bits beside them.
_SLACK = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A total of epsilon and delta, and how much of it is spent."""

    epsilon: float
    delta: float
    spent_epsilon: float = 0.0
    spent_delta: float = 0.0

    @classmethod
    def of(cls, ledger: Ledger) -> Budget | None:
        """Return the budget of a ledger, None if none was declared."""
        document = ledger.rest.get(BUDGET)
        if document is None:
            return None
        spent = document["spent"]
        return cls(
            epsilon=document["epsilon"],
            delta=document["delta"],
            spent_epsilon=sum(one["epsilon"] for one in spent),
            spent_delta=sum(one["delta"] for one in spent),
        )

    def as_dict(self) -> dict[str, float]:
        """Return plain values."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "spent_epsilon": self.spent_epsilon,
            "spent_delta": self.spent_delta,
        }

    @classmethod
    def read(cls, text: str) -> Budget:
        """Read ``EPSILON`` or ``EPSILON,DELTA``."""
        first, _, second = text.partition(",")
        try:
            epsilon, delta = float(first), float(second or 0)
            if not (0 < epsilon < float("inf") and 0 <= delta < 1):
                raise ValueError
        except ValueError:
            message = f"a budget is EPSILON or EPSILON,DELTA, such as 3,1e-5, got '{text[:40]}'"
            raise ParameterError(message, code="usage") from None
        return cls(epsilon=epsilon, delta=delta)


def declared(ledger: Ledger, budget: Budget | None) -> Ledger:
    """Write the total of a ledger, if none is there; refuse another one, and a ledger that has none."""
    there = Budget.of(ledger)
    if there is None:
        if budget is None:
            message = (
                f"the ledger {ledger.folder} has no budget yet; declare the total once, for all tables of these "
                "people, with --budget EPSILON,DELTA"
            )
            raise ParameterError(message, code="no-budget")
        return ledger.write_rest(**{BUDGET: {"epsilon": budget.epsilon, "delta": budget.delta, "spent": []}})
    if budget is not None and (budget.epsilon, budget.delta) != (there.epsilon, there.delta):
        message = (
            f"the ledger {ledger.folder} has a budget of epsilon = {there.epsilon:g}, delta = {there.delta:g}, and a "
            "total that changes is none; leave --budget out"
        )
        raise ParameterError(message, code="budget-declared")
    return ledger


def refuse_overspending(ledger: Ledger, epsilon: float, delta: float) -> None:
    """Raise InfeasibleError if the budget of a ledger is not enough for this."""
    budget = Budget.of(ledger)
    if budget is None:
        return
    left = budget.epsilon - budget.spent_epsilon, budget.delta - budget.spent_delta
    if epsilon > left[0] * (1 + _SLACK) + _SLACK or delta > left[1] * (1 + _SLACK):
        message = (
            f"the budget of the ledger {ledger.folder} is not enough: epsilon = {max(left[0], 0):.6g} of "
            f"{budget.epsilon:g} and delta = {max(left[1], 0):.6g} of {budget.delta:g} are left, and this takes "
            f"epsilon = {epsilon:.6g}, delta = {delta:.6g}; ask for less, or publish no more of these people"
        )
        raise InfeasibleError(message, code="budget-spent")


def spend(ledger: Ledger, epsilon: float, delta: float, what: dict[str, Any]) -> Ledger:
    """Write down what a table costs, and return the ledger with it; refuse if the budget is not enough."""
    refuse_overspending(ledger, epsilon, delta)
    document = dict(ledger.rest[BUDGET])
    entry = {"time": datetime.now(UTC).isoformat(timespec="seconds"), "epsilon": epsilon, "delta": delta, **what}
    document["spent"] = [*document["spent"], entry]
    return ledger.write_rest(**{BUDGET: document})
