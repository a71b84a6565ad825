"""PWS Cup 2026 as a contest: a synthetic cohort C is handed in, others tell members and their times (later_contests 1).

In the contest every team had a cohort of its own, and its people were the candidates of its attacks. Here the judge
draws the candidates of every attacker from the target's cohort and from a reserve of people who are in none, so that
teams need not share people; the challenge rows are members with matched controls.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tokumei.contests.declared import DeclaredContest
from tokumei.contests.notes import note_of_error
from tokumei.contests.ranking import Board
from tokumei.contests.settings import read_settings
from tokumei.contests.values import Checked, Entry, Figures, Published
from tokumei.errors import InputError, ParameterError, TokumeiError
from tokumei.parts import parameter

if TYPE_CHECKING:
    import polars as pl
    from numpy.random import Generator

    from tokumei.contests.pws2026.checker import Findings
    from tokumei.contests.pws2026.table import World

FEWEST_ROWS = 100
# 26 of 1,049 candidates are members, 163 of them are challenged with as many controls.
MEMBER_SHARE, FEWEST_MEMBERS, CHALLENGE_SHARE = 26 / 1049, 12, 163 / 1049


@dataclass(frozen=True, kw_only=True)
class Pws2026(DeclaredContest):
    """A synthetic cohort with survival data against membership and attribute inference."""

    name: ClassVar[str] = "pws2026"
    aia_floor: float = parameter(0.0, "what an attribute attack must exceed (φ)", low=0.0, high=1.0)
    strict: bool = parameter(False, "refuse what the official checker overlooks")

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write a cohort with its background, reference and reserve."""
        import numpy as np

        from tokumei.contests.pws2026.people import write_world

        write_world(data, size=size, rng=np.random.default_rng(seed))

    def generate_private(self, base: Path, data: Path, *, size: int | None, seed: int) -> None:
        """Write the cohort of one team before the common background."""
        import numpy as np

        from tokumei.contests.pws2026.people import write_world
        from tokumei.contests.pws2026.table import read_table

        rows = size or read_table(base / "B_self.csv").height
        write_world(data, size=rows, rng=np.random.default_rng(seed), background=read_table(base / "A_bg.csv"))

    def check_data(self, data: Path) -> Checked:
        """Check that all four files can be read and measured."""
        from tokumei.contests.pws2026.table import World, read_table

        name = "B_self"
        try:
            world = World.read(data)
            name = "reserve"
            people = read_table(data / "reserve.csv")
            if min(world.cohort.height, people.height) < FEWEST_ROWS or "is_rare" not in people.columns:
                raise InputError(f"a cohort and a reserve need {FEWEST_ROWS} rows and is_rare", code="too-few-rows")
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, name)])
        return Checked(valid=True, figures={"rows": world.cohort.height, "rare": int(world.rare.sum())})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check C and measure its four facets."""
        raw = (release / "C.csv").read_bytes()
        found = _checked_cohort(raw, _world(data).cohort.height, strict=self.strict)
        if not found.valid:
            return found.refusal()
        measured = _measured(_digest(data), data, raw)
        return Checked(valid=True, figures={"U": measured["U"], **measured["facets"]})

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Write C."""
        from tokumei.contests.pws2026.synthesis import METHODS, SETTINGS

        chosen = self.sample(METHODS, method, "method")
        made = chosen(_world(data), rng, **read_settings(method, settings, SETTINGS.get(method, {})))
        write_cohort(made, release / "C.csv")
        return {"rows": made.height}

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return C, the background and challenge rows for all, and candidates for every attacker."""
        from tokumei.contests.pws2026.table import COLUMNS
        from tokumei.contests.pws2026.tasks import draw_candidates, draw_challenge, table_bytes
        from tokumei.data import read_bytes

        cohort, reserve = _people(data)
        challenge, answers = draw_challenge(cohort, reserve, _rng(seed, "challenge"), CHALLENGE_SHARE)
        tests, truths = {}, {}
        members = max(FEWEST_MEMBERS, round(MEMBER_SHARE * cohort.height))
        for attacker in attackers:
            drawn = draw_candidates(cohort, reserve, members, _rng(seed, f"candidates:{attacker}"))
            token = hmac.new(seed.encode(), f"token:{attacker}".encode(), hashlib.sha256).hexdigest()[:24]
            tests[attacker] = {
                "candidates": table_bytes(drawn.select("record_id", *COLUMNS)),
                "token.txt": f"{token}\n".encode(),
            }
            truths[attacker] = {"members": table_bytes(drawn.select("record_id", "member", "is_rare"))}
        return Published(
            common={
                "C": read_bytes(release / "C.csv"),
                "A_bg": read_bytes(data / "A_bg.csv"),
                "aia_challenge": table_bytes(challenge),
            },
            per_attacker=tests,
            truth={"aia_truth": table_bytes(answers)},
            truth_per_attacker=truths,
        )

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Write confidences about the candidates and times of the challenge rows."""
        import polars as pl

        from tokumei.contests.pws2026.attacks import ATTACKS
        from tokumei.contests.pws2026.table import read_table
        from tokumei.contests.pws2026.tasks import read_challenge, table_bytes

        del data, rng
        if settings:
            raise ParameterError(f"the attack '{attack}' has no setting '{next(iter(settings))}'")
        membership, attribute = self.sample(ATTACKS, attack, "attack")
        made, base, people = (read_table(published / f"{name}.csv") for name in ("C", "A_bg", "candidates"))
        rows = read_challenge(published / "aia_challenge.csv")
        answers = pl.DataFrame({"record_id": people["record_id"], "confidence": membership(made, base, people)})
        times = rows.select("challenge_row_id", pl.Series("time_hat", attribute(made, base, rows)))
        (guesses / "F_mia.csv").write_bytes(table_bytes(answers.with_columns(pl.col("record_id").cast(pl.Int64))))
        (guesses / "F_aia.csv").write_bytes(table_bytes(times))
        (guesses / "token.txt").write_bytes((published / "token.txt").read_bytes())
        return {"candidates": people.height, "challenges": rows.height}

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Check both files and score them against the truth."""
        from tokumei.contests.pws2026.tasks import score_folder

        del data, release, published
        return [score_folder(folder, truth, floor=self.aia_floor, strict=self.strict) for folder in guesses]

    def banded(self, figures: Figures) -> Figures | None:
        """Return the band of the membership attack on all rows, and the attribute attack as it is."""
        return {name: figures[name] for name in ("band", "aia") if name in figures}

    def split_answers(self, answers: Path, targets: Sequence[str]) -> dict[str, dict[str, bytes]]:
        """Return the answers of every target from the official layout: a column, and rows of target_k, for each."""
        from tokumei.contests.pws2026.tasks import split_answers

        return split_answers(answers, targets) or super().split_answers(answers, targets)

    def kept(self, entry: Entry, board: Board) -> Figures:
        """Return the weaker of utility and of what the best attacks left of anonymity."""
        from tokumei.contests.pws2026.scores import anonymity

        best = anonymity(*(board.most(entry.team, name) for name in ("beyond_chance", "aia")))
        utility = (entry.figures or {}).get("U", 0.0)
        return {"total": min(utility, best["Anon"]), "U": utility, **best}

    def reached(self, entry: Entry, board: Board) -> Figures:
        """Return the attack power over all other teams; who is not attacked counts 0."""
        own, others = board.by(entry.team).values(), max(1, len(board.released) - 1)
        sums = {name: sum(found[name] for found in own) / others for name in ("mia", "aia")}
        return {"power": sums["mia"] + sums["aia"], **sums}


def write_cohort(made: pl.DataFrame, path: Path) -> None:
    """Write a table C."""
    import polars as pl

    from tokumei.contests.pws2026.table import COLUMNS

    whole = pl.col("age", "sex", "smoking", "onset", "death").cast(pl.Int64)
    made.select(COLUMNS).with_columns(whole).write_csv(path)


def _rng(seed: str, what: str) -> Generator:
    import numpy as np

    return np.random.default_rng(int.from_bytes(hmac.new(seed.encode(), what.encode(), hashlib.sha256).digest()))


def _world(data: Path) -> World:
    from tokumei.contests.pws2026.table import World

    return World.read(data)


def _people(data: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    from tokumei.contests.pws2026.table import read_table

    return read_table(data / "B_self.csv"), read_table(data / "reserve.csv")


def _checked_cohort(raw: bytes, rows: int, *, strict: bool) -> Findings:
    from tokumei.contests.pws2026.checker import Findings, check_cohort
    from tokumei.contests.pws2026.csv_cells import Cells, UnreadableError

    found = Findings()
    try:
        check_cohort(Cells.read(raw), rows, found, strict=strict)
    except UnreadableError as error:
        found.fault(error.code, ["C.csv"], file="C.csv")
    return found


def _digest(data: Path) -> str:
    names = ("B_self.csv", "A_bg.csv", "utility_ref.json")
    return hashlib.sha256(b"".join((data / name).read_bytes() for name in names)).hexdigest()


@lru_cache(maxsize=8)
def _measured(digest: str, data: Path, raw: bytes) -> dict[str, Any]:
    """Measure a table once: the same release is often checked several times in a row."""
    import tempfile

    from tokumei.contests.pws2026.table import read_table
    from tokumei.contests.pws2026.utility import measure_utility

    del digest
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "C.csv"
        path.write_bytes(raw)
        return measure_utility(_world(data), read_table(path))
