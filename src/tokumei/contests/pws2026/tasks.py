"""The attack task of PWS Cup 2026 in an arena: candidates, challenge rows with matched controls, and their scoring."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.random import Generator

from tokumei.array_types import Floats
from tokumei.contests.answers import read_zip
from tokumei.contests.pws2026.attacks import KNOWN
from tokumei.contests.pws2026.checker import Findings
from tokumei.contests.pws2026.csv_cells import Cells, UnreadableError
from tokumei.contests.pws2026.scores import Answer
from tokumei.contests.values import Checked
from tokumei.data import read_bytes
from tokumei.errors import InputError

CHALLENGE = ("challenge_row_id", *KNOWN, "sex", "prefecture")


def table_bytes(frame: pl.DataFrame) -> bytes:
    """Return a table as CSV."""
    return frame.write_csv().encode()


def draw_candidates(cohort: pl.DataFrame, reserve: pl.DataFrame, members: int, rng: Generator) -> pl.DataFrame:
    """Return as many people as the cohort has, in random order: so many members, the others from the reserve."""
    inside = cohort[rng.permutation(cohort.height)[:members].tolist()].with_columns(member=pl.lit(1))
    count = min(cohort.height - members, reserve.height)
    outside = reserve[rng.permutation(reserve.height)[:count].tolist()].with_columns(member=pl.lit(0))
    drawn = pl.concat([inside, outside])
    drawn = drawn[rng.permutation(drawn.height).tolist()]
    return drawn.with_columns(pl.Series("record_id", np.arange(drawn.height)), pl.col("is_rare").cast(pl.Int64))


def draw_challenge(
    cohort: pl.DataFrame, reserve: pl.DataFrame, rng: Generator, share: float
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the challenge rows and their truth: members, and for each the nearest free person of the reserve.

    A control has the same sex, rarity and outcome where there is one, and is nearest in age.
    """
    chosen = cohort[rng.permutation(cohort.height)[: max(4, round(share * cohort.height))].tolist()]
    names = ("sex", "is_rare", "onset", "death", "age")
    weights = np.array([1e3, 1e5, 1e4, 1e4, 1.0])
    one, other = (frame.select(names).to_numpy() * weights for frame in (chosen, reserve))
    free = np.ones(len(other), dtype=bool)
    controls = []
    for row in one:
        at = int(np.argmin(np.where(free, np.abs(other - row).sum(axis=1), np.inf)))
        free[at] = False
        controls.append(at)
    both = pl.concat(
        [chosen.with_columns(label=pl.lit("member")), reserve[controls].with_columns(label=pl.lit("control"))]
    )
    both = both[rng.permutation(both.height).tolist()].with_row_index("challenge_row_id")
    whole = pl.col("onset", "is_rare").cast(pl.Int64)
    return both.select(CHALLENGE), both.select("challenge_row_id", "label", "onset", "time", "is_rare").with_columns(
        whole
    )


def read_challenge(path: Path) -> pl.DataFrame:
    """Return the challenge rows as numbers, prefecture as text."""
    frame = Cells.read(read_bytes(path)).frame
    numbers = [pl.col(name).cast(pl.Float64) for name in (*KNOWN, "sex")]
    return frame.select(pl.col("challenge_row_id").cast(pl.Int64), *numbers, pl.col("prefecture"))


def split_answers(answers: Path, targets: Sequence[str]) -> dict[str, dict[str, bytes]]:
    """Return the files of every target out of F_mia.csv and F_aia.csv at the top of a zip; nothing without them.

    Cells that are left empty are no answers: a target may have fewer people than another.
    """
    files = read_zip(answers)
    if not {"F_mia.csv", "F_aia.csv"} <= set(files):
        return {}
    try:
        mia, aia = (Cells.read(files[name]).frame for name in ("F_mia.csv", "F_aia.csv"))
        found = {}
        for target in targets:
            if target in mia.columns:
                rows = mia.select("record_id", pl.col(target).alias("confidence")).filter(pl.col("confidence") != "")
                times = aia.filter(pl.col("target_k") == target).select("challenge_row_id", "time_hat")
                found[target] = {"F_mia.csv": table_bytes(rows), "F_aia.csv": table_bytes(times)}
    except (UnreadableError, pl.exceptions.PolarsError) as error:
        message = f"{answers} holds no answers that can be read ({error}); see 'tokumei pws2026 check-zip'"
        raise InputError(message, code="no-table", file=str(answers)) from error
    return found


