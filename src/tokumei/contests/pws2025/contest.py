"""PWS Cup 2025 as a contest: a table C and a model D are handed in, others tell who is a member (later_contests 2)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tokumei.contests import ranking
from tokumei.contests.base import STANDARD_ROUNDS, Contest
from tokumei.contests.notes import KEPT_NOTES, note_of_error
from tokumei.contests.pws2025.ranking import BEST_TEAMS, PRELIMINARY_BEST, Scores
from tokumei.contests.settings import read_settings
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
from tokumei.errors import InputError, ParameterError, TokumeiError
from tokumei.parts import parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from tokumei.contests.pws2025.table import Patients

# A has ten times the people of B: by chance a tenth of the marks hits.
CROWD = 10
FEWEST_ROWS = 50
_RULE: Both = {
    "en": "Highest total first: utility (100) plus anonymity (100 minus the share that the best attacker hit, less one "
    "point for every attacker beyond the first on the same person); equal teams share a rank.",
    "ja": "有用性（100点）と匿名性（最良の攻撃者の的中率と、同じ人を当てた攻撃者数−1を引く）の和が大きい順。"
    "同点は同順位です。",
}
_ATTACK_RULE: Both = {
    "en": "Most hits on the best teams by total first; for the own table the largest number of hits on it counts.",
    "ja": "総合上位チームに対する的中数の合計が大きい順。自チームの表には、それに対する最大の的中数を数えます。",
}
_OVERALL: Both = {
    "en": "Sum of weight × score over the rounds; equal teams share a rank.",
    "ja": "各回の重み×得点の合計。等しいチームは同順位です。",
}
_TOTAL: Both = {"en": "total", "ja": "総合"}
_POINTS: Both = {"en": "hits on the best teams", "ja": "上位チームへの的中数"}


@dataclass(frozen=True, kw_only=True)
class Pws2025(Contest):
    """Patients and a model against membership inference."""

    name: ClassVar[str] = "pws2025"
    command_module: ClassVar[str] = "tokumei.contests.pws2025.commands"
    source: ClassVar[str] = "PWS Cup 2025"
    about: ClassVar[Both] = {
        "en": "PWS Cup 2025: check, measure, attack and judge a table of patients and a model",
        "ja": "PWS Cup 2025：患者の表とモデルを検査、測定、攻撃、判定する",
    }
    sizes: ClassVar[Sizes | None] = Sizes(default=10_000, low=200, high=10_000, demo=500)
    draws_private_data: ClassVar[bool] = True
    rounds: ClassVar[Mapping[str, RoundPreset]] = {
        "practice": STANDARD_ROUNDS["practice"],
        "preliminary": RoundPreset(weight="0.1", phase_days=(0, 7, 15, 22, 24), private_data=True),
        "final": RoundPreset(weight="0.9", first_day=33, phase_days=(0, 7, 16, 23, 37), private_data=True),
    }
    set_by_round: ClassVar[frozenset[str]] = frozenset({"best_teams"})
    title: ClassVar[Both] = {"en": "PWS Cup 2025: patients and a model", "ja": "PWS Cup 2025：患者データとモデル"}
    data_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("B", {"en": "the members", "ja": "メンバー"}),
        FileSpec("A", {"en": "all people, B among them", "ja": "全員（Bを含む）"}),
    )
    release_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("C", {"en": "anonymized table, as many rows as B", "ja": "匿名加工データ（Bと同じ行数）"}),
        FileSpec("D.json", {"en": "model of XGBoost for stroke_flag", "ja": "stroke_flagのXGBoostモデル"}),
    )
    published_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("C", {"en": "anonymized table", "ja": "匿名加工データ"}),
        FileSpec("D.json", {"en": "model", "ja": "モデル"}),
        FileSpec("A", {"en": "all people", "ja": "全員"}),
    )
    guess_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("F", {"en": "1 for every row of A in B, else 0", "ja": "Aの行ごとに、Bにあれば1、なければ0"}),
    )
    release_columns: ClassVar[tuple[Column, ...]] = (
        Column("utility", {"en": "utility (of 100)", "ja": "有用性（100点満点）"}, "higher", 2),
        Column("stats", {"en": "statistics (of 40)", "ja": "統計量（40点）"}, "higher", 2),
        Column("LR", {"en": "regression (of 20)", "ja": "回帰（20点）"}, "higher", 2),
        Column("KW", {"en": "Kruskal-Wallis (of 20)", "ja": "クラスカル・ウォリス（20点）"}, "higher", 2),
        Column("model", {"en": "model (of 20)", "ja": "モデル（20点）"}, "higher", 2),
    )
    guess_columns: ClassVar[tuple[Column, ...]] = (
        Column("hits", {"en": "hits", "ja": "的中数"}, "higher", 0),
        Column("rate", {"en": "share of the members", "ja": "メンバーに占める割合"}, "higher", 4),
    )
    matrix_figure: ClassVar[str] = "rate"
    utility_figure: ClassVar[str] = "utility"
    safety_figure: ClassVar[str] = "anonymity"
    methods: ClassVar[tuple[str, ...]] = ("copula", "perturb", "shuffle")
    attacks: ClassVar[tuple[str, ...]] = ("linkage", "nn", "topconf")
    players: ClassVar[tuple[Player, ...]] = (
        Player("All Columns", "copula", "linkage", {"tries": 5, "trees": 60}, clumsy=True),
        Player("Sample", "perturb", "nn", {"trees": 60}),
        Player("Heavy Sample", "perturb", "topconf", {"share": 0.5, "trees": 60}),
        Player("Nothing", "shuffle", "linkage", {"trees": 60}),
    )

    best_teams: int = parameter(BEST_TEAMS, "so many best teams count for the attackers", low=1, high=100)
    strict: bool = parameter(True, "look at decimals too; pws_data_format overlooks them")
    parameters_ja: ClassVar[Mapping[str, str]] = {"strict": "小数の桁数も検査する（pws_data_formatは見逃します）"}

    def for_round(self, kind: str) -> Pws2025:
        """Return the contest of a round: five teams counted in the preliminary."""
        return replace(self, best_teams=BEST_TEAMS if kind == "final" else PRELIMINARY_BEST)

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write ten times so many people, and so many of them as members."""
        import numpy as np

        _write_people(data, size, np.random.default_rng(seed))

    def generate_private(self, base: Path, data: Path, *, size: int | None, seed: int) -> None:
        """Write people and members of one team."""
        import numpy as np

        from tokumei.contests.pws2025.table import Patients

        _write_people(data, size or Patients.read(base / "B.csv").height, np.random.default_rng((seed, 1)))

    def check_data(self, data: Path) -> Checked:
        """Check that both tables have the columns, enough rows and valid values, and that A holds B."""
        from tokumei.contests.pws2025.checker import Rows, check_table

        name = "B"
        try:
            tables = {}
            for name in ("B", "A"):
                rows = Rows.read((data / f"{name}.csv").read_bytes(), name)
                found = check_table(rows, name, rows=len(rows.rows))
                if not found.valid:
                    return Checked.refused(found.notes, found.count)
                tables[name] = {tuple(row) for row in rows.rows}
                if len(rows.rows) < FEWEST_ROWS:
                    raise InputError(f"{name} has fewer than {FEWEST_ROWS} rows", code="too-few-rows")
            if not tables["B"] <= tables["A"]:
                raise InputError("B has rows that are not in A; draw B from A", code="no-member")
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, name)])
        return Checked(valid=True, figures={"rows": len(tables["B"]), "people": len(tables["A"])})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check C and D and measure all four items."""
        from tokumei.contests.findings import Findings
        from tokumei.contests.pws2025.checker import Rows, check_model, check_table
        from tokumei.contests.pws2025.model import TARGET, predict, right_predictions
        from tokumei.contests.pws2025.table import HOME, Patients
        from tokumei.contests.pws2025.utility import POINTS, measure_table

        b, raw = Patients.read(data / "B.csv"), (release / "D.json").read_bytes()
        try:
            rows = Rows.read((release / "C.csv").read_bytes(), "C")
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "C")])
        tables = check_table(rows, "C", rows=b.height, decimals=self.strict)
        models = check_model(raw, "D.json")
        notes: list[Note] = [*tables.notes, *models.notes]
        if notes:
            return Checked.refused(notes[:KEPT_NOTES], tables.count + models.count)
        try:
            test = _test_rows(data, b)
            accuracy = float(right_predictions(predict(raw, test), test.answers(TARGET)).mean())
        except (ValueError, RuntimeError, TypeError, KeyError):
            broken = Findings(HOME)
            broken.add("model-unusable", "D.json")
            return Checked.refused(broken.notes)
        try:
            points = {
                **measure_table(b, Patients.read(release / "C.csv"))["points"],
                "model": POINTS["model"] * accuracy,
            }
        except (TokumeiError, ValueError) as error:
            wrapped = error if isinstance(error, TokumeiError) else InputError(f"C cannot be measured: {error}")
            return Checked.refused([note_of_error(wrapped, "C")])
        return Checked(valid=True, figures={"utility": sum(points.values()), **points})

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Write C and D; the model of our method is trained on C, that of the samples on B."""
        from tokumei.contests.pws2025.model import TREES, train_model
        from tokumei.contests.pws2025.synthesis import METHODS, SETTINGS
        from tokumei.contests.pws2025.table import Patients

        values = read_settings(method, settings, {**SETTINGS.get(method, {}), "trees": (int, 1, 10_000)})
        trees = values.pop("trees", TREES)
        b = Patients.read(data / "B.csv")
        made = self.sample(METHODS, method, "method")(b, rng, **values)
        made.write_csv(release / "C.csv")
        raw, reached = train_model(Patients(made) if method == "copula" else b, trees=trees)
        (release / "D.json").write_bytes(raw)
        return {"rows": made.height, "validation_accuracy": reached["validation_accuracy"]}

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return C, D and all people; who is a member is the truth. Nothing is drawn."""
        del attackers, seed
        people, inside = ((data / f"{name}.csv").read_text(encoding="utf-8").splitlines()[1:] for name in ("A", "B"))
        known = set(inside)
        marks = "".join(f"{int(line in known)}\n" for line in people)
        common = {
            "C": (release / "C.csv").read_bytes(),
            "D.json": (release / "D.json").read_bytes(),
            "A": (data / "A.csv").read_bytes(),
        }
        return Published(common=common, truth={"Z": marks.encode()})

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Write F: as many marks as C has rows."""
        from tokumei.contests.pws2025 import attacks
        from tokumei.contests.pws2025.table import Patients

        del data, rng
        self.sample(dict.fromkeys(self.attacks), attack, "attack")
        if settings:
            raise ParameterError(f"the attack '{attack}' has no setting '{next(iter(settings))}'")
        a, c = (Patients.read(published / f"{name}.csv") for name in ("A", "C"))
        if attack == "topconf":
            away, _ = attacks.doubts(a, (published / "D.json").read_bytes())
            marks = attacks.smallest(away, c.height)
        elif attack == "nn":
            points, made = attacks.embed(a, a, c)
            marks = attacks.in_order(attacks.nearest_marks(a, c), attacks.nearest(points, made)[1], c.height)
        else:
            marks = attacks.linkage(a, c, c.height)
        (guesses / "F.csv").write_text("".join(f"{int(mark)}\n" for mark in marks), encoding="utf-8")
        return {"marked": int(marks.sum()), "people": a.height}

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Check files F and count the members that each marks."""
        del data, release, published
        return [_scored(folder / "F.csv", truth / "Z.csv") for folder in guesses]

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
        """Return totals and hits of all teams."""
        counted = ranking.counted_pairs(entries, pairs)
        ranked = [entry.team for entry in entries if entry.figures is not None and not entry.disqualified]
        members = max((pair.figures["members"] for pair in counted), default=1)
        hits: dict[str, dict[str, int]] = {}
        for pair in counted:
            hits.setdefault(pair.owner, {})[pair.attacker] = pair.figures["hits"]
        utility = {entry.team: float((entry.figures or {})["utility"]) for entry in entries if entry.team in ranked}
        penalty = {team: _penalty([pair.figures for pair in counted if pair.owner == team]) for team in ranked}
        scores = Scores(hits=hits, utility=utility, penalty=penalty, members=members, top=self.best_teams)

        def kept(entry: Entry) -> Figures:
            team = entry.team
            safe = scores.anonymity(team)
            return {
                "total": scores.total(team),
                "utility": utility[team],
                "anonymity": safe,
                "penalty": penalty[team],
                "most": scores.most(team),
            }

        return RoundTable(
            anonymizers=ranking.rank_entries(entries, kept, lambda row: -row.figures["total"], released=True),
            attackers=ranking.rank_entries(
                entries, lambda entry: {"points": scores.attack_points(entry.team)}, lambda row: -row.figures["points"]
            ),
            anonymizer_columns=(
                Column("total", _TOTAL, "higher", 2),
                self.release_columns[0],
                Column("anonymity", {"en": "anonymity", "ja": "匿名性"}, "higher", 2),
                Column("penalty", {"en": "penalty", "ja": "ペナルティ"}, "lower", 0),
                Column("most", {"en": "most hits", "ja": "最大的中数"}, "lower", 0),
            ),
            attacker_columns=(Column("points", _POINTS, "higher", 0),),
            anonymizer_rule=_RULE,
            attacker_rule=_ATTACK_RULE,
        )

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return weighted totals and hits."""
        total = ranking.Weighing(figure="total", missing=0.0, better="higher", title=_TOTAL, digits=2)
        points = ranking.Weighing(figure="points", missing=0.0, better="higher", title=_POINTS, digits=1)
        return ranking.weighted_table(rounds, anonymizers=total, attackers=points, rule=_OVERALL)


