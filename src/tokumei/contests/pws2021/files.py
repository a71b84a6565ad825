"""The files of PWS Cup 2021 and their columns (spec D.1 and D.2); row numbers count from 0."""

from __future__ import annotations

from collections.abc import Mapping

from tokumei.contests.pws2021.table import COLUMNS
from tokumei.contests.reading import ContestFile

FILES: Mapping[str, ContestFile] = {
    "B": ContestFile(summary="original health table", columns=COLUMNS),
    "X": ContestFile(summary="rows of B that were deleted", columns=("row",), may_be_empty=True),
    "C": ContestFile(summary="B without the rows of X", columns=COLUMNS),
    "D": ContestFile(summary="C with changed values", columns=COLUMNS),
    "CT": ContestFile(summary="test rows of B", columns=COLUMNS),
    "EA": ContestFile(summary="row of D of every test row, -1 if deleted", columns=("row",)),
    "E": ContestFile(summary="the attacker's three guesses for every test row", columns=("first", "second", "third")),
}
