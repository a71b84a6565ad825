"""PWS Cup 2021 as a contest: D and X are handed in, D and test rows CT published, E guessed (spec D).

Every attacker gets test rows of its own for every target, drawn when the target is published from a secret seed; the
true rows EA stay with the judge. In the final every team has a table B of its own, which the attackers do not know.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tokumei.contests import ranking
from tokumei.contests.base import (
    Both,
    Checked,
    Column,
    Entry,
    Figures,
    FileSpec,
    Game,
    Note,
    Pair,
    Published,
    RoundTable,
    Row,
)
from tokumei.contests.notes import KEPT_NOTES, note_of, note_of_error, without_folders

if TYPE_CHECKING:
    from tokumei.contests.pws2021.checker import Checked as Judged
    from tokumei.contests.pws2021.rules import HealthFile, Pws2021

__all__ = ["Pws2021Game"]

# Test rows are drawn half from deleted and half from kept rows, and half of B must be kept: fewer rows cannot do.
FEWEST_ROWS = 200
# More lines than this cannot become valid by correcting cells; they are refused before every cell is explained.
MOST_ANSWERS = 1_000
# R of a team without a valid release, or disqualified (spec D.5.5).
WORST_RISK = 1.0
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
_ANONYMIZER_RULE: Both = {
    "en": "Lowest R, the largest risk over all attackers (1 without a valid release); equal teams share a rank.",
    "ja": "全攻撃者に対するリスクの最大値Rが小さい順（有効な提出がなければ1）。等しいチームは同順位です。",
}
_ATTACKER_RULE: Both = {
    "en": "Highest A, the mean risk over the three best anonymizers without the own file; equal teams share a rank.",
    "ja": "上位3つの匿名加工データ（自チームを除く）に対するリスクの平均Aが大きい順。等しいチームは同順位です。",
}
_OVERALL_RULE: Both = {
    "en": "Sum of weight × score over the rounds; equal teams share a rank. Overall place: the sum of the ranks as "
    "anonymizer and as attacker, the smallest first.",
    "ja": "各回の重み×得点の合計。等しいチームは同順位です。総合順位は匿名加工と攻撃の順位の和が小さい順です。",
}


class Pws2021Game(Game):
    """The game of 2021; parameters: ``strict``, and ``limits_of`` (preliminary or final) if not those of the round."""

    name: ClassVar[str] = "pws2021"
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

    def check_data(self, data: Path, parameters: Figures) -> Checked:
        """Check B: readable, numbers where numbers belong, enough rows."""
        from tokumei.errors import TokumeiError

        del parameters
        try:
            original = _original(data)
            rows = original.table.height
        except TokumeiError as error:
            return _refused([note_of_error(error, "B")])
        if rows < FEWEST_ROWS:
            return _refused([_note("too-few-rows", _FEW_ROWS, "B", found=rows, most=FEWEST_ROWS)])
        return Checked(valid=True, figures={"rows": rows})

    def check_release(self, data: Path, release: Path, parameters: Figures) -> Checked:
        """Check D and X, and every figure against the limit of the round."""
        from tokumei.errors import TokumeiError

        rules, original = _rules(parameters), _original(data)
        d, x = release / "D.csv", release / "X.csv"
        long = _too_long({"D": d, "X": x}, 2 * original.frame.height)
        if long:
            return _refused(long)
        try:
            judged = rules.check_dx(original, d, x)
            if not judged.valid:
                return _refused(*_notes(judged))
            found = rules.evaluate(original, d, x)
        except TokumeiError as error:
            return _refused([note_of_error(error)])
        limits = found["limits"]
        if not limits:
            return _refused([_infeasible(found["warnings"])])
        figures = {name: limit["value"] for name, limit in limits.items()}
        beyond = [_beyond(name, limit) for name, limit in limits.items() if not limit["ok"]]
        return Checked(valid=found["passes"], figures=figures, notes=tuple(beyond), note_count=len(beyond))

    def publish(
        self, data: Path, release: Path, parameters: Figures, *, attackers: Sequence[str], seed: str
    ) -> Published:
        """Return D for all, and for every attacker test rows CT, whose true rows EA the judge keeps."""
        import numpy as np

        from tokumei.contests.pws2021.picked_rows import draw_rows
        from tokumei.contests.pws2021.rules import read_rows
        from tokumei.data import read_bytes

        del parameters
        original = _original(data)
        deleted = read_rows(release / "X.csv", count=original.frame.height)
        tests, answers = {}, {}
        for attacker in attackers:
            words = hmac.new(seed.encode(), attacker.encode(), hashlib.sha256).digest()
            rng = np.random.default_rng(int.from_bytes(words))
            rows, truth = draw_rows(original.frame.height, deleted, rng=rng)
            tests[attacker] = {"CT": _text(original.lines(rows))}
            answers[attacker] = {"EA": _text(str(row) for row in truth.tolist())}
        common = {"D": read_bytes(release / "D.csv")}
        return Published(common=common, per_attacker=tests, truth_per_attacker=answers)

    def score_guesses(
        self,
        data: Path,
        release: Path,
        *,
        published: Path,
        truth: Path,
        guesses: Sequence[Path],
        parameters: Figures,
    ) -> list[Checked]:
        """Check files E and compare each with the answers about its own test rows."""
        del release, published, truth
        rules, original = _rules(parameters), _original(data)
        return [_scored(rules, original, folder) for folder in guesses]

    def release_order(self, figures: Figures) -> float:
        """Return the information loss: within the limits, the release that changed least."""
        return float(figures["iloss"])

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair], parameters: Figures) -> RoundTable:
        """Return R and A of all teams (spec D.5.5)."""
        del parameters
        risks = _risks(entries, pairs)
        scores = _anonymizer_scores(entries, risks)
        return RoundTable(
            anonymizers=_anonymizers(entries, risks, scores),
            attackers=_attackers(entries, risks, scores),
            anonymizer_columns=(
                Column("R", {"en": "R (largest risk)", "ja": "R（最大リスク）"}, "lower"),
                Column("iloss", LIMIT_NAMES["iloss"], "lower"),
                Column("attacks", {"en": "attacks received", "ja": "受けた攻撃"}, "", 0),
            ),
            attacker_columns=(
                Column("A", {"en": "A (mean risk of the three best)", "ja": "A（上位3件の平均リスク）"}, "higher"),
                Column("attacked", {"en": "targets attacked", "ja": "攻撃した対象"}, "", 0),
            ),
            anonymizer_rule=_ANONYMIZER_RULE,
            attacker_rule=_ATTACKER_RULE,
        )

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return weighted R and A, with the sum of both ranks beside them."""
        anonymizers = ranking.weighted(
            [(weight, table.anonymizers) for weight, table in rounds], "R", missing=WORST_RISK, lower=True
        )
        attackers = ranking.weighted(
            [(weight, table.attackers) for weight, table in rounds], "A", missing=0.0, lower=False
        )
        total = Column("rank_sum", {"en": "sum of both ranks", "ja": "順位の和"}, "lower", 0)
        place = Column("overall", {"en": "overall place", "ja": "総合順位"}, "lower", 0)
        sums = _rank_sums(anonymizers, attackers)
        return RoundTable(
            anonymizers=tuple(_with_sums(row, sums) for row in anonymizers),
            attackers=tuple(_with_sums(row, sums) for row in attackers),
            anonymizer_columns=(Column("score", {"en": "weighted R", "ja": "加重R"}, "lower"), total, place),
            attacker_columns=(Column("score", {"en": "weighted A", "ja": "加重A"}, "higher"), total, place),
            anonymizer_rule=_OVERALL_RULE,
            attacker_rule=_OVERALL_RULE,
        )


