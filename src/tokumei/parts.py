"""The contracts of the exchangeable parts, how they declare their parameters, and how they are found by name.

A part is a frozen, keyword-only dataclass. Parameters are declared with `parameter`, which states their limits; they
are checked in one place with one form of message. Others add parts through entry points, without touching this
repository::

    [project.entry-points."tokumei.methods"]
    my-method = "my_package:MyMethod"
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tokumei.errors import ParameterError, UnknownPartError, did_you_mean

if TYPE_CHECKING:
    # Contests are parts, and every `tokumei --help` and every page of the arena loads them.
    import numpy as np

    from tokumei.data import Guesses, History, Release, Score, Secret

__all__ = [
    "Attack",
    "Method",
    "Metric",
    "ParameterInfo",
    "Part",
    "find_part",
    "make_part",
    "parameter",
    "part_names",
]

_GROUPS = {
    "anonymizer": "tokumei.methods",
    "attack": "tokumei.attacks",
    "metric": "tokumei.metrics",
    "contest": "tokumei.contests",
}


_LARGEST = 2**63 - 1
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class ParameterInfo:
    """The declared limits of one parameter, for checks, listings and help."""

    name: str
    type: str
    default: Any
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    doc: str

    def allowed(self) -> str:
        """Return the limits in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        noun = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "a text"}[self.type]
        if self.low is not None and self.high is not None:
            return f"{noun} from {self.low:g} to {self.high:g}"
        if self.low is not None:
            return f"{noun} of at least {self.low:g}"
        if self.high is not None:
            return f"{noun} of at most {self.high:g}"
        return noun


def parameter(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] = (),
) -> Any:
    """Declare a parameter (int, float, bool or str; may be None) with its limits and one line of documentation."""
    limits = {"doc": doc, "low": low, "high": high, "choices": tuple(choices)}
    return dataclasses.field(default=default, metadata=limits)


@dataclass(frozen=True, kw_only=True)
class Part(ABC):
    """Anything that is registered by name and configured by parameters."""

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    source: ClassVar[str] = ""

    def __post_init__(self) -> None:
        """Check every parameter against its declared limits."""
        for info in self.parameters():
            _check(self.name, info, getattr(self, info.name))

    @classmethod
    def parameters(cls) -> tuple[ParameterInfo, ...]:
        """Return the declared parameters in order."""
        return tuple(
            ParameterInfo(
                field.name,
                str(field.type).replace(" | None", ""),
                field.default,
                field.metadata["low"],
                field.metadata["high"],
                field.metadata["choices"],
                field.metadata["doc"],
            )
            for field in dataclasses.fields(cls)
            if "doc" in field.metadata
        )


class Method(Part):
    """Turns a History into a Release and its Secret; never audits.

    ``valid_under`` names the rule sets whose file format the result can satisfy.
    """

    valid_under: ClassVar[frozenset[str]] = frozenset()

    @property
    def rule_sets(self) -> frozenset[str]:
        """The rule sets that the result satisfies with these very parameters; fewer than ``valid_under`` for some."""
        return self.valid_under

    @abstractmethod
    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return what may be published and what must be kept."""


class Attack(Part):
    """Guesses who stands behind the pseudonyms of a release."""

    @abstractmethod
    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return the attacker's guesses from what the attacker holds."""


class Metric(Part):
    """Judges a release against the original."""

    @abstractmethod
    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the score."""


AnyPart = TypeVar("AnyPart", bound=Part)


@cache
def _entry_points(kind: str) -> Mapping[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=_GROUPS[kind]), key=lambda entry: entry.name)}


def part_names(kind: str) -> list[str]:
    """Return the registered names of a kind: 'anonymizer', 'attack', 'metric' or 'contest'."""
    return list(_entry_points(kind))


def find_part(kind: str, name: str) -> type[Any]:
    """Return the class registered under this name."""
    known = _entry_points(kind)
    if name not in known:
        message = f"there is no {kind} named '{name}'{did_you_mean(name, known)}; registered are {', '.join(known)}"
        raise UnknownPartError(message)
    try:
        part: type[Any] = known[name].load()
    except Exception as error:
        # A part of another package may fail in any way while it is imported.
        message = (
            f"the {kind} '{name}' cannot be loaded from {known[name].value} ({type(error).__name__}: {error}); "
            "repair or remove the package that registers it"
        )
        raise UnknownPartError(message, code="broken-part") from error
    return part


def make_part(part: type[AnyPart], settings: Mapping[str, Any] | Iterable[str] = ()) -> AnyPart:
    """Return the part with these settings; texts of the form ``name=value`` are read after the declared type."""
    pairs = settings.items() if isinstance(settings, Mapping) else [_split(part.name, text) for text in settings]
    known = {info.name: info for info in part.parameters()}
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name not in known:
            listed = f"it has {', '.join(known)}" if known else "it has no parameters"
            message = f"'{part.name}' has no parameter '{name}'{did_you_mean(name, known)}; {listed}"
            raise ParameterError(message)
        if name in values:
            message = f"parameter '{name}' of '{part.name}' is given twice; give it once"
            raise ParameterError(message)
        values[name] = _parsed(part.name, known[name], value) if isinstance(value, str) else value
    return part(**values)


def _split(owner: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        message = f"'{owner}': write settings as name=value, got '{text}'"
        raise ParameterError(message)
    return name.strip().replace("-", "_"), value.strip()


def _refusal(owner: str, info: ParameterInfo, value: object) -> ParameterError:
    got = repr(value)
    shown = got if len(got) <= _SHOWN else got[: _SHOWN - 3] + "..."
    hint = did_you_mean(value, info.choices) if isinstance(value, str) else ""
    return ParameterError(f"parameter '{info.name}' of '{owner}' must be {info.allowed()}, got {shown}{hint}")


def _parsed(owner: str, info: ParameterInfo, text: str) -> Any:
    """Read a text after the declared type of the parameter."""
    if info.default is None and text.lower() == "none":
        return None
    booleans = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    try:
        if info.type == "bool":
            return booleans[text.lower()]
        return {"int": int, "float": float, "str": str}[info.type](text)
    except (KeyError, ValueError):
        raise _refusal(owner, info, text) from None


def _check(owner: str, info: ParameterInfo, value: Any) -> None:
    """Refuse a value of the wrong type or outside the declared limits."""
    if value is None and info.default is None:
        return
    types = {"int": (Integral,), "float": (Real,), "bool": (bool,), "str": (str,)}[info.type]
    right = isinstance(value, types) and (info.type == "bool" or not isinstance(value, bool))
    if right and info.type in ("int", "float"):
        # Beyond 64 bits no kernel can count; NaN fails every comparison.
        right = -_LARGEST <= value <= _LARGEST
        right = right and (info.low is None or value >= info.low) and (info.high is None or value <= info.high)
    if right and info.choices:
        right = value in info.choices
    if not right:
        raise _refusal(owner, info, value)
