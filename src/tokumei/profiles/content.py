"""How much of the contents a release tells: public grids per kind of column, bundled as profiles.

    tight    range ends and set elements are true values of people
    grid     dates by months, moments by hours, places by hundredths of a degree, before anybody is grouped
    strong   the same, moments by days, places by twentieths of a degree, numbers by 1-2-5, categories by their first
             three characters or by the first level of the hierarchy that the schema names; at least k = 3

A grid is chosen by the kind of a column and its declared step alone, never by its values. Numbers have none in
``grid``: no public width fits ages, prices and flags alike.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from enum import StrEnum

from tokumei.data import BUILT_HIERARCHIES, CALENDAR_UNITS, NO_GRID, ONE_TWO_FIVE, Column, Kind, Schema
from tokumei.errors import ParameterError, did_you_mean
from tokumei.words import Message

STRONG_K = 3
STRONG_PREFIX = 3
_PLACES = {"grid": 0.01, "strong": 0.05}
_NOTHING = Message("grid.nothing")
_UNITS = (*CALENDAR_UNITS, ONE_TWO_FIVE)
# Days of calendar units, to compare them.
_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.0, "quarter": 91.0, "year": 365.0}


class Content(StrEnum):
    """A profile of contents."""

    TIGHT = "tight"
    GRID = "grid"
    STRONG = "strong"


def read_content(name: str) -> Content:
    """Return the profile of this name; ParameterError says which there are."""
    try:
        return Content(name)
    except ValueError:
        known = [member.value for member in Content]
        message = f"there is no content '{name}'{did_you_mean(name, known)}; it is one of {', '.join(known)}"
        raise ParameterError(message) from None


def proposed_grid(column: Column, content: Content) -> str | float:
    """Return the grid that a profile gives to a column, empty if none."""
    # Times since the first record of a person have no months.
    if content is Content.TIGHT or column.keep or column.relative or not column.fields():
        return ""
    strong = content is Content.STRONG
    if column.kind is Kind.PLACE:
        width = _PLACES[content.value]
        return width if Decimal(repr(width)) % Decimal(repr(column.step)) == 0 else ""
    given = column.hierarchy not in ("", *BUILT_HIERARCHIES)
    usual: dict[Kind, tuple[str | float, str | float]] = {
        Kind.DATE: ("month", "month"),
        Kind.DATETIME: ("hour", "day"),
        Kind.NUMBER: ("", ONE_TWO_FIVE),
        Kind.CATEGORY: ("", "level 1" if given else STRONG_PREFIX),
    }
    return usual[column.kind][strong]


def with_content(schema: Schema, content: Content) -> Schema:
    """Return the schema with the grids of a profile where a column has none of its own."""
    columns = [
        column if column.grid != "" else replace(column, grid=proposed_grid(column, content))
        for column in schema.columns
    ]
    return replace(schema, columns=tuple(columns))


def weaker_choices(schema: Schema, content: Content, k: int | None = None) -> list[Message]:
    """Return what of the publisher's own choices tells more than the profile would."""
    told = []
    for column in schema.columns:
        usual = proposed_grid(column, content)
        if usual not in ("", column.grid) and _finer(column, column.grid, usual):
            own, public = (_grid_message(column, grid) for grid in (column.grid, usual))
            values = {"column": column.name, "own": own, "usual": public, "content": content.value}
            told.append(Message("content.weaker", values))
    if content is Content.STRONG and k is not None and k < STRONG_K:
        told.append(Message("content.weaker-k", {"k": k, "usual": STRONG_K}))
    return told


def _finer(column: Column, own: str | float, usual: str | float) -> bool:
    """Return whether a grid tells more than another one; what cannot be compared does not."""
    if own in ("", NO_GRID):
        return True
    if column.kind in (Kind.DATE, Kind.DATETIME):
        unit = 1.0 if column.kind is Kind.DATE else 86_400.0
        width = _DAYS.get(own, float("inf")) if isinstance(own, str) else own / unit
        return width < _DAYS[str(usual)]
    if isinstance(own, str) or isinstance(usual, str):
        return False
    return own > usual if column.kind is Kind.CATEGORY else own < usual


def proposals(schema: Schema) -> dict[str, list[str]]:
    """Return the grids that each profile would give to the columns of a schema, as a person reads them."""
    return {one.value: grids_of(with_content(schema, one)) for one in (Content.GRID, Content.STRONG)}


def proposal_message(schema: Schema) -> Message:
    """Return what is said of the profiles before one is chosen."""
    told = {one.value: _grid_messages(with_content(schema, one)) for one in (Content.GRID, Content.STRONG)}
    return Message("content.proposal", {name: grids or (_NOTHING,) for name, grids in told.items()})


def grids_of(schema: Schema) -> list[str]:
    """Return the grids and the bounds of rare values of a schema, column by column, as a person reads them."""
    return [str(message) for message in _grid_messages(schema)]


def _grid_messages(schema: Schema) -> tuple[Message, ...]:
    told = []
    for column in schema.columns:
        parts = [] if column.grid in ("", NO_GRID) else [_grid_message(column, column.grid)]
        parts += [Message("grid.rare", {"fewest": column.rare})] if column.rare else []
        if parts and not column.drop:
            both = Message("grid.both", {"grid": parts[0], "rare": parts[-1]})
            told.append(Message("grid.column", {"column": column.name, "grid": parts[0] if len(parts) == 1 else both}))
    return tuple(told)


def _grid_message(column: Column, grid: str | float) -> Message:
    """Return a grid in words: units of the calendar have names, categories keep their first characters."""
    if grid in ("", NO_GRID):
        return _NOTHING
    if isinstance(grid, str):
        return Message(f"grid.unit-{grid}") if grid in _UNITS else Message("grid.given", {"width": grid})
    if column.kind is Kind.CATEGORY:
        return Message("grid.characters", {"count": f"{grid:g}"})
    return Message("grid.given", {"width": grid})


def content_messages(schema: Schema, content: Content, k: int | None = None) -> list[Message]:
    """Return what is said of the contents of a release: its profile and grids, and choices that are weaker."""
    grids = _grid_messages(schema)
    code = "content.grids" if grids else "content.tight" if content is Content.TIGHT else "content.none-fits"
    return [Message(code, {"content": content.value, "grids": grids}), *weaker_choices(schema, content, k)]
