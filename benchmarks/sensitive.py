"""``python -m benchmarks.sensitive``: l-diversity and t-closeness on Adult and CMC beside other tools, in one run.

Every line is one tool under one demand: NCP of the tight hulls of its classes on the other columns (suppressed records
count 1), classes, CPU seconds, what our metric says of the classes and what pyCANON says of the same ones; of our
releases also how often somebody who knows all other columns is sure of the sensitive one. anjana has hierarchies (ARX's
of Adult) and may suppress 5 %. Each peer lives in an environment of its own (`benchmarks.peers`).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.arx_hierarchies import SEVEN, write_hierarchies
from benchmarks.inputs import SHARED
from benchmarks.peer_tables import group_numbers, groups_penalty
from benchmarks.peers import asked
from tokumei.array_types import Ints
from tokumei.audits import Question, climb_ladder
from tokumei.data import History, Schema
from tokumei.errors import InfeasibleError
from tokumei.flow.making import anonymized
from tokumei.methods import KAnonymity
from tokumei.metrics.class_figures import class_figures
from tokumei.profiles import infer_schema

# What is demanded: in our schema, of anonypy (l, t) and of anjana.
DEMANDS: dict[str, tuple[str, tuple[str, str] | None, tuple[str, str]]] = {
    "only measured": ("{ l = 1 }", ("0", "0"), ("none", "0")),
    "l = 2": ("{ l = 2, apart = true }", ("2", "0"), ("l", "2")),
    "l = 3": ("{ l = 3, apart = true }", ("3", "0"), ("l", "3")),
    "entropy l = 2": ('{ l = 2, diversity = "entropy", apart = true }', None, ("entropy", "2")),
    "t = 0.4": ("{ t = 0.4, apart = true }", ("0", "0.4"), ("t", "0.4")),
}
COLUMNS = {"adult": ("income", "occupation"), "cmc": ("contraceptive_method_use",)}
LIMIT = 600


def tables(rows: int) -> dict[str, pl.DataFrame]:
    """Return the tables: so many rows of the columns of Adult that ARX has hierarchies of, with income; and CMC."""
    adult = pl.read_parquet(SHARED / "data" / "adult.parquet").drop_nulls().select(*SEVEN, "income").head(rows)
    return {"adult": adult, "cmc": pl.read_csv(SHARED / "data" / "cmc.csv")}


def history_of(frame: pl.DataFrame, column: str, demand: str) -> History:
    """Return a table whose rows are people, with one sensitive category."""
    text = infer_schema(frame.with_columns(pl.col(column).cast(pl.String)), subject="row").to_toml()
    lines = [
        f'"{column}" = {{ kind = "category", sensitive = {demand} }}' if line.startswith(f'"{column}" ') else line
        for line in text.splitlines()
    ]
    return History.from_frame(frame, Schema.from_toml("\n".join(lines)))


@dataclass(frozen=True, eq=False)
class Line:
    """One tool under one demand: the class of every record (-1: suppressed), its CPU seconds, or why there is none."""

    name: str
    tool: str
    group: Ints
    values: Ints
    ncp: float = 0.0
    seconds: float = 0.0
    sure: float | None = None
    note: str = ""

    def classes(self) -> dict[str, list[object]]:
        """Return what pyCANON is asked about."""
        kept = self.group >= 0
        # As texts: the distance of whole numbers would be the ordered one.
        return {"class": self.group[kept].tolist(), "s": [f"value {one}" for one in self.values[kept]]}

    def told(self, theirs: Mapping[str, Any] | str) -> str:
        """Return the line of the table."""
        if self.note:
            return f"| {self.name} | {self.tool} | {self.note} |" + " |" * 9
        kept = self.group >= 0
        found = class_figures(self.group[kept], self.values[kept], ordered=False)
        sure = "" if self.sure is None else f"{self.sure:.3f}"
        checked = theirs if isinstance(theirs, str) else "{k}, {l}, {t:.4f}".format(**theirs)
        figures = f"{found.k} | {found.distinct} | {found.entropy:.2f} | {found.t:.4f}"
        counts = f"{len(np.unique(self.group[kept]))} | {int((~kept).sum())}"
        cells = (self.name, self.tool, f"{self.ncp:.4f}", counts, sure, figures, f"{self.seconds:.1f}", checked)
        return "| " + " | ".join(cells) + " |"


def ours(frame: pl.DataFrame, column: str, demand: str, k: int, name: str) -> Line:
    """Return the line of our release under one demand."""
    history, values = history_of(frame, column, demand), _codes(frame, column)
    begin = time.process_time()
    try:
        release, secret = anonymized(history, KAnonymity(k=k), seed=1)
    except InfeasibleError:
        return Line(name, "Tokumei k-anonymity", values, values, note="refused: the whole table lacks it")
    seconds = time.process_time() - begin
    if release.apart is None:
        shown = release.text().drop("pseudonym", column).select(pl.struct(pl.all()).rank("dense")).to_series()
    else:
        told = release.apart.groups
        shown = pl.DataFrame({"pseudonym": release.pseudonyms}).join(told, on="pseudonym", maintain_order="left")[
            "group"
        ]
    group = np.full(frame.height, -1, dtype=np.int64)
    group[secret.rows] = shown.to_numpy().astype(np.int64)
    answers = climb_ladder(history, release, secret, rng=np.random.default_rng(1), quick=True)
    sure = answers[Question.ATTRIBUTES].figures[f"all-but-{column}/certain"].value
    return Line(name, "Tokumei k-anonymity", group, values, _penalty(frame, column, group), seconds, sure)


def theirs(frame: pl.DataFrame, column: str, name: str, tool: str, told: dict[str, Any] | str) -> Line:
    """Return the line of a peer from the classes that it made."""
    values = _codes(frame, column)
    if isinstance(told, str):
        return Line(name, tool, values, values, note=told)
    group = group_numbers(told["result"], frame.height)
    penalty = _penalty(frame, column, group)
    return Line(name, f"{tool} {told['version']}", group, values, penalty, told["seconds"])


def _codes(frame: pl.DataFrame, column: str) -> Ints:
    return frame[column].rank("dense").to_numpy().astype(np.int64)


def _penalty(frame: pl.DataFrame, column: str, group: Ints) -> float:
    rows = [np.flatnonzero(group == one).tolist() for one in np.unique(group[group >= 0])]
    return groups_penalty(frame.drop(column), rows)


def lines_of(frame: pl.DataFrame, table: str, column: str, k: int, folder: Path) -> Iterator[Line]:
    """Yield the lines of all tools under all demands on one column."""
    file = folder / f"{table}-{column}.csv"
    frame.write_csv(file)
    for what, (demand, mondrian, hierarchies) in DEMANDS.items():
        if what == "l = 3" and frame[column].n_unique() < 3:
            continue
        name = f"{table}, {column}, {what}"
        yield ours(frame, column, demand, k, name)
        if mondrian is not None:
            asks = [str(file), column, str(k), *mondrian]
            yield theirs(
                frame, column, name, "anonypy Mondrian", asked("anonypy", "anonypy_sensitive.py", asks, limit=LIMIT)
            )
        if table == "adult":
            asks = [str(file), column, str(k), *hierarchies, "5", str(folder / "hierarchies")]
            told = asked("anjana", "anjana_sensitive.py", asks, limit=LIMIT)
            yield theirs(frame, column, name, "anjana full-domain", told)


def main() -> None:
    """Measure all demands on both tables; print one Markdown table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sensitive", description=__doc__)
    parser.add_argument("--rows", type=int, default=2000, help="rows of Adult")
    parser.add_argument("--k", type=int, default=5)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_hierarchies(folder / "hierarchies", (*SEVEN, "income"))
        lines = [
            line
            for table, frame in tables(chosen.rows).items()
            for column in COLUMNS[table]
            for line in lines_of(frame, table, column, chosen.k, folder)
        ]
        made = [line for line in lines if not line.note]
        file = folder / "classes.json"
        file.write_text(json.dumps([line.classes() for line in made]), encoding="utf-8")
        told = asked("pycanon", "pycanon_figures.py", [str(file)], limit=LIMIT)
    print(
        "| data, demand | tool | NCP | classes | suppressed | sure | k | l | entropy l | t | CPU s | pyCANON: k, l, t |"
    )
    print("|---" * 12 + "|")
    for line in lines:
        checked = "" if line.note else told if isinstance(told, str) else told["result"][made.index(line)]
        print(line.told(checked))


if __name__ == "__main__":
    main()
