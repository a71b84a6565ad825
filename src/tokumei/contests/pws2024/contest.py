"""PWS Cup 2024 as a contest: ten tables are handed in, fifty people linked to their ratings (later contests, spec 3).

Every team has a table B of its own. Attackers get the ten tables, the known columns of fifty drawn people and, in
another order, their ratings with one hidden cell. What was drawn is committed to by its hash when it is published.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tokumei.contests.base import STANDARD_ROUNDS, Contest
from tokumei.contests.notes import make_note, note_of_error
from tokumei.contests.pws2024.files import COLUMNS, MOVIES, RATINGS, TABLES, TEST_ROWS
from tokumei.contests.pws2024.ranking import overall_table, round_table
from tokumei.contests.values import (
    Both,
    Checked,
    Column,
    Entry,
    Figures,
    FileSpec,
    Note,
    Pair,
    Player,
    Published,
    RoundPreset,
    RoundTable,
    Sizes,
)
from tokumei.errors import InputError, TokumeiError
from tokumei.parts import make_part, parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from tokumei.contests.pws2024.table import Table

_BAD_DATA: Both = {
    "en": "the columns must be Name,Gender,Age,Occupation,ZIP-code and the 46 films with ratings from 0 to 5",
    "ja": "列はName,Gender,Age,Occupation,ZIP-codeと映画46列（評価0から5）でなければなりません",
}
_FEW_ROWS: Both = {
    "en": "B has {found} rows, but {least} people are drawn from it",
    "ja": "Bは{found}行ですが、{least}人を選びます",
}
_FILES = tuple(f"C_{number}" for number in range(len(TABLES)))


def read_original(path: Path) -> Table:
    """Read B; all its columns must be there."""
    from tokumei.contests.pws2024.table import read_table, refuse_unread

    table = refuse_unread(read_table(path), path)
    lacking = [name for name in COLUMNS if name not in table.columns]
    if lacking:
        message = f"{path} has no column {', '.join(lacking[:5])}; give B with its five known and 46 rating columns"
        raise InputError(message, code="columns", file=str(path))
    return table


@dataclass(frozen=True, kw_only=True)
class Pws2024(Contest):
    """Ten tables of film ratings against linking people to their ratings."""

    name: ClassVar[str] = "pws2024"
    command_module: ClassVar[str] = "tokumei.contests.pws2024.commands"
    source: ClassVar[str] = "PWS Cup 2024"
    title: ClassVar[Both] = {"en": "PWS Cup 2024: film ratings", "ja": "PWS Cup 2024：映画の評価"}
    about: ClassVar[Both] = {
        "en": "PWS Cup 2024: check, measure, attack and judge ten tables of film ratings",
        "ja": "PWS Cup 2024：映画評価の10の表を検査、測定、攻撃、判定する",
    }
    sizes: ClassVar[Sizes | None] = Sizes(default=10_000, low=100, high=20_000, demo=600)
    draws_private_data: ClassVar[bool] = True
    rounds: ClassVar[Mapping[str, RoundPreset]] = {
        "practice": STANDARD_ROUNDS["practice"],
        "preliminary": replace(STANDARD_ROUNDS["preliminary"], private_data=True),
        "final": replace(STANDARD_ROUNDS["final"], private_data=True),
    }
    set_by_round: ClassVar[frozenset[str]] = frozenset({"same_column"})
    data_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("B", {"en": "people with their ratings of 46 films", "ja": "人と映画46本の評価"}),
    )
    release_files: ClassVar[tuple[FileSpec, ...]] = tuple(
        FileSpec(name, {"en": f"anonymized table {number}", "ja": f"匿名加工した表{number}"})
        for number, name in enumerate(_FILES)
    )
    published_files: ClassVar[tuple[FileSpec, ...]] = (
        *release_files,
        FileSpec("a", {"en": "fifty people: name, gender, age, occupation, ZIP code", "ja": "50人の氏名と属性"}),
        FileSpec(
            "b", {"en": "their ratings in another order, one cell hidden", "ja": "順序を変えた評価（1セルは秘匿）"}
        ),
        FileSpec("commitment.txt", {"en": "SHA-256 of the opening of the answers", "ja": "正解の開示文のSHA-256"}),
    )
    guess_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec(
            "E",
            {
                "en": "row of a (from 0) and hidden value for every row of b",
                "ja": "bの各行についてaの行番号（0から）と秘匿値",
            },
        ),
    )
    release_columns: ClassVar[tuple[Column, ...]] = (
        Column("utility", {"en": "utility", "ja": "有用性"}, "higher", 3),
        Column(
            "sample_anonymity",
            {"en": "anonymity against the sample attack", "ja": "サンプル攻撃に対する匿名性"},
            "higher",
            0,
        ),
        Column("total", {"en": "total so far", "ja": "暫定合計"}, "higher", 2),
    )
    guess_columns: ClassVar[tuple[Column, ...]] = (
        Column("hits", {"en": "hits", "ja": "的中数"}, "higher", 0),
        Column("identified", {"en": "people linked", "ja": "特定した人数"}, "higher", 0),
        Column("reconstructed", {"en": "hidden cells", "ja": "当てた秘匿セル"}, "higher", 0),
    )
    matrix_figure: ClassVar[str] = "hits"
    utility_figure: ClassVar[str] = "utility"
    safety_figure: ClassVar[str] = "anonymity"
    methods: ClassVar[tuple[str, ...]] = ("sample", "budget")
    attacks: ClassVar[tuple[str, ...]] = ("sample", "likelihood")
    players: ClassVar[tuple[Player, ...]] = (
        Player("Official Sample", "sample", "sample", {}, clumsy=True),
        Player("Seventy", "budget", "likelihood", {"utility": 70}),
        Player("Eighty", "budget", "sample", {"utility": 80}),
        Player("Many Swaps", "sample", "likelihood", {"swaps": 50_000}),
    )

    strict: bool = parameter(False, "refuse what the official checker lets pass by mistake")
    scaled: bool = parameter(True, "divide the error by twice the rows of B, which is 20,000 for those of the contest")
    same_column: bool = parameter(False, "hide the same column for all people, as in the final")
    parameters_ja: ClassVar[Mapping[str, str]] = {
        "strict": "公式の検査が誤って通すものも拒否する",
        "scaled": "誤差をBの行数の2倍で割る（本来の1万行では2万）",
    }

    def for_round(self, kind: str) -> Pws2024:
        """Return the contest as it is played in a round: in the final one column is hidden."""
        return replace(self, same_column=kind == "final")

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write B of so many people."""
        from tokumei.contests.pws2024.generator import generate_people
        from tokumei.contests.pws2024.table import table_text

        (data / "B.csv").write_bytes(table_text(generate_people(size, seed)))

    def generate_private(self, base: Path, data: Path, *, size: int | None, seed: int) -> None:
        """Write the B of one team: other people, by default as many as in the common one."""
        rows = size or read_original(base / "B.csv").rows
        self.generate(data, size=rows, seed=int.from_bytes(hashlib.sha256(f"private:{seed}".encode()).digest()[:6]))

    def check_data(self, data: Path) -> Checked:
        """Check B: all columns, ratings from 0 to 5, enough rows."""
        try:
            table = read_original(data / "B.csv")
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "B")])
        wrong = [name for name in MOVIES if not table.frame[name].is_in(list(RATINGS)).all()]
        if wrong or table.columns != list(COLUMNS):
            return Checked.refused([make_note("columns", _BAD_DATA, "B")])
        if table.rows < TEST_ROWS:
            return Checked.refused([make_note("too-few-rows", _FEW_ROWS, "B", found=table.rows, least=TEST_ROWS)])
        return Checked(valid=True, figures={"rows": table.rows})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check the ten tables; measure them and what the sample attack reaches on people drawn from B's content."""
        from tokumei.contests.pws2024.checker import check_table
        from tokumei.contests.pws2024.files import OFFICIAL_DIVISOR
        from tokumei.contests.pws2024.ranking import total_of
        from tokumei.contests.pws2024.table import parse_table
        from tokumei.contests.pws2024.utility import score_tables, view_texts
        from tokumei.data import read_bytes

        original = read_original(data / "B.csv")
        views = [parse_table(text, "B") for text in view_texts(original.frame)]
        raw = [read_bytes(release / f"{name}.csv", allow_empty=True) for name in _FILES]
        checks = [
            check_table(view, text, name, rows=original.rows, strict=self.strict)
            for view, text, name in zip(views, raw, _FILES, strict=True)
        ]
        notes: list[Note] = [note for check in checks for note in check.findings.notes]
        if notes:
            return Checked.refused(notes, sum(check.findings.count for check in checks))
        tables = [check.table for check in checks if check.table is not None]
        utility = score_tables(views, tables, 2 * original.rows if self.scaled else OFFICIAL_DIVISOR)
        anonymity = 100 - self._sample_hits(original, tables, hashlib.sha256(b"".join(raw)).hexdigest())
        figures = {"utility": utility, "sample_anonymity": anonymity, "total": total_of(anonymity, utility)}
        return Checked(valid=True, figures=figures)

    def _sample_hits(self, original: Table, tables: Sequence[Table], seed: str) -> int:
        from tokumei.contests.pws2024.attack_task import make_test, sample_attack

        test = make_test(original.frame, seed, same_column=self.same_column)
        answers = sample_attack(test.a, test.b, tables)
        truth = [(str(row), value) for row, value in test.x.rows()]
        return sum(
            (str(row) == right) + (value == hidden)
            for (row, value), (right, hidden) in zip(answers, truth, strict=True)
        )

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Write the ten tables."""
        from tokumei.contests.pws2024.samples import METHODS
        from tokumei.contests.pws2024.table import table_text

        original = read_original(data / "B.csv")
        part = make_part(self.sample(METHODS, method, "method"), settings)
        for name, view in zip(_FILES, part.views(original.frame, rng=rng), strict=True):
            (release / f"{name}.csv").write_bytes(table_text(view))
        return {"method": method, "rows": original.rows}

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return the tables without names, the files a and b, and the hash of what the judge keeps."""
        from tokumei.contests.pws2024.attack_task import make_test
        from tokumei.contests.pws2024.files import NAME
        from tokumei.contests.pws2024.table import read_table, table_text

        del attackers
        original = read_original(data / "B.csv")
        drawn = hashlib.sha256(b":".join((seed.encode(), (data / "B.csv").read_bytes()))).hexdigest()
        test = make_test(original.frame, drawn, same_column=self.same_column)
        tables = {
            name: table_text(read_table(release / f"{name}.csv").frame.drop(NAME, strict=False)) for name in _FILES
        }
        answers = table_text(test.x, header=False)
        opening = hashlib.sha256(f"salt:{drawn}".encode()).hexdigest().encode() + b"\n" + answers
        commitment = hashlib.sha256(opening).hexdigest().encode() + b"\n"
        return Published(
            common={**tables, "a": table_text(test.a), "b": table_text(test.b), "commitment.txt": commitment},
            truth={"x": answers, "opening.txt": opening},
        )

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Write E from what was published alone."""
        from tokumei.contests.pws2024.samples import ATTACKS
        from tokumei.contests.pws2024.table import read_table

        del data, rng
        part = make_part(self.sample(ATTACKS, attack, "attack"), settings)
        known, ratings, *tables = (read_table(published / f"{name}.csv") for name in ("a", "b", *_FILES))
        answers = part.answers(known.frame, ratings.frame, tables)
        (guesses / "E.csv").write_bytes("".join(f"{row},{value}\n" for row, value in answers).encode())
        return {"rows": len(answers)}

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Check answer files and count their hits."""
        from tokumei.contests.pws2024.table import read_table

        del data, release, published
        right = read_table(truth / "x.csv", header=False)
        return [self._scored(right, folder / "E.csv") for folder in guesses]

    def _scored(self, right: Table, path: Path) -> Checked:
        from tokumei.contests.pws2024.attack_task import count_hits
        from tokumei.contests.pws2024.checker import check_answers
        from tokumei.contests.pws2024.table import read_table

        try:
            answers = read_table(path, header=False)
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "E")])
        findings = check_answers(answers, strict=self.strict)
        found = count_hits(right, answers)
        if findings.notes or found is None:
            return Checked.refused(findings.notes, findings.count)
        return Checked(valid=True, figures={"hits": sum(found), "identified": found[0], "reconstructed": found[1]})

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
        """Return totals of anonymity and utility, and hits on the five best teams."""
        return round_table(entries, pairs)

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return the weighted sums of both."""
        return overall_table(rounds)
