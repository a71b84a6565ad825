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

    def run(self, *words: object) -> Ran:
        """Run ``tokumei CONTEST words...`` in this process."""
        return run_words(self.expected["contest"], *words)


Check = Callable[[Case], Iterable[Miss]]


def run_words(*words: object) -> Ran:
    """Run ``tokumei`` in this process and return how it ended, with what it wrote."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    status = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            run_main(*words)
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 0
    return Ran(status, _read(out), _read(err))


def _read(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def find_cases(folder: Path) -> list[Case]:
    """Return every case below a folder, in the order of their paths."""
    paths = sorted(folder.rglob("expected.json"))
    return [Case(path.parent, json.loads(path.read_text(encoding="utf-8"))) for path in paths]


def run_case(case: Case) -> list[Miss]:
    """Return what a case misses; a kind that nobody knows, or a failure of ours, is a miss."""
    contest, kind = case.expected.get("contest", ""), case.expected.get("kind", "")
    try:
        kinds: dict[str, Check] = importlib.import_module(f"tests.contests.{contest}.golden_cases").KINDS
    except ModuleNotFoundError as error:
        return [Miss("contest", contest, f"no golden_cases module ({error.name})")]
    if kind not in kinds:
        return [Miss("kind", kind, "no check for this kind")]
    with tempfile.TemporaryDirectory() as scratch:
        try:
            return list(kinds[kind](Case(case.folder, case.expected, Path(scratch))))
        except Exception:
            return [Miss("run", "an answer", traceback.format_exc(limit=-2))]


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
