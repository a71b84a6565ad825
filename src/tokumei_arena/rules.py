"""The rules that a contest is played by: the registered contest with the parameters that a referee chose.

What they compute with is loaded when it is needed: it would cost every web process half a second before the first page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tokumei.contests import make_contest
from tokumei.errors import ParameterError
from tokumei_arena.errors import RefusedError

if TYPE_CHECKING:
    from tokumei.contests import Contest as Rules
    from tokumei_arena.models import Contest, Round


def rules_of(contest: Contest) -> Rules:
    """Return the rules of a contest."""
    return make_contest(contest.rule_set, contest.parameters)


def parameters_of(round_: Round) -> dict[str, Any]:
    """Return what decides, besides the files, how a round is scored; results keep it."""
    return {**round_.contest.parameters, **round_.parameters, "round": round_.sort}


def rules_in(rule_set: str, parameters: Mapping[str, Any]) -> Rules:
    """Return the rules in a round with these parameters (see `parameters_of`)."""
    own = {name: value for name, value in parameters.items() if name != "round"}
    return make_contest(rule_set, own).for_round(parameters["round"])


def check_parameters(rule_set: str, parameters: Mapping[str, Any]) -> None:
    """Raise the contest's own sentence if a parameter is outside its limits."""
    try:
        make_contest(rule_set, parameters)
    except ParameterError as error:
        raise RefusedError(error.message, code="parameter") from error
