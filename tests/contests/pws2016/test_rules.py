"""PWS Cup 2016 through the commands: worked examples, bad files, and the whole of Online Retail."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.conftest import Run
from tests.shop_example import M3, T3, M, T, random_history, write
from tokumei.contests.pws2016.online_retail import cleansed, contest_2016, read_online_retail
from tokumei.contests.pws2016.rules import METHODS, SAMPLES, Files, Rules2016, _years, find_attack, find_method
from tokumei.contests.pws2016.shop import shop_history, shop_of
from tokumei.contests.pws2016.table import markdown
from tokumei.data import History
from tokumei.errors import ParameterError

ATTACKS = ["re-sort", "re-tnum", "re-totprice", "re-rfm", "re-goods", "re-combined"]


@pytest.fixture
def example(tmp_path: Path) -> dict[str, Path]:
    """Return the files of the paper: M, T, the release of table 6 under its P, and M = M' with a shifted P."""
    return write(tmp_path, M=M, T=T, M1=M3, T1=T3, P="2\n4\n1\n", Pya="2\n3\n4\n1\n", Pid="1\n2\n3\n4\n", Q="2\n1\n4\n")


def test_the_golden_case(golden: Path, run: Run, example: dict[str, Path], tmp_path: Path) -> None:
    folder = golden / "pws2016" / "cmae_example"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    m, t, t1 = (folder / expected["inputs"][name] for name in ("M", "T", "T1"))
    ran = run("pws2016", "utility", m, t, m, t1, example["Pid"], "--cells", "sex", "--json")
    assert ran.status == 0
    assert ran.json["cmae"] == pytest.approx(expected["cmae_sex"], rel=1e-12)
    strict = run("pws2016", "utility", m, t, example["M1"], t1, example["P"], "--cells", "sex", "--json")
    assert strict.json["cmae"] == pytest.approx(expected["cmae_sex_if_rows_of_12362_have_no_master"], rel=1e-12)
    words = ("--cells", "sex", "--orphans", "original", "--json")
    original = run("pws2016", "utility", m, t, example["M1"], t1, example["P"], *words)
    assert original.json["cmae"] == pytest.approx(expected["cmae_sex"], rel=1e-12)


def test_utility_of_the_shifted_rows(run: Run, example: dict[str, Path]) -> None:
    files = [example[name] for name in ("M", "T", "M", "T", "Pya")]
    ran = run("pws2016", "utility", *files, "--cells", "sex", "--json")
    assert ran.json["cmae2"] == pytest.approx(9.0412698, abs=1e-7)
    assert ran.json["ham"] == pytest.approx(0.6666667, abs=1e-7)
    assert (ran.json["cmae"], ran.json["rfm"], ran.json["topitem"]) == (0.0, 0.0, 1.0)
    text = run("pws2016", "utility", *files, "--complement")
    assert "higher is better" in text.out
    assert "warning: M' still shows ids of M in 4 rows; write pseudonyms instead" in text.err


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("name", "wanted"), [("re-sort", [2, 4, 3]), ("re-tnum", [1, 4, 2]), ("re-totprice", [2, 4, 1])]
)
def test_attacks_write_their_guesses(
    run: Run, example: dict[str, Path], tmp_path: Path, name: str, wanted: list[int]
) -> None:
    files = [example[one] for one in ("M", "T", "M1", "T1")]
    ran = run("pws2016", "attack", name, *files, "-o", tmp_path / "Q.out", "--json")
    assert (ran.status, ran.json) == (0, {"guesses": wanted})
    lines = "".join(f"{row}\n" for row in wanted)
    assert (tmp_path / "Q.out").read_text() == lines
    assert run("pws2016", "attack", name, *files).out == lines
    hits = sum(one == two for one, two in zip(wanted, (2, 4, 1), strict=True))
    safety = run("pws2016", "safety", example["P"], tmp_path / "Q.out", "--json").json
    assert (safety["hits"], safety["n"], safety["rate"]) == (hits, 3, hits / 3)