def score_folder(folder: Path, truth: Path, *, floor: float, strict: bool) -> Checked:
    """Check and score the guesses of one attacker."""
    found = Findings()
    _check_token(folder, found)
    members = Cells.read((folder / "truth/members.csv").read_bytes()) if (folder / "truth").is_dir() else None
    answers = Cells.read((truth / "aia_truth.csv").read_bytes())
    if members is None:
        found.fault("REFERENCE_MISSING", file="members.csv")
        return found.refusal()
    confidence = _answers(folder / "F_mia.csv", "record_id", "confidence", members, found, strict=strict, high=1.0)
    guessed = _answers(folder / "F_aia.csv", "challenge_row_id", "time_hat", answers, found, strict=strict)
    if confidence is None or guessed is None or not found.valid:
        return found.refusal()
    answer = Answer(
        confidence=confidence,
        member=members.numbers("member") == 1,
        rare=members.numbers("is_rare") == 1,
        guessed=guessed,
        time=answers.numbers("time"),
        challenged=(answers.frame["label"] == "member").to_numpy(),
        challenge_rare=answers.numbers("is_rare") == 1,
        floor=floor,
    )
    return Checked(valid=True, figures=answer.figures())


def _check_token(folder: Path, found: Findings) -> None:
    """Refuse answers that were meant for another target, or come from another team: their token is another one."""
    given, own = folder / "token.txt", folder / "published/token.txt"
    if given.exists() and own.exists() and given.read_bytes().split() != own.read_bytes().split():
        found.fault("TOKEN_UNKNOWN", file="token.txt")


def _answers(
    path: Path, key: str, value: str, wanted: Cells, found: Findings, *, strict: bool, high: float | None = None
) -> Floats | None:
    """Return the answers in the order of the truth; None if the file cannot be read so far."""
    file = path.name
    try:
        cells = Cells.read(path.read_bytes())
    except (UnreadableError, OSError) as error:
        found.fault(getattr(error, "code", "MISSING_FILE"), file=file)
        return None
    lacking = [name for name in (key, value) if name not in cells.columns]
    if lacking:
        found.fault("COLUMN_MISSING", file=file, names=", ".join(lacking))
        return None
    ids, values = cells.numbers(key), cells.numbers(value)
    found.fault_cells("RECORD_ID_NOT_INTEGER", [], ~np.isfinite(ids) | (ids != np.round(ids)), cells, key, file=file)
    found.fault_cells("NOT_A_NUMBER", [], np.isnan(values), cells, value, file=file)
    found.fault_cells("NEGATIVE", [], values < 0, cells, value, file=file)
    if high is not None:
        found.fault_cells("CONFIDENCE_RANGE", [], np.isfinite(values) & (values > high), cells, value, file=file)
    if strict:
        found.fault_cells("INFINITE", [], np.isposinf(values), cells, value, file=file)
    if not found.valid:
        return None
    _, first = np.unique(ids, return_index=True)
    found.fault_cells("RECORD_ID_DUPLICATE", [], ~np.isin(np.arange(len(ids)), first), cells, key, file=file)
    asked = wanted.numbers(key)
    lost, extra = set(asked.tolist()) - set(ids.tolist()), set(ids.tolist()) - set(asked.tolist())
    if lost or extra:
        found.fault("RECORD_ID_SET", file=file, lost=len(lost), extra=len(extra))
    if not found.valid:
        return None
    by_id = dict(zip(ids.tolist(), values.tolist(), strict=True))
    return np.array([by_id[one] for one in asked.tolist()])
