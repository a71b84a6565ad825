"""``python -m benchmarks.sensitive``: l-diversity and t-closeness on Adult and CMC, checked by pyCANON in the same run.

Every line is a release by k-anonymity under one demand: its loss, its classes, how often somebody who knows all other
columns is sure of the sensitive one, what our metric says of the classes, and what pyCANON says of the same classes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.inputs import SHARED
from benchmarks.peers import asked
from tokumei.audits import Question, climb_ladder
from tokumei.data import History, Schema
from tokumei.flow.making import anonymized
from tokumei.methods import KAnonymity
from tokumei.metrics import CellError
from tokumei.metrics.class_figures import class_figures
from tokumei.profiles import infer_schema

DEMANDS = {
    "only measured": "{ l = 1 }",
    "l = 2": "true",
    "l = 3": "{ l = 3 }",
    "entropy l = 2": '{ l = 2, diversity = "entropy" }',
    "t = 0.4": "{ t = 0.4 }",
}
COLUMNS = {"adult": ("income", "occupation"), "cmc": ("contraceptive_method_use",)}
LIMIT = 600


def tables(rows: int) -> dict[str, pl.DataFrame]:
    """Return the tables: so many rows of Adult without its survey weight, and CMC."""
    adult = pl.read_parquet(SHARED / "data" / "adult.parquet").drop("fnlwgt", strict=False).drop_nulls().head(rows)
    return {"adult": adult, "cmc": pl.read_csv(SHARED / "data" / "cmc.csv")}


def history_of(frame: pl.DataFrame, column: str, demand: str) -> History:
    """Return a table whose rows are people, with one sensitive category."""
    text = infer_schema(frame.with_columns(pl.col(column).cast(pl.String)), subject="row").to_toml()
    lines = [
        f'"{column}" = {{ kind = "category", sensitive = {demand} }}' if line.startswith(f'"{column}" ') else line
        for line in text.splitlines()
    ]
    return History.from_frame(frame, Schema.from_toml("\n".join(lines)))


def measured(frame: pl.DataFrame, column: str, demand: str, k: int) -> tuple[dict[str, Any], dict[str, list[object]]]:
    """Return the figures of one release, and its classes for pyCANON."""
    history = history_of(frame, column, demand)
    begin = time.process_time()
    release, secret = anonymized(history, KAnonymity(k=k), seed=1)
    seconds = time.process_time() - begin
    group = release.text().drop("pseudonym", column).select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy()
    values = history.codes[column][secret.rows]
    found = class_figures(group.astype(np.int64), values, ordered=False)
    answers = climb_ladder(history, release, secret, rng=np.random.default_rng(1), quick=True)
    sure = answers[Question.ATTRIBUTES].figures[f"all-but-{column}/certain"].value
    figures = {
        "U": CellError().measure(history, release, secret).value,
        "classes": len(np.unique(group)),
        "sure": sure,
        "k": found.k,
        "l": found.distinct,
        "entropy l": found.entropy,
        "t": found.t,
        "cpu": seconds,
    }
    return figures, {"class": group.tolist(), "s": values.tolist()}


def main() -> None:
    """Measure all demands on both tables; print one Markdown table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sensitive", description=__doc__)
    parser.add_argument("--rows", type=int, default=2000, help="rows of Adult")
    parser.add_argument("--k", type=int, default=5)
    chosen = parser.parse_args()
    runs: list[tuple[str, dict[str, Any], dict[str, list[object]]]] = []
    for name, frame in tables(chosen.rows).items():
        for column in COLUMNS[name]:
            for what, demand in DEMANDS.items():
                if what == "l = 3" and frame[column].n_unique() < 3:
                    continue
                figures, classes = measured(frame, column, demand, chosen.k)
                runs.append((f"{name}, {column}, {what}", figures, classes))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "classes.json"
        file.write_text(json.dumps([classes for *_, classes in runs]), encoding="utf-8")
        told = asked("pycanon", "pycanon_figures.py", [str(file)], limit=LIMIT)
    print("| release | U | classes | sure | k | l | entropy l | t | CPU s | pyCANON: k, l, t |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for number, (name, row, _) in enumerate(runs):
        theirs = told if isinstance(told, str) else "{k}, {l}, {t:.4f}".format(**told["result"][number])
        cells = (
            f"{row['U']:.3f} | {row['classes']} | {row['sure']:.3f} | {row['k']} | {row['l']} | {row['entropy l']:.2f}"
        )
        print(f"| {name} | {cells} | {row['t']:.4f} | {row['cpu']:.1f} | {theirs} |")


if __name__ == "__main__":
    main()