def test_safety_in_words(run: Run, example: dict[str, Path]) -> None:
    ran = run("pws2016", "safety", example["P"], example["Q"])
    assert ran.out == "1 of 3 right: 33.3 % (by chance 33.3 %)\n"


def test_evaluate_puts_everything_together(run: Run, example: dict[str, Path]) -> None:
    files = [example[name] for name in ("M", "T", "M1", "T1", "P")]
    ran = run("pws2016", "evaluate", *files, "--json")
    assert ran.json["valid"] is True
    assert list(ran.json["utility"]) == ["cmae", "cmae2", "rfm", "ham", "topitem"]
    assert ran.json["attacks"] == pytest.approx(dict(zip(ATTACKS, (2 / 3, 1 / 3, 1, 1, 1, 1), strict=True)))
    assert ran.json["reid_max"] == 1.0
    assert ran.json["consistent"] is True
    assert ran.json["baseline"] == 0.25


def test_evaluate_exposes_a_false_p(run: Run, example: dict[str, Path]) -> None:
    ran = run("pws2016", "evaluate", *(example[name] for name in ("M", "T", "M", "T", "Pya")))
    assert ran.status == 1
    assert "P consistent: no" in ran.out
    assert "0 of them support P and 4 contradict it: P does not belong to this M' and T'." in ran.out


def test_unknown_parts_are_named(run: Run, example: dict[str, Path], tmp_path: Path) -> None:
    ran = run("pws2016", "anonymize", "ano-shufle", example["M"], example["T"], "-o", tmp_path / "out")
    assert ran.status == 2
    assert ran.err.startswith("tokumei: pws2016 has no anonymizer named 'ano-shufle' (did you mean 'ano-shuffle'?)")
    assert not (tmp_path / "out").exists()
    ran = run("pws2016", "attack", "re-all", example["M"], example["T"], example["M1"], example["T1"])
    assert ran.err.startswith("tokumei: pws2016 has no attack named 're-all'")


@pytest.mark.half_second
@pytest.mark.parametrize("name", [*SAMPLES, "ano-pseudonyms"])
def test_anonymize_writes_a_valid_release_with_a_secret_p(run: Run, tmp_path: Path, name: str) -> None:
    files = _written(random_history(25, 300, 3), tmp_path)
    out = tmp_path / "out"
    ran = run("pws2016", "anonymize", name, *files, "-o", out, "--seed", 5, "--json")
    assert ran.status == 0
    assert sorted(path.name for path in out.iterdir()) == ["M1.csv", "P.csv", "T1.csv"]
    assert stat.S_IMODE((out / "P.csv").stat().st_mode) == 0o600
    assert "can be made again by whoever guesses the seed" in ran.err
    assert ran.json["pseudonyms_per_customer"]["mean"] >= 1
    made = [out / "M1.csv", out / "T1.csv", out / "P.csv"]
    check = run("pws2016", "check", *files, *made, "--ids", "error", "--json")
    assert (check.status, check.json["errors"], check.json["warnings"]) == (0, [], [])
    again = run("pws2016", "anonymize", name, *files, "-o", tmp_path / "again", "--seed", 5)
    assert again.status == 0
    assert [(tmp_path / "again" / path.name).read_bytes() for path in made] == [path.read_bytes() for path in made]


def test_renewed_pseudonyms_are_reported(run: Run, tmp_path: Path) -> None:
    files = _written(random_history(25, 300, 3), tmp_path)
    settings = ("--set", "exchange=0", "--set", "period=month")
    ran = run("pws2016", "anonymize", "ano-pseudonyms", *files, "-o", tmp_path / "out", *settings, "--json")
    assert ran.json["pseudonyms_per_customer"]["max"] > 3
    assert ran.json["orphans"] > 0
    assert "carry renewed pseudonyms without a row in M'" in ran.err
    made = [tmp_path / "out" / name for name in ("M1.csv", "T1.csv", "P.csv")]
    assert run("pws2016", "check", *files, *made).status == 1
    assert run("pws2016", "check", *files, *made, "--orphans", "warning").status == 0


