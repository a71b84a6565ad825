"""The organisers' files of PWS Cup 2026 that a submission is compared with: in practice, or in a round."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tokumei.contests.pws2026.csv_cells import Cells


@dataclass(frozen=True)
class Reference:
    """What a submission is compared with: practice (any one target may be missing) or a round with tokens."""

    folder: Path

    def tokens(self) -> dict[str, int] | None:
        """Return team numbers by token; None in practice."""
        path = self.folder / "tokens.csv"
        if not path.exists():
            return None
        frame = Cells.read(path.read_bytes()).frame
        return dict(zip(frame["token"].str.strip_chars(), map(int, frame["team_id"]), strict=True))

    def rows(self, team: int | None) -> int | None:
        """Return how many people the cohort has; None if its file is not there."""
        names = ["B_practice.csv", "B_self.csv"] if team is None else [f"B_{team}.csv"]
        path = self._first(names)
        return None if path is None else len(Cells.read(path.read_bytes()).lines)

    def records(self, team: int | None) -> list[int] | None:
        """Return the record ids of the own cohort; None if the file is not there."""
        practice = ["pool_ids_attacker.csv", "B_practice.csv", "B_self.csv"]
        path = self._first(practice if team is None else [f"pool_ids_{team}.csv"])
        return None if path is None else _whole_numbers(path, "record_id")

    def _first(self, names: Sequence[str]) -> Path | None:
        return next((self.folder / name for name in names if (self.folder / name).exists()), None)

    def _attacked(self) -> Path:
        """Return the folder of the targets: a part of its own, or the folder itself."""
        for part in (self.folder / "attacker", self.folder / "targets"):
            if (part / "mia_columns.json").exists() or any(part.glob("aia_challenge_*.csv")):
                return part
        return self.folder

    def targets(self) -> list[str] | None:
        """Return the columns that F_mia must have; None if they are not known."""
        path = self._attacked() / "mia_columns.json"
        if not path.exists():
            return None
        return [str(name) for name in json.loads(path.read_text(encoding="utf-8"))["target_columns"]]

    def challenges(self) -> dict[int, list[int]]:
        """Return the challenge rows of every target, in the order of the file names; in a round those of the truth."""
        found = _challenge_rows(self._attacked(), "challenge")
        if found or self.tokens() is None:
            return found
        targets = self.targets()
        truth = _challenge_rows(self.folder, "truth")
        return {one: rows for one, rows in truth.items() if targets is None or str(one) in targets}

    def lacking(self, kind: str, team: int | None) -> list[str]:
        """Return the files without which a round cannot check a team."""
        if team is None:
            return []
        if kind == "defence":
            return [] if self.rows(team) is not None else [f"B_{team}.csv"]
        missing = [] if self.records(team) is not None else [f"pool_ids_{team}.csv"]
        targets = self.targets()
        if targets is None:
            return [*missing, "mia_columns.json"]
        have = self.challenges()
        return missing + [f"aia_truth_{one}.csv" for one in sorted(map(int, targets)) if one not in have]


def _whole_numbers(path: Path, name: str) -> list[int]:
    return Cells.read(path.read_bytes()).numbers(name).astype(int).tolist()


def _challenge_rows(folder: Path, kind: str) -> dict[int, list[int]]:
    found = {}
    for path in sorted(folder.glob(f"aia_{kind}_*.csv")):
        match = re.fullmatch(rf"aia_{kind}_(\d+)", path.stem)
        if match:
            found[int(match[1])] = _whole_numbers(path, "challenge_row_id")
    return found
