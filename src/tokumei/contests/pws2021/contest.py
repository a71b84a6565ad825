"""PWS Cup 2021 as a contest: D and X are handed in, D and test rows CT published, E guessed (spec D).

Every attacker gets test rows of its own for every target, drawn when the target is published from a secret seed; the
true rows EA stay with the judge. In the final every team has a table B of its own, which the attackers do not know.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tokumei.contests.base import STANDARD_ROUNDS, Contest
from tokumei.contests.notes import KEPT_NOTES, make_note, note_of, note_of_error, without_folders
from tokumei.contests.pws2021.ranking import overall_table, round_table
from tokumei.contests.values import (
    Answered,
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
from tokumei.errors import TokumeiError
from tokumei.parts import make_part, parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from tokumei.contests.pws2021.checker import Checked as Judged
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021

# Test rows are drawn half from deleted and half from kept rows, and half of B must be kept: fewer rows cannot do.
FEWEST_ROWS = 200
# More lines than this cannot become valid by correcting cells; they are refused before every cell is explained.
MOST_ANSWERS = 1_000
LIMIT_NAMES: dict[str, Both] = {
    "rows": {"en": "rows of D", "ja": "Dの行数"},
    "uniqrt": {"en": "uniqueness rate", "ja": "一意率"},
    "rate": {"en": "largest change of a rate", "ja": "割合の最大変化"},
    "OR": {"en": "largest change of an odds ratio", "ja": "オッズ比の最大変化"},
    "cor": {"en": "largest change of a correlation", "ja": "相関の最大変化"},
    "iloss": {"en": "largest information loss", "ja": "情報損失の最大値"},
}
_BEYOND: Both = {
    "en": "{name} is {value:g}, beyond the limit {limit:g} of this round",
    "ja": "{name}が{value:g}で、この回の制限{limit:g}を超えています",
}
_TOO_LONG: Both = {
    "en": "the file has {found:,} lines, more than the {most:,} that can be needed",
    "ja": "ファイルが{found:,}行あり、必要な最大{most:,}行を超えています",
}
_NO_TEST_ROWS: Both = {
    "en": "no test rows of this target were drawn for your team; ask the referee",
    "ja": "この対象のテスト行があなたのチームに配られていません。審判に問い合わせてください",
}
_FEW_ROWS: Both = {
    "en": "B has {found:,} rows, but test rows can be drawn only from {most:,} or more",
    "ja": "Bは{found:,}行ですが、テスト行を選ぶには{most:,}行以上が必要です",
}


@dataclass(frozen=True, kw_only=True)
class Pws2021(Contest):
    """A health table with deleted and changed rows against membership and linkage attacks."""

    name: ClassVar[str] = "pws2021"
    command_module: ClassVar[str] = "tokumei.contests.pws2021.commands"
    source: ClassVar[str] = "PWS Cup 2021"
    about: ClassVar[Both] = {
        "en": "PWS Cup 2021: check, measure, attack and judge a health table with deleted and changed rows",
        "ja": "PWS Cup 2021：行を削除し値を変えた健康データを検査、測定、攻撃、判定する",
    }
    sizes: ClassVar[Sizes | None] = Sizes(default=4190, low=500, high=20_000, demo=4190)
    draws_private_data: ClassVar[bool] = True
    rounds: ClassVar[Mapping[str, RoundPreset]] = {
        **STANDARD_ROUNDS,
        "final": replace(STANDARD_ROUNDS["final"], private_data=True),
    }
    set_by_round: ClassVar[frozenset[str]] = frozenset({"round"})
    title: ClassVar[Both] = {"en": "PWS Cup 2021: health data", "ja": "PWS Cup 2021：健康データ"}
    data_files: ClassVar[tuple[FileSpec, ...]] = (FileSpec("B", {"en": "original table", "ja": "元のデータ"}),)
    release_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("D", {"en": "kept rows with changed values", "ja": "残した行（値を加工したもの）"}),
        FileSpec("X", {"en": "deleted rows of B, counted from 0", "ja": "削除したBの行番号（0から）"}),
    )
    published_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("D", {"en": "anonymized table", "ja": "匿名加工データ"}),
        FileSpec("CT", {"en": "your 100 test rows", "ja": "あなたのテスト行100件"}),
    )
    guess_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec(
            "E", {"en": "three rows of D for every test row, or -1", "ja": "テスト行ごとにDの行番号3つ、または-1"}
        ),
    )
    release_columns: ClassVar[tuple[Column, ...]] = (
        *(Column(key, title, "lower") for key, title in LIMIT_NAMES.items() if key != "rows"),
        Column("rows", LIMIT_NAMES["rows"], "higher", 0),
    )
    guess_columns: ClassVar[tuple[Column, ...]] = (
        Column("risk", {"en": "risk", "ja": "リスク"}, "higher"),
        Column("recall", {"en": "recall", "ja": "再現率"}, "higher"),
        Column("prec", {"en": "precision", "ja": "適合率"}, "higher"),
        Column("topk", {"en": "top 3", "ja": "上位3"}, "higher"),
    )
    matrix_figure: ClassVar[str] = "risk"
    utility_figure: ClassVar[str] = "iloss"
    safety_figure: ClassVar[str] = "R"
    methods: ClassVar[tuple[str, ...]] = ("team06", "top", "bottom", "kanony", "rr", "dp")
    attacks: ClassVar[tuple[str, ...]] = ("rlink", "attack", "team06", "odds-penalty", "likelihood", "order")
    # The limits leave room only for releases like those of team 06, and only on a table of the contest's size.
    players: ClassVar[tuple[Player, ...]] = (
        Player("Plain Six", "team06", "rlink", {"decoys": 0}, clumsy=True),
        Player("Few Decoys", "team06", "likelihood", {"decoys": 20}),
        Player("Near Misses", "team06", "team06", {"decoys": 0, "similar": 5}),
        Player("Rare First", "team06", "odds-penalty", {"decoys": 0, "order": "scarce"}),
    )

    strict: bool = parameter(False, "correct the oddities of the official programs")
    round: str = parameter("final", "whose limits apply", choices=("preliminary", "final"))
    limits_of: str = parameter(
        "round", "whose limits apply: those of the round, or of this one", choices=("round", "preliminary", "final")
    )
    shuffle: bool = parameter(True, "hand out the test rows CT in random order; in 2021 they were in the order of B")
    parameters_ja: ClassVar[Mapping[str, str]] = {
        "strict": "公式プログラムの癖を正す",
        "shuffle": "テスト行CTを無作為な順序で配る（2021年はBの順序のままでした）",
        "limits_of": "適用する制限: その回のもの、またはこの回のもの",
    }

    @property
    def rules(self) -> Rules2021:
        """The rules with these parameters."""
        from tokumei.contests.pws2021.rules import Rules2021

        return Rules2021(strict=self.strict, round=self.round if self.limits_of == "round" else self.limits_of)

    def for_round(self, kind: str) -> Pws2021:
        """Return the contest with the limits of this round; practice has the milder ones of the preliminary."""
        return replace(self, round="final" if kind == "final" else "preliminary")

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write B of so many rows."""
        from tokumei.synth import write_synthetic

        write_synthetic("health", data / "B.csv", subjects=size, seed=seed, header=False)

    def generate_private(self, base: Path, data: Path, *, size: int | None, seed: int) -> None:
        """Draw the B of one team from a common one by the synthesizer of the contest (spec D.7)."""
        import numpy as np

        from tokumei.contests.pws2021.synthesizer import HealthSynthesizer

        table = _original(base).table
        drawn = HealthSynthesizer.of(table).draw(size or table.height, rng=np.random.default_rng(seed))
        (data / "B.csv").write_bytes(_text(drawn.lines()))

    def check_data(self, data: Path) -> Checked:
        """Check B: readable, numbers where numbers belong, enough rows."""
        try:
            rows = _original(data).table.height
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "B")])
        if rows < FEWEST_ROWS:
            return Checked.refused([make_note("too-few-rows", _FEW_ROWS, "B", found=rows, most=FEWEST_ROWS)])
        return Checked(valid=True, figures={"rows": rows})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check D and X, and every figure against the limit of the round."""
        rules, original = self.rules, _original(data)
        d, x = release / "D.csv", release / "X.csv"
        long = _too_long({"D": d, "X": x}, 2 * original.frame.height)
        if long:
            return Checked.refused(long)
        try:
            judged = rules.check_dx(original, d, x)
            if not judged.valid:
                return Checked.refused(*_notes(judged))
            result = rules.evaluate(original, d, x)
        except TokumeiError as error:
            return Checked.refused([note_of_error(error)])
        limits = result["limits"]
        if not limits:
            return Checked.refused([_infeasible(result["warnings"])])
        figures = {name: limit["value"] for name, limit in limits.items()}
        beyond = [_beyond(name, limit) for name, limit in limits.items() if not limit["ok"]]
        return Checked(valid=result["passes"], figures=figures, notes=tuple(beyond), note_count=len(beyond))

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Write D and X."""
        from tokumei.contests.pws2021.rows import kept_rows
        from tokumei.contests.pws2021.rules import release_lines

        rules, original = self.rules, _original(data)
        made, secret = rules.anonymize(make_part(rules.anonymizer(method), settings), original, rng=rng)
        deleted = kept_rows(original.frame.height, secret.rows)
        (release / "D.csv").write_bytes(_text(release_lines(made, original)))
        (release / "X.csv").write_bytes(_text(deleted.tolist()))
        return {"rows": len(made), "deleted": len(deleted)}

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return D for all, and for every attacker test rows CT, whose true rows EA the judge keeps."""
        import numpy as np

        from tokumei.contests.pws2021.picked_rows import draw_rows, shuffled
        from tokumei.contests.pws2021.rules import read_rows
        from tokumei.data import read_bytes

        original = _original(data)
        deleted = read_rows(release / "X.csv", count=original.frame.height)
        tests, answers = {}, {}
        for attacker in attackers:
            words = hmac.new(seed.encode(), attacker.encode(), hashlib.sha256).digest()
            rng = np.random.default_rng(int.from_bytes(words))
            rows, truth = draw_rows(original.frame.height, deleted, rng=rng)
            if self.shuffle:
                rows, truth = shuffled(rows, truth, rng=rng)
            tests[attacker] = {"CT": _text(original.lines(rows))}
            answers[attacker] = {"EA": _text(truth.tolist())}
        common = {"D": read_bytes(release / "D.csv")}
        return Published(common=common, per_attacker=tests, truth_per_attacker=answers)

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Write E from D and the test rows CT alone."""
        from tokumei.contests.pws2021.rules import HealthFile

        del data
        part = make_part(self.rules.find_attack(attack), settings)
        test, table = (HealthFile.read(published / f"{name}.csv", name) for name in ("CT", "D"))
        seen = table.table.release()
        rows = part.guess(test.history, seen, rng=rng).choices(seen.pseudonyms).tolist()
        (guesses / "E.csv").write_bytes(_text(",".join(map(str, row)) for row in rows))
        return {"members": sum(row[0] >= 0 for row in rows), "guesses": len(rows)}

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Check files E and compare each with the answers about its own test rows."""
        del release, published, truth
        rules, original = self.rules, _original(data)
        return [_scored(rules, original, folder) for folder in guesses]

    def answered(self, published: Path, guesses: Path) -> Answered | None:
        """Return for how many test rows E names a row: -1 in the first place says that the person was deleted."""
        from tokumei.contests.plain_lines import plain_lines

        rows = plain_lines(guesses / "E.csv")
        named = [row for row in rows if row.partition(",")[0].strip() != "-1"]
        asked = len(plain_lines(published / "CT.csv")) or len(rows)
        return Answered(len(named), asked, {"en": "test rows", "ja": "テスト行"})

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
        """Return R and A of all teams (spec D.5.5)."""
        return round_table(entries, pairs, loss_title=LIMIT_NAMES["iloss"])

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return weighted R and A, with the sum of both ranks beside them."""
        return overall_table(rounds)


