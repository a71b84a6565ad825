"""The parameters of rule sets that a referee chooses for a contest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokumei.errors import ParameterError
from tokumei.kernels.thresholds import official_thresholds, parse_rational
from tokumei.parts import ParameterInfo, find_part, make_part
from tokumei_arena.core.errors import RefusedError

__all__ = ["check_parameters", "own_parameters"]

# Which limits apply follows from the round that is played.
BY_ROUND = "round"
LEVELS = ("p", "alpha")
_STRICT = ParameterInfo("strict", "bool", False, None, None, (), "correct the oddities of the official programs")
# Options of the commands of a rule set that are fields of its class, but no declared parameters.
_OPTIONS = {
    "pws2018": (
        ParameterInfo("p", "str", "1/3", None, None, (), "share of right guesses that counts as mere luck"),
        ParameterInfo("alpha", "str", "1/2000", None, None, (), "level of the safety test"),
        _STRICT,
    ),
    "pws2021": (_STRICT,),
}


def _declared(rule_set: str) -> tuple[ParameterInfo, ...]:
    found: tuple[ParameterInfo, ...] = find_part("rule set", rule_set).parameters()
    return found


def own_parameters(rule_set: str) -> tuple[ParameterInfo, ...]:
    """Return the parameters of a rule set that a referee chooses; the one that follows from the round is left out."""
    return (*(info for info in _declared(rule_set) if info.name != BY_ROUND), *_OPTIONS.get(rule_set, ()))


def check_parameters(rule_set: str, parameters: Mapping[str, Any]) -> None:
    """Raise the rule set's own sentence if a parameter is outside its limits."""
    options = {info.name for info in _OPTIONS.get(rule_set, ())}
    try:
        make_part(
            find_part("rule set", rule_set),
            {name: value for name, value in parameters.items() if name not in options},
        )
        official_thresholds(
            1, **{name: parse_rational(str(parameters[name]), name=name) for name in LEVELS if name in parameters}
        )
    except ParameterError as error:
        raise RefusedError(error.message, code="parameter") from error