def _written(history: History, folder: Path) -> list[Path]:
    paths = [folder / "M.csv", folder / "T.csv"]
    for path, frame in zip(paths, (shop_of(history).master, history.text(literal=True)), strict=True):
        frame.write_csv(path, include_header=False)
    return paths


BAD = {
    "P too short": ({"P": "2\n4\n"}, "P.csv, line 3: the file ends with 2 row numbers, but M' has 3 rows"),
    "P too long": ({"P": "2\n4\n1\n3\n"}, "P.csv, line 4: the file has 4 row numbers, but M' has 3 rows"),
    "duplicate P": ({"P": "2\n2\n1\n"}, "P.csv, line 2, column 1 (row): the row 2 of M is named above already"),
    "P out of range": ({"P": "2\n4\n9\n"}, "P.csv, line 3, column 1 (row): the row 9 does not exist in M, which has 4"),
    "P is no number": ({"P": "2\nfour\n1\n"}, "P.csv, line 2, column 1 (row): 'four' is no row number"),
    "M' longer than M": ({"M1": M + "9,f,1960/1/1,X\n"}, "M1.csv, line 5: M' has 5 rows and M only 4"),
    "missing country": (
        {"M1": M3.replace("Austria", "")},
        "M1.csv, line 3, column 4 (country): the country is missing",
    ),
    "empty T'": ({"T1": ""}, "T1.csv, line 1: the file has no rows; give at least one"),
    "blank T'": ({"T1": "\n\n"}, "T1.csv, line 1: the file has no rows; give at least one"),
    "empty M'": ({"M1": ""}, "M1.csv, line 1: the file has no rows; give at least one"),
    "ragged T'": (
        {"T1": T3 + "1,2\n"},
        "T1.csv, line 5: the line has 2 cells, but 7 are expected; add what is missing",
    ),
    "bad date": ({"T1": T3.replace("2011/5/23", "2011/5/32", 1)}, "T1.csv, line 3, column 3 (date): '2011/5/32' is no"),
    "bad price": ({"T1": T3.replace("14.95", "free")}, "T1.csv, line 4, column 6 (price): 'free' is no unit price"),
    "bad quantity": ({"T1": T3.replace("14.95,6", "14.95,-6")}, "T1.csv, line 4, column 7 (quantity): '-6' is no"),
    "repeated pseudonym": ({"M1": M3.replace("12364", "12361")}, "M1.csv, line 2, column 1 (customer): the id '12361'"),
}


