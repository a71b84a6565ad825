"""``python -m benchmarks.contents T.csv [--people 400] [-o FOLDER]``: the table and the chart of docs/contents.md.

Every row is a release of the same customers: tight, with range ends rounded to weeks after grouping, and with grids
before it. The attacker knows three full records of a person (`tokumei.audits.climb_ladder`). ``--people 0`` takes all
customers; ``--only NAME`` (repeated) takes some rows. Finished rows are kept in FOLDER and not measured again
(``--attack``: releases are attacked again); ``--thorough`` looks for 400 people, ``--pages`` writes tables and charts
into the guide.
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.inputs import PROJECT
from tokumei.audits import climb_ladder
from tokumei.data import Coarsened, History, RangeCells, Release, Secret
from tokumei.flow.making import anonymized
from tokumei.methods import KAnonymity
from tokumei.metrics import CellError
from tokumei.profiles import read_history

HEAD = ["customer", "date", "goods", "price", "quantity"]
FEWEST, MOST = 8, 400
AMOUNTS = {"price": "1-2-5", "quantity": "1-2-5"}
LEVELS = (2, 3, 5, 10)
LEAST_DAYS = 28
Grids = Mapping[str, str | float]
# The profiles of the chart, in its order.
PROFILES: dict[str, Grids] = {
    "tight": {},
    "week": {"date": "week"},
    "month": {"date": "month"},
    "strong": {"date": "month", "goods": 3, **AMOUNTS},
}
ROWS: dict[str, tuple[int, Grids]] = {
    **{f"{profile}, k = {k}": (k, grids) for profile, grids in PROFILES.items() for k in LEVELS},
    "k = 3, range ends outward to weeks": (3, {}),
    f"k = 3, at least {LEAST_DAYS} days wide": (3, {}),
    "k = 3, columns permuted in a group": (3, {}),
    "14 days, k = 3": (3, {"date": 14}),
    "month, 1-2-5, k = 3": (3, {"date": "month", **AMOUNTS}),
    "month, rare = 10, k = 3": (3, {"date": "month", "rare": 10}),
}
FIGURES = {
    "found": "records-3/class-found",
    "days": "records-3/date-day",
    "months": "records-3/date-month",
    "goods": "records-3/goods-value",
    "records": "outsider/records-recovered",
    "single": "outsider/singled-out",
    "AUC": "records-3/membership-auc",
}


def customers(file: Path, people: int) -> History:
    """Return some customers with 8 to 400 records, drawn with a fixed seed; all customers if ``people`` is 0."""
    frame = pl.read_csv(file, has_header=False, infer_schema=False, new_columns=HEAD)
    if people:
        usual = frame.group_by("customer").len().filter(pl.col("len").is_between(FEWEST, MOST))["customer"].sort()
        drawn = np.random.default_rng(1).choice(len(usual), min(people, len(usual)), replace=False)
        frame = frame.filter(pl.col("customer").is_in(usual.gather(np.sort(drawn)).implode()))
    return read_history(frame)


def with_grids(history: History, grids: Grids) -> History:
    """Return the history with these grids; ``rare`` is a bound on the people who share goods."""
    columns = [
        replace(
            column, grid=grids.get(column.name, ""), rare=int(grids.get("rare", 0)) if column.name == "goods" else 0
        )
        for column in history.schema.columns
    ]
    return replace(history, schema=replace(history.schema, columns=tuple(columns)))


def rounded_after(history: History, release: Release) -> tuple[History, Release]:
    """Return a tight release with its dates rounded outward to weeks: groups and cells have seen the days."""
    coarse = with_grids(history, {"date": "week"})
    return coarse, replace(Coarsened(coarse, coarse, {}).opened(release), schema=coarse.schema)


def widened_after(release: Release) -> Release:
    """Return a tight release whose dates are widened on both sides to ranges of four weeks."""
    dates = release.cells["date"]
    assert isinstance(dates, RangeCells)
    missing = np.maximum(LEAST_DAYS - 1 - (dates.hi - dates.lo), 0)
    low = dates.lo - missing // 2
    cells = RangeCells.of_ranges(low, dates.hi + missing - missing // 2, suppressed=dates.suppressed)
    return replace(release, cells={**release.cells, "date": cells})


def permuted_after(release: Release, rng: np.random.Generator) -> Release:
    """Return a tight release in whose groups every column is shuffled over the rows, alike for all members.

    The records of a pseudonym stand together, and equal histories have them in the same order.
    """
    frame = release.text()
    text = frame.drop("pseudonym").select(pl.concat_str(pl.all(), separator="\t").alias("row"))
    rows = pl.DataFrame({"who": frame["pseudonym"], "row": text["row"], "place": np.arange(len(frame))})
    people = rows.group_by("who", maintain_order=True).agg(pl.col("row").str.join("\n"), "place")
    moved = {name: np.arange(len(frame)) for name in release.cells}
    for places in people.group_by("row", maintain_order=True).agg("place")["place"]:
        members = np.stack([np.asarray(one) for one in places.to_list()])
        for order in moved.values():
            order[members] = members[:, rng.permutation(members.shape[1])]
    return replace(release, cells={name: cells.take(moved[name]) for name, cells in release.cells.items()})


@dataclass(frozen=True, eq=False)
class Row:
    """A release of a row of the table, what it loses, and the CPU seconds that it took."""

    history: History
    release: Release
    secret: Secret
    lost: float
    seconds: float


def made(history: History, name: str, effort: str) -> Row:
    """Make the release of one row."""
    k, grids = ROWS[name]
    begin = time.process_time()
    coarse = with_grids(history, grids)
    release, secret = anonymized(coarse, KAnonymity(k=k, effort=effort), seed=1)
    # Records whose columns are permuted stand for no record any more: what is lost is said before.
    lost = CellError().measure(coarse, release, secret).value
    if "permuted" in name:
        release = permuted_after(release, np.random.default_rng(1))
    elif "wide" in name:
        release = widened_after(release)
        lost = CellError().measure(coarse, release, secret).value
    elif "outward" in name:
        coarse, release = rounded_after(coarse, release)
        lost = CellError().measure(coarse, release, secret).value
    return Row(coarse, release, secret, lost, time.process_time() - begin)


def attacked(row: Row, *, thorough: bool = False) -> dict[str, Any]:
    """Return the figures of one row; ``thorough`` looks for 400 people instead of 100."""
    answers = climb_ladder(row.history, row.release, row.secret, rng=np.random.default_rng(1), quick=not thorough)
    every = {key: score for answer in answers.values() for key, score in answer.figures.items()}
    figures = {name: [every[key].value, every[key].baseline] for name, key in FIGURES.items()}
    return {"U": row.lost, **figures, "cpu": row.seconds}


def kept(file: Path, make: Callable[[], Row], *, attack: bool, thorough: bool = False) -> dict[str, Any]:
    """Return the figures of a row that is kept in a file, made or attacked (again) where it is wanting."""
    releases = file.with_suffix(".pickle")
    figures = file.with_name(file.stem + "-thorough.json") if thorough else file.with_suffix(".json")
    if attack or not figures.exists():
        if not releases.exists():
            releases.write_bytes(pickle.dumps(make()))
        row = pickle.loads(releases.read_bytes())  # noqa: S301
        figures.write_text(json.dumps(attacked(row, thorough=thorough)), encoding="utf-8")
    return dict(json.loads(figures.read_text(encoding="utf-8")))


def line(name: str, row: Mapping[str, Any]) -> str:
    """Return a row of the table; behind a slash the same without the person, or among fresh people."""
    cells = [
        f"{value:.3f}" + ("" if without is None or key in ("AUC", "found") else f" / {without:.3f}")
        for key, (value, without) in ((key, row[key]) for key in FIGURES)
    ]
    return f"| {name} | {row['U']:.3f} | {' | '.join(cells)} | {row['cpu']:.0f} |"


def main() -> None:
    """Measure what is not measured yet and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contents", description=__doc__)
    parser.add_argument("file", type=Path, metavar="T.csv")
    parser.add_argument("--people", type=int, default=400)
    parser.add_argument("--effort", default="normal", choices=("fast", "normal", "best"))
    parser.add_argument("--only", action="append", choices=list(ROWS))
    parser.add_argument("--attack", action="store_true", help="attack kept releases again")
    parser.add_argument("--thorough", action="store_true", help="look for 400 people instead of 100")
    parser.add_argument("--pages", action="store_true", help="write tables and charts into the guide")
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "contents")
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    history = customers(chosen.file, chosen.people)
    print(f"{len(history):,} records of {len(history.subjects):,} customers", flush=True)
    rows: dict[str, dict[str, Any]] = {}
    for name in chosen.only or ROWS:
        place = chosen.output / f"{chosen.people}-{chosen.effort}-{name.replace(' ', '')}"
        file = place.with_name(place.name + ".json")
        make = partial(made, history, name, chosen.effort)
        rows[name] = kept(file, make, attack=chosen.attack, thorough=chosen.thorough)
        print(line(name, rows[name]), flush=True)
    if chosen.pages:
        from benchmarks.contents_pages import write_pages  # noqa: PLC0415 - loads the drawing program

        write_pages(rows, people=chosen.people, thorough=chosen.thorough)


if __name__ == "__main__":
    main()
