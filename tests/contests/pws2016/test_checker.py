"""The checkers of the 2016 files: every fault with its line, column and sentence."""

from __future__ import annotations

import polars as pl
import pytest

from tests.shop_example import M, T, table
from tokumei.contests.pws2016.checker import FilesCheck, check_master, check_rows, check_transactions, unreadable_lines
from tokumei.contests.pws2016.files import MASTER_COLUMNS, TRANSACTION_COLUMNS
from tokumei.contests.pws2016.messages import HOME, MASTER_CODES
from tokumei.errors import ContentError, Finding
from tokumei.words import Message

IDS = table(M, MASTER_COLUMNS)["customer"]


def master(text: str) -> pl.DataFrame:
    return table(text, MASTER_COLUMNS)


def bought(text: str) -> pl.DataFrame:
    return table(text, TRANSACTION_COLUMNS)


def test_the_example_is_valid() -> None:
    assert check_master(master(M), limit=4).valid
    assert check_transactions(bought(T), IDS, master="M", years=(2010, 2011)).valid


@pytest.mark.parametrize(
    ("old", "new", "place", "sentence"),
    [
        ("12361,f", ",f", (2, 1, "bad-id"), "'' is no id; write a text of 1 to 50 bytes"),
        ("12361,f", "é" * 26 + ",f", (2, 1, "bad-id"), "is no id; write a text of 1 to 50 bytes"),
        ("12361,f", "12360,f", (2, 1, "duplicate-id"), "the id '12360' has a row above already"),
        ("12361,f", "12361,female", (2, 2, "bad-sex"), "'female' is no sex of the contest; write f or m"),
        ("1954/2/14", "1954/2/30", (2, 3, "bad-birthday"), "'1954/2/30' is no birthday; write a real date"),
        ("1954/2/14", "1954/02/14", (2, 3, "bad-birthday"), "without leading zeros"),
        ("2/14,Belgium", "2/14,", (2, 4, "missing-country"), "the country is missing; write one"),
    ],
)
def test_faults_of_a_master(old: str, new: str, place: tuple[int, int, str], sentence: str) -> None:
    result = check_master(master(M.replace(old, new)), limit=4)
    assert result.places() == [place]
    assert sentence in str(result.findings()[0].message)


def test_a_master_may_not_grow() -> None:
    result = check_master(master(M + "12399,f,1960/1/1,France\n12398,f,1960/1/1,France\n"), limit=4)
    assert result.places() == [(5, None, "too-many-rows")]
    assert result.findings()[0].message == (
        "M' has 6 rows and M only 4; rows may be deleted, never added: delete the surplus"
    )


@pytest.mark.parametrize(
    ("old", "new", "place", "sentence"),
    [
        ("12361,545017", "777,545017", (3, 1, "unknown-id"), "'777' has no row in M'; add it there or delete"),
        ("12361,545017", "12361,", (3, 2, "missing-invoice"), "the invoice id is missing"),
        (
            "2011/2/25",
            "2011/2/29",
            (3, 3, "bad-date"),
            "'2011/2/29' is no purchase date; write a real date of 2010-2011",
        ),
        ("2011/2/25", "2012/2/25", (3, 3, "bad-date"), "'2012/2/25' is no purchase date"),
        ("13:51", "25:00", (3, 4, "bad-time"), "'25:00' is no time; write hours and minutes such as 9:05"),
        (",22630,", ",,", (3, 5, "missing-goods"), "the item id is missing"),
        ("22630,1.95", "22630,0.00", (3, 6, "bad-price"), "'0.00' is no unit price"),
        ("22630,1.95", "22630,1.955", (3, 6, "bad-price"), "with at most two decimals"),
        ("22630,1.95", "22630,-1", (3, 6, "bad-price"), "'-1' is no unit price"),
        ("22630,1.95,12", "22630,1.95,0", (3, 7, "bad-quantity"), "'0' is no quantity; write a whole number from 1"),
        ("22630,1.95,12", "22630,1.95,1000000", (3, 7, "bad-quantity"), "from 1 to 999999"),
    ],
)
def test_faults_of_transactions(old: str, new: str, place: tuple[int, int, str], sentence: str) -> None:
    changed = bought(T.replace(old, new, 1))
    result = check_transactions(changed, IDS, master="M'", years=(2010, 2011))
    assert result.places() == [place]
    assert sentence in str(result.findings()[0].message)


