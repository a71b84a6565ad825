"""PWS Cup 2016 as a contest: M', T' and the secret P are handed in, M' and T' published, Q guessed (spec A).

The system itself attacks every release with all sample attacks; the re-identification rate of a release is the largest
of theirs and of the other teams' (spec A.2, A.6).
"""

from __future__ import annotations

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
from tokumei.contests.notes import KEPT_NOTES, note_of_error, notes_of

if TYPE_CHECKING:
    from tokumei.contests.pws2016.checker import FilesCheck
    from tokumei.contests.pws2016.rules import Files, Pws2016

__all__ = ["Pws2016Game"]

# A round without a valid release counts as complete loss and complete re-identification.
WORST_SUM, WORST_MAX = 2.0, 1.0
# The names of the files in the specification, and here.
FILES = {"M'": "M1", "T'": "T1", "P": "P", "Q": "Q"}
_ANONYMIZER_RULE: Both = {
    "en": "Lowest score: utility error and largest re-identification rate (of the sample attacks and of all teams) "
    "together, by sum or maximum as the contest says; equal teams share a rank.",
    "ja": "有用性の誤差と再識別率の最大値（サンプル攻撃と全チームの攻撃）を、コンテストの定めに従い和または最大値で"
    "合わせた得点が小さい順。等しいチームは同順位です。",
}
_ATTACKER_RULE: Both = {
    "en": "Highest mean re-identification rate over all targets of other teams (0 where nothing valid was handed in); "
    "equal teams share a rank.",
    "ja": "他チームの全対象に対する再識別率の平均が大きい順（有効な提出がない対象は0）。等しいチームは同順位です。",
}
_OVERALL_RULE: Both = {
    "en": "Sum of weight × score over the rounds; equal teams share a rank.",
    "ja": "各回の重み×得点の合計。等しいチームは同順位です。",
}
_INCONSISTENT: Both = {"en": "P does not fit the data", "ja": "PがM'とT'の内容に合いません"}
UTILITY: dict[str, tuple[Both, str]] = {
    "cmae": ({"en": "cmae", "ja": "cmae"}, "lower"),
    "cmae2": ({"en": "cmae2", "ja": "cmae2"}, "lower"),
    "rfm": ({"en": "RFM", "ja": "RFM"}, "higher"),
    "ham": ({"en": "ham", "ja": "ham"}, "lower"),
    "topitem": ({"en": "topitem", "ja": "topitem"}, "higher"),
}


