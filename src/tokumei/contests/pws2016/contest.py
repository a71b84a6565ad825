"""PWS Cup 2016 as a contest: M', T' and the secret P are handed in, M' and T' published, Q guessed (spec A).

The system itself attacks every release with all sample attacks; the re-identification rate of a release is the largest
of theirs and of the other teams' (spec A.2, A.6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tokumei.contests.base import Contest
from tokumei.contests.notes import KEPT_NOTES, note_of_error, notes_of
from tokumei.contests.pws2016.ranking import INCONSISTENT, overall_table, round_table
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
    RoundTable,
    Sizes,
)
from tokumei.errors import ContentError, TokumeiError
from tokumei.parts import make_part, parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from tokumei.contests.pws2016.checker import FilesCheck
    from tokumei.contests.pws2016.rules import Files, Rules2016

# The names of the files in the specification, and here.
FILES = {"M'": "M1", "T'": "T1", "P": "P", "Q": "Q"}
UTILITY: dict[str, tuple[Both, str]] = {
    "cmae": ({"en": "cmae", "ja": "cmae"}, "lower"),
    "cmae2": ({"en": "cmae2", "ja": "cmae2"}, "lower"),
    "rfm": ({"en": "RFM", "ja": "RFM"}, "higher"),
    "ham": ({"en": "ham", "ja": "ham"}, "lower"),
    "topitem": ({"en": "topitem", "ja": "topitem"}, "higher"),
}


@dataclass(frozen=True, kw_only=True)
class Pws2016(Contest):
    """A customer master with purchase histories, released under pseudonyms, with the choices the paper leaves open.

    With ``need_consistent`` a P that most of the telling rows contradict makes a release invalid. The contest let it
    pass, and a file that changes nothing but claims a false P then wins: that is why refusing it is the default.
    """

    name: ClassVar[str] = "pws2016"
    command_module: ClassVar[str] = "tokumei.contests.pws2016.commands"
    source: ClassVar[str] = "PWS Cup 2016 paper"
    about: ClassVar[Both] = {
        "en": "PWS Cup 2016: check, anonymize, attack and judge a customer master with its transactions",
        "ja": "PWS Cup 2016：顧客マスターと購買履歴を検査、匿名加工、攻撃、判定する",
    }
    sizes: ClassVar[Sizes | None] = Sizes(default=400, low=20, high=10_000, demo=40)
    title: ClassVar[Both] = {"en": "PWS Cup 2016: customers and purchases", "ja": "PWS Cup 2016：顧客と購買履歴"}
    data_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("M", {"en": "customer master", "ja": "顧客マスター"}),
        FileSpec("T", {"en": "transactions", "ja": "購買履歴"}),
    )
    release_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("M1", {"en": "anonymized master M'", "ja": "匿名加工した顧客マスターM'"}),
        FileSpec("T1", {"en": "anonymized transactions T'", "ja": "匿名加工した購買履歴T'"}),
        FileSpec(
            "P",
            {"en": "rows of M behind the rows of M' (secret)", "ja": "M'の各行に対応するMの行（秘密）"},
            secret=True,
        ),
    )
    published_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("M1", {"en": "anonymized master M'", "ja": "匿名加工された顧客マスターM'"}),
        FileSpec("T1", {"en": "anonymized transactions T'", "ja": "匿名加工された購買履歴T'"}),
    )
    guess_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("Q", {"en": "row of M for every row of M'", "ja": "M'の各行に対するMの行の推定"}),
    )
    release_columns: ClassVar[tuple[Column, ...]] = (
        Column("sum", {"en": "utility error + rate", "ja": "有用性誤差＋再識別率"}, "lower"),
        Column("utility_error", {"en": "utility error", "ja": "有用性の誤差"}, "lower"),
        Column("reid_max", {"en": "largest rate of the sample attacks", "ja": "サンプル攻撃の最大再識別率"}, "lower"),
        *(Column(key, title, better) for key, (title, better) in UTILITY.items()),
    )
    guess_columns: ClassVar[tuple[Column, ...]] = (
        Column("rate", {"en": "re-identification rate", "ja": "再識別率"}, "higher"),
        Column("hits", {"en": "right guesses", "ja": "正解数"}, "higher", 0),
        Column("n", {"en": "rows", "ja": "行数"}, "", 0),
    )
    matrix_figure: ClassVar[str] = "rate"
    utility_figure: ClassVar[str] = "utility_error"
    safety_figure: ClassVar[str] = "rate"
    methods: ClassVar[tuple[str, ...]] = ("ano-ya", "ano-tya", "ano-sampling", "ano-shuffle", "ano-divt", "ano-groups")
    attacks: ClassVar[tuple[str, ...]] = ("re-sort", "re-tnum", "re-totprice", "re-rfm", "re-goods", "re-combined")
    players: ClassVar[tuple[Player, ...]] = (
        Player("Shufflers", "ano-shuffle", "re-combined", clumsy=True),
        Player("Neighbours", "ano-groups", "re-goods"),
        Player("Crowds", "ano-groups", "re-rfm", {"k": 5}),
        Player("Dividers", "ano-divt", "re-totprice"),
        Player("Samplers", "ano-sampling", "re-tnum"),
    )

    cells: str = parameter(
        "sex-country", "attributes that make the cells of cmae and cmae2", choices=("sex", "sex-country")
    )
    orphans: str = parameter(
        "strict", "transactions without a master row: left out, or looked up in M", choices=("strict", "original")
    )
    threshold: int | None = parameter(None, "rows that make a top item (none: those of the 100th of T)", low=1)
    complement: bool = parameter(False, "ham as share of equal instead of differing cells")
    combine: str = parameter("sum", "how utility error and rate make the score", choices=("sum", "max"))
    need_consistent: bool = parameter(True, "refuse a P that contradicts the data, which the contest let pass")
    seed: int = parameter(0, "seed of the sample attacks", low=0)
    parameters_ja: ClassVar[Mapping[str, str]] = {
        "cells": "cmae と cmae2 のセルを作る属性",
        "orphans": "マスターに行のない取引: 除く、または M で引く",
        "threshold": "上位商品とする行数（空欄: T の100番目の商品の行数）",
        "complement": "ham を、異なるセルではなく等しいセルの割合とする",
        "combine": "有用性の誤差と再識別率から得点を作る方法",
        "need_consistent": "データに合わないPを受け付けない",
        "seed": "サンプル攻撃の乱数シード",
    }

    @property
    def rules(self) -> Rules2016:
        """The rules with these parameters."""
        from tokumei.contests.pws2016.rules import Rules2016

        return Rules2016(cells=self.cells, orphans=self.orphans, threshold=self.threshold, complement=self.complement)

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write M and T of so many customers."""
        from tokumei.synth import write_synthetic

        write_synthetic("master", data / "T.csv", master_path=data / "M.csv", subjects=size, seed=seed, header=False)

    def check_data(self, data: Path) -> Checked:
        """Check M and T against each other."""
        try:
            original = self.rules.read(_files(data)).original
        except TokumeiError as error:
            return Checked.refused([note_of_error(error)])
        return Checked(valid=True, figures={"customers": len(original.subjects), "rows": len(original)})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check M', T' and P, measure all utilities and run all sample attacks."""
        import numpy as np

        rules, files = self.rules, _files(data, release=release)
        try:
            checked = rules.check(files)
            if not checked.valid:
                return Checked.refused(*_notes(checked))
            submission = rules.read(files)
            rng = np.random.default_rng(self.seed)
            result = rules.evaluate(submission.original, submission.release, submission.secret, rng=rng)
        except TokumeiError as error:
            return Checked.refused([note_of_error(error)])
        if self.need_consistent and not result["consistent"]:
            sentence = {**INCONSISTENT, "en": result["consistency"]["sentence"]}
            return Checked.refused([Note("inconsistent-p", sentence, file="P")])
        attacks = {f"attack_{name}": rate for name, rate in result["attacks"].items()}
        figures = {**result["combined"], **result["utility"], "reid_max": result["reid_max"], **attacks}
        return Checked(valid=True, figures={**figures, "n": result["n"], "consistent": result["consistent"]})

    def release_order(self, figures: Figures) -> float:
        """Return utility error and re-identification rate, put together as the contest does."""
        return float(figures[self.combine])

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Write M', T' and P."""
        from tokumei.contests.pws2016.rules import find_method

        made, rules = make_part(find_method(method), settings), self.rules
        return rules.anonymize(made, rules.read(_files(data)), release, rng=rng)

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return M' and T'; P stays in the release, which the judge has."""
        from tokumei.data import read_bytes

        del data, attackers, seed
        return Published(common={name: read_bytes(release / f"{name}.csv") for name in ("M1", "T1")})

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Write Q."""
        from tokumei.contests.pws2016.rules import find_attack
        from tokumei.data import write_text

        part = make_part(find_attack(attack), settings)
        seen = self.rules.read(_files(data, release=published, names=("m1", "t1")))
        rows = self.rules.attack(part, seen.original, seen.release, rng=rng).tolist()
        write_text(guesses / "Q.csv", "".join(f"{row}\n" for row in rows))
        return {"guesses": len(rows)}

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Check files Q and compare them with P."""
        del published, truth
        submission = self.rules.read(_files(data, release=release))
        customers = len(submission.original.subjects)
        return [_scored(folder / "Q.csv", customers, submission.p) for folder in guesses]

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
        """Return anonymizers by utility error and largest rate together, attackers by their mean rate."""
        return round_table(entries, pairs, largest=self.combine == "max", need_consistent=self.need_consistent)

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return the weighted sums of both scores."""
        return overall_table(rounds, largest=self.combine == "max")


