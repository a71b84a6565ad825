"""l-diversity and t-closeness of anjana on hierarchies: its groups; runs in anjana's own environment."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pandas
from anjana import anonymity
from telling import tell

# Carried along, so that it can be told who is in which class.
ROW = "row of the table"


def main() -> None:
    """Print classes of rows (suppressed ones are in none) and its CPU seconds.

    Arguments: table, sensitive column, k, which demand (l, entropy, t or none), its number, the share that may be
    suppressed in percent, a folder of hierarchies as ARX writes them.
    """
    frame = pandas.read_csv(sys.argv[1], dtype=str)
    hidden, k, demand, number, share = sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5], float(sys.argv[6])
    known = [name for name in frame.columns if name != hidden]
    hierarchies = {}
    for name in known:
        with (Path(sys.argv[7]) / f"{name}.csv").open(encoding="utf-8") as file:
            levels = list(zip(*csv.reader(file, delimiter=";"), strict=True))
        hierarchies[name] = {level: list(values) for level, values in enumerate(levels)}
    frame[ROW] = range(len(frame))

    def run() -> list[list[int]]:
        if demand == "none":
            done = anonymity.k_anonymity(frame, [], known, k, share, hierarchies)
        elif demand == "t":
            done = anonymity.t_closeness(frame, [], known, hidden, k, float(number), share, hierarchies)
        else:
            ask = anonymity.l_diversity if demand == "l" else anonymity.entropy_l_diversity
            done = ask(frame, [], known, hidden, k, int(number), share, hierarchies)
        return [list(map(int, rows)) for rows in done.groupby(known)[ROW].apply(list)]

    tell("anjana", run)


if __name__ == "__main__":
    main()
