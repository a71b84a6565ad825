"""Cells of a 2018 file that are not written in the one way of their value: ``2011/02/08``, ``[12;12]``, ``{a;b;b}``.

The official checker accepts them, and every program reads the same value; but which of two ways was taken can tell
whose cell it is. The check tells of them, and the audit calls no such file safe.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import Reason, Release


@dataclass(frozen=True, eq=False, slots=True)
class OtherText:
    """The cells whose text is not that of their value: 1-based lines of the file and cells, in file order."""

    lines: Ints
    cells: Ints
    columns: tuple[str, ...]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.lines)

    def reason(self, file: str) -> Reason:
        """Return the first of them as a finding of an audit."""
        column = self.columns[int(self.cells[0]) - 1]
        values = {"file": file, "line": int(self.lines[0]), "column": column, "count": len(self)}
        return Reason(code="other-text", values=values, home="tokumei.contests.pws2018")


# Prices of T have two decimals (2.10); a file may keep or drop the zeros, as long as it does one of both.
_LAST_ZEROS = r"(\.\d*?)0+([;\]]|$)"


def other_text(release: Release, written: pl.DataFrame, lines: Ints) -> OtherText:
    """Return the cells of a decoded file that are written in another way than their value is.

    ``written`` has the text of the rows of ``release``, ``lines`` their lines in the file. Zeros at the end of decimals
    count only where the same value is written in two ways.
    """
    text = release.text(literal=True)
    columns = tuple(text.columns)
    different = np.zeros((len(release), len(columns)), dtype=np.bool_)
    for place, field in enumerate(release.schema.fields, start=1):
        pair = pl.DataFrame({"own": text[field.name], "written": written[field.name].fill_null("")})
        short = pl.col("written").str.replace_all(_LAST_ZEROS, "${1}${2}").str.replace_all(r"\.([;\]]|$)", "${1}")
        zeros_only = pl.lit(field.step != 1.0) & (short == pl.col("own"))
        mixed = pl.col("written").n_unique().over("own") > 1
        marked = (pl.col("written") != pl.col("own")) & (mixed | ~zeros_only)
        different[:, place] = pair.select(marked.alias("marked")).to_series().to_numpy()
    rows, places = np.nonzero(different)
    return OtherText(lines[rows].astype(np.int64), places.astype(np.int64) + 1, columns)
