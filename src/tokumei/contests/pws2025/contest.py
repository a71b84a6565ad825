"""PWS Cup 2025 as a contest: a table C and a model D are handed in, others tell who is a member (later_contests 2)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tokumei.contests.declared import DeclaredContest
from tokumei.contests.notes import note_of_error
from tokumei.contests.ranking import Board
from tokumei.contests.settings import read_settings
from tokumei.contests.values import Checked, Entry, Figures, Published
from tokumei.errors import InputError, ParameterError, TokumeiError
from tokumei.parts import parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from tokumei.contests.pws2025.table import Patients

# A has ten times the people of B: by chance a tenth of the marks hits.
CROWD = 10
FEWEST_ROWS = 50
BEST_TEAMS = 10
PRELIMINARY_BEST = 5


def anonymity_of(most: float, members: int, penalty: int) -> float:
    """Return 100 for no hit, less one for every attacker beyond the first who hit the same person.

    >>> anonymity_of(1653, 10_000, 13)
    70.47
    """
    return max(0.0, 100.0 * (members - most) / members - penalty)


@dataclass(frozen=True, kw_only=True)
class Pws2025(DeclaredContest):
    """Patients and a model against membership inference."""

    name: ClassVar[str] = "pws2025"
    best_teams: int = parameter(BEST_TEAMS, "so many best teams count for the attackers", low=1, high=100)
    strict: bool = parameter(True, "look at decimals too; pws_data_format overlooks them")

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
                    return found.refusal()
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
        from tokumei.contests.pws2025.checker import Rows, check_model, check_table
        from tokumei.contests.pws2025.model import TARGET, predict, right_predictions
        from tokumei.contests.pws2025.table import Patients
        from tokumei.contests.pws2025.utility import POINTS, measure_table

        b, raw = Patients.read(data / "B.csv"), (release / "D.json").read_bytes()
        try:
            rows = Rows.read((release / "C.csv").read_bytes(), "C")
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "C")])
        found = check_table(rows, "C", rows=b.height, decimals=self.strict)
        found.take(check_model(raw, "D.json"))
        if not found.valid:
            return found.refusal()
        try:
            test = _test_rows(data, b)
            accuracy = float(right_predictions(predict(raw, test), test.answers(TARGET)).mean())
        except (ValueError, RuntimeError, TypeError, KeyError):
            found.add("model-unusable", "D.json")
            return found.refusal()
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

    def kept(self, entry: Entry, board: Board) -> Figures:
        """Return utility and anonymity, less a penalty where many attackers hit the same person."""
        team, against = entry.team, board.against(entry.team)
        members = max((pair.figures["members"] for pair in board.pairs), default=1)
        most, penalty = int(board.most(team, "hits")), _penalty(against)
        utility, safe = float((entry.figures or {})["utility"]), anonymity_of(most, members, penalty)
        return {"total": utility + safe, "utility": utility, "anonymity": safe, "penalty": penalty, "most": most}

    def reached(self, entry: Entry, board: Board) -> Figures:
        """Return the hits on the best teams."""
        return {"points": int(board.on_best(entry.team, "hits", self.best_teams))}


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
        return found.refusal()
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