def _rules(parameters: Figures) -> Pws2021:
    from tokumei.contests.pws2021.rules import LIMITS, Pws2021

    round_ = str(parameters.get("limits_of") or parameters.get("round") or "final")
    # Practice has the milder limits of the preliminary round.
    return Pws2021(strict=bool(parameters.get("strict", False)), round=round_ if round_ in LIMITS else "preliminary")


def _original(data: Path) -> HealthFile:
    from tokumei.contests.pws2021.rules import HealthFile

    return HealthFile.read(data / "B.csv", "B")


def _text(lines: Any) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _note(code: str, sentences: Both, file: str = "", **facts: Any) -> Note:
    return Note(code, {language: text.format(**facts) for language, text in sentences.items()}, file=file)


def _refused(notes: Sequence[Note], count: int | None = None) -> Checked:
    return Checked(valid=False, notes=tuple(notes), note_count=len(notes) if count is None else count)


def _notes(judged: Judged) -> tuple[list[Note], int]:
    """Return the errors of a checker in both languages, and how many there are."""
    return [note_of(found, file) for file, found in judged.errors[:KEPT_NOTES]], len(judged.errors)


def _too_long(files: dict[str, Path], most: int) -> list[Note]:
    """Return a note for every file with more lines than it can need."""
    counts = {name: path.read_bytes().count(b"\n") for name, path in files.items()}
    return [
        _note("too-long", _TOO_LONG, name, found=count, most=most) for name, count in counts.items() if count > most
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


def _scored(rules: Pws2021, original: HealthFile, folder: Path) -> Checked:
    from tokumei.errors import TokumeiError

    path, answers = folder / "E.csv", folder / "truth/EA.csv"
    if not answers.exists():
        return _refused([_note("no-test-rows", _NO_TEST_ROWS)])
    long = _too_long({"E": path}, MOST_ANSWERS)
    if long:
        return _refused(long)
    try:
        judged = rules.check_e(original, path)
        if not judged.valid:
            return _refused(*_notes(judged))
        return Checked(valid=True, figures=rules.lmark(answers, path).as_dict())
    except TokumeiError as error:
        return _refused([note_of_error(error, "E")])


def _risks(entries: Sequence[Entry], pairs: Sequence[Pair]) -> dict[str, dict[str, float]]:
    """Return ``risks[target][attacker]``; teams without a valid release are no targets."""
    found: dict[str, dict[str, float]] = {entry.team: {} for entry in entries if entry.figures is not None}
    for pair in ranking.counted_pairs(entries, pairs):
        if pair.owner in found:
            found[pair.owner][pair.attacker] = float(pair.figures["risk"])
    return found


def _anonymizer_scores(entries: Sequence[Entry], risks: dict[str, dict[str, float]]) -> dict[str, float]:
    from tokumei.contests.pws2021.scores import anonymizer_scores

    out = frozenset(entry.team for entry in entries if entry.disqualified)
    return anonymizer_scores(risks, disqualified=out)


def _anonymizers(
    entries: Sequence[Entry], risks: dict[str, dict[str, float]], scores: dict[str, float]
) -> tuple[Row, ...]:
    rows, others = [], []
    for entry in entries:
        if entry.disqualified:
            others.append(Row(entry.team, None, {"R": WORST_RISK}, ranking.DISQUALIFIED))
            continue
        if entry.figures is None:
            rows.append(Row(entry.team, None, {"R": WORST_RISK}, ranking.MISSING))
            continue
        figures = {"R": scores[entry.team], "iloss": entry.figures["iloss"], "attacks": len(risks[entry.team])}
        rows.append(Row(entry.team, None, figures))
    return (*ranking.shared(rows, lambda row: row.figures["R"]), *others)


def _attackers(
    entries: Sequence[Entry], risks: dict[str, dict[str, float]], scores: dict[str, float]
) -> tuple[Row, ...]:
    from tokumei.contests.pws2021.scores import attacker_scores

    out = {entry.team for entry in entries if entry.disqualified}
    reached = attacker_scores(risks, {team: score for team, score in scores.items() if team not in out})
    rows, others = [], []
    for entry in entries:
        if entry.disqualified:
            others.append(ranking.unranked(entry))
            continue
        attacked = sum(entry.team in found for found in risks.values())
        rows.append(Row(entry.team, None, {"A": reached.get(entry.team, 0.0), "attacked": attacked}))
    return (*ranking.shared(rows, lambda row: -row.figures["A"]), *others)


def _rank_sums(anonymizers: Sequence[Row], attackers: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Return the sum of both ranks of every team ranked in both, and its place by that sum."""
    second = {row.team: row.rank for row in attackers if row.rank is not None}
    sums = {row.team: row.rank + second[row.team] for row in anonymizers if row.rank is not None and row.team in second}
    return {team: (total, 1 + sum(other < total for other in sums.values())) for team, total in sums.items()}


def _with_sums(row: Row, sums: dict[str, tuple[int, int]]) -> Row:
    if row.team not in sums:
        return row
    total, place = sums[row.team]
    return Row(row.team, row.rank, {**row.figures, "rank_sum": total, "overall": place}, row.remark)