@pytest.mark.half_second
@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("command", ["utility", "evaluate"])
def test_bad_files_give_one_sentence(
    run: Run, example: dict[str, Path], tmp_path: Path, case: str, command: str
) -> None:
    changed, sentence = BAD[case]
    write(tmp_path, **changed)
    files = [example[name] for name in ("M", "T", "M1", "T1", "P")]
    ran = run("pws2016", command, *files)
    assert (ran.status, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1
    assert f"/{sentence}" in ran.err
    ran = run("pws2016", command, *files, "--json")
    assert sentence in ran.json["error"]["message"]


@pytest.mark.parametrize("case", BAD)
def test_check_lists_the_faults_of_bad_files(run: Run, example: dict[str, Path], tmp_path: Path, case: str) -> None:
    changed, sentence = BAD[case]
    write(tmp_path, **changed)
    ran = run("pws2016", "check", *(example[name] for name in ("M", "T", "M1", "T1", "P")), "--json")
    assert ran.status == 1
    assert ran.json["valid"] is False
    file = next(iter(changed)).replace("1", "'")
    wanted = sentence.partition(": ")[2]
    assert any(error["file"] == file and error["message"].startswith(wanted) for error in ran.json["errors"])


def test_an_unknown_pseudonym_is_a_fault_for_check_and_a_warning_for_metrics(
    run: Run, example: dict[str, Path], tmp_path: Path
) -> None:
    write(tmp_path, T1=T3 + T3.splitlines()[0].replace("12361", "777") + "\n")
    files = [example[name] for name in ("M", "T", "M1", "T1", "P")]
    ran = run("pws2016", "check", *files)
    assert ran.status == 1
    assert "unknown-id" in ran.out
    assert "invalid: 1 finding" in ran.out
    ran = run("pws2016", "utility", *files)
    assert ran.status == 0
    assert "T' has 1 transaction whose pseudonym has no row in M' (the first on line 5)" in ran.err
    ran = run("pws2016", "evaluate", *files, "--json")
    assert (ran.status, ran.json["valid"]) == (1, False)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"M": ""}, "M.csv: the file is empty; give one with data in it"),
        ({"T": T + "9,1,2011/1/1,9:00,G,1,1\n"}, "T.csv, line 10, column 1 (customer): '9' has no row in M"),
        ({"M": M.replace(",m,", ",x,")}, "M.csv, line 1, column 2 (sex): 'x' is no sex of the contest"),
    ],
)
@pytest.mark.parametrize("command", ["check", "utility"])
def test_bad_original_files_cannot_be_used(
    run: Run, example: dict[str, Path], tmp_path: Path, changed: dict[str, str], sentence: str, command: str
) -> None:
    write(tmp_path, **changed)
    ran = run("pws2016", command, *(example[name] for name in ("M", "T", "M1", "T1", "P")))
    assert ran.status == 2
    assert f"/{sentence}" in ran.err


def test_a_failed_anonymization_leaves_nothing(run: Run, example: dict[str, Path], tmp_path: Path) -> None:
    write(tmp_path, T="")
    ran = run("pws2016", "anonymize", "ano-shuffle", example["M"], example["T"], "-o", tmp_path / "out")
    assert ran.status == 2
    assert not (tmp_path / "out").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("x")
    write(tmp_path, T=T)
    ran = run("pws2016", "anonymize", "ano-shuffle", example["M"], example["T"], "-o", tmp_path / "full")
    assert "exists already and is not an empty folder" in ran.err
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine"]


def test_guesses_of_the_wrong_length_are_refused(run: Run, example: dict[str, Path]) -> None:
    ran = run("pws2016", "safety", example["P"], example["Pid"])
    assert ran.status == 2
    assert "Pid.csv, line 4: the file has 4 row numbers, but P has 3 rows; keep one for each" in ran.err


def test_check_takes_guesses_and_speaks_japanese(run: Run, example: dict[str, Path], tmp_path: Path) -> None:
    write(tmp_path, Q="2\n2\n9\n")
    files = [example[name] for name in ("M", "T", "M1", "T1", "P", "Q")]
    ran = run("pws2016", "check", *files, "--language", "ja", "--json")
    assert [(one["file"], one["line"], one["code"]) for one in ran.json["errors"]] == [("Q", 3, "row-out-of-range")]
    assert "9行目はMにありません" in ran.json["errors"][0]["message"]
    assert run("pws2016", "check", *files, "--language", "fr").status == 2
    assert run("pws2016", "check", *files, "--ids", "never").status == 2


def test_ids_left_in_place_are_an_error_if_asked(run: Run, example: dict[str, Path]) -> None:
    files = [example[name] for name in ("M", "T", "M1", "T1", "P")]
    ran = run("pws2016", "check", *files, "--ids", "error", "--json")
    assert {one["code"] for one in ran.json["errors"]} == {"subject-id"}
    assert ran.json["error_count"] == 3 + 4


