"""PWS Cup 2023 as a contest: random tables whose secret half is to be hidden behind a public one (spec 5).

P is public. Every team has a secret table R = G(seed) beside it and hands in A, P and R side by side with changed
cells. Attackers get the rows of A sorted and name R for every row of P.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tokumei.contests.declared import DeclaredContest
from tokumei.contests.notes import note_of_error
from tokumei.contests.ranking import Board, weighted_ranks
from tokumei.contests.values import Checked, Column, Entry, Figures, Published, RoundTable
from tokumei.errors import TokumeiError
from tokumei.parts import make_part, parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from tokumei.array_types import Ints

# Figures that are equal on paper differ by their rounding; a cell more or less shows in the seventh digit.
DIGITS = 9
PUBLIC_SEED = {6: 123456789, 8: 123123123}
_MEAN_RANK = (Column("score", {"en": "weighted rank", "ja": "加重順位"}, "lower", 2),)


@dataclass(frozen=True, kw_only=True)
class Pws2023(DeclaredContest):
    """A secret table of digits behind a public one, against attribute inference."""

    name: ClassVar[str] = "pws2023"
    strict: bool = parameter(False, "refuse what the official programs let pass by mistake")
    columns: int = parameter(8, "public columns: 6 in the preliminary round, 8 in the main one", low=6, high=8)

    def for_round(self, kind: str) -> Pws2023:
        """Return the contest with the public columns of a round."""
        return replace(self, columns=8 if kind == "final" else 6)

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write P of the contest's seed, R of this one, and the seed."""
        from tokumei.contests.pws2023.tables import public_table, secret_table, table_bytes

        public = PUBLIC_SEED.get(self.columns, PUBLIC_SEED[8])
        (data / "P.csv").write_bytes(table_bytes(public_table(public, size, self.columns)))
        (data / "R.csv").write_bytes(table_bytes(secret_table(seed, size)))
        (data / "seed.txt").write_text(f"{seed}\n")

    def generate_private(self, base: Path, data: Path, *, size: int | None, seed: int) -> None:
        """Write the R of one team beside the common P."""
        from tokumei.contests.pws2023.tables import read_digits

        public = read_digits(base / "P.csv")
        replace(self, columns=public.shape[1]).generate(data, size=size or len(public), seed=seed + 2**33)
        if size in (None, len(public)):
            (data / "P.csv").write_bytes((base / "P.csv").read_bytes())

    def _original(self, data: Path) -> Checked | Ints:
        """Return P and R side by side if R comes from the seed, else the refusal."""
        from tokumei.contests.pws2023.tables import check_secret, read_digits

        try:
            public = read_digits(data / "P.csv")
            found, original = check_secret(public, data / "R.csv", data / "seed.txt", strict=self.strict)
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "P")])
        return found.refusal() if original is None else original

    def check_data(self, data: Path) -> Checked:
        """Check P, and that R comes from the seed."""
        original = self._original(data)
        if isinstance(original, Checked):
            return original
        return Checked(valid=True, figures={"rows": len(original), "columns": original.shape[1]})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check A, count its equal cells, and run the sort attack on it."""
        from tokumei.contests.pws2023.samples import SortAttack
        from tokumei.contests.pws2023.tables import check_table, equal_cells, sorted_rows
        from tokumei.data import read_bytes

        original = self._original(data)
        if isinstance(original, Checked):
            return original
        raw = read_bytes(release / "A.csv", allow_empty=True)
        found, table = check_table(raw, "A", rows=len(original), columns=original.shape[1], star=True)
        if table is None:
            return found.refusal()
        public, secret = original[:, :-10], original[:, -10:]
        right = equal_cells(secret, SortAttack().answers(public, sorted_rows(table), 1))
        useful, safe = equal_cells(original, table) / original.size, 1 - right / secret.size
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
        from tokumei.contests.pws2023.tables import read_digits, sorted_rows, table_bytes
        from tokumei.data import read_bytes

        del attackers, seed
        rows = table_bytes(sorted_rows(read_digits(release / "A.csv", star=True)))
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
        secret, results = read_digits(data / "R.csv"), []
        for folder in guesses:
            raw = read_bytes(folder / "F.csv", allow_empty=True)
            found, answers = check_table(raw, "F", rows=len(secret), columns=secret.shape[1])
            hits = 0 if answers is None else equal_cells(secret, answers)
            figures = {"a": hits / secret.size, "hits": hits}
            results.append(found.refusal() if answers is None else Checked(valid=True, figures=figures))
        return results

    def kept(self, entry: Entry, board: Board) -> Figures:
        """Return x from utility and from what the best attack left."""
        useful, safe = float((entry.figures or {})["u"]), 1 - board.most(entry.team, "a")
        return {"x": (useful + safe) / 2, "u": useful, "s": safe}

    def kept_order(self, figures: Figures) -> Any:
        """Order by x, ties by s."""
        return -round(figures["x"], DIGITS), -round(figures["s"], DIGITS)

    def reached(self, entry: Entry, board: Board) -> Figures:
        """Return the mean of right cells over all other teams, 1 where a team handed in nothing valid."""
        own = board.by(entry.team)
        others = [aim for aim in board.entries if aim.team != entry.team and not aim.disqualified]
        shares = [1.0 if aim.figures is None else float(own.get(aim.team, {}).get("a", 0.0)) for aim in others]
        return {"y": sum(shares) / max(len(shares), 1), "shares": sorted(shares)}

    def reached_order(self, figures: Figures) -> Any:
        """Order by y, ties by the smallest share, then by the next."""
        return -round(figures["y"], DIGITS), [-round(share, DIGITS) for share in figures["shares"]]

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return the weighted ranks, not scores, of both divisions."""
        anonymizers = weighted_ranks([(weight, table.anonymizers) for weight, table in rounds])
        attackers = weighted_ranks([(weight, table.attackers) for weight, table in rounds])
        return RoundTable(anonymizers, attackers, _MEAN_RANK, _MEAN_RANK, self.overall_rule, self.overall_rule)
