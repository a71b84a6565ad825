"""Values as people write them, made readable: blanks around them, words for no value, decimal commas, free text.

Everything that is read after a schema passes through `cleaned`, a whole table as well as one part of it, so that the
command line, Python and data that memory does not hold see the same values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl
import polars.selectors as cs

from tokumei.data.columns import Column, Kind
from tokumei.data.free_text import cut_to, redacted
from tokumei.data.schema import Schema

# A plus in a part of a composite subject is doubled, so that different parts never give the same text.
_PLUS, _TWO = "+", "++"


def plain_floats() -> pl.Expr:
    """Return floating-point columns with nothing where there is no number, and one zero: -0.0 is the same id as 0.0."""
    floats = pl.col(pl.Float32, pl.Float64)
    # An integer takes the type of the column; a sum with zero is left out by polars.
    return pl.when(floats == 0).then(0).otherwise(floats.fill_nan(None)).name.keep()


def cleaned(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Return the frame with the columns of the schema ready to be coded."""
    frame = frame.with_columns(clean_columns(schema, frame.schema))
    for column in schema.columns:
        if column.text in ("", "keep") or column.drop or column.name not in frame.columns:
            continue
        text = frame[column.name].cast(pl.String)
        made = cut_to(text, column.text) if isinstance(column.text, tuple) else redacted(text)
        frame = frame.with_columns(made.alias(column.name))
    return frame


def clean_columns(schema: Schema, types: Mapping[str, pl.DataType]) -> list[pl.Expr]:
    """Return what cleans the columns of a schema, as expressions of a frame with these types."""
    commas = {name for column in schema.columns if column.decimal == "," for name in _sources(column)}
    cleaning = []
    for name in schema.sources():
        column = _clean_column(name, schema, types.get(name, pl.Null()))
        cleaning.append(with_point(column) if name in commas and types.get(name) == pl.String else column)
    return cleaning


def _clean_column(name: str, schema: Schema, dtype: pl.DataType) -> pl.Expr:
    """Return a column without blanks around its texts and without words that stand for no value."""
    column = named(name)
    if dtype == pl.String:
        return without_words(column.str.strip_chars(), schema.missing)
    if dtype.is_numeric() and (numbers := _numbers(schema.missing)):
        return pl.when(~column.cast(pl.Float64).is_in(numbers)).then(column).alias(name)
    return column


def named(name: str) -> pl.Expr:
    """Return the column of a name, which may look like a regular expression to polars; a selector does not try it."""
    return cs.by_name(name, require_all=False).as_expr() if name.startswith("^") else pl.col(name)


def without_words(text: pl.Expr, missing: Iterable[str]) -> pl.Expr:
    """Return text with nothing in place of words that stand for no value."""
    words = list(missing)
    return text.replace(words, [""] * len(words)) if words else text


def with_point(text: pl.Expr) -> pl.Expr:
    """Return numbers with a decimal comma (and perhaps points between thousands) as numbers with a point."""
    return text.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)


def subject_text(schema: Schema, types: Mapping[str, pl.DataType] | None = None) -> pl.Expr:
    """Return whose record it is, as text; null where a part of it is missing.

    With the types of a table its columns are cleaned on the way, for who looks at a table that was not.
    """
    names = schema.subject_parts or (schema.subject,)
    columns = [named(name) if types is None else _clean_column(name, schema, types[name]) for name in names]
    parts = [column.cast(pl.String) for column in columns]
    if len(parts) == 1:
        return parts[0].alias(schema.subject)
    escaped = [pl.when(part != "").then(part.str.replace_all(_PLUS, _TWO, literal=True)) for part in parts]
    return pl.concat_str(escaped, separator=f" {_PLUS} ").alias(schema.subject)


def _sources(column: Column) -> tuple[str, ...]:
    return (column.latitude, column.longitude) if column.kind is Kind.PLACE else (column.name,)


def _numbers(words: Iterable[str]) -> list[float]:
    """Return those of the words that are numbers (-99, 999)."""
    column = pl.Series(list(words), dtype=pl.String).cast(pl.Float64, strict=False)
    return column.drop_nulls().drop_nans().to_list()
