"""A release as frames that analysts load: typed ends of ranges, lists for sets, middles, and random fillings.

    price   -> price_low, price_high      both null where the cell is withheld, or missing in the original
               price_missing              which of them are missing; only where a column has missing values
    goods   -> a list of its values       null where the cell is withheld

A Parquet release holds exactly `typed_frame`; `typed_text` is the way back to the text of cells, which everything else
is read from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from tokumei.arguments import check_whole
from tokumei.array_types import Bools, Ints
from tokumei.data.cell_text import escaped, sorted_within, value_text
from tokumei.data.cells import MISSING, Cells, RangeCells, SetCells
from tokumei.data.columns import Field, Kind
from tokumei.data.history import Release, typed_codes
from tokumei.data.inputs.several_tables import TABLE
from tokumei.data.schema import PSEUDONYM, Schema
from tokumei.errors import SchemaError

LOW, HIGH, ABSENT = "_low", "_high", "_missing"
DRAW = "draw"


def typed_frame(release: Release) -> pl.DataFrame:
    """Return pseudonyms, ends of ranges and elements of sets with their types, in the order of the release."""
    refuse_colliding(release.schema)
    columns = [release.pseudonyms.cast(pl.String).alias(PSEUDONYM)]
    for spec in release.schema.fields:
        cells = release.cells[spec.name]
        if isinstance(cells, RangeCells):
            ends = [typed_values(codes, cells.suppressed, spec) for codes in (cells.lo, cells.hi)]
            columns += [end.alias(name) for end, name in zip(_whole(ends), typed_names(spec), strict=True)]
            if cells.missing.any():
                columns.append(pl.Series(spec.name + ABSENT, cells.missing))
        else:
            columns.append(_lists(cells).alias(spec.name))
    return pl.DataFrame(columns)


def rows_of_table(release: Release, name: str) -> Release:
    """Return what a release of several tables shows of one of them: its rows, and the columns that it has.

    A row that stands for rows of several tables belongs to none of them.
    """
    tables = release.cells.get(TABLE)
    if not isinstance(tables, SetCells) or name not in tables.categories:
        known = ", ".join(tables.categories.to_list()) if isinstance(tables, SetCells) else "it is of one table"
        raise SchemaError(f"the release has no table '{name}': {known}")
    alone = np.flatnonzero(tables.plain)
    rows = alone[tables.codes[tables.offsets[alone]] == tables.categories.index_of(name)]
    part = release.take(rows)
    kept = [
        one
        for one in part.schema.columns
        if one.name != TABLE and any(_has_values(part.cells[spec.name]) for spec in one.fields())
    ]
    names = [spec.name for one in kept for spec in one.fields()]
    schema = replace(part.schema, columns=tuple(kept))
    return replace(part, schema=schema, cells={one: part.cells[one] for one in names})


def _has_values(cells: Cells) -> bool:
    """Return whether a column tells anything, rather than that all is missing."""
    if isinstance(cells, RangeCells):
        return not bool(cells.missing.all())
    return bool(cells.suppressed.any()) or bool((cells.categories[cells.codes] != "").any())


def _whole(ends: list[pl.Series]) -> list[pl.Series]:
    """Return numbers that are all whole as whole numbers: the step of the schema may tell more places than are used."""
    if all(end.dtype == pl.Float64 and bool((end.round() == end).all()) for end in ends):
        return [end.cast(pl.Int64) for end in ends]
    return ends


def middles(release: Release) -> pl.DataFrame:
    """Return one value per cell: the middle of a range, the only element of a set; null where there is none."""
    columns = [release.pseudonyms.cast(pl.String).alias(PSEUDONYM)]
    for spec in release.schema.fields:
        cells = release.cells[spec.name]
        columns.append(_middle(cells, spec).alias(spec.name))
    return pl.DataFrame(columns)


def drawn(release: Release, draws: int, seed: int | None) -> pl.DataFrame:
    """Return so many random fillings below each other: every value of a cell alike; null where it is withheld."""
    check_whole("draws", draws, least=1)
    check_whole("seed", seed)
    rng, frames = np.random.default_rng(seed), []
    for number in range(draws):
        columns = [pl.repeat(number, len(release), dtype=pl.Int64, eager=True).alias(DRAW)]
        columns.append(release.pseudonyms.cast(pl.String).alias(PSEUDONYM))
        columns += [_drawn(release.cells[spec.name], spec, rng).alias(spec.name) for spec in release.schema.fields]
        frames.append(pl.DataFrame(columns))
    return pl.concat(frames)


def typed_values(codes: Ints, hidden: Bools, spec: Field) -> pl.Series:
    """Return codes of an ordered field as values of its type, null where hidden."""
    return typed_codes(np.where(hidden, MISSING, codes), spec)


def refuse_colliding(schema: Schema) -> None:
    """Raise SchemaError if the ends of a range would have the name of another column."""
    names = [name for spec in schema.fields for name in typed_names(spec)]
    names += [spec.name + ABSENT for spec in schema.fields if not spec.nominal]
    for name in names:
        if names.count(name) > 1 or name == PSEUDONYM:
            message = f"two columns of the release would be named '{name}'; rename one, or write CSV (--format csv)"
            raise SchemaError(message)


def typed_names(spec: Field) -> tuple[str, ...]:
    """Return the names of the typed columns of a field."""
    return (spec.name,) if spec.nominal else (spec.name + LOW, spec.name + HIGH)


def typed_text(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Return a typed frame as the text of its cells; columns that are not there are left out."""
    columns = [frame[PSEUDONYM].cast(pl.String)] if PSEUDONYM in frame.columns else []
    for spec in schema.fields:
        names = typed_names(spec)
        if not set(names) <= set(frame.columns):
            continue
        if spec.nominal:
            columns.append(_set_text(frame[spec.name]).alias(spec.name))
            continue
        low, high = (_end_text(frame[name], spec) for name in names)
        ends = pl.DataFrame({"low": low, "high": high})
        both = pl.concat_str(pl.lit("["), "low", pl.lit(";"), "high", pl.lit("]"))
        text = pl.when(pl.col("low") == pl.col("high")).then("low").otherwise(both).fill_null("*")
        if frame.schema.get(spec.name + ABSENT) == pl.Boolean:
            absent = frame[spec.name + ABSENT].fill_null(value=False)
            text = pl.when(absent).then(pl.lit("")).otherwise(text)
        columns.append(ends.select(text.alias(spec.name)).to_series())
    return pl.DataFrame(columns)