def _original(data: Path) -> HealthFile:
    from tokumei.contests.pws2021.rules import HealthFile

    return HealthFile.read(data / "B.csv", "B")


def _text(lines: Iterable[object]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _notes(judged: Judged) -> tuple[list[Note], int]:
    """Return the errors of a checker in both languages, and how many there are."""
    return [note_of(found, file) for file, found in judged.errors[:KEPT_NOTES]], len(judged.errors)


def _too_long(files: dict[str, Path], most: int) -> list[Note]:
    """Return a note for every file with more lines than it can need."""
    counts = {name: path.read_bytes().count(b"\n") for name, path in files.items()}
    return [
        make_note("too-long", _TOO_LONG, name, found=count, most=most) for name, count in counts.items() if count > most
    ]


def _infeasible(warnings: Sequence[str]) -> Note:
    """Return why the figures of a release could not be computed."""
    ja = "指標を計算できません。元のデータとの対応と値を確認してください"
    en = without_folders(f"the figures cannot be computed: {warnings[-1]}")
    return Note("not-measurable", {"en": en, "ja": ja})


def _beyond(name: str, limit: dict[str, Any]) -> Note:
    facts = {"value": limit["value"], "limit": limit["limit"]}
    message = {language: _BEYOND[language].format(name=LIMIT_NAMES[name][language], **facts) for language in _BEYOND}
    return Note("limit", message, name=name, value=repr(limit["value"]))


def _scored(rules: Rules2021, original: HealthFile, folder: Path) -> Checked:
    path, answers = folder / "E.csv", folder / "truth/EA.csv"
    if not answers.exists():
        return Checked.refused([make_note("no-test-rows", _NO_TEST_ROWS)])
    long = _too_long({"E": path}, MOST_ANSWERS)
    if long:
        return Checked.refused(long)
    try:
        judged = rules.check_e(original, path)
        if not judged.valid:
            return Checked.refused(*_notes(judged))
        return Checked(valid=True, figures=rules.lmark(answers, path).as_dict())
    except TokumeiError as error:
        return Checked.refused([note_of_error(error, "E")])
