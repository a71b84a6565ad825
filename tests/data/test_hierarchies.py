"""Hierarchies: read from files of ARX and Amnesia, built from data, used on records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.data import Column, History, Kind, RangeCells, Schema, SetCells, field_hierarchies, read_hierarchy
from tokumei.data.cell_text import cell_text
from tokumei.errors import InputError, SchemaError

NONE = pl.Series([], dtype=pl.String)


def history(values: Sequence[object], kind: Kind, hierarchy: str) -> History:
    schema = Schema("row", (Column(name="v", kind=kind, hierarchy=hierarchy),))
    return History.from_frame(pl.DataFrame({"v": pl.Series(values, strict=False)}), schema)


def published(values: Sequence[object], kind: Kind, hierarchy: str) -> list[list[str]]:
    """Return the text of all records, level by level."""
    data = history(values, kind, hierarchy)
    tree = field_hierarchies(data)["v"]
    field = data.schema.fields[0]
    cells = [tree.cells(tree.leaf, np.full(len(data), level)) for level in range(tree.levels)]
    assert all(bool(column.contains(data.codes["v"]).all()) for column in cells)
    assert all(isinstance(column, SetCells if field.nominal else RangeCells) for column in cells)
    return [cell_text(column, field).to_list() for column in cells]


def test_a_hierarchy_of_arx_counts_its_own_values(tmp_path: Path) -> None:
    file = tmp_path / "fruit.csv"
    file.write_text('apple;fruit;*\npear;fruit;*\n\nleek;vegetable;*\n\'n"ut;"dry; fruit";*\n')
    tree = read_hierarchy(file, NONE)
    assert tree.values.to_list() == ["apple", "pear", "leek", "'n\"ut"]
    assert tree.nodes.tolist() == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 0]]
    assert tree.losses.tolist() == [[0, 0, 0, 0], [1 / 3, 1 / 3, 0, 0], [1, 1, 1, 1]]
    assert published(["pear", "leek", ""], Kind.CATEGORY, str(file)) == [
        ["pear", "leek", ""],
        ["pear", "leek", ""],
        ["*", "*", "*"],
    ]
    assert published(["pear", "apple"], Kind.CATEGORY, str(file))[1] == ["{apple;pear}"] * 2


def test_trees_of_amnesia(tmp_path: Path) -> None:
    file = tmp_path / "tree.txt"
    file.write_text("distinct\nname plants\ntype string\nheight 3\n\nfood has fruit leek \n\nfruit has apple pear\n")
    assert published(["leek", "apple", "pear"], Kind.CATEGORY, str(file)) == [
        ["leek", "apple", "pear"],
        ["leek", "{apple;pear}", "{apple;pear}"],
        ["*"] * 3,
    ]
    file.write_text("range\nname age\ntype int\nheight 2\n\n0-30 has 0-10 10-20 20-30\n")
    ranges = published([3, 10, 19, 30, 12], Kind.NUMBER, str(file))
    assert ranges[1] == ["3", "[10;19]", "[10;19]", "30", "[10;19]"]
    with pytest.raises(InputError, match=r"tree.txt, line 1: no range holds the value '31' of the column; widen"):
        published([31], Kind.NUMBER, str(file))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n\n", "nothing but empty lines; write one line per value"),
        ("apple\n", "line 1: 'apple' has no parent; write one line per value"),
        ("apple;fruit\n;\n", "line 2: ';' lacks a name; write the value and all its ancestors"),
        ("a;x;*\nb;x;*\na;y;*\n", "line 3: 'a' stands on line 1 too; write one line per value"),
        ("a;x;p\nb;y;p\n\nc;x;q\n", "line 4: 'x' stands below 'p' and below 'q'; give every name one parent"),
        ("distinct\nname t\n\nr has a b\n\na has b\n", "line 6: 'b' stands below 'r' too; give every name one parent"),
        ("distinct\nname t\n", "line 1: no line says 'parent has child'; write the tree from its root"),
        ("range\n\nr has a\n", "line 1: 'a' is no range; write it as low-high"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "h.csv"
    file.write_text(text)
    with pytest.raises(InputError) as refusal:
        read_hierarchy(file, pl.Series(["5"]))
    assert message in str(refusal.value)
    assert str(refusal.value).startswith(str(file))


def test_values_that_a_file_does_not_list_are_named(tmp_path: Path) -> None:
    file = tmp_path / "h.csv"
    file.write_text("1;low;*\n2;low;*\n")
    message = "the hierarchy does not list '3' and 1 more values of the column 'v'; add a line for each"
    for kind in (Kind.CATEGORY, Kind.NUMBER):
        with pytest.raises(SchemaError, match=message):
            published([3, 4, 1], kind, str(file))
    file.write_text("one;low;*\n")
    with pytest.raises(SchemaError, match="'one' is no number as the column 'v' has them; correct the hierarchy"):
        published([1], Kind.NUMBER, str(file))


def test_bands_double_and_nest() -> None:
    values: list[object] = [0, 1, 7, 63, None]
    levels = published(values, Kind.NUMBER, "auto")
    assert levels[:3] == [
        ["0", "1", "7", "63", ""],
        ["[0;1]", "[0;1]", "[6;7]", "[62;63]", ""],
        ["[0;3]", "[0;3]", "[4;7]", "[60;63]", ""],
    ]
    assert levels[-1] == ["*"] * 5
    tree = field_hierarchies(history(values, Kind.NUMBER, "intervals"))["v"]
    assert tree.losses[1].tolist() == [1 / 63, 1 / 63, 1 / 63, 1 / 63, 0.0]
    assert tree.losses[-1].tolist() == [1.0] * 5


def test_calendar_prefixes_and_rare_values() -> None:
    days = published(["2024-02-29", "2024-03-01", "2025-01-01"], Kind.DATE, "auto")
    assert days[1][0] == "[2024-02-01;2024-02-29]"
    assert days[2][:2] == ["[2024-01-01;2024-03-31]"] * 2
    assert days[3] == ["*"] * 3
    moments = published(["2024-02-29 10:15:00", "2024-02-29 10:45:00"], Kind.DATETIME, "dates")
    assert moments[1] == ["*", "*"]
    codes = published([f"{number:03}" for number in range(95, 118)], Kind.CATEGORY, "auto")
    assert codes[1][0] == "{095;096;097;098;099}"
    assert codes[2][0] == codes[1][0]
    rare = published(["a"] * 90 + ["b"] * 6 + ["c"] * 2 + ["d", "e"], Kind.CATEGORY, "frequency")
    assert [level[-1] for level in rare] == ["e", "{c;d;e}", "{b;c;d;e}", "*"]
    with pytest.raises(SchemaError, match=r"column 'v': a number has no hierarchy of prefixes; write hierarchy"):
        published([1], Kind.NUMBER, "prefixes")


def test_a_schema_names_hierarchies_and_weights(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("a;x;*\nb;x;*\n")
    file = tmp_path / "schema.toml"
    text = (
        'subject = "row"\n\n[columns]\n"v" = { kind = "category", hierarchy = "v.csv" }\n'
        '"n" = { kind = "number", step = 1, hierarchy = "auto" }\n'
        '"w" = { kind = "number", step = 0.5, weight = true }\n'
    )
    file.write_text(text)
    schema = Schema.read(file)
    assert schema.columns[0].hierarchy == str(tmp_path / "v.csv")
    assert schema.weight == "w"
    assert [field.name for field in schema.fields] == ["v", "n"]
    assert Schema.from_toml(text).to_toml() == text
    data = History.from_frame(pl.DataFrame({"v": ["a", "b"], "n": [1, 2], "w": ["2.5", "1"]}), schema)
    assert data.weights is not None
    assert data.take([1]).weights is not None
    assert data.weights.tolist() == [2.5, 1.0]
    assert field_hierarchies(data)["v"].levels == 3


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ('w = { kind = "category", weight = true }', "column 'w': a weight is a number that is not published"),
        (
            'w = { kind = "number", weight = true }\nx = { kind = "number", weight = true }',
            "the columns 'w' and 'x' are both weights; declare one of them",
        ),
    ],
)
def test_wrong_weights_in_a_schema(columns: str, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        Schema.from_toml(f'subject = "row"\n[columns]\n{columns}\n')


def test_wrong_weights_in_the_data() -> None:
    schema = Schema.from_toml(
        'subject = "row"\n[columns]\nv = { kind = "category" }\nw = { kind = "number", weight = true }\n'
    )
    frame = pl.DataFrame({"v": ["a", "b", "c"], "w": ["1", "0", "many"]})
    with pytest.raises(InputError, match="a weight must be a number above 0; correct it") as refusal:
        History.from_frame(frame, schema)
    assert refusal.value.line == 2
