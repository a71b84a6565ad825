"""Schemas inferred from data: kinds, formats, steps, places and the subject."""

from __future__ import annotations

import re
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.data.cell_text import parse_values, value_text
from tokumei.data.columns import Column, Field, Kind
from tokumei.data.date_formats import date_format
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.errors import SchemaError
from tokumei.profiles.infer import infer_schema
from tokumei.profiles.infer_kinds import infer_column, number_step


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["2011/2/17", "2010/12/1"], "%Y/%-m/%-d"),
        (["2011/02/17", "2010/12/01"], "%Y/%m/%d"),
        (["2011-02-17"], "%Y-%m-%d"),
        (["2011-2-7"], "%Y-%-m-%-d"),
        (["17.2.2011", "1.12.2010"], "%-d.%-m.%Y"),
        (["2011.02.17"], "%Y.%m.%d"),
        (["2011年2月17日"], "%Y年%-m月%-d日"),
        (["17/02/2011", "01/03/2011"], "%d/%m/%Y"),
        (["02/17/2011", "03/01/2011"], "%m/%d/%Y"),
        (["01/02/2011"], "%d/%m/%Y"),
        (["17-2-2011"], "%-d-%-m-%Y"),
        (["20110217", "20101201"], "%Y%m%d"),
        (["2011-02-17 09:05:00"], "%Y-%m-%d %H:%M:%S"),
        (["2011-02-17T09:05:00"], "%Y-%m-%dT%H:%M:%S"),
        (["2011-02-17T09:05:00Z"], "%Y-%m-%dT%H:%M:%SZ"),
        (["2011-02-17T09:05:00.25", "2011-02-17T09:05:01"], "%Y-%m-%dT%H:%M:%S%.f"),
        (["2011/2/17 9:05", "2011/2/17 10:30"], "%Y/%-m/%-d %-H:%M"),
        (["2011/2/17", "soon", "2011/2/18"], "%Y/%-m/%-d"),
        (["9:05", "10:30"], ""),
        (["2011", "2012"], ""),
        (["2011/13/41", "2011/99/1"], ""),
        (["20111399"], ""),
        (["1.2.3.4"], ""),
        (["soon", "later", "2011/2/17"], ""),
        ([], ""),
    ],
)
def test_formats_of_dates(texts: list[str], form: str) -> None:
    assert date_format(pl.Series(texts, dtype=pl.String)) == form


FORMATS = ["%Y/%-m/%-d", "%Y-%m-%d", "%d.%m.%Y", "%Y%m%d", "%Y-%m-%dT%H:%M:%S", "%Y/%-m/%-d %-H:%M"]
MOMENT = st.datetimes(datetime(1901, 1, 1), datetime(2099, 1, 1)).map(lambda moment: moment.replace(microsecond=0))


@settings(max_examples=examples(40))
@given(st.lists(MOMENT, min_size=1, max_size=5), st.sampled_from(FORMATS))
def test_dates_are_read_and_written_back_in_the_found_format(moments: list[datetime], form: str) -> None:
    texts = pl.Series("t", moments, dtype=pl.Datetime("ms")).dt.strftime(form)
    column = infer_column(texts)
    field = column.fields()[0]
    codes, bad = parse_values(texts, field)
    assert column.kind is (Kind.DATETIME if "H" in form else Kind.DATE)
    assert not bad.any()
    assert value_text(codes, field).to_list() == texts.to_list()


@pytest.mark.parametrize(
    ("texts", "step"),
    [
        (["1", "20"], 1.0),
        (["1.0", "62.0"], 1.0),
        (["1.5", "2.10", "7"], 0.1),
        (["1.69", "-2.1"], 0.01),
        (["0.000001"], 1e-6),
        (["1e-3", "5"], 0.001),
        (["1e3"], 1.0),
        (["35.652499999999996"], 1e-6),
        (["0.00000000012345"], 1e-12),
        (["3e-10", "1.5e-10"], 1e-12),
        (["0.1e0", "0.30000000000000004", "1e-17"], 0.1),
        (["12345678901.123456789"], 1e-6),
    ],
)
def test_the_step_comes_from_the_decimals(texts: list[str], step: float) -> None:
    assert number_step(pl.Series(texts)) == step