def _files(data: Path, *, release: Path | None = None, names: Sequence[str] = ("m1", "t1", "p")) -> Files:
    from tokumei.contests.pws2016.rules import Files

    own = {} if release is None else {name: release / f"{name.upper()}.csv" for name in names}
    return Files(m=data / "M.csv", t=data / "T.csv", **own)


def _notes(checked: FilesCheck) -> tuple[list[Note], int]:
    """Return the findings in all files in both languages, and how many there are."""
    notes: list[Note] = []
    for name, result in checked.files.items():
        notes += notes_of(result, FILES[name], KEPT_NOTES - len(notes))
    return notes, checked.error_count


def _scored(path: Path, originals: int, truth: Any) -> Checked:
    """Return the hits of one Q."""
    import polars as pl

    from tokumei.contests.pws2016 import files
    from tokumei.contests.pws2016.checker import check_rows, unreadable_lines
    from tokumei.contests.pws2016.metrics.row_guesses import judge_rows
    from tokumei.contests.reading import read_contest

    try:
        rows = read_contest(path, files.FILES["Q"])["row"]
    except ContentError as error:
        result = unreadable_lines(error)
        return Checked.refused(notes_of(result, "Q"), error.total)
    except TokumeiError as error:
        return Checked.refused([note_of_error(error, "Q")])
    result = check_rows(rows, n=originals, expected=len(truth), distinct=False)
    if not result.valid:
        return Checked.refused(notes_of(result, "Q"), result.error_count)
    return Checked(valid=True, figures=judge_rows(truth, rows.cast(pl.Int64).to_numpy(), originals=originals).as_dict())
