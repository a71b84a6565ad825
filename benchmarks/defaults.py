"""``python -m benchmarks.defaults [--rows 4000] [-o FOLDER]``: the five figures of default releases, and public ones.

Purchases (400 customers of 2018), trajectories (people flow of Tokyo) and Adult (income is sensitive): tight and with
sensitive columns only measured, as releases were made before there were grids, and as they are made by default. The
figure of several releases is that of a second release of the same people. ``--public`` looks for a release that the
limits of `public` allow and tells what was tried. Finished lines are kept in FOLDER.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.contents import customers
from benchmarks.inputs import PROJECT, SHARED
from benchmarks.sensitive import history_of
from tokumei.audits import AuditSettings, Limits, Question
from tokumei.data import History
from tokumei.flow import audit, plan_of, release, release_for
from tokumei.profiles import read_history

FIGURES = tuple(question.value for question in Question)


def purchases(rows: int, *, demand: str) -> History:  # noqa: ARG001
    """Return customers of 2018, as in `benchmarks.contents`."""
    return customers(SHARED / "data" / "pwscup2018_T.csv", 400)


def trajectories(rows: int, *, demand: str) -> History:  # noqa: ARG001
    """Return where people of Tokyo were; which part of the data a record is in says nothing of a person."""
    frame = pl.read_parquet(SHARED / "data" / "people_flow_tokyo.parquet").drop("part", "region")
    return read_history(frame, subject="user")


def adult(rows: int, *, demand: str) -> History:
    """Return rows of Adult without its survey weight, with a sensitive income."""
    frame = pl.read_parquet(SHARED / "data" / "adult.parquet").drop("fnlwgt").drop_nulls()
    return history_of(frame.head(rows) if rows else frame, "income", demand)


SETS: dict[str, Callable[..., History]] = {"purchases": purchases, "trajectories": trajectories, "adult": adult}
# What is released: the contents, and what a sensitive column demands.
LINES = {"before (tight)": ("tight", "{ l = 1 }"), "default (grid)": ("grid", "true")}


def measured(name: str, line: str, rows: int) -> dict[str, Any]:
    """Return loss, the five figures (each with the same without the release) and CPU seconds."""
    content, demand = LINES[line]
    history, begin = SETS[name](rows, demand=demand), time.process_time()
    made = release(history, plan_of(None, seed=1, content=content), audit=False)
    seconds = time.process_time() - begin
    other = release(history, plan_of(None, seed=2, content=content), audit=False)
    result = audit(made, AuditSettings(quick=True), earlier=[other.release])
    figures = {question.value: answer.figure for question, answer in result.answers.items()}
    told = {key: None if one is None else [one.value, one.baseline] for key, one in figures.items()}
    return {"lost": made.utility.value, "seconds": seconds, **told}


def made_public(name: str, rows: int) -> dict[str, Any]:
    """Return what the search for a public release tried, and how long it took."""
    history, begin = SETS[name](rows, demand="true"), time.process_time()
    # Without a seed: a release that somebody can regenerate is proven of nobody.
    found = release_for(history, plan_of(None), Limits.read("public"))
    tried = [one.as_dict() for one in found.tried]
    seconds = time.process_time() - begin
    return {"met": found.made is not None, "tried": tried, "cpu": seconds, "clock": found.seconds}


def shown(figure: list[float | None] | None) -> str:
    """Return a figure and, behind a slash, the same without the release."""
    if figure is None or figure[0] is None:
        return ""
    return f"{figure[0]:.3f}" + ("" if figure[1] is None else f" / {figure[1]:.3f}")


def kept(file: Path, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a file holds, measured if it is not there."""
    if not file.exists():
        file.write_text(json.dumps(measure()), encoding="utf-8")
    return dict(json.loads(file.read_text(encoding="utf-8")))


def main() -> None:
    """Print the table of default releases and, if asked for, what was tried for the public."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.defaults", description=__doc__)
    parser.add_argument("--rows", type=int, default=0, help="rows of Adult (0: all)")
    parser.add_argument("--only", action="append", choices=list(SETS))
    parser.add_argument("--public", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "defaults")
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    names = chosen.only or list(SETS)
    print("| data | release | lost | " + " | ".join(FIGURES) + " | CPU s |")
    print("|---" * (len(FIGURES) + 4) + "|")
    for name in names:
        for line in LINES:
            file = chosen.output / f"{name}-{LINES[line][0]}-{chosen.rows}.json"
            row = kept(file, lambda name=name, line=line: measured(name, line, chosen.rows))  # type: ignore[misc]
            cells = " | ".join(shown(row[key]) for key in FIGURES)
            print(f"| {name} | {line} | {row['lost']:.3f} | {cells} | {row['seconds']:.0f} |", flush=True)
    for name in names if chosen.public else ():
        file = chosen.output / f"{name}-public-{chosen.rows}.json"
        row = kept(file, lambda name=name: made_public(name, chosen.rows))  # type: ignore[misc]
        print(f"{name}: limits {'met' if row['met'] else 'not met'}, {row['cpu']:.0f} CPU s, {row['clock']:.0f} s")
        for one in row["tried"]:
            print("  ", one["choices"], one["loss"], one["outcome"], *one["reasons"], flush=True)


if __name__ == "__main__":
    main()