def test_original_ids_are_faults_if_asked() -> None:
    assert check_master(master(M), originals=IDS).counts() == {"subject-id": 4}
    assert check_transactions(bought(T), IDS, master="M'", originals=IDS).counts() == {"subject-id": 9}


def test_empty_tables_are_said_to_be_empty() -> None:
    assert check_master(master("")).places() == [(1, None, "empty-file")]
    assert check_transactions(bought(""), IDS, master="M'").places() == [(1, None, "empty-file")]


@pytest.mark.parametrize(
    ("rows", "places"),
    [
        (["2", "4", "1"], []),
        (["2", "2", "1"], [(2, 1, "duplicate-row")]),
        (["0", "5", "1"], [(1, 1, "row-out-of-range"), (2, 1, "row-out-of-range")]),
        (["x", "", "1.0"], [(1, 1, "bad-row"), (2, 1, "bad-row"), (3, 1, "bad-row")]),
        (["9" * 30, "4", "1"], [(1, 1, "row-out-of-range")]),
        (["2", "4"], [(3, None, "not-enough-numbers")]),
        ([], [(1, None, "not-enough-numbers")]),
        (["2", "4", "1", "3"], [(4, None, "too-many-numbers")]),
    ],
)
def test_faults_of_row_numbers(rows: list[str], places: list[tuple[int, int | None, str]]) -> None:
    assert check_rows(pl.Series(rows, dtype=pl.String), n=4, expected=3, distinct=True).places() == places


def test_guesses_may_repeat() -> None:
    assert check_rows(pl.Series(["2", "2", "2"]), n=4, expected=3, distinct=False).valid


def test_sentences_exist_in_two_languages() -> None:
    result = check_rows(pl.Series(["7"]), n=4, expected=2, distinct=True)
    english, japanese = result.findings(language="en"), result.findings(language="ja")
    assert [found.message for found in english] == [
        "the row 7 does not exist in M, which has 4 rows; write a number from 1 to 4",
        "the file ends with 1 row numbers, but M' has 2 rows; write one for each",
    ]
    assert "7行目はMにありません" in str(japanese[0].message)
    assert "行番号が1個で終わっています" in str(japanese[1].message)


def test_all_files_together() -> None:
    files = {
        "M'": check_master(master(M + M), limit=4),
        "P": check_rows(pl.Series(["9"]), n=4, expected=1, distinct=True),
    }
    warning = Message("warning.ids-left", {"file": "M'", "count": 3}, HOME)
    check = FilesCheck(files, (warning,))
    assert (check.valid, check.error_count) == (False, 6)
    document = check.as_dict(2)
    assert document["errors"] == [
        {
            "file": "M'",
            "line": 5,
            "column": None,
            "code": "too-many-rows",
            "message": "M' has 8 rows and M only 4; rows may be deleted, never added: delete the surplus",
        },
        {
            "file": "M'",
            "line": 5,
            "column": 1,
            "code": "duplicate-id",
            "message": "the id '12360' has a row above already; give every row of the master an id of its own",
        },
    ]
    with pytest.raises(ContentError, match=r"P1, line 1, column 1 \(row\): the row 9 does not exist in M"):
        check.refuse({"M'": "M1", "P": "P1"}, tolerated=("too-many-rows", "duplicate-id"))


def test_lines_of_a_wrong_length_keep_their_sentences() -> None:
    error = ContentError("T1.csv", [Finding("column-count", "the line has 3 cells", 7)])
    found = unreadable_lines(error).findings()
    assert [(one.line, one.code, one.message) for one in found] == [(7, "wrong-cells", "the line has 3 cells")]
    assert "wrong-cells" in MASTER_CODES
