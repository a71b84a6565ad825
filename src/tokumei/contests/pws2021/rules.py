"""PWS Cup 2021 put together: a static health table, rows deleted (X) and values changed (D), attacks on test rows.

Files: B original, X deleted rows of B, C = B without X, D = C with changed values, CT test rows of B, EA their true
rows in D, E guesses (spec D.2). Row numbers count from 0 everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.base import find_sample
from tokumei.contests.pws2021.checker import Checked, TextRows, check_answers, check_release_files
from tokumei.contests.pws2021.files import FILES
from tokumei.contests.pws2021.measures import UtilityDifferences
from tokumei.contests.pws2021.metrics.information_loss import InformationLoss, information_loss
from tokumei.contests.pws2021.metrics.linkage_marks import LinkageMarks, linkage_marks, mean_risk
from tokumei.contests.pws2021.metrics.uniqueness_rate import uniqueness_rate
from tokumei.contests.pws2021.metrics.utility_marks import utility_marks
from tokumei.contests.pws2021.picked_rows import OFFICIAL_SEED, pick_rows, shuffled
from tokumei.contests.pws2021.rows import first_equal_rows, kept_rows
from tokumei.contests.pws2021.table import HealthTable, health_table
from tokumei.contests.reading import read_contest
from tokumei.data import History, Release, Secret, lines_of, read_bytes, to_utf8
from tokumei.errors import ContentError, Finding, InfeasibleError, InputError
from tokumei.parts import Attack, Method
from tokumei.progress import stage
from tokumei.words import Message

if TYPE_CHECKING:
    from tokumei.contests.pws2021.attacks.seed_search import SeedSearch, SeedState
    from tokumei.data import Score


# The largest values allowed (spec D.3); equality passes.
LIMITS: Mapping[str, Mapping[str, float]] = {
    "preliminary": {"uniqrt": 0.5, "rate": 0.05, "OR": 0.1, "cor": 0.1, "iloss": 6.0},
    "final": {"uniqrt": 0.5, "rate": 0.05, "OR": 0.1, "cor": 0.1, "iloss": 4.0},
}
METHODS = ("bottom", "dp", "kanony", "rr", "team06", "top")
ATTACKS = ("attack", "likelihood", "odds-penalty", "order", "rlink", "team06")
# Differences of decimals (30.8 - 26.8) miss whole numbers by less than this.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class HealthFile:
    """A file of health rows: its text and, when it is needed, its arrays."""

    path: Path
    frame: pl.DataFrame

    @classmethod
    def read(cls, path: Path, name: str) -> HealthFile:
        """Read B, C, D or CT."""
        return cls(path, read_contest(path, FILES[name]))

    @cached_property
    def table(self) -> HealthTable:
        """The rows as arrays; cells that are no numbers raise ContentError."""
        return HealthTable.from_frame(self.frame, file=str(self.path))

    @cached_property
    def history(self) -> History:
        """The rows as a History, in which every row is a person of its own."""
        return self.table.history()

    def lines(self, rows: Ints) -> list[str]:
        """Return rows as they are written in the file."""
        return self.frame[rows].select(pl.concat_str(pl.all(), separator=",")).to_series().to_list()


def _integers(frame: pl.DataFrame, path: Path, *, low: int, high: int | None) -> Ints:
    """Return a frame of whole numbers; others, or those outside the limits, raise ContentError."""
    columns, findings = [], []
    for position, name in enumerate(frame.columns):
        text = frame[name].str.strip_chars()
        number = text.str.strip_prefix("+").cast(pl.Int64, strict=False)
        bad = number.is_null() | ~number.is_between(low, high if high is not None else 2**62)
        limits = f"from {low} to {high}" if high is not None else f"of at least {low}"
        for row in bad.fill_null(value=True).arg_true().to_list():
            message = f"'{text[row]}' is no whole number {limits}; correct it"
            findings.append(Finding("bad-row-number", message, row + 1, position + 1, name, text[row]))
        columns.append(number.fill_null(0).to_numpy())
    if findings:
        raise ContentError(str(path), sorted(findings, key=lambda found: (found.line or 0, found.column or 0)))
    return np.stack(columns, axis=1).astype(np.int64)


def read_rows(path: Path, *, count: int | None = None) -> Ints:
    """Read a list of row numbers (X); with ``count`` they must be rows of a table of so many rows, each once."""
    rows = _integers(read_contest(path, FILES["X"]), path, low=0, high=None if count is None else count - 1)[:, 0]
    if count is not None and len(np.unique(rows)) != len(rows):
        first = int(np.flatnonzero(~pl.Series(rows).is_first_distinct().to_numpy())[0])
        raise ContentError(
            str(path), [Finding("duplicate-row", f"row {rows[first]} stands here twice; list it once", first + 1)]
        )
    return rows


def read_guesses(path: Path, name: str) -> Ints:
    """Read EA (one column) or E (three)."""
    return _integers(read_contest(path, FILES[name]), path, low=-1, high=None)


def _text_rows(path: Path) -> TextRows:
    """Read the lines of a file that is to be checked; an empty one is its fault, not ours."""
    text, _ = to_utf8(read_bytes(path, allow_empty=True), str(path))
    return TextRows.of(lines_of(text))


@dataclass(frozen=True, kw_only=True)
class Rules2021:
    """What the rules compute on the values of the files, with the limits of a round.

    ``strict`` replaces the oddities of the official programs (spec F-D).
    """

    strict: bool = False
    round: str = "final"

    def check_dx(self, original: HealthFile, d: Path, x: Path) -> Checked:
        """Check D and X against B."""
        return check_release_files(original.table, _text_rows(d), _text_rows(x), strict=self.strict)

    def check_e(self, original: HealthFile, e: Path) -> Checked:
        """Check E against B."""
        return check_answers(original.frame.height, _text_rows(e))

    def iloss(self, before: HealthFile, after: HealthFile) -> InformationLoss:
        """Return the information loss of D against C."""
        return information_loss(before.table, after.table, files=(str(before.path), str(after.path)))

    def umark(self, original: HealthFile, changed: HealthFile) -> tuple[UtilityDifferences, list[Message]]:
        """Return the utility differences of D against B, with warnings."""
        files = (str(original.path), str(changed.path))
        return utility_marks(original.table, changed.table, strict=self.strict, files=files)

    def lmark(self, answers: Path, guesses: Path) -> LinkageMarks:
        """Return how well the guesses E meet the answers EA."""
        return linkage_marks(read_guesses(answers, "EA")[:, 0], read_guesses(guesses, "E"), strict=self.strict)

    def pick(
        self, original: HealthFile, x: Path, *, seed: int = OFFICIAL_SEED, shuffle: bool = False
    ) -> tuple[list[str], Ints]:
        """Return the lines of CT and the answers EA."""
        rows, answers = pick_rows(original.frame.height, read_rows(x, count=original.frame.height), seed=seed)
        if shuffle:
            rows, answers = shuffled(rows, answers, rng=np.random.default_rng(seed))
        return original.lines(rows), answers

    def risk(
        self,
        attack: Attack,
        original: HealthFile,
        d: Path,
        x: Path,
        *,
        draws: int,
        seed: int = 0,
        shuffle: bool = False,
    ) -> tuple[Score, list[LinkageMarks]]:
        """Return the mean risk of an attack over many draws of test rows, and the marks of every draw.

        With ``shuffle`` the test rows come in random order, not in that of B.
        """
        deleted = read_rows(x, count=original.frame.height)
        release = HealthFile.read(d, "D").table.release()
        if len(release) != original.frame.height - len(deleted):
            message = f"{d} has {len(release)} rows, but B without X has {original.frame.height - len(deleted)}"
            raise InfeasibleError(message, code="row-count", file=str(d))
        marks = []
        with stage(f"attack {attack.name}", draws) as advance:
            for draw in range(draws):
                rows, answers = pick_rows(original.frame.height, deleted, seed=seed + draw)
                generator = np.random.default_rng([seed, draw])
                if shuffle:
                    rows, answers = shuffled(rows, answers, rng=generator)
                guesses = attack.guess(original.history.take(rows), release, rng=generator)
                choices = guesses.choices(release.pseudonyms)
                marks.append(linkage_marks(answers, choices, strict=self.strict))
                advance(1)
        return mean_risk(marks, rows=len(release)), marks

    def evaluate(self, original: HealthFile, d: Path, x: Path) -> dict[str, Any]:
        """Check D and X and compare every figure with its limit; ``passes`` only if nothing is wrong."""
        checked = self.check_dx(original, d, x)
        told = [f"{file}: {found.sentence()}" for file, found in (*checked.errors, *checked.warnings)]
        result: dict[str, Any] = {
            "passes": False,
            **checked.as_dict(),
            "limits": {},
            "warnings": told,
            "round": self.round,
        }
        try:
            changed = HealthFile.read(d, "D")
            deleted = read_rows(x, count=original.frame.height)
            limits, warnings = self._limits(original, changed, deleted)
        except (InfeasibleError, InputError) as error:
            return {**result, "warnings": [*told, str(error)]}
        passes = checked.valid and all(limit["ok"] for limit in limits.values())
        return {**result, "passes": passes, "limits": limits, "warnings": [*told, *warnings]}

    def _limits(
        self, original: HealthFile, changed: HealthFile, deleted: Ints
    ) -> tuple[dict[str, dict[str, Any]], list[Message]]:
        kept = original.table.take(kept_rows(original.frame.height, deleted))
        utility, warnings = self.umark(original, changed)
        loss = information_loss(kept, changed.table, files=("C (B without X)", str(changed.path)))
        unique = uniqueness_rate(kept, population=original.frame.height)
        found = {"uniqrt": unique.of_population, "iloss": loss.largest["max"]}
        found |= {name: utility.largest[name] for name in ("rate", "OR", "cor")}
        half = original.frame.height / 2
        rows = {"value": changed.frame.height, "limit": half, "ok": changed.frame.height >= half}
        limits: dict[str, dict[str, Any]] = {"rows": {**rows, "margin": changed.frame.height - half}}
        for name, most in LIMITS[self.round].items():
            value = found[name]
            limits[name] = {"value": value, "limit": most, "ok": value <= most + ROUNDING, "margin": most - value}
        return limits, warnings

    def anonymizer(self, name: str) -> type[Method]:
        """Return the method of this name."""
        return find_sample("pws2021", "anonymizer", name, METHODS, noun="method")

    def find_attack(self, name: str) -> type[Attack]:
        """Return the attack of this name."""
        return find_sample("pws2021", "attack", name, ATTACKS, noun="attack")

    def anonymize(self, method: Method, original: HealthFile, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Run a method on B (or C)."""
        return method.anonymize(original.history, rng=rng)

    def seed_search(
        self, search: SeedSearch, original: HealthFile, known: HealthFile, state: SeedState | None = None
    ) -> SeedState:
        """Look for the seed with which the public synthesizer turns B into a table that holds the known rows."""
        from tokumei.contests.pws2021.synthesizer import HealthSynthesizer
        from tokumei.contests.pws2021.table import same_levels

        public, rows = same_levels([original.table, known.table])
        synthesizer = HealthSynthesizer.of(public)
        return search.run(lambda rng: synthesizer.draw(public.height, rng=rng), rows, state)


def release_lines(release: Release, original: HealthFile) -> list[str]:
    """Return the lines of D; if all of its rows are rows of B, they keep the text that they have there."""
    table = health_table(release)
    sources = first_equal_rows(table, original.table)
    return table.lines() if (sources < 0).any() else original.lines(sources)


def joined_rows(paths: Sequence[Path]) -> Ints:
    """Return the sorted union of files of row numbers."""
    from tokumei.contests.pws2021.methods.health_row_choice import join_rows

    return join_rows([read_rows(path) for path in paths])
