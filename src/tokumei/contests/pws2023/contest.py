"""PWS Cup 2023 as a contest: random tables whose secret half is to be hidden behind a public one (spec 5).

P is public. Every team has a secret table R = G(seed) beside it and hands in A, P and R side by side with changed
cells. Attackers get the rows of A sorted and name R for every row of P.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tokumei.contests.base import STANDARD_ROUNDS, Contest
from tokumei.contests.notes import note_of_error
from tokumei.contests.pws2023.ranking import overall_table, round_table
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
from tokumei.errors import TokumeiError
from tokumei.parts import make_part, parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from tokumei.array_types import Ints

PUBLIC_SEED = {6: 123456789, 8: 123123123}


@dataclass(frozen=True, slots=True)
class Original:
    """P and R side by side if R is right, else what is wrong with it."""

    original: Ints | None
    notes: tuple[Note, ...] = ()


def judged_release(public: Ints, r: Path, seed: Path, *, strict: bool = False) -> Original:
    """Check R and the seed it must come from."""
    import numpy as np

    from tokumei.contests.pws2023.ruby_random import SECRET_COLUMNS, secret_table
    from tokumei.contests.pws2023.tables import check_table, note, seed_of
    from tokumei.data import read_bytes

    raw = read_bytes(seed, allow_empty=True)
    notes: list[Note] = []
    number = seed_of(raw)
    if number is None:
        notes.append(note("seed", "seed.txt", line=1))
    elif strict and raw.count(b"\n") > 1:
        notes.append(note("seed-lines", "seed.txt", line=2))
    checked = check_table(read_bytes(r, allow_empty=True), "R", rows=len(public), columns=SECRET_COLUMNS, star=False)
    notes += checked.notes
    if number is not None and checked.table is not None and (secret_table(number, len(public)) != checked.table).any():
        notes.append(note("secret", "R"))
    if notes or checked.table is None:
        return Original(None, tuple(notes))
    return Original(np.hstack([public, checked.table]))


def judged_attack(folder: Path, *, rows: int, teams: int, strict: bool = False) -> dict[str, Any]:
    """Check a folder of answers about all teams; files named for other teams are not looked at."""
    from tokumei.contests.pws2023.ruby_random import SECRET_COLUMNS
    from tokumei.contests.pws2023.tables import TEAM, check_table, note
    from tokumei.data import read_bytes

    claimed = re.sub(r"\r?\n.*", "", (folder / "my_id.txt").read_text("utf-8", "replace"), flags=re.DOTALL)
    if TEAM.fullmatch(claimed) is None:
        errors = [note("team-id", "my_id.txt", line=1).as_dict()]
        return {"accepted": False, "message": "formatting error in my_id.txt", "errors": errors}
    notes: list[Note] = []
    scores = {"atk_info_claimed_id": claimed, "atk_info_my_id_verified": "1"}
    first, known = None, {"my_id.txt"}
    for team in (f"{number:02d}" for number in range(1, teams + 1)):
        path = folder / f"f_{team}_{claimed}.csv"
        present = path.is_file() and team != claimed
        scores[f"atk_submission_status_{team}"] = str(int(present))
        if present:
            known.add(path.name)
            raw = read_bytes(path, allow_empty=True)
            checked = check_table(raw, path.name, rows=rows, columns=SECRET_COLUMNS, star=False)
            notes += checked.notes
            first = first or checked.message
    if strict:
        notes += [
            note("surplus", one.name, value=one.name) for one in sorted(folder.iterdir()) if one.name not in known
        ]
    document: dict[str, Any] = {"accepted": not notes, "errors": [one.as_dict() for one in notes]}
    return {**document, "message": first} if notes else {**document, "scores": scores}


@dataclass(frozen=True, kw_only=True)
class Pws2023(Contest):
    """A secret table of digits behind a public one, against attribute inference."""

    name: ClassVar[str] = "pws2023"
    command_module: ClassVar[str] = "tokumei.contests.pws2023.commands"
    source: ClassVar[str] = "PWS Cup 2023"
    title: ClassVar[Both] = {"en": "PWS Cup 2023: random tables", "ja": "PWS Cup 2023：乱数の表"}
    about: ClassVar[Both] = {
        "en": "PWS Cup 2023: check, measure, attack and judge random tables with a secret half",
        "ja": "PWS Cup 2023：半分が秘密の乱数表を検査、測定、攻撃、判定する",
    }
    sizes: ClassVar[Sizes | None] = Sizes(default=100_000, low=20, high=100_000, demo=400)
    draws_private_data: ClassVar[bool] = True
    rounds: ClassVar[Mapping[str, RoundPreset]] = {
        "practice": STANDARD_ROUNDS["practice"],
        "preliminary": replace(STANDARD_ROUNDS["preliminary"], private_data=True),
        "final": replace(STANDARD_ROUNDS["final"], private_data=True),
    }
    set_by_round: ClassVar[frozenset[str]] = frozenset({"columns"})
    data_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("R", {"en": "secret table, ten digits a row", "ja": "秘密の表（各行10桁）"}),
        FileSpec("P", {"en": "public table", "ja": "公開の表"}),
        FileSpec("seed.txt", {"en": "the seed that R comes from", "ja": "Rを生成したシード"}),
    )
    release_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("A", {"en": "P and R side by side, cells changed or *", "ja": "PとRを並べ、値を変えたか*にした表"}),
    )
    published_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("P", {"en": "public table", "ja": "公開の表"}),
        FileSpec("B", {"en": "rows of A in sorted order", "ja": "Aの行を並べ替えたもの"}),
    )
    guess_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("F", {"en": "the secret digits of every row of P", "ja": "Pの各行の秘密の10桁"}),
    )
    release_columns: ClassVar[tuple[Column, ...]] = (
        Column("u", {"en": "utility u", "ja": "有用性u"}, "higher", 5),
        Column("s", {"en": "safety against the sort attack", "ja": "ソート攻撃に対する安全性"}, "higher", 5),
        Column("x", {"en": "x so far", "ja": "暫定のx"}, "higher", 5),
    )
    guess_columns: ClassVar[tuple[Column, ...]] = (
        Column("a", {"en": "right cells", "ja": "正答率"}, "higher", 5),
        Column("hits", {"en": "number of right cells", "ja": "正答数"}, "higher", 0),
    )
    matrix_figure: ClassVar[str] = "a"
    utility_figure: ClassVar[str] = "u"
    safety_figure: ClassVar[str] = "s"
    methods: ClassVar[tuple[str, ...]] = ("rand", "neighbours")
    attacks: ClassVar[tuple[str, ...]] = ("sort", "vote")
    players: ClassVar[tuple[Player, ...]] = (
        Player("Every Tenth", "rand", "sort", {}, clumsy=True),
        Player("Three Away", "neighbours", "vote", {"differing": 3}),
        Player("Five Away", "neighbours", "vote", {"differing": 5}),
    )

    strict: bool = parameter(False, "refuse what the official programs let pass by mistake")
    columns: int = parameter(8, "public columns: 6 in the preliminary round, 8 in the main one", low=6, high=8)
    parameters_ja: ClassVar[Mapping[str, str]] = {"strict": "公式プログラムが誤って通すものも拒否する"}

    def for_round(self, kind: str) -> Pws2023:
        """Return the contest with the public columns of a round."""
        return replace(self, columns=8 if kind == "final" else 6)

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write P of the contest's seed, R of this one, and the seed."""
        from tokumei.contests.pws2023.ruby_random import public_table, secret_table
        from tokumei.contests.pws2023.tables import table_bytes

        public = PUBLIC_SEED.get(self.columns, PUBLIC_SEED[8])
        (data / "P.csv").write_bytes(table_bytes(public_table(public, size, self.columns)))
        (data / "R.csv").write_bytes(table_bytes(secret_table(seed, size)))
        (data / "seed.txt").write_text(f"{seed}\n")

    def generate_private(self, base: Path, data: Path, *, size: int | None, seed: int) -> None:
        """Write the R of one team beside the common P."""
        from tokumei.contests.pws2023.tables import read_digits

        public = read_digits(base / "P.csv")
        secret = seed + 2**33
        replace(self, columns=public.shape[1]).generate(data, size=size or len(public), seed=secret)
        if size in (None, len(public)):
            (data / "P.csv").write_bytes((base / "P.csv").read_bytes())

    def _original(self, data: Path) -> Original:
        from tokumei.contests.pws2023.tables import read_digits

        try:
            public = read_digits(data / "P.csv")
            return judged_release(public, data / "R.csv", data / "seed.txt", strict=self.strict)
        except TokumeiError as error:
            return Original(None, (note_of_error(error, "P"),))

    def check_data(self, data: Path) -> Checked:
        """Check P, and that R comes from the seed."""
        found = self._original(data)
        if found.original is None:
            return Checked.refused(found.notes)
        return Checked(valid=True, figures={"rows": len(found.original), "columns": found.original.shape[1]})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check A, count its equal cells, and run the sort attack on it."""
        from tokumei.contests.pws2023.samples import SortAttack
        from tokumei.contests.pws2023.tables import check_table, equal_cells
        from tokumei.data import read_bytes

        found = self._original(data)
        if found.original is None:
            return Checked.refused(found.notes)
        original = found.original
        raw = read_bytes(release / "A.csv", allow_empty=True)
        checked = check_table(raw, "A", rows=len(original), columns=original.shape[1], star=True)
        if checked.table is None:
            return Checked.refused(checked.notes, checked.count)
        public, secret = original[:, :-10], original[:, -10:]
        right = equal_cells(secret, SortAttack().answers(public, _sorted_rows(checked.table), 1))
        useful, safe = equal_cells(original, checked.table) / original.size, 1 - right / secret.size
        return Checked(valid=True, figures={"u": useful, "s": safe, "x": (useful + safe) / 2})

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Write A."""
        import numpy as np

        from tokumei.contests.pws2023.samples import METHODS
        from tokumei.contests.pws2023.tables import read_digits, table_bytes

        part = make_part(self.sample(METHODS, method, "method"), settings)
        original = np.hstack([read_digits(data / "P.csv"), read_digits(data / "R.csv")])
        made = part.anonymize(original, int(rng.integers(2**31)))
        (release / "A.csv").write_bytes(table_bytes(made))
        return {"method": method, "changed": int((made != original).sum())}

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return P and the sorted rows of A; nothing is drawn."""
        from tokumei.contests.pws2023.tables import read_digits, sorted_bytes
        from tokumei.data import read_bytes

        del attackers, seed
        rows = sorted_bytes(read_digits(release / "A.csv", star=True))
        return Published(common={"P": read_bytes(data / "P.csv"), "B": rows})

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Write F from P and B alone."""
        from tokumei.contests.pws2023.samples import ATTACKS
        from tokumei.contests.pws2023.tables import read_digits, table_bytes

        del data
        part = make_part(self.sample(ATTACKS, attack, "attack"), settings)
        public, rows = read_digits(published / "P.csv"), read_digits(published / "B.csv", star=True)
        (guesses / "F.csv").write_bytes(table_bytes(part.answers(public, rows, int(rng.integers(2**31)))))
        return {"rows": len(public)}

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Check answers and count their right cells."""
        from tokumei.contests.pws2023.tables import check_table, equal_cells, read_digits
        from tokumei.data import read_bytes

        del release, published, truth
        secret = read_digits(data / "R.csv")
        results = []
        for folder in guesses:
            raw = read_bytes(folder / "F.csv", allow_empty=True)
            checked = check_table(raw, "F", rows=len(secret), columns=secret.shape[1], star=False)
            if checked.table is None:
                results.append(Checked.refused(checked.notes, checked.count))
            else:
                hits = equal_cells(secret, checked.table)
                results.append(Checked(valid=True, figures={"a": hits / secret.size, "hits": hits}))
        return results

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
        """Return x and y of all teams."""
        return round_table(entries, pairs)

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return the weighted ranks."""
        return overall_table(rounds)


def _sorted_rows(table: Ints) -> Ints:
    """Return the rows in the order of their bytes, in which ``*`` comes before the digits."""
    import numpy as np

    from tokumei.contests.pws2023.tables import STAR

    keys = np.where(table == STAR, -1, table)
    return table[np.lexsort(keys.T[::-1])]
