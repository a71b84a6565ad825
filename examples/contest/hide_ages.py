"""Hide the ages: a small contest that is complete; docs/own-contest.md of Tokumei builds it step by step.

Everybody knows who lives in the village, with age and town. A team hands in a range around every age; the ranges are
published in another order, with the towns. Whoever names the people behind the ranges wins as an attacker, whose
people stay unnamed although the ranges are narrow wins as an anonymizer.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tokumei import contests
from tokumei.contests import Both, Checked, Column, Contest, Entry, Figures, FileSpec, Pair, Player, RoundTable
from tokumei.errors import ParameterError
from tokumei.parts import parameter

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["HideAges"]

TOWNS = ("Asuka", "Ikaruga", "Uji")
OLDEST = 110
PERSON: Both = {"en": "write name,age,town with an age from 0 to 110", "ja": "名前,年齢（0から110）,町と書いてください"}
RANGE: Both = {"en": "write low,high around the age {age}", "ja": "年齢{age}を含む範囲を、下限,上限と書いてください"}
TOO_WIDE: Both = {"en": "the range is wider than {widest}", "ja": "範囲の幅が{widest}を超えています"}
STRANGER: Both = {"en": "'{name}' does not live here", "ja": "「{name}」はこの村にいません"}
COUNT: Both = {"en": "there are {given} lines instead of {wanted}", "ja": "{wanted}行のはずが{given}行です"}
SCORE: Both = {"en": "score", "ja": "得点"}
RULE: Both = {
    "en": "Anonymizers: lowest mean width / 110 + largest rate. Attackers: highest mean rate. Equal teams tie.",
    "ja": "匿名加工：平均の幅÷110＋最大の割合が小さい順。攻撃：割合の平均が大きい順。等しいチームは同順位です。",
}


def read(path: Path) -> list[list[str]]:
    """Return the cells of every line; what is no text has none that fit."""
    return [line.split(",") for line in path.read_bytes().decode("utf-8", "replace").splitlines()]


def lines(rows: Iterable[Sequence[object]]) -> bytes:
    """Return rows of cells as a file."""
    return "".join(",".join(map(str, row)) + "\n" for row in rows).encode()


def number(text: str) -> int:
    """Return a small whole number, -1 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else -1


