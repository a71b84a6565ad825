"""The contract of a contest: one class says everything that the command line and the arena need to know about it.

A contest is a part: its own rules of play (the level of a test, whose limits apply) are declared parameters, so that
they are checked in one place and a referee can choose them. Others register theirs in the entry-point group
``tokumei.contests``; docs/own-contest.md builds one step by step.

All paths are folders that hold files named after their FileSpec. What a contest computes with is imported where it is
used: the classes themselves are loaded for every ``tokumei --help`` and every page of the arena.
"""

from __future__ import annotations

import sys
import tomllib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tokumei.contests.values import (
    Answered,
    Both,
    Checked,
    Column,
    Entry,
    Figures,
    FileSpec,
    Pair,
    Player,
    Published,
    RoundPreset,
    RoundTable,
    Sizes,
)
from tokumei.errors import InfeasibleError, UnknownPartError, did_you_mean
from tokumei.parts import ParameterInfo, Part, find_part, make_part, part_names

if TYPE_CHECKING:
    import typer
    from numpy.random import Generator


AnySample = TypeVar("AnySample")
STANDARD_ROUNDS: Mapping[str, RoundPreset] = {
    "practice": RoundPreset(weight="0", attack_limit=10),
    "preliminary": RoundPreset(weight="0.1"),
    "final": RoundPreset(weight="0.9", first_day=24),
}


@dataclass(frozen=True, kw_only=True)
class Contest(Part):
    """One contest with its parameters: what is handed out, handed in, checked, published, guessed, scored, ranked.

    Class attributes say what there is. ``has_attack_task`` is the capability without which a contest is only a set of
    commands; ``sizes`` says that data can be generated, ``draws_private_data`` that tables of single teams can.
    Methods whose capability a contest does not claim need not be written.
    """

    title: ClassVar[Both]
    about: ClassVar[Both]
    # Parameters in Japanese, by name; English stands where they are declared.
    parameters_ja: ClassVar[Mapping[str, str]] = {}
    # Raised by whoever changes a figure: results say under which revision they were computed.
    revision: ClassVar[int] = 1
    # What is offered first where somebody has to choose.
    recommended: ClassVar[bool] = False

    has_attack_task: ClassVar[bool] = True
    sizes: ClassVar[Sizes | None] = None
    draws_private_data: ClassVar[bool] = False
    # How many data sets there are from which teams get theirs by the hash of their name; None: one for each team.
    cohorts: ClassVar[int | None] = None
    rounds: ClassVar[Mapping[str, RoundPreset]] = STANDARD_ROUNDS
    # Parameters that follow from the kind of round (see `for_round`); a referee is not asked for them.
    set_by_round: ClassVar[frozenset[str]] = frozenset()

    data_files: ClassVar[tuple[FileSpec, ...]]
    release_files: ClassVar[tuple[FileSpec, ...]]
    published_files: ClassVar[tuple[FileSpec, ...]] = ()
    guess_files: ClassVar[tuple[FileSpec, ...]] = ()
    release_columns: ClassVar[tuple[Column, ...]]
    guess_columns: ClassVar[tuple[Column, ...]] = ()
    # The figure of a pair that the attack matrix colours, and the axes of the trade-off chart.
    matrix_figure: ClassVar[str] = ""
    utility_figure: ClassVar[str] = ""
    safety_figure: ClassVar[str] = ""

    # Where commands of its own are, if it has any.
    command_module: ClassVar[str] = ""
    # The sample parts by name, and the programs that play a demonstration with them.
    methods: ClassVar[tuple[str, ...]] = ()
    attacks: ClassVar[tuple[str, ...]] = ()
    players: ClassVar[tuple[Player, ...]] = ()

    def __init_subclass__(cls) -> None:
        """Make the sentence about a contest its summary among the parts."""
        if "about" in vars(cls):
            cls.summary = cls.about["en"]

    def __post_init__(self) -> None:
        """Check every parameter by itself, then all together."""
        super().__post_init__()
        self.check_parameters()

    def check_parameters(self) -> None:
        """Raise ParameterError if parameters within their limits do not fit together, or are no such values."""

    @classmethod
    def referee_parameters(cls) -> tuple[tuple[ParameterInfo, Both], ...]:
        """Return the parameters that a referee chooses, each with what it does in both languages."""
        return tuple(
            (info, {"en": info.doc, "ja": cls.parameters_ja.get(info.name, info.doc)})
            for info in cls.parameters()
            if info.name not in cls.set_by_round
        )

    def for_round(self, kind: str) -> Contest:
        """Return the contest as it is played in a round of this kind (practice, preliminary, final)."""
        del kind
        return self

    @classmethod
    def version(cls) -> str:
        """Return what results depend on besides their inputs."""
        return f"{cls.name}-{cls.revision} tokumei-{metadata.version('tokumei')}"

    @classmethod
    def explanations(cls) -> Mapping[str, Both]:
        """Return what the figures mean, by their keys: what ``metrics.toml`` beside the contest says."""
        place = Path(sys.modules[cls.__module__].__file__ or "").with_name("metrics.toml")
        return tomllib.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}

    @classmethod
    def commands(cls) -> typer.Typer | None:
        """Return commands of its own, the ``app`` of its module; those named like a standard one replace it."""
        return import_module(cls.command_module).app if cls.command_module else None

    @abstractmethod
    def check_data(self, data: Path) -> Checked:
        """Check the files a referee wants to hand out; figures describe them (rows, subjects)."""

    @abstractmethod
    def check_release(self, data: Path, release: Path) -> Checked:
        """Check a release and measure its utility; a release beyond a limit is invalid and has its figures."""

    def release_order(self, figures: Figures) -> float:
        """Return what orders valid releases of one team, lowest first."""
        better = next(column.better for column in self.release_columns if column.key == self.utility_figure)
        return float(figures[self.utility_figure]) * (-1 if better == "higher" else 1)

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write data without any real person for all teams; ``size`` is within ``sizes``."""
        raise self._without("data generator")

    def generate_private(self, base: Path, data: Path, *, size: int | None, seed: int) -> None:
        """Write data for one team, alike the common data in ``base``; without a size as large as that."""
        raise self._without("generator of private data")

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Run a sample method with these settings; write the files of a release and tell about them."""
        raise self._without("sample method")

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return what the attackers (team ids) get of a release, and what the judge keeps.

        The same seed gives the same bytes, and what one attacker gets does not depend on who else attacks.
        """
        raise self._without("attack task")

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Run a sample attack on what was published (common files and those of this attacker together).

        ``data`` is what attackers hold; with private data its folder is empty.
        """
        raise self._without("sample attack")

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Check and score several folders of guesses about one target, in order.

        ``published`` and ``truth`` hold the common files; those made for one attacker are in folders beside that
        attacker's guesses: ``guesses[i] / "published"`` and ``guesses[i] / "truth"``.
        """
        raise self._without("attack task")

    def answered(self, published: Path, guesses: Path) -> Answered | None:
        """Return how much of what is asked for these guesses answer; None where valid ones always answer everything.

        ``published`` is what this attacker got, ``guesses`` a folder of files that may be anything.
        """
        del published, guesses
        return None

    def guess_order(self, figures: Figures) -> tuple[float, ...]:
        """Return what orders several valid attempts at one target, lowest first; the first one counts."""
        return (-float(figures[self.matrix_figure]),)

    def banded(self, figures: Figures) -> Figures | None:
        """Return what a team is told of an attack where only bands are told; None: bands of every figure."""
        del figures
        return None

    def split_answers(self, answers: Path, targets: Sequence[str]) -> dict[str, dict[str, bytes]]:
        """Return the guess files of every target from one zip about all; here it has a folder per target."""
        from tokumei.contests.answers import split_by_folder

        return split_by_folder(answers, targets, [file.filename for file in self.guess_files])

    def shows_unsafe(self, figures: Figures) -> bool:
        """Return whether guesses with these figures alone break a release."""
        del figures
        return False

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
        """Return the rankings of a scored round, with the rule for ties beside them."""
        raise self._without("attack task")

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return the rankings over all rounds, given with their weights."""
        raise self._without("attack task")

    @classmethod
    def sample(cls, parts: Mapping[str, AnySample], name: str, noun: str) -> AnySample:
        """Return a sample method or attack of this contest by its name."""
        if name not in parts:
            known = list(parts)
            message = f"{cls.name} has no {noun} named '{name}'{did_you_mean(name, known)}; it has {', '.join(known)}"
            raise UnknownPartError(message)
        return parts[name]

    def _without(self, capability: str) -> InfeasibleError:
        return InfeasibleError(f"the contest '{self.name}' has no {capability}", code="no-such-capability")


