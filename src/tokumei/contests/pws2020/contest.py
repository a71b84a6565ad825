"""PWS Cup 2020 as a contest, partial: rows are handed in, others tell who is among the members (spec 7).

Attackers hold all rows B and name a hundred of them. Sample methods and results of the contest are not at hand: the
methods and attacks here are ours, and the utility follows the rule book alone (see `table`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tokumei.contests.declared import DeclaredContest, private_seed
from tokumei.contests.notes import note_of_error
from tokumei.contests.ranking import Board
from tokumei.contests.settings import read_settings
from tokumei.contests.values import Checked, Entry, Figures, Published
from tokumei.errors import ParameterError, TokumeiError
from tokumei.parts import parameter

if TYPE_CHECKING:
    from numpy.random import Generator

# B has ten times the rows of C; the official check lets one row more pass.
CROWD, TOLERATED, BEST_TEAMS = 10, 1, 3
LEAST = {"U_hist": 0.99, "U_VCM": 0.4, "U_DTA_income": 0.85, "U_DTA_husband": 0.85}


@dataclass(frozen=True, kw_only=True)
class Pws2020(DeclaredContest):
    """Rows of Adult's columns against membership inference."""

    name: ClassVar[str] = "pws2020"
    named: int = parameter(100, "rows that an attacker names", low=1, high=1000)
    strict: bool = parameter(True, "refuse numbers of rows that the official check lets pass")

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write ten times so many rows, the members among them, and rows to compare trees on."""
        import numpy as np

        from tokumei.contests.pws2020.table import draw_people, rows_text

        rng = np.random.default_rng(seed)
        people = draw_people((CROWD + 1) * size, rng)
        (data / "B.csv").write_bytes(rows_text(people[: CROWD * size]))
        (data / "C.csv").write_bytes(rows_text(people[rng.permutation(CROWD * size)[:size].tolist()]))
        (data / "test.csv").write_bytes(rows_text(people[CROWD * size :]))

    def generate_private(self, base: Path, data: Path, *, size: int | None, seed: int) -> None:
        """Write the members of one team, drawn from the common rows."""
        import numpy as np

        from tokumei.contests.pws2020.table import read_rows, rows_text

        people = read_rows(base / "B.csv")
        chosen = np.random.default_rng(private_seed(seed)).permutation(people.height)[: size or people.height // CROWD]
        (data / "C.csv").write_bytes(rows_text(people[chosen.tolist()]))
        for name in ("B.csv", "test.csv"):
            if (base / name).exists():
                (data / name).write_bytes((base / name).read_bytes())

    def check_data(self, data: Path) -> Checked:
        """Check both tables, and that C is among B."""
        from tokumei.contests.findings import Findings
        from tokumei.contests.pws2020.table import HOME, read_rows

        found = Findings(HOME)
        try:
            b, c = (read_rows(data / f"{name}.csv") for name in "BC")
            if (data / "test.csv").exists():
                read_rows(data / "test.csv")
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "C")])
        if b.is_duplicated().any() or c.is_duplicated().any() or c.join(b, on=b.columns, how="anti").height:
            found.add("no-member", "C")
            return found.refusal()
        return Checked(valid=True, figures={"rows": c.height, "people": b.height})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check D and measure what the rules tell about its utility; a figure below its limit disqualifies."""
        from tokumei.contests.pws2020 import table
        from tokumei.data import read_bytes

        b, c = (table.read_rows(data / f"{name}.csv") for name in "BC")
        low, high = (c.height // CROWD, b.height) if self.strict else (1, b.height + TOLERATED)
        found, d = table.check_rows(read_bytes(release / "D.csv", allow_empty=True), "D", low=low, high=high)
        if d is None:
            return found.refusal()
        figures = {"U_hist": table.histogram_utility(c, d), "U_VCM": table.covariance_utility(c, d)}
        if (data / "test.csv").exists():
            test = table.read_rows(data / "test.csv")
            figures |= {name: table.tree_utility(c, d, test, name) for name in table.TREES}
        for name, value in figures.items():
            if value < LEAST[name]:
                found.add("low-utility", "D", name=name, found=value, least=LEAST[name])
        refused = found.refusal()
        return Checked(found.valid, figures, refused.notes, refused.note_count)

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Write the first attempt of the method that breaks no limit, else its last one."""
        from tokumei.contests.pws2020.samples import SETTINGS, attempts
        from tokumei.contests.pws2020.table import read_rows, rows_text

        values = read_settings(method, settings, self.sample(SETTINGS, method, "method"))
        b, c = (read_rows(data / f"{name}.csv") for name in "BC")
        figures: Figures = {}
        for made, told in attempts(method, b, c, rng, values):
            (release / "D.csv").write_bytes(rows_text(made))
            figures = {"method": method, "rows": made.height, **told}
            if self.check_release(data, release).valid:
                break
        return figures

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return D and all rows; which of them are members stays with the judge. Nothing is drawn."""
        from tokumei.contests.pws2020.table import read_rows

        del attackers, seed
        b, c = (read_rows(data / f"{name}.csv") for name in "BC")
        rows = b.with_row_index("at").join(c, on=b.columns, how="semi")["at"].sort().to_list()
        common = {"D": (release / "D.csv").read_bytes(), "B": (data / "B.csv").read_bytes()}
        return Published(common=common, truth={"members": "".join(f"{row}\n" for row in rows).encode()})

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Name the rows of B that D shows most of (whole rows, then those but for a cell), or that it does not show."""
        import numpy as np

        from tokumei.contests.pws2020.table import COLUMNS, read_rows

        del data
        self.sample(dict.fromkeys(self.attacks), attack, "attack")
        if settings:
            raise ParameterError(f"the attack '{attack}' has no setting '{next(iter(settings))}'")
        b, d = (read_rows(published / f"{name}.csv").with_row_index("at") for name in "BD")
        score = rng.random(b.height)
        if attack == "overlap":
            for without in COLUMNS:
                shared = [name for name in COLUMNS if name != without]
                score[b.join(d, on=shared, how="semi")["at"].to_numpy()] += 1
        if attack == "absent":
            score[b.join(d, on=list(COLUMNS), how="semi")["at"].to_numpy()] -= 1
        best = np.argsort(-score, kind="stable")[: self.named].tolist()
        (guesses / "E.csv").write_text("".join(f"{row}\n" for row in best))
        return {"rows": len(best)}

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Count the members among the named rows."""
        from tokumei.contests.column_rules import check_numbers, plain_rows
        from tokumei.contests.findings import Findings
        from tokumei.contests.pws2020.table import HOME
        from tokumei.data import read_bytes

        del release, published
        members, people = {int(line) for line in (truth / "members.csv").read_text().split()}, data / "B.csv"
        height, results = len(plain_rows(read_bytes(people))), []
        for folder in guesses:
            found, rows = Findings(HOME), plain_rows(read_bytes(folder / "E.csv", allow_empty=True))
            named = check_numbers(found, "E", rows, wanted=self.named, below=height)
            for line in [at for at, row in enumerate(named) if row >= 0 and row in named[:at]]:
                found.add("repeated", "E", line=line + 1, column=1, value=str(named[line]))
            figures = {"accuracy": len(members & set(named)) / self.named}
            results.append(Checked(valid=True, figures=figures) if found.valid else found.refusal())
        return results

    def kept(self, entry: Entry, board: Board) -> Figures:
        """Return 1 less the best accuracy."""
        return {"anonymity": 1 - board.most(entry.team, "accuracy"), "U_hist": (entry.figures or {})["U_hist"]}

    def reached(self, entry: Entry, board: Board) -> Figures:
        """Return the mean accuracy against the three best teams without the own one."""
        own, aims = board.by(entry.team), [team for team in board.best if team != entry.team][:BEST_TEAMS]
        hits = [float(own.get(team, {}).get("accuracy", 0.0)) for team in aims]
        return {"accuracy": sum(hits) / max(len(hits), 1)}
