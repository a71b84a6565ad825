"""Mondrian of anonypy under a demand on a sensitive column: its groups; runs in anonypy's own environment."""

from __future__ import annotations

import sys

import pandas
from anonypy.mondrian import Mondrian
from telling import tell


def main() -> None:
    """Print groups of rows and the CPU seconds of the grouping alone.

    Arguments: table, sensitive column, k, l, t (0: not asked for).
    """
    frame = pandas.read_csv(sys.argv[1])
    hidden, k, values, away = sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
    texts = list(frame.select_dtypes(include=["object", "string"]).columns)
    kinds = {name: "category" if name in texts or name == hidden else "float64" for name in frame.columns}
    mondrian = Mondrian(frame.astype(kinds), [name for name in frame.columns if name != hidden], hidden)
    tell("anonypy", lambda: [list(map(int, rows)) for rows in mondrian.partition(k, values, away)])


if __name__ == "__main__":
    main()