@dataclass(frozen=True, kw_only=True)
class HideAges(Contest):
    """Ranges around ages against everybody who knows the village."""

    name: ClassVar[str] = "hide-ages"
    title: ClassVar[Both] = {"en": "Hide the ages", "ja": "年齢を隠せ"}
    about: ClassVar[Both] = {"en": "Hide the ages of a village behind ranges", "ja": "村の人々の年齢を範囲で隠す"}
    source: ClassVar[str] = "the guide of Tokumei"
    sizes: ClassVar[contests.Sizes | None] = contests.Sizes(default=60, low=3, high=1_000, demo=20)
    data_files: ClassVar[tuple[FileSpec, ...]] = (FileSpec("people", {"en": "name,age,town", "ja": "名前,年齢,町"}),)
    release_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("ranges", {"en": "low,high for every person", "ja": "一人ずつの下限,上限"}),
    )
    published_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("shown", {"en": "low,high,town in another order", "ja": "順序を変えた下限,上限,町"}),
    )
    guess_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("names", {"en": "a name for every line of shown", "ja": "shownの各行に名前一つ"}),
    )
    release_columns: ClassVar[tuple[Column, ...]] = (
        Column("width", {"en": "mean width", "ja": "平均の幅"}, "lower", 2),
    )
    guess_columns: ClassVar[tuple[Column, ...]] = (
        Column("rate", {"en": "people named", "ja": "名前を当てた割合"}, "higher", 3),
    )
    utility_figure: ClassVar[str] = "width"
    safety_figure: ClassVar[str] = "rate"
    matrix_figure: ClassVar[str] = "rate"
    methods: ClassVar[tuple[str, ...]] = ("bands",)
    attacks: ClassVar[tuple[str, ...]] = ("fit", "order")
    players: ClassVar[tuple[Player, ...]] = (
        Player("Decades", "bands", "fit", {"width": 10}, clumsy=True),
        Player("Halves", "bands", "order", {"width": 55}),
        Player("Years", "bands", "fit", {"width": 1}),
    )

    widest: int = parameter(60, "the widest range that is allowed", low=0, high=OLDEST)
    parameters_ja: ClassVar[Mapping[str, str]] = {"widest": "範囲の幅の上限"}

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write a village of so many people."""
        draw = random.Random(seed)
        people = [(f"p{person}", draw.randint(0, OLDEST), draw.choice(TOWNS)) for person in range(size)]
        (data / "people.csv").write_bytes(lines(people))

    def check_data(self, data: Path) -> Checked:
        """Check that everybody has a name, an age and a town."""
        people = read(data / "people.csv")
        wrong = [at for at, row in enumerate(people, 1) if len(row) != 3 or not 0 <= number(row[1]) <= OLDEST]
        if wrong or not people:
            return Checked.refused([contests.make_note("person", PERSON, "people", line=at) for at in wrong or [1]])
        return Checked(valid=True, figures={"people": len(people)})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check that every range holds the age, and measure how wide they are."""
        ages = [int(row[1]) for row in read(data / "people.csv")]
        rows = [[number(cell) for cell in row] for row in read(release / "ranges.csv")]
        if len(rows) != len(ages):
            facts = {"given": len(rows), "wanted": len(ages)}
            return Checked.refused([contests.make_note("row-count", COUNT, "ranges", **facts)])
        notes = []
        for at, (row, age) in enumerate(zip(rows, ages, strict=True), 1):
            if len(row) != 2 or not 0 <= row[0] <= age <= row[1]:
                notes.append(contests.make_note("range", RANGE, "ranges", line=at, age=age))
            elif row[1] - row[0] > self.widest:
                notes.append(contests.make_note("too-wide", TOO_WIDE, "ranges", line=at, widest=self.widest))
        if notes:
            return Checked.refused(notes)
        return Checked(valid=True, figures={"width": sum(high - low for low, high in rows) / len(rows)})

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Put every age into bands of equal width, which begin at a random age."""
        width = int(settings.get("width", 10))
        if method != "bands" or width < 1:
            raise ParameterError(f"hide-ages has only bands of a width from 1, not '{method}' of width {width}")
        first = int(rng.integers(width))
        lows = [(int(row[1]) + first) // width * width - first for row in read(data / "people.csv")]
        (release / "ranges.csv").write_bytes(lines((max(low, 0), low + width - 1) for low in lows))
        return {"width": width}

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> contests.Published:
        """Show ranges with towns in a random order; who stands behind each line is the truth."""
        people, ranges = read(data / "people.csv"), read(release / "ranges.csv")
        order = random.Random(f"hide-ages:{seed}").sample(range(len(people)), len(people))
        shown, owners = lines((*ranges[at], people[at][2]) for at in order), lines(people[at][:1] for at in order)
        return contests.Published(common={"shown": shown}, truth={"owners": owners})

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Name people in the order of the village, or the first who fits and is not named yet."""
        left, names = read(data / "people.csv"), []
        for low, high, town in read(published / "shown.csv"):
            fits = [row for row in left if int(low) <= int(row[1]) <= int(high) and row[2] == town]
            names.append(left.pop(left.index(fits[0] if fits and attack == "fit" else left[0]))[:1])
        (guesses / "names.csv").write_bytes(lines(names))
        return {"guesses": len(names)}

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Count the lines that name the right person."""
        owners = [row[0] for row in read(truth / "owners.csv")]
        return [self._scored(owners, [row[0] for row in read(folder / "names.csv")]) for folder in guesses]

    def _scored(self, owners: list[str], names: list[str]) -> Checked:
        notes = [
            contests.make_note("stranger", STRANGER, "names", line=at, name=name[:20])
            for at, name in enumerate(names, 1)
            if name not in owners
        ]
        if len(names) != len(owners):
            notes.append(contests.make_note("row-count", COUNT, "names", given=len(names), wanted=len(owners)))
        if notes:
            return Checked.refused(notes)
        return Checked(valid=True, figures={"rate": sum(map(str.__eq__, names, owners)) / len(owners)})

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
        """Rank by width and largest rate together, and by the mean rate; equal teams share a rank."""
        counted = contests.counted_pairs(entries, pairs)

        def kept(entry: Entry) -> Figures:
            worst = max((pair.figures["rate"] for pair in counted if pair.owner == entry.team), default=0.0)
            width = (entry.figures or {})["width"]
            return {"score": width / OLDEST + worst, "width": width, "rate": worst}

        def reached(entry: Entry) -> Figures:
            rates = [pair.figures["rate"] for pair in counted if pair.attacker == entry.team]
            return {"score": sum(rates) / max(len(rates), 1)}

        anonymizers = contests.rank_entries(entries, kept, lambda row: row.figures["score"], released=True)
        attackers = contests.rank_entries(entries, reached, lambda row: -row.figures["score"])
        columns = (Column("score", SCORE, "lower"), *self.release_columns, *self.guess_columns)
        return RoundTable(anonymizers, attackers, columns, (Column("score", SCORE, "higher"),), RULE, RULE)

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Add up the weighted scores of the rounds; a round without a release counts 2."""
        low = contests.Weighing(figure="score", missing=2.0, better="lower", title=SCORE)
        high = contests.Weighing(figure="score", missing=0.0, better="higher", title=SCORE)
        return contests.weighted_table(rounds, anonymizers=low, attackers=high, rule=RULE)
