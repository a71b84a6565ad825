"""The parameters of rule sets that a referee chooses for a contest.

The library is loaded when it is needed: it would cost every web process half a second before the first page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tokumei.errors import ParameterError
from tokumei_arena.errors import RefusedError

if TYPE_CHECKING:
    from tokumei.parts import ParameterInfo

__all__ = ["check_parameters", "own_parameters"]

# Which limits apply follows from the round that is played.
BY_ROUND = "round"
LEVELS = ("p", "alpha")


def _options(rule_set: str) -> tuple[ParameterInfo, ...]:
    """Return options of the commands of a rule set that are fields of its class, but no declared parameters."""
    from tokumei.parts import ParameterInfo  # noqa: PLC0415

    strict = ParameterInfo("strict", "bool", False, None, None, (), "correct the oddities of the official programs")
    options = {
        "pws2018": (
            ParameterInfo("p", "str", "1/3", None, None, (), "share of right guesses that counts as mere luck"),
            ParameterInfo("alpha", "str", "1/2000", None, None, (), "level of the safety test"),
            strict,
        ),
        "pws2021": (strict,),
    }
    return options.get(rule_set, ())


def _declared(rule_set: str) -> tuple[ParameterInfo, ...]:
    from tokumei.parts import find_part  # noqa: PLC0415

    found: tuple[ParameterInfo, ...] = find_part("rule set", rule_set).parameters()
    return found


def own_parameters(rule_set: str) -> tuple[ParameterInfo, ...]:
    """Return the parameters of a rule set that a referee chooses; the one that follows from the round is left out."""
    return (*(info for info in _declared(rule_set) if info.name != BY_ROUND), *_options(rule_set))


def check_parameters(rule_set: str, parameters: Mapping[str, Any]) -> None:
    """Raise the rule set's own sentence if a parameter is outside its limits."""
    from tokumei.audits import official_thresholds, parse_rational  # noqa: PLC0415
    from tokumei.parts import find_part, make_part  # noqa: PLC0415

    options = {info.name for info in _options(rule_set)}
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
