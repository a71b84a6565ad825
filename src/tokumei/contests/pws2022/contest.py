"""PWS Cup 2022 as a contest, partial: a table made by logged operators, others tell which acquaintances are in it.

The log must make the handed-in table from D (spec 8). Whether the least or the mean safety counted is not known: here
it is the least. Half of the acquaintances are members, the others come from people who are not in D.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tokumei.contests.declared import DeclaredContest, private_seed
from tokumei.contests.notes import note_of_error
from tokumei.contests.ranking import Board
from tokumei.contests.settings import Limits, read_settings
from tokumei.contests.values import Checked, Entry, Figures, Published
from tokumei.errors import ParameterError, TokumeiError
from tokumei.parts import parameter

if TYPE_CHECKING:
    from numpy.random import Generator

# The logs of the sample methods, from their settings and a seed, with the limits of the settings.
METHODS: dict[str, tuple[Callable[..., list[list[Any]]], Limits]] = {
    "layers": (lambda seed: [["age_layer"], ["top2_round", 6, 4], ["shuffle", seed]], {}),
    "response": (
        lambda seed, p=0.9: [["rr", p, list(range(1, 13)), seed], ["lap", [0], 1.0, seed], ["shuffle", seed]],
        {"p": (float, 0.0, 1.0)},
    ),
    "small-groups": (
        lambda seed, k=2: [["age_layer"], ["kanony", k, [0, 1, 7]], ["shuffle", seed]],
        {"k": (int, 1, 100)},
    ),
}


@dataclass(frozen=True, kw_only=True)
class Pws2022(DeclaredContest):
    """Logged operators on a health table against membership inference."""

    name: ClassVar[str] = "pws2022"
    acquaintances: int = parameter(50, "people whom attackers know, half of them members", low=2, high=200)

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write so many people, and others."""
        import numpy as np

        from tokumei.contests.pws2022.table import draw_people, table_text

        people = draw_people(size + max(size // 2, self.acquaintances), np.random.default_rng(seed))
        (data / "D.csv").write_bytes(table_text(people[:size]))
        (data / "others.csv").write_bytes(table_text(people[size:]))

    def generate_private(self, base: Path, data: Path, *, size: int | None, seed: int) -> None:
        """Write the people of one team."""
        from tokumei.contests.pws2022.table import read_table

        self.generate(data, size=size or len(read_table(base / "D.csv")), seed=private_seed(seed))

    def check_data(self, data: Path) -> Checked:
        """Check both tables, and that acquaintances can be drawn."""
        from tokumei.contests.findings import Findings
        from tokumei.contests.pws2022.table import HOME, read_table

        found, half = Findings(HOME), self.acquaintances // 2
        try:
            people, others = (read_table(data / f"{name}.csv") for name in ("D", "others"))
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "D")])
        if min(len(people), len(others)) < half:
            found.add("few-others", "others", wanted=half)
        return Checked(valid=True, figures={"rows": len(people)}) if found.valid else found.refusal()

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check the table, run the log on D, and measure A and B."""
        from tokumei.contests.pws2022 import table
        from tokumei.contests.pws2022.operators import run_log
        from tokumei.data import read_bytes

        original = table.read_table(data / "D.csv")
        found, made = table.check_table(read_bytes(release / "anonymized.csv", allow_empty=True), "anonymized")
        try:
            log = json.loads(read_bytes(release / "log.json", allow_empty=True))
        except (ValueError, RecursionError):
            log = None
        if not isinstance(log, list) or not all(isinstance(step, list) and step for step in log):
            found.add("no-log", "log.json")
        else:
            try:
                again = run_log(original, log)
                if made is not None and (again.shape != made.shape or (again != made).any()):
                    found.add("other-result", "anonymized")
            except ParameterError as error:
                found.add("log", "log.json", step=error.code, reason=str(error))
        if made is None or not found.valid:
            return found.refusal()
        parts = {"A": table.count_utility(original, made), "B": table.correlation_utility(original, made)}
        return Checked(valid=True, figures={"utility": sum(parts.values()) / len(parts), **parts})

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Write the table and its log."""
        from tokumei.contests.pws2022 import table
        from tokumei.contests.pws2022.operators import run_log

        steps, limits = self.sample(METHODS, method, "method")
        log = steps(int(rng.integers(2**31)), **read_settings(method, settings, limits))
        made = run_log(table.read_table(data / "D.csv"), log)
        # Noise may leave what the columns allow.
        log += [["bottom2_round", 0, 0], ["top2_round", 0, 120]]
        made = run_log(made, log[-2:])
        (release / "anonymized.csv").write_bytes(table.table_text(made))
        (release / "log.json").write_text(json.dumps(log))
        return {"method": method, "rows": len(made)}

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return the table and acquaintances in random order; who is a member stays with the judge."""
        import numpy as np

        from tokumei.contests.pws2022.table import read_table, table_text

        del attackers
        rng = np.random.default_rng(int.from_bytes(hashlib.sha256(f"pws2022:{seed}".encode()).digest()))
        half = self.acquaintances // 2
        drawn = [
            people[rng.permutation(len(people))[:half]]
            for people in (read_table(data / f"{name}.csv") for name in ("D", "others"))
        ]
        order = rng.permutation(2 * half)
        known, members = np.concatenate(drawn)[order], np.repeat([1, 0], half)[order]
        common = {"anonymized": (release / "anonymized.csv").read_bytes(), "R": table_text(known)}
        return Published(common=common, truth={"members": "".join(f"{one}\n" for one in members.tolist()).encode()})

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Call those members who are in the table as they are, or the half of them who are nearest to it."""
        import numpy as np

        from tokumei.contests.pws2022.table import read_table

        del data, rng
        self.sample(dict.fromkeys(self.attacks), attack, "attack")
        if settings:
            raise ParameterError(f"the attack '{attack}' has no setting '{next(iter(settings))}'")
        table, known = (read_table(published / f"{name}.csv") for name in ("anonymized", "R"))
        spread = np.maximum(known.std(axis=0), 1e-9)
        away = np.array([(np.abs(table - one) / spread).sum(axis=1).min(initial=np.inf) for one in known])
        limit = 0.0 if attack == "exact" else np.sort(away)[len(known) // 2 - 1]
        (guesses / "answers.csv").write_text("".join(f"{int(one <= limit)}\n" for one in away))
        return {"members": int((away <= limit).sum())}

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Count the right answers."""
        from tokumei.contests.column_rules import check_numbers, plain_rows
        from tokumei.contests.findings import Findings
        from tokumei.data import read_bytes

        del data, release, published
        members, results = [int(line) for line in (truth / "members.csv").read_text().split()], []
        for folder in guesses:
            found, rows = Findings(), plain_rows(read_bytes(folder / "answers.csv", allow_empty=True))
            answers = check_numbers(found, "answers", rows, wanted=len(members), below=2)
            right, half = sum(one == other for one, other in zip(answers, members, strict=False)), sum(members)
            figures = {"safety": min((2 * half - right) / half, 1.0), "right": right}
            results.append(Checked(valid=True, figures=figures) if found.valid else found.refusal())
        return results

    def kept(self, entry: Entry, board: Board) -> Figures:
        """Return the mean of utility and of the least safety that was left."""
        useful = float((entry.figures or {})["utility"])
        safe = min([1.0, *(float(figures["safety"]) for figures in board.against(entry.team))])
        return {"total": (useful + safe) / 2, "utility": useful, "safety": safe}

    def reached(self, entry: Entry, board: Board) -> Figures:
        """Return the mean safety left of all others."""
        own, aims = board.by(entry.team), [team for team in board.released if team != entry.team]
        return {"left": sum(float(own.get(team, {}).get("safety", 1.0)) for team in aims) / max(len(aims), 1)}
