"""k-anonymity of anjana: full-domain generalization on hierarchies; runs in anjana's own environment."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pandas
from anjana.anonymity import k_anonymity
from telling import tell


def main() -> None:
    """Print the published records as text (rows that it suppressed are absent) and its CPU seconds.

    Arguments: table, k, the share that may be suppressed in percent, a folder of hierarchies as ARX writes them.
    """
    frame = pandas.read_csv(sys.argv[1], dtype=str)
    hierarchies = {}
    for name in frame.columns:
        with (Path(sys.argv[4]) / f"{name}.csv").open(encoding="utf-8") as file:
            levels = list(zip(*csv.reader(file, delimiter=";"), strict=True))
        hierarchies[name] = {level: list(values) for level, values in enumerate(levels)}

    def run() -> list[list[str]]:
        done = k_anonymity(frame, [], list(frame.columns), int(sys.argv[2]), float(sys.argv[3]), hierarchies)
        return [[str(cell) for cell in row] for row in done[list(frame.columns)].itertuples(index=False)]

    tell("anjana", run)


if __name__ == "__main__":
    main()
