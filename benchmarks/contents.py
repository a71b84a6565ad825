"""``python -m benchmarks.contents T.csv [--people 400] [-o FOLDER]``: the table and the chart of docs/contents.md.

Every row is a release of the same customers: tight, with range ends rounded to weeks after grouping, and with grids
before it. The attacker knows three full records of a person (`tokumei.audits.climb_ladder`). ``--people 0`` takes all
customers; ``--only NAME`` (repeated) takes some rows. Finished rows are kept in FOLDER and not measured again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.inputs import PROJECT
from tokumei.audits import climb_ladder
from tokumei.data import Coarsened, History, Release, Secret
from tokumei.flow.making import anonymized
from tokumei.methods import KAnonymity
from tokumei.metrics import CellError
from tokumei.profiles import read_history
from tokumei.reports import to_svg

HEAD = ["customer", "date", "goods", "price", "quantity"]
FEWEST, MOST = 8, 400
AMOUNTS = {"price": "1-2-5", "quantity": "1-2-5"}
Grids = Mapping[str, str | float]
ROWS: dict[str, tuple[int, Grids]] = {
    **{f"tight, k = {k}": (k, {}) for k in (2, 3, 5, 10)},
    "k = 3, range ends outward to weeks": (3, {}),
    **{f"week, k = {k}": (k, {"date": "week"}) for k in (2, 3, 5, 10)},
    **{f"month, k = {k}": (k, {"date": "month"}) for k in (2, 3, 5, 10)},
    "month, 1-2-5, k = 3": (3, {"date": "month", **AMOUNTS}),
    "month, rare = 10, k = 3": (3, {"date": "month", "rare": 10}),
    **{f"strong, k = {k}": (k, {"date": "month", "goods": 3, **AMOUNTS}) for k in (2, 3, 5, 10)},
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


def measured(history: History, name: str, effort: str) -> dict[str, Any]:
    """Return the figures of one row, with CPU seconds."""
    k, grids = ROWS[name]
    begin = time.process_time()
    coarse = with_grids(history, grids)
    release, secret = anonymized(coarse, KAnonymity(k=k, effort=effort), seed=1)
    if "outward" in name:
        coarse, release = rounded_after(coarse, release)
    return {"U": CellError().measure(coarse, release, secret).value, **_figures(coarse, release, secret)} | {
        "cpu": round(time.process_time() - begin, 1)
    }


def _figures(history: History, release: Release, secret: Secret) -> dict[str, Any]:
    answers = climb_ladder(history, release, secret, rng=np.random.default_rng(1), quick=True)
    every = {key: score for answer in answers.values() for key, score in answer.figures.items()}
    return {name: [every[key].value, every[key].baseline] for name, key in FIGURES.items()}


def table(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the rows as a Markdown table; behind a slash the same without the person, or among fresh people."""
    lines = ["| release | U | " + " | ".join(FIGURES) + " | CPU s |", "|---" * (len(FIGURES) + 3) + "|"]
    for name, row in rows.items():
        cells = [
            f"{value:.3f}" + ("" if without is None or key in ("AUC", "found") else f" / {without:.3f}")
            for key, (value, without) in ((key, row[key]) for key in FIGURES)
        ]
        lines.append(f"| {name} | {row['U']:.3f} | {' | '.join(cells)} | {row['cpu']:.0f} |")
    return "\n".join(lines)


def chart(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the frontier: what is lost against what is learned, a panel for each figure."""
    points = [
        {
            "profile": name.split(",")[0],
            "k": name.rsplit(" ", 1)[1],
            "U": row["U"],
            "figure": figure,
            "learned": row[figure][0],
        }
        for name, row in rows.items()
        if name.split(",")[0] in ("tight", "week", "month", "strong") and name.count(",") == 1
        for figure in ("days", "goods", "single", "AUC")
    ]
    place = {
        "x": {"field": "U", "type": "quantitative", "title": "lost (U)", "scale": {"zero": False}},
        "y": {"field": "learned", "type": "quantitative", "title": "learned", "scale": {"domain": [0, 1]}},
        "color": {
            "field": "profile",
            "sort": ["tight", "week", "month", "strong"],
            "scale": {"range": ["#D55E00", "#E69F00", "#0072B2", "#009E73"]},
        },
    }
    line = {"mark": {"type": "line", "point": True}, "encoding": place}
    label = {"mark": {"type": "text", "dy": -8, "fontSize": 9}, "encoding": {**place, "text": {"field": "k"}}}
    facet = {"field": "figure", "type": "nominal", "sort": ["days", "goods", "single", "AUC"], "title": None}
    spec = {"layer": [line, label], "width": 260, "height": 200}
    return to_svg({"data": {"values": points}, "facet": facet, "columns": 2, "spec": spec})


def main() -> None:
    """Measure what is not measured yet; print the table and write the chart."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contents", description=__doc__)
    parser.add_argument("file", type=Path, metavar="T.csv")
    parser.add_argument("--people", type=int, default=400)
    parser.add_argument("--effort", default="normal", choices=("fast", "normal", "best"))
    parser.add_argument("--only", action="append", choices=list(ROWS))
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "contents")
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    history = customers(chosen.file, chosen.people)
    print(f"{len(history):,} records of {len(history.subjects):,} customers", flush=True)
    rows: dict[str, dict[str, Any]] = {}
    for number, name in enumerate(ROWS):
        kept = chosen.output / f"{chosen.people}-{chosen.effort}-{number:02}.json"
        if not kept.exists() and (chosen.only is None or name in chosen.only):
            kept.write_text(json.dumps(measured(history, name, chosen.effort)))
            print(table({name: json.loads(kept.read_text())}).splitlines()[-1], flush=True)
        if kept.exists():
            rows[name] = json.loads(kept.read_text())
    print(table(rows))
    (chosen.output / f"frontier-{chosen.people}.svg").write_text(chart(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
