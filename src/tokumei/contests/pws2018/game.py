"""PWS Cup 2018 as a contest: A is handed in, A' published, F' guessed; the lowest U among safe files wins (spec B)."""

from __future__ import annotations

from collections import Counter
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
    Pair,
    Published,
    RoundTable,
    Row,
)
from tokumei.contests.notes import note_of_error, notes_of

if TYPE_CHECKING:
    from tokumei.contests.check_result import CheckResult
    from tokumei.contests.pws2018.rules import Original, Pws2018

__all__ = ["Pws2018Game"]

# Two U closer than this are the same result (issue of the arena, tie rule of 2018).
SAME_U = 1e-9
# U of a round without a safe file: the largest possible loss.
WORST_U = 1.0

_ANONYMIZER_RULE: Both = {
    "en": "Lowest U among the files that received no effective re-identification; U within 1e-9 is a tie, broken by "
    "fewer effective re-identifications under the sharp test, then by the earlier submission.",
    "ja": "有効な再識別を受けなかったファイルのうち、Uが最小のものが1位。Uの差が1e-9以内なら同点とし、"
    "厳密な検定で有効となる再識別の少ない順、次に提出の早い順で決めます。",
}
_ATTACKER_RULE: Both = {
    "en": "Most effective re-identifications, then most under the sharp test; teams equal in both share a rank.",
    "ja": "有効な再識別の多い順、次に厳密な検定で有効な再識別の多い順。両方とも等しいチームは同順位です。",
}
_OVERALL_RULE: Both = {
    "en": "Lowest sum of weight × U over the rounds, a round without a safe file counting as U = 1; ties within 1e-9 "
    "by fewer effective re-identifications under the sharp test, then by the earlier submission.",
    "ja": "各回の重み×Uの合計が最小のチームが1位（安全なファイルのない回はU = 1として数えます）。差が1e-9以内なら、"
    "厳密な検定で有効となる再識別の少ない順、次に提出の早い順で決めます。",
}
_OVERALL_ATTACKER_RULE: Both = {
    "en": "Highest sum of weight × effective re-identifications over the rounds; equal teams share a rank.",
    "ja": "各回の重み×有効な再識別数の合計が最大のチームが1位。等しいチームは同順位です。",
}