@settings(max_examples=examples(40))
@given(st.lists(st.decimals(-(10**6), 10**6, places=4), min_size=1, max_size=6))
def test_every_number_fits_the_inferred_step(numbers: list[object]) -> None:
    texts = pl.Series([str(number) for number in numbers])
    codes, bad = parse_values(texts, Field("x", Kind.NUMBER, number_step(texts)))
    assert not bad.any()
    exact = texts.cast(pl.Float64).to_list()
    assert (codes * number_step(texts)).tolist() == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("price", ["1.5", "2"], Kind.NUMBER),
        ("price", ["1.5", "2", "cheap"], Kind.NUMBER),
        ("quantity", ["1", "2", "x"], Kind.NUMBER),
        ("size", ["1", "2", "x"], Kind.CATEGORY),
        ("size", [*map(str, range(200)), "x"], Kind.NUMBER),
        ("stock_code", [*map(str, range(200)), "x"], Kind.CATEGORY),
        ("goods", ["84879", "22745"], Kind.CATEGORY),
        ("x", ["84879", "85123A", "POST"], Kind.CATEGORY),
        ("x", ["007", "012"], Kind.CATEGORY),
        ("x", ["0", "1", "1"], Kind.CATEGORY),
        ("x", ["0", "1", "2"], Kind.NUMBER),
        ("x", ["", ""], Kind.CATEGORY),
        ("x", ["", "5"], Kind.NUMBER),
        ("x", ["nan", "inf"], Kind.CATEGORY),
        ("x", [1, 2, None], Kind.NUMBER),
        ("StockCode", [1, 2], Kind.CATEGORY),
        ("x", [0.5, None], Kind.NUMBER),
        ("x", [0.0, 3e-10, -2e-11], Kind.NUMBER),
        ("x", [0.0, 3e-16], Kind.CATEGORY),
        ("x", ["0", "3e-16"], Kind.CATEGORY),
        ("x", [0.0, -0.0], Kind.NUMBER),
        ("x", [True, False], Kind.CATEGORY),
        ("x", [date(2011, 1, 1)], Kind.DATE),
        ("x", [datetime(2011, 1, 1)], Kind.DATETIME),
    ],
)
def test_kinds(name: str, values: list[object], kind: Kind) -> None:
    assert infer_column(pl.Series(name, values)).kind is kind


@pytest.mark.parametrize("name", ["^a.*$", "^$", "^($"])
def test_a_name_that_reads_as_a_pattern_is_refused(name: str) -> None:
    """Polars would look for columns that match it; ``^.*$`` matches itself and does no harm."""
    frame = pl.DataFrame({"who": ["x", "y", "x"], name: ["p", "q", "p"]})
    message = f"the column '{name}' has a name that reads as a search pattern; rename it"
    with pytest.raises(SchemaError, match=f"^{re.escape(message)}$"):
        infer_schema(frame)
    with pytest.raises(SchemaError, match=re.escape(message)):
        History.from_frame(frame, Schema("who", (Column(name=name),)))
    assert len(History.from_frame(frame, Schema("who", (Column(name=name, drop=True),)))) == 3
    harmless = pl.DataFrame({"who": ["x", "y", "x"], "^.*$": ["p", "q", "p"]})
    assert History.from_frame(harmless, infer_schema(harmless)).categories["^.*$"].to_list() == ["p", "q"]


def test_nested_and_binary_columns_are_dropped() -> None:
    assert infer_column(pl.Series("x", [[1], [2]])).drop
    assert infer_column(pl.Series("x", [b"a"])).drop


