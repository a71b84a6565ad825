"""iPWS Cup 2023 as a contest: a health table whose rows keep their places, against record linkage (spec 6).

The table is that of PWS Cup 2021. Attackers hold B and get drawn rows of the anonymized table; they name the row of B
behind each. The contest's data and results are not at hand: what is here follows rules and programs alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tokumei.contests.base import find_sample
from tokumei.contests.declared import DeclaredContest
from tokumei.contests.notes import note_of_error
from tokumei.contests.ranking import Board
from tokumei.contests.values import Checked, Entry, Figures, Published
from tokumei.errors import TokumeiError
from tokumei.parts import make_part, parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from tokumei.contests.pws2021.rules import HealthFile
    from tokumei.contests.pws2021.table import HealthTable

CLIP = 20.0
# The nominal columns of the information loss, flags among them.
COMPARED = ("gen", "race", "edu", "mar", "dep", "pir", "qm", "dia")


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
class Ipws2023(DeclaredContest):
    """A health table in its order against linkage of drawn rows."""

    name: ClassVar[str] = "ipws2023"
    drawn: int = parameter(300, "rows of the anonymized table that are drawn for the attack", low=1, high=400)

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
            return check_table(read_bytes(data / "B.csv"), self.drawn).refusal()
        return Checked(valid=True, figures={"rows": rows})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check the table, and measure U with its six parts."""
        from tokumei.contests.ipws2023.table_check import check_table
        from tokumei.data import read_bytes

        original = _read(data / "B.csv", "B").table
        found = check_table(read_bytes(release / "anonymized.csv", allow_empty=True), original.height)
        if not found.valid:
            return found.refusal()
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
        from tokumei.contests.column_rules import check_numbers, plain_rows
        from tokumei.contests.findings import Findings
        from tokumei.data import read_bytes

        del release, published
        height = _read(data / "B.csv", "B").frame.height
        right = [int(line) for line in (truth / "rows.csv").read_text().splitlines()]
        results = []
        for folder in guesses:
            raw = read_bytes(folder / "estimated.csv", allow_empty=True)
            found = Findings()
            named = check_numbers(found, "estimated", plain_rows(raw), wanted=len(right), below=height)
            hits = sum(one == other for one, other in zip(named, right, strict=False))
            results.append(
                Checked(valid=True, figures={"P": 1 - hits / len(right)}) if found.valid else found.refusal()
            )
        return results

    def kept(self, entry: Entry, board: Board) -> Figures:
        """Return the harmonic mean of utility and of what the best attacker left."""
        useful = float((entry.figures or {})["U"])
        safe = min([1.0, *(float(figures["P"]) for figures in board.against(entry.team))])
        return {"score": harmonic(useful, safe), "U": useful, "P": safe}

    def reached(self, entry: Entry, board: Board) -> Figures:
        """Return 1 less the mean of what was left of all others."""
        own, others = board.by(entry.team), [team for team in board.released if team != entry.team]
        left = [float(own.get(team, {}).get("P", 1.0)) for team in others]
        return {"score": 1 - sum(left) / len(left) if left else 0.0}


def _read(path: Path, name: str) -> HealthFile:
    from tokumei.contests.pws2021.rules import HealthFile

    return HealthFile.read(path, name)


def _within(line: str) -> str:
    """Return a line whose age and bmi are within the ranges of the check; noise may leave them."""
    from tokumei.contests.ipws2023.table_check import RULES

    cells = line.split(",")
    for at, rule in enumerate(RULES):
        if rule.name in ("age", "bmi") and rule.fault(cells[at]) == "range":
            cells[at] = f"{min(max(float(cells[at]), float(rule.low)), float(rule.high)):g}"
    return ",".join(cells)