def test_p_is_needed_to_judge(example: dict[str, Path]) -> None:
    found = Rules2016().read(Files(m=example["M"], t=example["T"], m1=example["M1"], t1=example["T1"]))
    with pytest.raises(ParameterError, match="the file P is needed here"):
        _ = found.secret


def test_registered_parts_bear_their_names() -> None:
    assert [find_method(name).name for name in METHODS] == [*SAMPLES, "ano-pseudonyms"]
    assert [find_attack(name).name for name in ATTACKS] == ATTACKS
    assert all(method.needs == ("records", "people") for method in map(find_method, METHODS))


RETAIL = pl.DataFrame(
    {
        "InvoiceNo": ["536365", "536366", "C536367", "536368"],
        "StockCode": ["85123A", "71053", "84406B", "22752"],
        "Quantity": [6, 8, -2, 3],
        "InvoiceDate": ["2010-12-01 08:26:00", "2010-12-02 08:28:00", "2010-12-02 09:00:00", "2011-03-04 10:00:00"],
        "UnitPrice": [2.55, 3.39, 2.75, 7.65],
        "CustomerID": ["17850", "13047", "13047", "12583"],
        "Country": ["United Kingdom", "United Kingdom", "United Kingdom", "France"],
    }
)


@pytest.mark.half_second
def test_prepare_and_table_work_from_the_source_data(run: Run, tmp_path: Path) -> None:
    data, page = tmp_path / "retail.csv", tmp_path / "page.md"
    RETAIL.write_csv(data)
    ran = run("pws2016", "prepare", data, "-o", tmp_path / "made", "--seed", 1, "--json")
    assert ran.json == {"customers": 3, "transactions": 3}
    assert (tmp_path / "made" / "T.csv").read_text().splitlines()[0] == "17850,536365,2010/12/1,8:26,85123A,2.55,6"
    shown = run("pws2016", "table", data, "--seed", 1)
    assert [line.split(" | ")[0] for line in shown.out.splitlines()[2:]] == [f"| {name}" for name in SAMPLES]
    page.write_text("before\n<!-- table: begin -->\nold\n<!-- table: end -->\nafter\n")
    run("pws2016", "table", data, "--seed", 1, "--into", page)
    assert page.read_text() == f"before\n<!-- table: begin -->\n{shown.out}<!-- table: end -->\nafter\n"
    page.write_text("no marks")
    ran = run("pws2016", "table", data, "--into", page)
    assert (ran.status, page.read_text()) == (2, "no marks")
    assert "the marks <!-- table: begin --> and <!-- table: end --> are missing" in ran.err


@pytest.mark.campaign
def test_online_retail_as_in_the_documentation(real_data: Path, record_property: Callable[[str, object], None]) -> None:
    """Five anonymizers, all metrics, all attacks at 397,636 records; the page shows exactly these figures."""
    source = cleansed(read_online_retail(real_data / "online_retail.parquet"))
    original = shop_history(*contest_2016(source, rng=np.random.default_rng(1)))
    assert (len(original), len(original.subjects)) == (397_636, 4_334)
    rows = {row["anonymizer"]: row for row in Rules2016().sample_table(original, seed=1)}
    assert rows["ano-shuffle"]["attacks"]["re-combined"] > 0.99
    assert {name for name, row in rows.items() if not row["consistent"]} == {"ano-ya", "ano-tya"}
    page = (Path(__file__).resolve().parents[3] / "docs" / "pws2016.md").read_text(encoding="utf-8")
    assert markdown(list(rows.values())) in page
    record_property(
        "figure", f"2016 at full size: {len(original):,} records, {len(rows)} anonymizers as the page shows"
    )


def test_a_small_t_of_one_year_leaves_the_other_year_of_the_shop() -> None:
    assert _years(pl.DataFrame({"date": ["2011/2/17", "2011/12/1"]})) == (2010, 2011)
    assert _years(pl.DataFrame({"date": ["2005/2/17", "2007/12/1"]})) == (2005, 2007)
