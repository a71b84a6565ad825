"""Valid files of 2018 that write one value in two ways: the check tells of it, the audit calls none of them safe."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run

T = """1,2011/2/8,A,2.10,6
2,2011/2/8,A,2.10,6
3,2011/2/9,B,3.00,7
4,2011/2/9,B,3.00,7
"""
A = """11,2011/2/8,A,2.10,6
27,2011/2/8,A,2.10,6
35,2011/2/9,B,3.00,7
48,2011/2/9,B,3.00,7
"""


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("old", "new", "line", "column"),
    [
        ("11,2011/2/8", "11,2011/02/08", 1, "date"),
        ("27,2011/2/8,A,2.10,6", "27,2011/2/8,A,2.10,[6;6]", 2, "quantity"),
        ("35,2011/2/9,B,3.00", "35,2011/2/9,B,3.0", 3, "price"),
        ("48,2011/2/9,B", "48,2011/2/9,{B}", 4, "goods"),
    ],
)
def test_one_value_in_two_ways(run: Run, tmp_path: Path, old: str, new: str, line: int, column: str) -> None:
    t, a = tmp_path / "T.csv", tmp_path / "A.csv"
    t.write_text(T, encoding="utf-8")
    a.write_text(A, encoding="utf-8")
    calm = run("pws2018", "check", t, a)
    assert (calm.status, calm.err) == (0, "")
    assert "other-text" not in [reason["code"] for reason in run("pws2018", "audit", t, a, "--json").json["reasons"]]
    a.write_text(A.replace(old, new), encoding="utf-8")
    checked = run("pws2018", "check", t, a)
    assert checked.status == 0
    if column != "price":
        assert f"line {line}, column '{column}': 1 cells are not written in the one way" in checked.err.replace(
            "\n", " "
        )
    else:
        assert "column 'price'" in checked.err
    audited = run("pws2018", "audit", t, a, "--k", "2", "--json")
    assert (audited.status, audited.json["verdict"], audited.json["reasons"][0]["code"]) == (1, "unsafe", "other-text")


def test_zeros_at_the_end_of_all_prices_are_one_way(run: Run, tmp_path: Path) -> None:
    t, a = tmp_path / "T.csv", tmp_path / "A.csv"
    t.write_text(T, encoding="utf-8")
    for text in (A, A.replace("2.10", "2.1").replace("3.00", "3"), A.replace("2.10", "[2.10;3.00]")):
        a.write_text(text, encoding="utf-8")
        assert run("pws2018", "check", t, a).err == ""
