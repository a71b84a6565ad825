"""``python -m benchmarks.ladder ORIGINAL RELEASE... [--sensitive COLUMN]``: the tables of docs/audit.md, "The ladder".

Every RELEASE is a folder of ``tokumei anonymize`` with its Secret beside it; the tables have a column for each.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tokumei.audits import Answer, Question, climb_ladder
from tokumei.data import ReleaseFolder, Score, default_secret_path, read_secret
from tokumei.profiles import read_history, unicity


def shown(score: Score | None) -> str:
    """Return a figure with half of its interval and what it is without the release."""
    if score is None:
        return ""
    half = "" if score.interval is None else f" ± {(score.interval.high - score.interval.low) / 2:.3f}"
    without = "" if score.baseline is None else f" ({score.baseline:.3f})"
    return f"{score.value:.3f}{half}{without}"


def measured(original: Path, folder: Path, sensitive: list[str]) -> tuple[Mapping[Question, Answer], float]:
    """Return the answers of the ladder and the CPU seconds that they took."""
    opened = ReleaseFolder.open(folder)
    history = read_history(original, opened.schema)
    release = opened.release(history)
    secret = read_secret(default_secret_path(folder))
    begin = time.process_time()
    answers = climb_ladder(history, release, secret, rng=np.random.default_rng(1), sensitive=sensitive or None)
    return answers, time.process_time() - begin


def main() -> None:
    """Measure and print one table: a row for each figure, a column for each release."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("original", type=Path)
    parser.add_argument("releases", type=Path, nargs="+")
    parser.add_argument("--sensitive", action="append", default=[])
    chosen = parser.parse_args()
    columns = [measured(chosen.original, folder, chosen.sensitive) for folder in chosen.releases]
    print("| attacker | figure |" + "".join(f" {folder.name} |" for folder in chosen.releases))
    print("|---|---|" + "---|" * len(columns))
    for question in (Question.CONTENTS, Question.ATTRIBUTES, Question.MEMBERSHIP):
        for key in columns[0][0][question].figures:
            attacker, figure = key.split("/", 1)
            cells = "".join(f" {shown(answers[question].figures.get(key))} |" for answers, _ in columns)
            print(f"| {attacker} | {figure} |{cells}")
    alone = unicity(read_history(chosen.original, ReleaseFolder.open(chosen.releases[0]).schema))
    print("| 4 records, original data | unicity |" + f" {shown(alone)} |" * len(columns))
    print("| | CPU s |" + "".join(f" {seconds:.0f} |" for _, seconds in columns))


if __name__ == "__main__":
    main()