class Pws2016Game(Game):
    """The game of 2016.

    Parameters: ``cells``, ``orphans``, ``threshold``, ``seed``, ``combine`` (sum or max), and ``need_consistent``: a P
    that most of the telling rows contradict, which the contest let pass, makes a release invalid.
    """

    name: ClassVar[str] = "pws2016"
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

    def check_data(self, data: Path, parameters: Figures) -> Checked:
        """Check M and T against each other."""
        from tokumei.errors import TokumeiError

        try:
            original = _rules(parameters).read(_files(data)).original
        except TokumeiError as error:
            return _refused([note_of_error(error)])
        return Checked(valid=True, figures={"customers": len(original.subjects), "rows": len(original)})

    def check_release(self, data: Path, release: Path, parameters: Figures) -> Checked:
        """Check M', T' and P, measure all utilities and run all sample attacks."""
        import numpy as np

        from tokumei.errors import TokumeiError

        rules, files = _rules(parameters), _files(data, release=release)
        try:
            checked = rules.check(files)
            if not checked.valid:
                return _refused(*_notes(checked))
            found = rules.read(files)
            rng = np.random.default_rng(int(parameters.get("seed", 0)))
            result = rules.evaluate(found.original, found.release, found.secret, rng=rng)
        except TokumeiError as error:
            return _refused([note_of_error(error)])
        if parameters.get("need_consistent") and not result["consistent"]:
            told = {**_INCONSISTENT, "en": result["consistency"]["sentence"]}
            return _refused([Note("inconsistent-p", told, file="P")])
        attacks = {f"attack_{name}": rate for name, rate in result["attacks"].items()}
        figures = {**result["combined"], **result["utility"], "reid_max": result["reid_max"], **attacks}
        return Checked(valid=True, figures={**figures, "n": result["n"], "consistent": result["consistent"]})

    def publish(
        self, data: Path, release: Path, parameters: Figures, *, attackers: Sequence[str], seed: str
    ) -> Published:
        """Return M' and T'; P stays in the release, which the judge has."""
        from tokumei.data import read_bytes

        del data, parameters, attackers, seed
        return Published(common={name: read_bytes(release / f"{name}.csv") for name in ("M1", "T1")})

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
        """Check files Q and compare them with P."""
        del published, truth
        rules = _rules(parameters)
        found = rules.read(_files(data, release=release))
        return [_scored(folder / "Q.csv", len(found.original.subjects), found.p) for folder in guesses]

    def release_order(self, figures: Figures) -> float:
        """Return the sum of utility error and re-identification rate."""
        return float(figures["sum"])

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair], parameters: Figures) -> RoundTable:
        """Return anonymizers by utility error and largest rate together, attackers by their mean rate."""
        counted = ranking.counted_pairs(entries, pairs)
        return RoundTable(
            anonymizers=_anonymizers(entries, counted, largest=parameters.get("combine") == "max"),
            attackers=_attackers(entries, counted),
            anonymizer_columns=(
                Column("score", {"en": "score", "ja": "得点"}, "lower"),
                Column("utility_error", {"en": "utility error", "ja": "有用性の誤差"}, "lower"),
                Column("rate", {"en": "largest re-identification rate", "ja": "最大再識別率"}, "lower"),
            ),
            attacker_columns=(
                Column("mean_rate", {"en": "mean rate", "ja": "平均再識別率"}, "higher"),
                Column("attacked", {"en": "targets attacked", "ja": "攻撃した対象"}, "", 0),
            ),
            anonymizer_rule=_ANONYMIZER_RULE,
            attacker_rule=_ATTACKER_RULE,
        )

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return the weighted sums of both scores."""
        score = Column("score", {"en": "weighted score", "ja": "加重得点"}, "lower")
        return RoundTable(
            anonymizers=ranking.weighted(
                [(weight, table.anonymizers) for weight, table in rounds], "score", missing=WORST_SUM, lower=True
            ),
            attackers=ranking.weighted(
                [(weight, table.attackers) for weight, table in rounds], "mean_rate", missing=0.0, lower=False
            ),
            anonymizer_columns=(score,),
            attacker_columns=(Column("score", score.title, "higher"),),
            anonymizer_rule=_OVERALL_RULE,
            attacker_rule=_OVERALL_RULE,
        )


def _rules(parameters: Figures) -> Pws2016:
    from tokumei.contests.pws2016.rules import Pws2016

    return Pws2016(**{name: parameters[name] for name in ("cells", "orphans", "threshold") if name in parameters})


def _files(data: Path, *, release: Path | None = None) -> Files:
    from tokumei.contests.pws2016.rules import Files

    own = {} if release is None else {name: release / f"{name.upper()}.csv" for name in ("m1", "t1", "p")}
    return Files(m=data / "M.csv", t=data / "T.csv", **own)


def _refused(notes: Sequence[Note], count: int | None = None) -> Checked:
    return Checked(valid=False, notes=tuple(notes), note_count=len(notes) if count is None else count)


def _notes(checked: FilesCheck) -> tuple[list[Note], int]:
    """Return the findings in all files in both languages, and how many there are."""
    notes: list[Note] = []
    for name, result in checked.files.items():
        notes += notes_of(result, FILES[name], KEPT_NOTES - len(notes))
    return notes, checked.error_count


def _scored(path: Path, originals: int, truth: Any) -> Checked:
    """Return the hits of one Q."""
    import polars as pl

    from tokumei.contests.pws2016.checker import check_rows, unreadable_lines
    from tokumei.contests.pws2016.metrics.row_guesses import judge_rows
    from tokumei.contests.reading import read_contest
    from tokumei.errors import ContentError, TokumeiError

    try:
        rows = read_contest(path, "pws2016", "Q")["row"]
    except ContentError as error:
        result = unreadable_lines(error)
        return _refused(notes_of(result, "Q"), error.total)
    except TokumeiError as error:
        return _refused([note_of_error(error, "Q")])
    result = check_rows(rows, n=originals, expected=len(truth), distinct=False)
    if not result.valid:
        return _refused(notes_of(result, "Q"), result.error_count)
    return Checked(valid=True, figures=judge_rows(truth, rows.cast(pl.Int64).to_numpy(), originals=originals).as_dict())


def _anonymizers(entries: Sequence[Entry], pairs: Sequence[Pair], *, largest: bool) -> tuple[Row, ...]:
    received: dict[str, float] = {}
    for pair in pairs:
        received[pair.owner] = max(received.get(pair.owner, 0.0), float(pair.figures["rate"]))
    rows, others = [], []
    for entry in entries:
        if entry.figures is None or entry.disqualified:
            row = ranking.unranked(entry)
            others.append(Row(row.team, None, {"score": WORST_MAX if largest else WORST_SUM}, row.remark))
            continue
        error = float(entry.figures["utility_error"])
        rate = max(float(entry.figures["reid_max"]), received.get(entry.team, 0.0))
        score = max(error, rate) if largest else error + rate
        remark = None if entry.figures.get("consistent", True) else _INCONSISTENT
        rows.append(Row(entry.team, None, {"score": score, "utility_error": error, "rate": rate}, remark))
    return (*ranking.shared(rows, lambda row: row.figures["score"]), *others)


def _attackers(entries: Sequence[Entry], pairs: Sequence[Pair]) -> tuple[Row, ...]:
    open_to_attack = {entry.team for entry in entries if entry.figures is not None and not entry.disqualified}
    rows, others = [], []
    for entry in entries:
        if entry.disqualified:
            others.append(ranking.unranked(entry))
            continue
        own = {pair.owner: float(pair.figures["rate"]) for pair in pairs if pair.attacker == entry.team}
        aims = sorted(open_to_attack - {entry.team})
        mean = sum(own.get(team, 0.0) for team in aims) / len(aims) if aims else 0.0
        rows.append(Row(entry.team, None, {"mean_rate": mean, "attacked": len(own)}))
    return (*ranking.shared(rows, lambda row: -row.figures["mean_rate"]), *others)
