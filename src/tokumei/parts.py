"""The contracts of the exchangeable parts, how they declare their parameters, and how they are found by name.

A part is a frozen, keyword-only dataclass. Parameters are declared with `parameter`, which states their limits; they
are checked in one place with one form of message. Others add parts through entry points, without touching this
repository::

    [project.entry-points."tokumei.methods"]
    my-method = "my_package:MyMethod"
"""

from __future__ import annotations

import dataclasses
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from numbers import Integral, Real
from types import NoneType, SimpleNamespace, UnionType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

from tokumei.errors import InfeasibleError, ParameterError, UnknownPartError, did_you_mean

if TYPE_CHECKING:
    # Contests are parts, and every `tokumei --help` and every page of the arena loads them.
    import numpy as np

    from tokumei.array_types import Ints
    from tokumei.data import Channel, Guesses, History, PublishedPart, Release, Score, Secret, Survey

__all__ = [
    "HOW_IT_RAN",
    "NEEDS",
    "Attack",
    "CombinableMetric",
    "GroupingMethod",
    "Method",
    "Metric",
    "ParameterInfo",
    "Part",
    "find_part",
    "has_parameter",
    "make_part",
    "need_libraries",
    "parameter",
    "parse_settings",
    "part_names",
]

_GROUPS = {
    "anonymizer": "tokumei.methods",
    "attack": "tokumei.attacks",
    "metric": "tokumei.metrics",
    "contest": "tokumei.contests",
}

NEEDS: Mapping[str, str] = {
    "records": "records",
    "people": "a table of people beside the records (one row per subject)",
    "rows": 'a static table (subject = "row": every row is a person of its own)',
}
# Parameters that say how a method ran, not what it did; plans and manifests leave them out.
HOW_IT_RAN = frozenset({"resume", "threads"})
_TYPES = (int, float, bool, str)
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
    default: Any, doc: str, *, low: float | None = None, high: float | None = None, choices: Sequence[str] = ()
) -> Any:
    """Declare a parameter (int, float, bool or str; may be None) with its limits and one line of documentation."""
    limits = {"doc": doc, "low": low, "high": high, "choices": tuple(choices)}
    return dataclasses.field(default=default, metadata=limits)


@dataclass(frozen=True, kw_only=True)
class Part(ABC):
    """Anything that is registered by name and configured by parameters; ``needs`` says on what data it works."""

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    source: ClassVar[str] = ""
    needs: ClassVar[tuple[str, ...]] = ("records",)

    def __post_init__(self) -> None:
        """Check every parameter against its declared limits."""
        for info in self.parameters():
            _check(self.name, info, getattr(self, info.name))

    @classmethod
    def parameters(cls) -> tuple[ParameterInfo, ...]:
        """Return the declared parameters in order."""
        return _declared(cls)

    def require(self, history: History) -> None:
        """Raise InfeasibleError if the data lacks what the part needs."""
        present = {"records": True, "people": history.people is not None, "rows": history.schema.row_is_subject}
        lacking = [NEEDS[need] for need in self.needs if not present[need]]
        if lacking:
            message = (
                f"'{self.name}' needs {' and '.join(lacking)}, which this data does not have; "
                "the lists of methods, attacks and metrics say what each needs"
            )
            raise InfeasibleError(message, code="needs")


@cache
def _declared(part: type[Part]) -> tuple[ParameterInfo, ...]:
    return tuple(
        ParameterInfo(field.name, _type_of(part, field), field.default, **field.metadata)
        for field in dataclasses.fields(part)
        if "doc" in field.metadata
    )


def _type_of(part: type[Part], field: dataclasses.Field[Any]) -> str:
    """Return the name of a parameter's type, None left out, whether its module keeps annotations as text or not."""
    owner = next(base for base in part.__mro__ if field.name in vars(base).get("__annotations__", {}))
    # One field at a time: other annotations of the class may name what only a type checker imports.
    alone = SimpleNamespace(__annotations__={field.name: field.type})
    hint = get_type_hints(alone, globalns=vars(sys.modules[owner.__module__]))[field.name]
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    types = [member for member in members if member is not NoneType]
    if len(types) != 1 or types[0] not in _TYPES:
        message = f"parameter '{field.name}' of '{part.name}' must be declared as int, float, bool or str, got {hint}"
        raise ParameterError(message)
    return str(types[0].__name__)