class Pws2018Game(Game):
    """The game of 2018; parameters: ``strict``, ``p`` and ``alpha`` of the safety test."""

    name: ClassVar[str] = "pws2018"
    title: ClassVar[Both] = {"en": "PWS Cup 2018: purchase histories", "ja": "PWS Cup 2018：購買履歴"}
    data_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("T", {"en": "original transactions", "ja": "元の購買履歴"}),
        FileSpec("R", {"en": "threshold table (optional)", "ja": "閾値表（任意）"}, optional=True),
    )
    release_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("A", {"en": "anonymized transactions, aligned with T", "ja": "匿名加工した履歴（Tと同じ行順）"}),
    )
    published_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("A1", {"en": "published transactions A'", "ja": "公開された履歴A'"}),
    )
    guess_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("F1", {"en": "guesses: pseudonym,customer", "ja": "推定：仮名,顧客ID"}),
    )
    release_columns: ClassVar[tuple[Column, ...]] = (
        Column("U", {"en": "U", "ja": "U"}, "lower"),
        Column("il_date", {"en": "date", "ja": "日付"}, "lower"),
        Column("il_goods", {"en": "goods", "ja": "商品"}, "lower"),
        Column("il_price", {"en": "price", "ja": "単価"}, "lower"),
        Column("il_quantity", {"en": "quantity", "ja": "数量"}, "lower"),
    )
    guess_columns: ClassVar[tuple[Column, ...]] = (
        Column("hits", {"en": "right guesses", "ja": "正解数"}, "higher", 0),
        Column("n", {"en": "guesses", "ja": "推定"}, "", 0),
        Column("threshold", {"en": "threshold", "ja": "閾値"}, "", 0),
        Column("sharp_threshold", {"en": "sharp threshold", "ja": "厳密な閾値"}, "", 0),
        Column("unsafe", {"en": "effective", "ja": "有効"}, "higher", 0),
    )
    matrix_figure: ClassVar[str] = "hits"
    utility_figure: ClassVar[str] = "U"
    safety_figure: ClassVar[str] = "most_hits"

    def check_data(self, data: Path, parameters: Figures) -> Checked:
        """Check T: it can be read, and leaving it as it is costs nothing."""
        from tokumei.errors import TokumeiError

        try:
            _rules(parameters).safety_test(_table(data), **_levels(parameters))
            original = _original(data)
            history = original.history
        except TokumeiError as error:
            return Checked(valid=False, notes=(note_of_error(error, "T"),), note_count=1)
        frame = original.frame
        counts = {name: frame[name].n_unique() for name in ("customer", "goods")}
        return Checked(valid=True, figures={"rows": len(history), "customers": counts["customer"], **counts})

    def check_release(self, data: Path, release: Path, parameters: Figures) -> Checked:
        """Check A and measure U with its four columns."""
        from tokumei.contests.pws2018.rules import Anonymized

        rules, original, path = _rules(parameters), _original(data), release / "A.csv"
        checked = rules.check(original, path)
        if not checked.valid:
            return _refused(checked, "A")
        score = rules.utility(original, Anonymized.read(path))
        return Checked(
            valid=True, figures={"U": score.value, **{f"il_{key}": part for key, part in score.parts.items()}}
        )

    def publish(
        self, data: Path, release: Path, parameters: Figures, *, attackers: Sequence[str], seed: str
    ) -> Published:
        """Return A'; the truth is A itself, which the judge has."""
        from tokumei.contests.pws2018.publishing import published_bytes
        from tokumei.data import read_bytes

        del data, parameters, attackers, seed
        return Published(common={"A1": published_bytes(read_bytes(release / "A.csv", allow_empty=True))[0]})

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
        """Check and judge files F' about one A."""
        from tokumei.contests.pws2018.rules import Anonymized
        from tokumei.errors import TokumeiError

        del truth
        rules, original = _rules(parameters), _original(data)
        anonymized = Anonymized.read(release / "A.csv")
        seen = Anonymized.read(published / "A1.csv", published=True)
        test = rules.safety_test(_table(data), **_levels(parameters))
        found = []
        for path in [folder / "F1.csv" for folder in guesses]:
            checked = rules.check_guesses(original, seen, path)
            if not checked.valid:
                found.append(_refused(checked, "F1"))
                continue
            try:
                figures = rules.safety(original, anonymized, path, test=test).as_dict()
            except TokumeiError as error:
                # The checker takes lines ended by CR alone, the reader does not.
                found.append(Checked(valid=False, notes=(note_of_error(error, "F1"),), note_count=1))
                continue
            del figures["warnings"]
            found.append(Checked(valid=True, figures=figures))
        return found

    def release_order(self, figures: Figures) -> float:
        """Return U: the lowest is the best."""
        return float(figures["U"])

    def guess_order(self, figures: Figures) -> tuple[float, ...]:
        """Return what orders several attempts at one target: an effective one first, then most hits."""
        return (-float(figures["unsafe"]), -float(figures["sharp_unsafe"]), -float(figures["hits"]))

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair], parameters: Figures) -> RoundTable:
        """Return survivors by U, and attackers by effective re-identifications."""
        del parameters
        counted = ranking.counted_pairs(entries, pairs)
        return RoundTable(
            anonymizers=_anonymizers(entries, counted),
            attackers=_attackers(entries, counted),
            anonymizer_columns=ANONYMIZER_COLUMNS,
            attacker_columns=ATTACKER_COLUMNS,
            anonymizer_rule=_ANONYMIZER_RULE,
            attacker_rule=_ATTACKER_RULE,
        )

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return the sums of weight × U and of weight × effective re-identifications."""
        return RoundTable(
            anonymizers=_overall_anonymizers(rounds),
            attackers=ranking.weighted(
                [(weight, table.attackers) for weight, table in rounds], "effective", missing=0.0, lower=False
            ),
            anonymizer_columns=(
                Column("score", {"en": "weighted U", "ja": "加重U"}, "lower"),
                Column("sharp_received", ANONYMIZER_COLUMNS[2].title, "lower", 0),
            ),
            attacker_columns=(Column("score", {"en": "weighted successes", "ja": "加重成功数"}, "higher", 2),),
            anonymizer_rule=_OVERALL_RULE,
            attacker_rule=_OVERALL_ATTACKER_RULE,
        )


ANONYMIZER_COLUMNS = (
    Column("U", {"en": "U", "ja": "U"}, "lower"),
    Column("received", {"en": "effective re-identifications", "ja": "有効な再識別"}, "lower", 0),
    Column("sharp_received", {"en": "under the sharp test", "ja": "厳密な検定で有効"}, "lower", 0),
    Column("most_hits", {"en": "most right guesses", "ja": "最多正解数"}, "lower", 0),
)
ATTACKER_COLUMNS = (
    Column("effective", {"en": "effective re-identifications", "ja": "有効な再識別"}, "higher", 0),
    Column("sharp_effective", {"en": "under the sharp test", "ja": "厳密な検定で有効"}, "higher", 0),
    Column("hits", {"en": "right guesses", "ja": "正解数"}, "higher", 0),
    Column("attacked", {"en": "targets attacked", "ja": "攻撃した対象"}, "", 0),
)


def _rules(parameters: Figures) -> Pws2018:
    from tokumei.contests.pws2018.rules import Pws2018

    return Pws2018(strict=bool(parameters.get("strict", False)))


def _levels(parameters: Figures) -> dict[str, Any]:
    from tokumei.audits import parse_rational

    return {name: parse_rational(str(parameters[name]), name=name) for name in ("p", "alpha") if name in parameters}


def _original(data: Path) -> Original:
    from tokumei.contests.pws2018.rules import Original

    return Original.read(data / "T.csv")


def _table(data: Path) -> Path | None:
    path = data / "R.csv"
    return path if path.exists() else None


def _refused(result: CheckResult, file: str) -> Checked:
    return Checked(valid=False, notes=tuple(notes_of(result, file)), note_count=result.error_count)


def _anonymizers(entries: Sequence[Entry], pairs: Sequence[Pair]) -> tuple[Row, ...]:
    received = Counter(pair.owner for pair in pairs if pair.figures["unsafe"])
    sharp = Counter(pair.owner for pair in pairs if pair.figures["sharp_unsafe"])
    most: dict[str, int] = {}
    for pair in pairs:
        most[pair.owner] = max(most.get(pair.owner, 0), int(pair.figures["hits"]))
    safe, unsafe, others = [], [], []
    for entry in entries:
        if entry.disqualified or entry.figures is None:
            others.append(ranking.unranked(entry))
            continue
        team = entry.team
        figures = {
            "U": float(entry.figures["U"]),
            "received": received[team],
            "sharp_received": sharp[team],
            "most_hits": most.get(team, 0),
            "received_at": "" if entry.received_at is None else entry.received_at.isoformat(),
        }
        if received[team]:
            unsafe.append(Row(team, None, figures, ranking.UNSAFE))
        else:
            safe.append(Row(team, None, figures))
    by_u = ranking.in_order(
        safe, _loss, SAME_U, lambda row: (row.figures["sharp_received"], row.figures["received_at"])
    )
    return (*by_u, *sorted(unsafe, key=lambda row: (_loss(row), row.team)), *others)


def _loss(row: Row) -> float:
    return float(row.figures["U"])


def _tie(row: Row) -> tuple[int, str]:
    return int(row.figures["sharp_received"]), str(row.figures["received_at"])


def _attackers(entries: Sequence[Entry], pairs: Sequence[Pair]) -> tuple[Row, ...]:
    rows, others = [], []
    for entry in entries:
        if entry.disqualified:
            others.append(ranking.unranked(entry))
            continue
        own = [pair.figures for pair in pairs if pair.attacker == entry.team]
        figures = {
            "effective": sum(bool(one["unsafe"]) for one in own),
            "sharp_effective": sum(bool(one["sharp_unsafe"]) for one in own),
            "hits": sum(int(one["hits"]) for one in own),
            "attacked": len(own),
        }
        rows.append(Row(entry.team, None, figures))
    ranked = ranking.shared(rows, lambda row: (-row.figures["effective"], -row.figures["sharp_effective"]))
    return (*ranked, *others)


def _overall_anonymizers(rounds: Sequence[tuple[float, RoundTable]]) -> tuple[Row, ...]:
    safe: list[Row] = []
    others: list[Row] = []
    for team in ranking.teams_of([table.anonymizers for _, table in rounds]):
        found = [
            (weight, next((row for row in table.anonymizers if row.team == team), None)) for weight, table in rounds
        ]
        ranked = [(weight, row) for weight, row in found if row is not None and row.rank is not None]
        score = sum(weight * (WORST_U if row is None or row.rank is None else _loss(row)) for weight, row in found)
        figures = {
            "score": score,
            "sharp_received": sum(row.figures.get("sharp_received", 0) for _, row in found if row is not None),
            "received_at": max((row.figures["received_at"] for _, row in ranked), default=""),
        }
        remark = next((row.remark for _, row in reversed(found) if row is not None and row.remark), None)
        (safe if ranked else others).append(Row(team, None, figures, None if ranked else remark))
    ordered = ranking.in_order(
        safe,
        lambda row: float(row.figures["score"]),
        SAME_U,
        _tie,
    )
    return (*ordered, *others)