def find_sample(contest: str, kind: str, name: str, known: Sequence[str], *, noun: str) -> type[Any]:
    """Return a part of a contest by its name; only those that are known belong to it."""
    if name not in known:
        message = f"{contest} has no {noun} named '{name}'{did_you_mean(name, known)}; it has {', '.join(known)}"
        raise UnknownPartError(message)
    return find_part(kind, name)


def find_contest(name: str) -> type[Contest]:
    """Return the class of a contest."""
    found = find_part("contest", name)
    if not issubclass(found, Contest) or found.name != name:
        message = f"what is registered as the contest '{name}' is no Contest of this name; repair its package"
        raise UnknownPartError(message, code="broken-part")
    return found


def make_contest(name: str, parameters: Mapping[str, Any] | None = None) -> Contest:
    """Return a contest with these parameters; a ParameterError says which one cannot be."""
    return make_part(find_contest(name), parameters or {})


def playable_contests() -> dict[str, type[Contest]]:
    """Return the contests with an attack task by name; those of packages that are broken are left out."""
    contests = {}
    for name in part_names("contest"):
        try:
            contest = find_contest(name)
        except UnknownPartError:
            continue
        if contest.has_attack_task:
            contests[name] = contest
    return contests


def suggested_contest() -> str:
    """Return the name of the contest to offer first: one that recommends itself, else the first by name."""
    contests = playable_contests()
    return next((name for name, contest in contests.items() if contest.recommended), next(iter(contests)))
