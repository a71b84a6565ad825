"""A release folder as a frame for analysis, or coded as its original is for attacks and metrics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, overload

import polars as pl

from tokumei.arguments import check_choice
from tokumei.data import (
    History,
    Release,
    ReleaseFolder,
    Schema,
    drawn,
    frame_of_library,
    middles,
    rows_of_table,
    typed_frame,
)
from tokumei.data import read_release as read_folder
from tokumei.errors import ParameterError
from tokumei.flow.opening import open_release

Values = Literal["intervals", "midpoints", "draws", "text", "apart"]


@overload
def read_release(
    folder: str | Path,
    original: None = None,
    *,
    values: Values = "intervals",
    draws: int = 1,
    seed: int | None = None,
    library: str = "polars",
    table: str | None = None,
) -> Any: ...


@overload
def read_release(folder: str | Path, original: object, *, schema: Schema | str | Path | None = None) -> Release: ...


def read_release(
    folder: str | Path,
    original: Any = None,
    *,
    schema: Schema | str | Path | None = None,
    values: Values = "intervals",
    draws: int = 1,
    seed: int | None = None,
    library: str = "polars",
    table: str | None = None,
) -> Any:
    """Read a release folder that ``Made.write`` or ``tokumei anonymize`` wrote: as a frame for analysis.

    ``intervals`` gives ``price_low`` and ``price_high`` for a range and a list for a set, both null where a cell is
    withheld; ``midpoints`` one value per cell (the middle of a range, the only value of a set, else null); ``draws``
    random fillings below each other, numbered in a column ``draw``; ``text`` the cells as CSV has them; ``apart`` what
    groups have in sensitive columns that are published apart (pseudonym, group, column, value, records).

    Args:
        folder: The folder.
        original: What the release was made from (a History, a frame, the path of a file): then a Release is returned,
            coded as the original is, for attacks and metrics.
        schema: What the columns of the original mean (default: what the release says).
        values: ``intervals``, ``midpoints``, ``draws``, ``text`` or ``apart``.
        draws: How many random fillings.
        seed: Makes the fillings repeatable.
        library: ``polars`` or ``pandas``.
        table: Of a release of several tables: only the rows and columns of this one.
    """
    if isinstance(original, History):
        return read_folder(folder, original)
    if original is not None:
        meaning = Schema.read(Path(schema)) if isinstance(schema, (str, Path)) else schema
        return open_release(original, Path(folder), schema=meaning).release
    release = ReleaseFolder.open(Path(folder)).release()
    if table is not None:
        release = rows_of_table(release, table)
    forms: dict[str, Callable[[], pl.DataFrame]] = {
        "intervals": lambda: typed_frame(release),
        "midpoints": lambda: middles(release),
        "draws": lambda: drawn(release, draws, seed),
        "text": release.text,
        "apart": lambda: _apart(release, folder),
    }
    check_choice("values", values, tuple(forms))
    if library == "pandas":
        import pandas  # noqa: F401, PLC0415 - only who asks for it needs it
    return frame_of_library(forms[values](), library)


def _apart(release: Release, folder: str | Path) -> pl.DataFrame:
    if release.apart is None:
        message = f"{folder}: no column of the release is published apart; take another form of its values"
        raise ParameterError(message)
    return release.apart.joined()