class Method(Part):
    """Turns a History into a Release and its Secret; never audits.

    ``valid_under`` names the rule sets whose file format the result can satisfy; ``generalizes`` says whether it
    publishes ranges and sets, for which public grids are the default; ``not_in_0_1`` the parameters that the manifest
    of a release made by version 0.1 does not state; ``stated_if_set`` those that it states only where they were set.
    """

    valid_under: ClassVar[frozenset[str]] = frozenset()
    generalizes: ClassVar[bool] = False
    not_in_0_1: ClassVar[frozenset[str]] = frozenset()
    stated_if_set: ClassVar[frozenset[str]] = frozenset()

    @property
    def stated_parameters(self) -> list[str]:
        """The names of the parameters that a manifest states, in order: all but how the method ran."""
        names = [info.name for info in self.parameters() if info.name not in HOW_IT_RAN]
        return [name for name in names if name not in self.stated_if_set or getattr(self, name) is not None]

    @property
    def rule_sets(self) -> frozenset[str]:
        """The rule sets that the result satisfies with these very parameters; fewer than ``valid_under`` for some."""
        return self.valid_under

    @abstractmethod
    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return what may be published and what must be kept."""

    def fitted(self, history: History) -> Method:  # noqa: ARG002 - methods that leave something to the data look at it
        """Return the method with the parameters that it leaves to the data, so that plan and manifest name them."""
        return self

    def channel(self, history: History) -> Channel | None:  # noqa: ARG002 - methods that change values look at it
        """Return how values are changed, as everybody knows who has the parameters; None: attacks cannot use it."""
        return None

    @property
    def truthful(self) -> bool:
        """Whether every published cell holds the value of its original record: only generalized, never changed."""
        return False

    @property
    def respects_households(self) -> bool:
        """Whether people who belong together (a column ``household`` of the schema) are never each other's cover."""
        return False

    def generalized(self, history: History) -> History:
        """Return the records that the published ones stand for, against which an attacker compares them.

        That is the original itself, unless the method completes the records before it generalizes them.
        """
        return history


class GroupingMethod(Method):
    """Publishes everybody of a group alike, under one pseudonym each, and can be told who must stay together."""

    @property
    def keeps_groups(self) -> bool:
        """Whether it can with these parameters: whole histories, one pseudonym per subject, nobody left out."""
        return True

    @abstractmethod
    def anonymize_in_groups(
        self, history: History, kept: Sequence[Ints], free: Ints, *, rng: np.random.Generator
    ) -> tuple[Release, Secret]:
        """Publish the groups ``kept`` (subjects of each) as they are and group the subjects ``free`` among themselves.

        Nobody else is published. ``report["group"]`` of the Secret has the number of everybody's group: those of
        ``kept`` in their order, then those that were found; -1 for who is withheld.
        """


class Attack(Part):
    """Guesses who stands behind the pseudonyms of a release."""

    @abstractmethod
    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return the attacker's guesses from what the attacker holds."""


class Metric(Part):
    """Judges a release against the original.

    One that is not a `CombinableMetric` needs the whole release at once: of a large one it is measured on some people.
    """

    @abstractmethod
    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the score."""


class CombinableMetric(Metric):
    """A metric whose score is made of sums over the records of the parts of a release, one part at a time."""

    @abstractmethod
    def tally(self, part: PublishedPart) -> dict[str, Any]:
        """Return the sums of one part, numbers or arrays; those of several parts are added up under their names."""

    @abstractmethod
    def score(self, survey: Survey, tally: Mapping[str, Any]) -> Score:
        """Return the score of a whole release from what its parts add up to; ``survey`` is about the original."""

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the score of a release that is one part."""
        from tokumei.data import PublishedPart  # noqa: PLC0415 - the lists of parts are shown without numpy

        part = PublishedPart.whole(history, release, secret)
        return self.score(part.survey, self.tally(part))


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
        part.parameters()
    except Exception as error:
        # A part of another package may fail in any way while it is imported.
        message = (
            f"the {kind} '{name}' cannot be loaded from {known[name].value} ({type(error).__name__}: {error}); "
            "repair or remove the package that registers it"
        )
        raise UnknownPartError(message, code="broken-part") from error
    return part


def parse_settings(part: type[Part], texts: Iterable[str]) -> dict[str, Any]:
    """Return settings given as texts ``name=value``, each read after the declared type of its parameter."""
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = (piece.strip() for piece in text.partition("="))
        if not equals or not name:
            message = f"'{part.name}': write settings as name=value, got '{text}'"
            raise ParameterError(message)
        info = _known(part, name.replace("-", "_"))
        if info.name in settings:
            message = f"parameter '{info.name}' of '{part.name}' is given twice; give it once"
            raise ParameterError(message)
        settings[info.name] = _parsed(part.name, info, value)
    return settings


def has_parameter(part: type[Part], name: str) -> bool:
    """Return whether a part declares a parameter of this name."""
    return any(info.name == name for info in part.parameters())


def need_libraries(*modules: str) -> None:
    """Raise a sentence if a library of the extra ``contests`` is not installed."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        message = f"this needs {', '.join(missing)}, not installed here; run pip install 'tokumei[contests]'"
        raise InfeasibleError(message, code="extra-missing")


def make_part(part: type[AnyPart], settings: Mapping[str, Any] | None = None) -> AnyPart:
    """Return the part with these settings; a text that stands for a number or a flag is read as one."""
    return part(**{name: _typed(part.name, _known(part, name), value) for name, value in (settings or {}).items()})


def _typed(owner: str, info: ParameterInfo, value: Any) -> Any:
    """Return a setting as a plain value of the declared type, if it can stand for one; files are written from it."""
    if isinstance(value, str):
        return _parsed(owner, info, value)
    # Scalars of numpy, which is not imported here.
    plain = value.item() if type(value).__module__ == "numpy" else value
    return float(plain) if info.type == "float" and type(plain) is int else plain


def _known(part: type[Part], name: str) -> ParameterInfo:
    """Return the declaration of a parameter."""
    known = {info.name: info for info in part.parameters()}
    if name not in known:
        listed = f"it has {', '.join(known)}" if known else "it has no parameters"
        message = f"'{part.name}' has no parameter '{name}'{did_you_mean(name, known)}; {listed}"
        raise ParameterError(message)
    return known[name]


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