def is_typed(types: pl.Schema, schema: Schema) -> bool:
    """Return whether a Parquet file has the columns of `typed_frame`, rather than cells as text."""
    ends = {name for spec in schema.fields if not spec.nominal for name in typed_names(spec)}
    return any(name in types for name in ends) or any(isinstance(dtype, pl.List) for dtype in types.values())


def _end_text(values: pl.Series, spec: Field) -> pl.Series:
    """Return one end of ranges as text, null where it is withheld."""
    if spec.kind is Kind.DATE:
        codes = values.cast(pl.Date, strict=False).cast(pl.Int32).cast(pl.Int64)
    elif spec.kind is Kind.DATETIME:
        codes = values.cast(pl.Datetime("ms"), strict=False).cast(pl.Int64) // 1000
    else:
        codes = (values.cast(pl.Float64, strict=False) / spec.step).round().cast(pl.Int64, strict=False)
    text = value_text(codes.fill_null(0).to_numpy(), spec)
    return pl.select(pl.when(codes.is_not_null()).then(text)).to_series()


def _set_text(lists: pl.Series) -> pl.Series:
    if not isinstance(lists.dtype, pl.List):
        return lists.cast(pl.String, strict=False).fill_null("*")
    elements = lists.list.eval(escaped(pl.element().cast(pl.String))).to_frame("set")
    several = pl.concat_str(pl.lit("{"), pl.col("set").list.join(";"), pl.lit("}"))
    text = pl.when(pl.col("set").list.len() > 1).then(several).otherwise(pl.col("set").list.join(";"))
    return elements.select(text.fill_null("*")).to_series()


def _lists(cells: SetCells) -> pl.Series:
    """Return sets as lists of their values in the order of their text, null where they are withheld."""
    if not cells.categories.is_sorted():
        cells = sorted_within(cells)
    values = cells.categories.cast(pl.String)[cells.codes]
    frame = pl.DataFrame({"cell": cells.owners(), "value": values})
    grouped = frame.group_by("cell", maintain_order=True).agg("value")
    every = pl.DataFrame({"cell": np.arange(len(cells))})
    return every.join(grouped, on="cell", how="left", maintain_order="left")["value"]


def _middle(cells: Cells, spec: Field) -> pl.Series:
    if isinstance(cells, RangeCells):
        if spec.kind is Kind.NUMBER:
            ends = [typed_values(codes, cells.suppressed, spec).cast(pl.Float64) for codes in (cells.lo, cells.hi)]
            return (ends[0] + ends[1]) / 2
        return typed_values(cells.lo + (cells.hi - cells.lo) // 2, cells.suppressed, spec)
    lists = _lists(cells)
    return pl.select(pl.when(lists.list.len() == 1).then(lists.list.first())).to_series()


def _drawn(cells: Cells, spec: Field, rng: np.random.Generator) -> pl.Series:
    chance = rng.random(len(cells))
    if isinstance(cells, RangeCells):
        width = cells.hi - cells.lo + 1
        return typed_values(cells.lo + np.floor(chance * width).astype(np.int64), cells.suppressed, spec)
    sizes = cells.sizes()
    if not len(cells.codes):
        return pl.repeat(None, len(cells), dtype=pl.String, eager=True)
    place = np.minimum(cells.offsets[:-1] + np.floor(chance * sizes).astype(np.int64), len(cells.codes) - 1)
    values = cells.categories.cast(pl.String)[cells.codes[place]]
    return pl.select(pl.when(~pl.Series(cells.suppressed)).then(values)).to_series()