def _write_people(data: Path, size: int, rng: Generator) -> None:
    from tokumei.contests.pws2025.people import draw_patients

    people = draw_patients(CROWD * size + size, rng).unique(maintain_order=True)[: CROWD * size]
    people.write_csv(data / "A.csv")
    people[rng.permutation(people.height)[:size].tolist()].write_csv(data / "B.csv")


def _test_rows(data: Path, b: Patients) -> Patients:
    """Return the rows that the model is tested on: half members, half others, the same for everybody."""
    import numpy as np
    import polars as pl

    from tokumei.contests.pws2025.table import Patients

    a = Patients.read(data / "A.csv")
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256((data / "A.csv").read_bytes()).digest()))
    others = a.frame.join(b.frame, on=a.frame.columns, how="anti", maintain_order="left")
    half = min(b.height // 2, others.height)
    parts = [frame[rng.permutation(frame.height)[:half].tolist()] for frame in (b.frame, others)]
    return Patients(pl.concat(parts))


def _scored(answer: Path, truth: Path) -> Checked:
    import numpy as np

    from tokumei.contests.pws2025.checker import check_answer

    members = np.array([line == "1" for line in truth.read_text(encoding="utf-8").split()])
    raw = answer.read_bytes()
    found = check_answer(raw, len(members), int(members.sum()), "F.csv")
    if not found.valid:
        return Checked.refused(found.notes, found.count)
    marked = np.array([line.strip() == "1" for line in raw.decode("utf-8-sig").splitlines()])
    hit = marked[members]
    rows = base64.b64encode(np.packbits(hit).tobytes()).decode()
    count = int(hit.sum())
    figures = {"hits": count, "rate": count / len(hit), "members": len(hit), "hit_rows": rows}
    return Checked(valid=True, figures=figures)


def _penalty(received: Sequence[Figures]) -> int:
    """Return how many attackers hit the same person at most, without the first of them."""
    import numpy as np

    if not received:
        return 0
    rows = [np.unpackbits(np.frombuffer(base64.b64decode(one["hit_rows"]), dtype=np.uint8)) for one in received]
    return max(0, int(np.sum(rows, axis=0).max()) - 1)
