"""Mondrian of anonypy: the groups it makes of a table; runs in anonypy's own environment."""

from __future__ import annotations

import sys

import pandas
from anonypy.mondrian import Mondrian
from telling import tell


def main() -> None:
    """Print groups of rows and the CPU seconds of the grouping alone."""
    frame = pandas.read_csv(sys.argv[1])
    texts = list(frame.select_dtypes(include=["object", "string"]).columns)
    frame = frame.astype({name: "category" if name in texts else "float64" for name in frame.columns})
    mondrian = Mondrian(frame, list(frame.columns))
    tell("anonypy", lambda: [list(map(int, rows)) for rows in mondrian.partition(int(sys.argv[2]))])


if __name__ == "__main__":
    main()
