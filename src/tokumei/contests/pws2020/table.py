"""Rows of PWS Cup 2020: reading, generating, and the utility as far as the rules tell it (later contests, spec 7).

The official program of the utility is not known. Inferred here: covariances divide by n - 1, every value of a category
is a dummy of its own, and an income above 50K is the positive class.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.random import Generator

from tokumei.array_types import Bools, Floats
from tokumei.contests.column_rules import check_cells, column_rules, plain_rows
from tokumei.contests.findings import Findings
from tokumei.data import read_bytes
from tokumei.errors import InputError
from tokumei.parts import need_libraries

HOME = "tokumei.contests.pws2020"
RULES = column_rules(HOME)
COLUMNS = tuple(RULES)
NUMBERS = tuple(name for name, rule in RULES.items() if not rule.known)
UNCHANGED = 1_000.0
# The column that a tree tells, its positive value, and how deep the tree is.
TREES = {"U_DTA_income": ("income", ">50K", 5), "U_DTA_husband": ("relationship", "Husband", 3)}
CLASSES = 12


def check_rows(raw: bytes, file: str, *, low: int, high: int) -> tuple[Findings, pl.DataFrame | None]:
    """Check rows without a header; return the faults and, if there is none, the cells as texts."""
    found, rows = Findings(HOME), plain_rows(raw)
    if not low <= len(rows) <= high:
        found.add("row-limits", file, rows=len(rows), low=low, high=high)
    check_cells(found, file, tuple(RULES.values()), rows)
    if not found.valid:
        return found, None
    cells = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
    return found, cells.select(pl.all().str.strip_chars())


def read_rows(path: Path) -> pl.DataFrame:
    """Read rows that must be right."""
    found, frame = check_rows(read_bytes(path), str(path), low=1, high=10**7)
    if frame is None:
        raise InputError(f"{path}: {found.notes[0].message['en']}", code=found.notes[0].code, file=str(path))
    return frame


def rows_text(frame: pl.DataFrame) -> bytes:
    """Return rows as a file."""
    return frame.write_csv(include_header=False).encode()


def draw_people(count: int, rng: Generator) -> pl.DataFrame:
    """Draw rows without repetition: a few kinds of people, each with its own ages, hours and shares of all values."""
    kinds = rng.integers(CLASSES, size=3 * count)
    columns: dict[str, list[str]] = {}
    for name, rule in RULES.items():
        if rule.known:
            shares = rng.dirichlet(np.full(len(rule.known), 0.15), size=CLASSES).cumsum(axis=1)
            place = (rng.random((len(kinds), 1)) > shares[kinds]).sum(axis=1).clip(0, len(rule.known) - 1)
            columns[name] = [rule.known[at] for at in place.tolist()]
        else:
            middle = rng.uniform(30, 50, CLASSES)[kinds]
            drawn = np.round(middle + rng.normal(0, 11, len(kinds))).clip(int(rule.low), int(rule.high))
            columns[name] = [f"{value:.0f}" for value in drawn.tolist()]
    married = pl.col("marital-status") == "Married-civ-spouse"
    spouse = pl.when(pl.col("sex") == "Male").then(pl.lit("Husband")).otherwise(pl.lit("Wife"))
    # As in Adult: who is married is husband or wife, who is not is neither.
    alone = pl.col("relationship").replace(["Husband", "Wife"], "Not-in-family")
    people = pl.DataFrame(columns).with_columns(relationship=pl.when(married).then(spouse).otherwise(alone))
    return people.unique(maintain_order=True)[:count]


def design(frame: pl.DataFrame, *, without: str = "") -> Floats:
    """Return numbers, and a dummy for every known value of the categories."""
    parts = []
    for name, rule in RULES.items():
        if name in NUMBERS:
            parts.append(frame[name].cast(pl.Float64).to_numpy())
        elif name != without:
            parts += [(frame[name] == value).to_numpy().astype(np.float64) for value in rule.known]
    return np.column_stack(parts)


def histogram_utility(c: pl.DataFrame, d: pl.DataFrame) -> float:
    """Return U_hist: 1 less the changes of all counts over twice the cells of C."""
    changes = 0
    for name in COLUMNS:
        mine, theirs = (dict(frame[name].value_counts().rows()) for frame in (c, d))
        changes += sum(abs(mine.get(value, 0) - theirs.get(value, 0)) for value in {*mine, *theirs})
    return 1 - changes / (2 * c.height * len(COLUMNS))


def covariance_utility(c: pl.DataFrame, d: pl.DataFrame) -> float:
    """Return U_VCM: 1 over the largest sum of changes of a column of the covariance matrix."""
    mine, theirs = (np.cov(design(frame), rowvar=False) for frame in (c, d))
    return float(1 / max(np.abs(mine - theirs).sum(axis=0).max(), 1 / UNCHANGED))


def tree_utility(c: pl.DataFrame, d: pl.DataFrame, test: pl.DataFrame, figure: str) -> float:
    """Return U_DTA: the F-measure with which the tree of D agrees with that of C on test rows."""
    need_libraries("sklearn")
    from sklearn.tree import DecisionTreeClassifier

    column, positive, depth = TREES[figure]
    told: list[Bools] = []
    for frame in (c, d):
        tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
        tree.fit(design(frame, without=column), (frame[column] == positive).to_numpy())
        told.append(np.asarray(tree.predict(design(test, without=column)), dtype=bool))
    both = int((told[0] & told[1]).sum())
    return 2 * both / int(told[0].sum() + told[1].sum()) if told[0].any() or told[1].any() else 1.0
