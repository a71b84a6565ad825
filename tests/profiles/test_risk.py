"""The raw risk of small tables, worked out by hand."""

from __future__ import annotations

import json

import polars as pl
import pytest

from tests.sample_histories import SAMPLES, mixed_frame, sample
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.profiles.advice import hints
from tokumei.profiles.infer import infer_schema
from tokumei.profiles.risk import raw_risk

SHOP = pl.DataFrame(
    {
        "who": ["a", "a", "b", "b", "c", "c"],
        "item": ["tea", "tea", "tea", "cake", "cake", "salt"],
        "paid": [1, 2, 1, 3, 3, 3],
    }
)
SCHEMA = Schema("who", (Column(name="item"), Column(name="paid", kind=Kind.NUMBER)))


def test_a_small_shop_by_hand() -> None:
    """Only a has (tea, 2), only c has (salt, 3); two records always tell who it is."""
    risk = raw_risk(History.from_frame(SHOP, SCHEMA))
    assert {number: share.value for number, share in risk.known.items()} == {1: pytest.approx(1 / 3), 2: 1.0}
    assert all(share.interval is None for share in risk.known.values())
    assert risk.most_telling_record == pytest.approx(2 / 3)
    assert risk.facts == {"number of records": 0.0, "total of paid": 1.0, "number of records and all totals": 1.0}
    assert [one.columns for one in risk.columns] == [("item",), ("paid",)]
    assert [one.share for one in risk.columns] == pytest.approx([1 / 6, 1 / 6])
    assert [one.most_telling for one in risk.columns] == pytest.approx([1 / 3, 1 / 3])
    (pair,) = risk.pairs
    assert pair.columns == ("item", "paid")
    assert [pair.share, pair.most_telling] == pytest.approx([1 / 3, 2 / 3])


def test_a_place_is_one_column_and_a_static_table_has_no_totals() -> None:
    frame = pl.DataFrame({"lat": [1.0, 1.0, 2.0], "lon": [5.0, 6.0, 5.0], "age": [30, 30, 40]})
    columns = (
        Column(name="spot", kind=Kind.PLACE, step=1.0, latitude="lat", longitude="lon"),
        Column(name="age", kind=Kind.NUMBER),
    )
    risk = raw_risk(History.from_frame(frame, Schema("row", columns)))
    assert [one.columns for one in risk.columns] == [("spot",), ("age",)]
    assert [one.share for one in risk.columns] == pytest.approx([1.0, 1 / 3])
    assert list(risk.known) == [1]
    assert risk.facts == {"number of records": 0.0}


@pytest.mark.parametrize("name", SAMPLES)
def test_any_history_has_a_risk_that_json_can_hold(name: str) -> None:
    risk = raw_risk(sample(name))
    json.dumps(risk.as_dict(), allow_nan=False)
    shares = [share.value for share in risk.known.values()]
    assert all(0 <= share <= 1 for share in [*shares, *risk.facts.values(), risk.most_telling_record])


def test_the_risk_does_not_depend_on_the_order_of_the_rows() -> None:
    frame, schema = mixed_frame(holes=0.2), sample("mixed").schema
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=2)
    assert raw_risk(History.from_frame(frame, schema)) == raw_risk(History.from_frame(shuffled, schema))


NAMES_HINT = (
    "nearly every subject has a value of its own here, as names and ids do; unless it is needed, "
    "drop it in the schema ({ drop = true })"
)
HINTED = {
    "three forms of dates": (
        ["2011-02-17", "17/02/2011", "Feb 17, 2011", "2011-02-19", "18/02/2011", "Feb 1, 2011"] * 4,
        "these look like dates in several forms; write all in one, such as 2011-02-17, to have them treated as dates",
    ),
    "thousands separators": (
        ["1,200", "13,500.50", "1,200,000"] * 8,
        "these look like numbers with thousands separators; remove the commas to have them treated as numbers",
    ),
    "full-width": (
        ["令和６年５月１日", "令和６年５月２日"] * 12,
        (
            "the digits are full-width, so that no number or date can be read; write them half-width (in Excel: ASC) "
            "and name the file again"
        ),
    ),
    "full-width names": (["ビール３５０", "茶５００"] * 12, ""),
    "nothing": ([""] * 24, "has no values at all; drop it in the schema ({ drop = true })"),
    "names": ([f"Person {'abcdefghijklmnopqrstuvwx'[n]}" for n in range(24)], NAMES_HINT),
    "mistakes": (
        [str(n) for n in range(23)] + ["soon"],
        "most of these are numbers, some are not; correct those that are mistakes, or leave it a category",
    ),
    "codes": (["POST", "85123A", "22423"] * 8, ""),
    "dates": (["2011-02-17", "2011-02-18"] * 12, ""),
}


@pytest.mark.parametrize("name", HINTED)
def test_what_looks_like_a_mistake_is_told(name: str) -> None:
    values, wanted = HINTED[name]
    frame = pl.DataFrame({"customer": [f"c{n:02}" for n in range(24)], "x": values})
    told = list(map(str, hints(History.from_frame(frame, infer_schema(frame)))))
    assert told == ([f"column 'x': {wanted}"] if wanted else [])


def test_one_subject_is_no_crowd() -> None:
    frame = pl.DataFrame({"customer": ["c"] * 3, "x": ["a", "b", "a"]})
    (told,) = map(str, hints(History.from_frame(frame, infer_schema(frame))))
    assert told == (
        "all records belong to one subject ('customer'); nobody can hide in a crowd of one: "
        "name the right subject column in the schema"
    )
