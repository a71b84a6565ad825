"""Schemas: what is written is what is read, and every mistake is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.data.columns import ISO_DATETIME, Column, Kind
from tokumei.data.date_directives import ISO_DATE
from tokumei.data.schema import Schema
from tokumei.errors import SchemaError

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
STEPS = st.one_of(st.sampled_from([1.0, 0.01, 0.1, 1e-6, 1e-9, 60.0]), st.floats(1e-12, 1e12))


@st.composite
def _schemas(draw: st.DrawFn) -> Schema:
    names = draw(st.lists(NAMES, min_size=1, max_size=9, unique=True))
    columns: list[Column] = []
    rest = names[1:]
    while rest:
        name = rest.pop()
        kind = draw(st.sampled_from([*Kind, None]))
        if kind is None:
            columns.append(Column(name=name, drop=True))
        elif kind is Kind.PLACE:
            if len(rest) < 2:
                continue
            columns.append(Column(name=name, kind=kind, step=draw(STEPS), latitude=rest.pop(), longitude=rest.pop()))
        elif kind is Kind.NUMBER:
            columns.append(Column(name=name, kind=kind, step=draw(STEPS)))
        else:
            formats = {Kind.DATE: ["", "%Y/%-m/%-d", "%Y年%m月%d日"], Kind.DATETIME: ["", "%Y-%m-%dT%H:%M:%S%.fZ"]}
            columns.append(Column(name=name, kind=kind, format=draw(st.sampled_from(formats.get(kind, [""])))))
    return Schema(names[0], tuple(columns))


@given(_schemas())
def test_what_is_written_is_what_is_read(schema: Schema) -> None:
    assert Schema.from_toml(schema.to_toml()) == schema


def test_the_example_of_the_design_is_read() -> None:
    text = """
subject = "customer"            # or: subject = "row"
[columns]
date     = { kind = "date" }
goods    = { kind = "category" }
price    = { kind = "number", step = 0.01 }
position = { kind = "place", latitude = "lat", longitude = "lon" }
name     = { drop = true }
illness  = { kind = "category", sensitive = true }
"""
    schema = Schema.from_toml(text)
    assert [column.name for column in schema.columns if column.sensitive] == ["illness"]
    assert Schema.from_toml(schema.to_toml()) == schema
    assert [field.name for field in schema.fields] == ["date", "goods", "price", "lat", "lon", "illness"]
    assert schema.sources() == ["customer", "date", "goods", "price", "lat", "lon", "illness"]
    assert schema.field("price").step == 0.01
    assert schema.field("lat").step == 1e-6
    assert schema.field("date").format == ISO_DATE
    assert schema.field("goods").nominal


def test_a_datetime_has_its_format_by_default() -> None:
    (field,) = Schema("who", (Column(name="x", kind=Kind.DATETIME),)).fields
    assert field.format == ISO_DATETIME


def test_a_row_needs_no_subject_column() -> None:
    schema = Schema("row", (Column(name="x"),))
    assert schema.row_is_subject
    assert schema.sources() == ["x"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((Column(name="who"),), "the column 'who' is named twice in the schema; name every column once"),
        ((Column(name="x"), Column(name="x")), "the column 'x' is named twice"),
        ((Column(name=""),), "a column has no name in the schema; give every column a name"),
    ],
)
def test_names_are_given_once_and_not_empty(columns: tuple[Column, ...], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        Schema("who", columns)


def test_an_unknown_column_is_refused_with_the_nearest() -> None:
    schema = Schema("who", (Column(name="price"), Column(name="goods")))
    with pytest.raises(SchemaError, match=r"no column 'prise' \(did you mean 'price'\?\); it has price, goods"):
        schema.field("prise")
    with pytest.raises(SchemaError, match=r"f: the schema names the column 'goods' \(did you mean 'good'\?\), but the"):
        schema.check_against(["who", "price", "good"], "f")


@pytest.mark.parametrize(
    ("kind", "text_format", "message"),
    [
        ("date", "%Y-%m", "does not tell year, month and day; write it like %Y-%m-%d"),
        ("date", "plain", "does not tell year, month and day"),
        ("date", "%Y-%m-%d %H", "has '%H', which is no part of a date; times of day need kind = \"datetime\""),
        ("date", "%Y-%m-%", "has '%', which is no part of a date"),
        ("date", "%Y-%m-%-Q", "has '%-Q', which is no part of a date"),
        ("datetime", "%Y-%m-%d %Z", "has '%Z', which is no part of a datetime"),
        ("number", "%Y", "only dates have a format, but this is a number; leave it out"),
    ],
)
def test_a_format_that_polars_would_choke_on_is_refused(kind: str, text_format: str, message: str) -> None:
    text = f'subject = "who"\n[columns]\nx = {{ kind = "{kind}", format = "{text_format}" }}\n'
    with pytest.raises(SchemaError) as raised:
        Schema.from_toml(text, file="s.toml")
    assert str(raised.value).startswith("s.toml: column 'x': ")
    assert message in str(raised.value)


@pytest.mark.parametrize("text_format", ["%F", "%Y%j", "%d %B %Y", "%e-%b-%y", "%Y/%-m/%-d"])
def test_formats_that_tell_a_day_are_taken(text_format: str) -> None:
    text = f'subject = "who"\n[columns]\nx = {{ kind = "date", format = "{text_format}" }}\n'
    assert Schema.from_toml(text).field("x").format == text_format


def test_a_mistake_in_the_toml_text_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('subject = "who"\n[columns]\nx = { kind = }\n', encoding="utf-8")
    with pytest.raises(SchemaError) as raised:
        Schema.read(path)
    assert (raised.value.file, raised.value.line, raised.value.column) == (str(path), 3, 14)
    assert f"{path}, line 3, column 14: this is not valid TOML (Invalid value)" in str(raised.value)