@pytest.mark.parametrize(
    ("columns", "subject"),
    [
        ({"date": ["a"], "CustomerID": ["1"]}, "CustomerID"),
        ({"item_id": ["a"], "user_id": ["1"]}, "user_id"),
        ({"item_id": ["a", "b"], "id": ["1", "2"]}, "id"),
        ({"商品": ["a"], "会員番号": ["1"]}, "会員番号"),
        ({"day": ["2011/1/1", "2011/1/1", "2011/1/2"], "card": ["x", "y", "x"]}, "card"),
        ({"n": ["1", "2", "3"], "card": ["x", "y", "x"]}, "n"),
        ({"n": ["1", "2000", "3"], "card": ["x", "y", "x"]}, "card"),
        ({"a": ["1", "2"], "b": ["x", "y"]}, "row"),
        ({"sex": ["f", "m"] * 100, "age": list(range(200))}, "row"),
        ({"paid": [0.5, 0.5, 1.5]}, "row"),
        ({"same": ["x", "x"]}, "row"),
    ],
)
def test_the_subject(columns: dict[str, list[object]], subject: str) -> None:
    assert infer_schema(pl.DataFrame(columns)).subject == subject


def test_the_subject_can_be_named() -> None:
    frame = pl.DataFrame({"user": ["a"], "shop": ["b"], "row": ["c"]})
    assert infer_schema(frame, subject="shop").subject == "shop"
    static = infer_schema(frame, subject="row")
    assert static.columns == (Column(name="user"), Column(name="shop"), Column(name="row", drop=True))
    with pytest.raises(SchemaError, match=r"no column 'usr' \(did you mean 'user'\?\) to be the subject; the data has"):
        infer_schema(frame, subject="usr")


def test_coordinates_become_places() -> None:
    frame = pl.DataFrame(
        {
            "user": ["a"],
            "lat": ["35.65"],
            "lon": ["139.7"],
            "home_latitude": [1.5],
            "home_longitude": [2.5],
            "work_lat": [1.0],
        }
    )
    schema = infer_schema(frame)
    assert [column.name for column in schema.columns] == ["position", "home", "work_lat"]
    place = schema.columns[0]
    assert (place.kind, place.step, place.latitude, place.longitude) == (Kind.PLACE, 0.01, "lat", "lon")
    assert History.from_frame(frame, schema).codes["lon"].tolist() == [13970]


def test_a_place_does_not_take_the_name_of_another_column() -> None:
    frame = pl.DataFrame({"user": ["a"], "position": ["x"], "lat": [1.5], "lon": [2.5]})
    assert [column.name for column in infer_schema(frame).columns] == ["position", "place"]


def test_the_schema_survives_its_file() -> None:
    frame = pl.DataFrame({"user": ["a"], "day": ["1.2.2011"], "lat": [1.5], "lon": [2.25], "paid": ["0.25"]})
    schema = infer_schema(frame)
    assert type(schema).from_toml(schema.to_toml()) == schema


@pytest.mark.half_second
@settings(max_examples=examples(40))
@given(st.permutations(range(8)))
def test_the_order_of_the_rows_does_not_matter(order: list[int]) -> None:
    frame = pl.DataFrame(
        {
            "who": ["a", "b", "c", "a", "b", "c", "a", "d"],
            "day": ["1/2/2011", "3/4/2011", "25/4/2011", "", "x", "1/1/2011", "1/1/2011", "1/1/2011"],
            "paid": ["1", "2.5", "3.125", "4", "", "6", "7", "8"],
        }
    )
    assert infer_schema(frame[list(order)]) == infer_schema(frame)


def test_an_empty_table_has_a_schema() -> None:
    schema = infer_schema(pl.DataFrame(schema={"a": pl.String, "b": pl.Float64}))
    assert (schema.subject, [column.kind for column in schema.columns]) == ("row", [Kind.CATEGORY, Kind.NUMBER])


@pytest.mark.parametrize(
    ("name", "subject", "columns"),
    [
        ("pwscup2018_A1_resampled.parquet", "pseudonym", {"date": "date", "goods": "category", "price": "number"}),
        ("people_flow_tokyo.parquet", "user", {"time": "datetime", "position": "place", "region": "category"}),
        ("online_retail.parquet", "CustomerID", {"InvoiceDate": "datetime", "StockCode": "category"}),
        ("adult.parquet", "row", {"age": "number", "sex": "category"}),
    ],
)
def test_real_data(real_data: Path, name: str, subject: str, columns: dict[str, str]) -> None:
    schema = infer_schema(pl.read_parquet(real_data / name).head(20_000))
    kinds = {column.name: column.kind.value for column in schema.columns}
    assert schema.subject == subject
    assert {key: kinds[key] for key in columns} == columns
