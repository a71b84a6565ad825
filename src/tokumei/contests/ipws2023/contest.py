"""iPWS Cup 2023 as a contest: a health table whose rows keep their places, against record linkage (spec 6).

The table is that of PWS Cup 2021. Attackers hold B and get drawn rows of the anonymized table; they name the row of B
behind each. The contest's data and results are not at hand: what is here follows rules and programs alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tokumei.contests import ranking
from tokumei.contests.base import Contest, find_sample
from tokumei.contests.notes import note_of_error
from tokumei.contests.values import (
    Both,
    Checked,
    Column,
    Entry,
    Figures,
    FileSpec,
    Pair,
    Player,
    Published,
    RoundTable,
    Sizes,
)
from tokumei.errors import TokumeiError
from tokumei.parts import make_part, parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from tokumei.contests.pws2021.rules import HealthFile
    from tokumei.contests.pws2021.table import HealthTable

CLIP = 20.0
# The nominal columns of the information loss, flags among them.
COMPARED = ("gen", "race", "edu", "mar", "dep", "pir", "qm", "dia")
_RULE: Both = {
    "en": "Anonymizers: highest harmonic mean of utility U and safety P, P the least over all attackers. Attackers: "
    "highest 1 less the mean P over the other teams (1 where nothing was handed in). Equal teams share a rank.",
    "ja": "匿名加工：有用性Uと安全性P（全攻撃者の中の最小）の調和平均が大きい順。攻撃：1から他チームに対するPの平均"
    "（提出がなければ1）を引いた値が大きい順。等しいチームは同順位です。",
}
_F1: Both = {"en": "harmonic mean of U and P", "ja": "UとPの調和平均"}
_ATTACK: Both = {"en": "1 - mean P", "ja": "1−Pの平均"}


def harmonic(useful: float, safe: float) -> float:
    """Return 2 / (1/U + 1/P), 0 if one of them is 0.

    >>> harmonic(0.5, 1.0), harmonic(0.0, 1.0)
    (0.6666666666666666, 0.0)
    """
    return 2 * useful * safe / (useful + safe) if useful > 0 and safe > 0 else 0.0


def utility_parts(original: HealthTable, changed: HealthTable) -> dict[str, float]:
    """Return the six largest differences: rates, odds ratios, correlations, and what a row loses at most."""
    import numpy as np

    from tokumei.contests.pws2021.measures import utility_differences
    from tokumei.contests.pws2021.table import NOMINAL, same_levels

    found = utility_differences(original, changed, files=("B", "anonymized")).largest
    before, after = same_levels([original, changed])
    moved = {name: np.minimum(np.abs(before.number(name) - after.number(name)), CLIP) / CLIP for name in ("age", "bmi")}
    differing = np.zeros(before.height)
    for name in COMPARED:
        pair = [table.nominal(name)[0] if name in NOMINAL else table.number(name) for table in (before, after)]
        differing += pair[0] != pair[1]
    losses = {"age": float(moved["age"].max()), "bmi": float(moved["bmi"].max())}
    marks = {name: float(found[name]) for name in ("rate", "OR", "cor")}
    return {**marks, **losses, "cat": float(differing.max()) / len(COMPARED)}


@dataclass(frozen=True, kw_only=True)
class Ipws2023(Contest):
    """A health table in its order against linkage of drawn rows."""

    name: ClassVar[str] = "ipws2023"
    source: ClassVar[str] = "iPWS Cup 2023"
    title: ClassVar[Both] = {"en": "iPWS Cup 2023: health data (partial)", "ja": "iPWS Cup 2023：健康データ（一部）"}
    about: ClassVar[Both] = {
        "en": "iPWS Cup 2023 (partial): check, measure, attack and judge a health table in its order",
        "ja": "iPWS Cup 2023（一部）：順序を保った健康データを検査、測定、攻撃、判定する",
    }
    sizes: ClassVar[Sizes | None] = Sizes(default=4190, low=400, high=20_000, demo=1_000)
    data_files: ClassVar[tuple[FileSpec, ...]] = (FileSpec("B", {"en": "original table", "ja": "元のデータ"}),)
    release_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("anonymized", {"en": "the rows of B with changed values", "ja": "値を加工したBの行"}),
    )
    published_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("D", {"en": "drawn rows of the anonymized table", "ja": "選ばれた匿名加工データの行"}),
    )
    guess_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec(
            "estimated", {"en": "the row of B (from 0) behind every row of D", "ja": "Dの各行のBの行番号（0から）"}
        ),
    )
    release_columns: ClassVar[tuple[Column, ...]] = (
        Column("U", {"en": "utility U", "ja": "有用性U"}, "higher", 4),
        *(
            Column(key, {"en": f"largest change: {key}", "ja": f"最大変化：{key}"}, "lower", 4)
            for key in ("rate", "OR", "cor")
        ),
    )
    guess_columns: ClassVar[tuple[Column, ...]] = (
        Column("P", {"en": "share of wrong rows P", "ja": "誤った行の割合P"}, "lower", 4),
    )
    matrix_figure: ClassVar[str] = "P"
    utility_figure: ClassVar[str] = "U"
    safety_figure: ClassVar[str] = "P"
    methods: ClassVar[tuple[str, ...]] = ("rr", "dp")
    attacks: ClassVar[tuple[str, ...]] = ("rlink2",)
    players: ClassVar[tuple[Player, ...]] = (
        Player("Rare Changes", "rr", "rlink2", {"p": 0.95}, clumsy=True),
        Player("Noise", "dp", "rlink2", {}),
        Player("More Changes", "rr", "rlink2", {"p": 0.7}),
    )

    drawn: int = parameter(300, "rows of the anonymized table that are drawn for the attack", low=1, high=400)
    parameters_ja: ClassVar[Mapping[str, str]] = {"drawn": "攻撃のために選ばれる行の数"}

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write B of so many rows."""
        from tokumei.synth import write_synthetic

        write_synthetic("health", data / "B.csv", subjects=size, seed=seed, header=False)

    def check_data(self, data: Path) -> Checked:
        """Check that B can be read and has enough rows."""
        from tokumei.contests.ipws2023.table_check import check_table
        from tokumei.data import read_bytes

        try:
            rows = _read(data / "B.csv", "B").table.height
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "B")])
        if rows < self.drawn:
            return Checked.refused(check_table(read_bytes(data / "B.csv"), self.drawn)[0])
        return Checked(valid=True, figures={"rows": rows})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check the table, and measure U with its six parts."""
        from tokumei.contests.ipws2023.table_check import check_table
        from tokumei.data import read_bytes

        original = _read(data / "B.csv", "B").table
        notes, count = check_table(read_bytes(release / "anonymized.csv", allow_empty=True), original.height)
        if notes:
            return Checked.refused(notes, count)
        try:
            parts = utility_parts(original, _read(release / "anonymized.csv", "D").table)
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "anonymized")])
        product = 1.0
        for part in parts.values():
            product *= max(1 - part, 0.0)
        return Checked(valid=True, figures={"U": product ** (1 / len(parts)), **parts})

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Run a sample method of 2021, which keeps all rows."""
        from tokumei.contests.pws2021.rules import Rules2021, release_lines

        part = make_part(find_sample("ipws2023", "anonymizer", method, self.methods, noun="method"), settings)
        original = _read(data / "B.csv", "B")
        made, _secret = Rules2021().anonymize(part, original, rng=rng)
        text = "".join(f"{_within(line)}\n" for line in release_lines(made, original))
        (release / "anonymized.csv").write_text(text)
        return {"method": method, "rows": len(made)}

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return drawn rows in random order; which they are stays with the judge."""
        import numpy as np

        del attackers, data
        lines = (release / "anonymized.csv").read_text("utf-8").splitlines()
        words = hashlib.sha256(f"ipws2023:{seed}".encode()).digest()
        rows = np.random.default_rng(int.from_bytes(words)).permutation(len(lines))[: self.drawn].tolist()
        shown, truth = ("".join(f"{text}\n" for text in texts) for texts in ([lines[row] for row in rows], rows))
        return Published(common={"D": shown.encode()}, truth={"rows": truth.encode()})

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Name the nearest row of B for every drawn row (rlink2)."""
        from tokumei.contests.pws2021.rows import nearest_rows
        from tokumei.contests.pws2021.table import same_levels
        from tokumei.errors import UnknownPartError

        del settings, rng
        if attack not in self.attacks:
            raise UnknownPartError(f"ipws2023 has no attack named '{attack}'; it has {', '.join(self.attacks)}")
        shown, original = same_levels([_read(published / "D.csv", "D").table, _read(data / "B.csv", "B").table])
        rows = nearest_rows(shown, original, 1)[0][:, 0].tolist()
        (guesses / "estimated.csv").write_text("".join(f"{row}\n" for row in rows))
        return {"rows": len(rows)}

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Count the wrong rows."""
        from tokumei.contests.ipws2023.table_check import check_answers
        from tokumei.data import read_bytes

        del release, published
        height = _read(data / "B.csv", "B").frame.height
        right = [int(line) for line in (truth / "rows.csv").read_text().splitlines()]
        results = []
        for folder in guesses:
            raw = read_bytes(folder / "estimated.csv", allow_empty=True)
            notes, found = check_answers(raw, height, len(right))
            hits = sum(one == other for one, other in zip(found, right, strict=False))
            figures = {"P": 1 - hits / len(right)}
            results.append(Checked.refused(notes) if notes else Checked(valid=True, figures=figures))
        return results

    def guess_order(self, figures: Figures) -> tuple[float, ...]:
        """Return P: the attempt that leaves least counts."""
        return (float(figures["P"]),)

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
        """Return the harmonic means, and what attackers left."""
        left = {(pair.owner, pair.attacker): float(pair.figures["P"]) for pair in ranking.counted_pairs(entries, pairs)}
        released = [entry.team for entry in entries if entry.figures is not None and not entry.disqualified]

        def kept(entry: Entry) -> Figures:
            useful = float((entry.figures or {})["U"])
            safe = min([1.0, *(value for (owner, _attacker), value in left.items() if owner == entry.team)])
            return {"score": harmonic(useful, safe), "U": useful, "P": safe}

        def reached(entry: Entry) -> Figures:
            values = [left.get((team, entry.team), 1.0) for team in released if team != entry.team]
            return {"score": 1 - sum(values) / len(values) if values else 0.0}

        anonymizers = ranking.rank_entries(entries, kept, lambda row: -row.figures["score"], released=True)
        attackers = ranking.rank_entries(entries, reached, lambda row: -row.figures["score"])
        columns = (Column("score", _F1, "higher", 4), self.release_columns[0], self.guess_columns[0])
        return RoundTable(anonymizers, attackers, columns, (Column("score", _ATTACK, "higher", 4),), _RULE, _RULE)

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return the weighted scores."""
        high = ranking.Weighing(figure="score", missing=0.0, better="higher", title=_F1, digits=4)
        other = ranking.Weighing(figure="score", missing=0.0, better="higher", title=_ATTACK, digits=4)
        return ranking.weighted_table(rounds, anonymizers=high, attackers=other, rule=_RULE)


def _read(path: Path, name: str) -> HealthFile:
    from tokumei.contests.pws2021.rules import HealthFile

    return HealthFile.read(path, name)


def _within(line: str) -> str:
    """Return a line whose age and bmi are within the ranges of the check; noise may leave them."""
    from tokumei.contests.ipws2023.table_check import RANGES
    from tokumei.contests.pws2021.table import COLUMNS

    cells = line.split(",")
    for name, (low, high) in RANGES.items():
        at = COLUMNS.index(name)
        if not low <= float(cells[at]) <= high:
            cells[at] = f"{min(max(float(cells[at]), low), high):g}"
    return ",".join(cells)
