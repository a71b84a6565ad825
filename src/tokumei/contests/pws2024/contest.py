"""PWS Cup 2024 as a contest: ten tables are handed in, fifty people linked to their ratings (later contests, spec 3).

Every team has a table B of its own. Attackers get the ten tables, the known columns of fifty drawn people and, in
another order, their ratings with one hidden cell. What was drawn is committed to by its hash when it is published.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tokumei.contests.declared import DeclaredContest, private_seed
from tokumei.contests.notes import note_of_error
from tokumei.contests.pws2024.files import COLUMNS, HOME, MOVIES, NAME, OFFICIAL_DIVISOR, RATINGS, TABLES, TEST_ROWS
from tokumei.contests.ranking import Board
from tokumei.contests.values import Checked, Entry, Figures, Published
from tokumei.errors import TokumeiError
from tokumei.parts import make_part, parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from tokumei.contests.pandas_table import Table

BEST_TEAMS = 5
NEEDED = 50.0
_FILES = tuple(f"C_{number}" for number in range(len(TABLES)))


def total_of(anonymity: float, utility: float) -> float:
    """Return the total of a team: every point of anonymity or utility below 50 costs two more, never below 0.

    >>> total_of(31, 91.02), total_of(66, 69.1)
    (84.02, 135.1)
    """
    lacking = max(0.0, NEEDED - anonymity) + max(0.0, NEEDED - utility)
    return round(max(0.0, anonymity + utility - 2 * lacking), 9)


def read_original(path: Path) -> Table:
    """Read B; all its columns must be there."""
    from tokumei.contests.pandas_table import read_columns

    return read_columns(path, COLUMNS, hint="give B with its five known and 46 rating columns")


@dataclass(frozen=True, kw_only=True)
class Pws2024(DeclaredContest):
    """Ten tables of film ratings against linking people to their ratings."""

    name: ClassVar[str] = "pws2024"
    strict: bool = parameter(False, "refuse what the official checker lets pass by mistake")
    scaled: bool = parameter(True, "divide the error by twice the rows of B, which is 20,000 for those of the contest")
    same_column: bool = parameter(False, "hide the same column for all people, as in the final")

    def for_round(self, kind: str) -> Pws2024:
        """Return the contest as it is played in a round: in the final one column is hidden."""
        return replace(self, same_column=kind == "final")

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write B of so many people."""
        from tokumei.contests.pandas_table import table_text
        from tokumei.synth import generate_ratings

        (data / "B.csv").write_bytes(table_text(generate_ratings(size, seed, MOVIES)))

    def generate_private(self, base: Path, data: Path, *, size: int | None, seed: int) -> None:
        """Write the B of one team: other people, by default as many as in the common one."""
        self.generate(data, size=size or read_original(base / "B.csv").rows, seed=private_seed(seed))

    def check_data(self, data: Path) -> Checked:
        """Check B: all columns, ratings from 0 to 5, enough rows."""
        from tokumei.contests.findings import Findings

        found = Findings(HOME)
        try:
            table = read_original(data / "B.csv")
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "B")])
        wrong = [name for name in MOVIES if not table.frame[name].is_in(list(RATINGS)).all()]
        if wrong or table.columns != list(COLUMNS):
            found.add("data", "B")
        elif table.rows < TEST_ROWS:
            found.add("too-few-rows", "B", found=table.rows, least=TEST_ROWS)
        return Checked(valid=True, figures={"rows": table.rows}) if found.valid else found.refusal()

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check the ten tables; measure them and what the sample attack reaches on people drawn from B's content."""
        from tokumei.contests.findings import Findings
        from tokumei.contests.pandas_table import parse_table
        from tokumei.contests.pws2024.checker import check_table
        from tokumei.contests.pws2024.utility import score_tables, view_texts
        from tokumei.data import read_bytes

        original, found, tables = read_original(data / "B.csv"), Findings(HOME), []
        views = [parse_table(text, "B") for text in view_texts(original.frame)]
        raw = [read_bytes(release / f"{name}.csv", allow_empty=True) for name in _FILES]
        for view, text, name in zip(views, raw, _FILES, strict=True):
            faults, table = check_table(view, text, name, rows=original.rows, strict=self.strict)
            found.take(faults)
            tables += [table] if table is not None else []
        if not found.valid:
            return found.refusal()
        utility = score_tables(views, tables, 2 * original.rows if self.scaled else OFFICIAL_DIVISOR)
        anonymity = 100 - self._sample_hits(original, tables, hashlib.sha256(b"".join(raw)).hexdigest())
        figures = {"utility": utility, "sample_anonymity": anonymity, "total": total_of(anonymity, utility)}
        return Checked(valid=True, figures=figures)

    def _sample_hits(self, original: Table, tables: Sequence[Table], seed: str) -> int:
        from tokumei.contests.pws2024.attack_task import make_test, sample_attack

        test = make_test(original.frame, seed, same_column=self.same_column)
        return test.hits(sample_attack(test.a, test.b, tables))

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Write the ten tables."""
        from tokumei.contests.pandas_table import table_text
        from tokumei.contests.pws2024.samples import METHODS

        original = read_original(data / "B.csv")
        part = make_part(self.sample(METHODS, method, "method"), settings)
        for name, view in zip(_FILES, part.views(original.frame, rng=rng), strict=True):
            (release / f"{name}.csv").write_bytes(table_text(view))
        return {"method": method, "rows": original.rows}

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return the tables without names, the files a and b, and the hash of what the judge keeps."""
        from tokumei.contests.cohorts import sealed
        from tokumei.contests.pandas_table import read_table, table_text
        from tokumei.contests.pws2024.attack_task import make_test

        del attackers
        original = read_original(data / "B.csv")
        drawn = hashlib.sha256(b":".join((seed.encode(), (data / "B.csv").read_bytes()))).hexdigest()
        test = make_test(original.frame, drawn, same_column=self.same_column)
        tables = {
            name: table_text(read_table(release / f"{name}.csv").frame.drop(NAME, strict=False)) for name in _FILES
        }
        answers = table_text(test.x, header=False)
        commitment, opening = sealed(answers, drawn)
        return Published(
            common={**tables, "a": table_text(test.a), "b": table_text(test.b), "commitment.txt": commitment},
            truth={"x": answers, "opening.txt": opening},
        )

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Write E from what was published alone."""
        from tokumei.contests.pandas_table import read_table
        from tokumei.contests.pws2024.samples import ATTACKS

        del data, rng
        part = make_part(self.sample(ATTACKS, attack, "attack"), settings)
        known, ratings, *tables = (read_table(published / f"{name}.csv") for name in ("a", "b", *_FILES))
        answers = part.answers(known.frame, ratings.frame, tables)
        (guesses / "E.csv").write_bytes("".join(f"{row},{value}\n" for row, value in answers).encode())
        return {"rows": len(answers)}

    def score_one(self, data: Path, truth: Path, guesses: Path) -> Checked:
        """Check an answer file and count its hits."""
        from tokumei.contests.linkage_task import count_hits
        from tokumei.contests.pandas_table import read_table
        from tokumei.contests.pws2024.checker import check_answers

        del data
        try:
            answers = read_table(guesses / "E.csv", header=False)
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "E")])
        findings = check_answers(answers, strict=self.strict)
        found = count_hits(read_table(truth / "x.csv", header=False), answers)
        if findings.notes or found is None:
            return Checked.refused(findings.notes, findings.count)
        return Checked(valid=True, figures={"hits": sum(found), "identified": found[0], "reconstructed": found[1]})

    def kept(self, entry: Entry, board: Board) -> Figures:
        """Return the total of utility and of what attackers and the sample attack left."""
        figures = entry.figures or {}
        anonymity = min(100 - board.most(entry.team, "hits"), float(figures["sample_anonymity"]))
        utility = float(figures["utility"])
        return {"total": total_of(anonymity, utility), "anonymity": anonymity, "utility": utility}

    def reached(self, entry: Entry, board: Board) -> Figures:
        """Return the hits on the five best teams, and on all."""
        everything = sum(float(figures["hits"]) for figures in board.by(entry.team).values())
        return {"top5": board.on_best(entry.team, "hits", BEST_TEAMS), "sum": everything}
