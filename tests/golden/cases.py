"""One golden case, how it is found, run and compared."""

from __future__ import annotations

import importlib
import io
import json
import math
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conftest import Ran, run_main

TOLERANCE = 1e-9
# What is left of a sum that should be zero.
NOTHING = 1e-12
# The key under which a case keeps why its expected.json cannot be read.
UNREADABLE = "(unreadable)"
# The codes of a command that was used wrongly: a file is missing, or a word. Other errors may be what is expected.
REFUSALS = ("unreadable", "usage")


class NoAnswerError(Exception):
    """A command was refused or wrote no JSON document; it holds what was said instead."""


class Answer(Ran):
    """How a command of a case ended."""

    @property
    def json(self) -> Any:
        """The document on standard output."""
        try:
            found = super().json
        except ValueError as error:
            raise NoAnswerError(f"status {self.status}: {self.err.strip() or self.out.strip()}") from error
        told = found.get("error") if isinstance(found, dict) else None
        if isinstance(told, dict) and told.get("code") in REFUSALS:
            raise NoAnswerError(f"status {self.status}: {told['message']}")
        return found


@dataclass(frozen=True)
class Miss:
    """A figure that is not what the official program gave: where it stands in expected.json, and both values."""

    place: str
    wanted: object
    found: object

    def __str__(self) -> str:
        """Return one line, shortened."""
        return f"{self.place}: wanted {_short(self.wanted)}, found {_short(self.found)}"


@dataclass(frozen=True)
class Case:
    """A folder with expected.json; ``scratch`` is an empty folder that is removed afterwards."""

    folder: Path
    expected: dict[str, Any]
    scratch: Path = field(default_factory=Path)

    @property
    def name(self) -> str:
        """The contest and the folder."""
        return f"{self.expected.get('contest')}/{self.folder.name}"

    def file(self, name: str) -> Path:
        """Return a file named in expected.json, relative to the case."""
        return self.folder / name

    def input(self, name: str) -> Path:
        """Return a file named under ``inputs``."""
        return self.folder / self.expected["inputs"][name]

    def run(self, *words: object) -> Answer:
        """Run ``tokumei CONTEST words...`` in this process."""
        return run_words(self.expected["contest"], *words)


Check = Callable[[Case], Iterable[Miss]]


def run_words(*words: object) -> Answer:
    """Run ``tokumei`` in this process and return how it ended, with what it wrote."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    status = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            run_main(*words)
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 0
    return Answer(status, _read(out), _read(err))


def _read(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def data_rows(path: Path) -> list[str]:
    """Return the lines of a table after its header."""
    return path.read_text(encoding="utf-8-sig").splitlines()[1:]


def find_cases(folder: Path) -> list[Case]:
    """Return every case below a folder, in the order of their paths; one that cannot be read has nothing expected."""
    return [Case(path.parent, _expected(path)) for path in sorted(folder.rglob("expected.json"))]


def _expected(path: Path) -> dict[str, Any]:
    """Return what a case expects; UNREADABLE stands for a file that is no JSON object."""
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        return {UNREADABLE: str(error)}
    return found if isinstance(found, dict) else {UNREADABLE: "no object"}


def run_case(case: Case) -> list[Miss]:
    """Return what a case misses; a kind that nobody knows, a missing file, or a failure of ours is a miss."""
    if UNREADABLE in case.expected:
        return [Miss("expected.json", "a JSON object", case.expected[UNREADABLE])]
    contest, kind = str(case.expected.get("contest", "")), str(case.expected.get("kind", ""))
    try:
        kinds: dict[str, Check] = importlib.import_module(f"tests.contests.{contest}.golden_cases").KINDS
    except ModuleNotFoundError as error:
        return [Miss("contest", contest, f"no golden_cases module ({error.name})")]
    if kind not in kinds:
        return [Miss("kind", kind, f"no check for this kind; {contest} has {', '.join(sorted(kinds))}")]
    with tempfile.TemporaryDirectory() as scratch:
        misses: list[Miss] = []
        try:
            # What was found before a failure is told, too.
            misses.extend(kinds[kind](Case(case.folder, case.expected, Path(scratch))))
        except KeyboardInterrupt:
            raise
        except NoAnswerError as error:
            misses.append(Miss("command", "an answer", str(error)))
        except FileNotFoundError as error:
            misses.append(Miss("file", error.filename, "no such file"))
        except KeyError as error:
            misses.append(Miss("expected.json or answer", error.args[0], "nothing of this name"))
        except BaseException:
            # Whatever ends one case must not end the others: a panic of polars is no Exception.
            misses.append(Miss("run", "an answer", traceback.format_exc(limit=-2)))
        return misses


def compare(
    found: Any,
    wanted: Any,
    place: str = "",
    *,
    tolerance: float = TOLERANCE,
    tolerances: dict[str, float] | None = None,
) -> Iterator[Miss]:
    """Yield what differs: every key of ``wanted`` must be in ``found``, numbers agree within the tolerance.

    Real numbers agree relatively or absolutely; integers, texts and verdicts exactly. ``tolerances`` gives another
    one to whatever stands below a key.
    """
    if isinstance(wanted, dict):
        if not isinstance(found, dict):
            yield Miss(place, wanted, found)
            return
        for key, value in wanted.items():
            below = (tolerances or {}).get(str(key), tolerance)
            where = f"{place}.{key}" if place else str(key)
            if str(key) not in found:
                yield Miss(where, value, "nothing")
            else:
                yield from compare(found[str(key)], value, where, tolerance=below, tolerances=tolerances)
    elif isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            yield Miss(place, wanted, found)
            return
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            yield from compare(one, other, f"{place}[{number}]", tolerance=tolerance, tolerances=tolerances)
    elif isinstance(wanted, float) and isinstance(found, int | float) and not isinstance(found, bool):
        # Relatively; only a tolerance that a case states itself is one of printed digits.
        nothing = tolerance if tolerance > TOLERANCE else NOTHING
        if not math.isclose(found, wanted, rel_tol=tolerance, abs_tol=nothing):
            yield Miss(place, wanted, found)
    elif found != wanted or isinstance(found, bool) is not isinstance(wanted, bool):
        yield Miss(place, wanted, found)


def _short(value: object, limit: int = 300) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else f"{text[:limit]}..."
