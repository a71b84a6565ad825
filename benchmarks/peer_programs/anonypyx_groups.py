"""Mondrian or generic MDAV of anonypyx: the groups of a table; runs in anonypyx's own environment."""

from __future__ import annotations

import sys

import pandas
from anonypyx import Anonymiser
from telling import tell


def main() -> None:
    """Print groups of rows and the CPU seconds of the grouping alone."""
    frame = pandas.read_csv(sys.argv[1])
    texts = list(frame.select_dtypes(include=["object", "string"]).columns)
    frame = frame.astype({name: "category" if name in texts else "float64" for name in frame.columns})
    made = Anonymiser(frame, k=int(sys.argv[2]), algorithm=sys.argv[3], feature_columns=list(frame.columns))
    tell("anonypyx", lambda: [list(map(int, rows)) for rows in made.algorithm.partition(made.parameters)])


if __name__ == "__main__":
    main()
