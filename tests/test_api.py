"""The Python API: the same results for polars and pandas frames and for files."""

from __future__ import annotations

import inspect
import pydoc
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tokumei
from tokumei.data.columns import Column, Kind
from tokumei.data.schema import Schema
from tokumei.errors import InfeasibleError, InputError, ParameterError

pandas = pytest.importorskip("pandas")

FRAME = pl.DataFrame(
    {
        "customer": [f"c{n % 8}" for n in range(64)],
        "day": pl.Series([f"2011-02-{n % 28 + 1:02}" for n in range(64)]).str.to_date(),
        "goods": [None if n % 13 == 0 else "ABCD"[n * n % 4] for n in range(64)],
        "price": [None if n % 11 == 0 else n % 7 + 0.5 for n in range(64)],
        "units": [n % 5 for n in range(64)],
    }
)


def as_pandas() -> Any:
    """Return the same table as a pandas frame of its own types."""
    return pandas.DataFrame(
        {
            "customer": FRAME["customer"].to_list(),
            "day": pandas.to_datetime([day.isoformat() for day in FRAME["day"]]),
            "goods": FRAME["goods"].to_list(),
            "price": [np.nan if value is None else value for value in FRAME["price"]],
            "units": FRAME["units"].to_numpy(),
        }
    )


SCHEMA = Schema(
    "customer",
    (
        Column(name="day", kind=Kind.DATE),
        Column(name="goods"),
        Column(name="price", kind=Kind.NUMBER, step=0.5),
        Column(name="units", kind=Kind.NUMBER),
    ),
)


@pytest.mark.half_second
def test_pandas_and_polars_give_identical_results() -> None:
    frame = as_pandas()
    from_polars = tokumei.anonymize(FRAME, k=2, schema=SCHEMA, seed=4, effort="fast")
    from_pandas = tokumei.anonymize(frame, k=2, schema=SCHEMA, seed=4, effort="fast")
    assert isinstance(from_polars.data, pl.DataFrame)
    assert isinstance(from_pandas.data, pandas.DataFrame)
    assert list(from_pandas.data.columns) == from_polars.data.columns
    assert from_pandas.data.to_dict(orient="list") == from_polars.data.to_dict(as_series=False)
    assert from_pandas.utility == from_polars.utility
    assert from_pandas.audit is not None
    assert from_polars.audit is not None
    assert from_pandas.audit.as_dict() == from_polars.audit.as_dict()
    described = [tokumei.describe(data, schema=SCHEMA).as_dict() for data in (FRAME, frame)]
    assert described[0] == described[1]
    audits = [tokumei.audit(data, made).as_dict() for data, made in ((FRAME, from_polars), (frame, from_pandas))]
    assert audits[0] == audits[1]


@pytest.mark.half_second
@pytest.mark.parametrize(
    "convert",
    [
        lambda frame: frame.convert_dtypes(),
        lambda frame: frame.astype({"goods": "category", "customer": "category"}),
        lambda frame: frame.assign(customer=frame["customer"].astype(object)),
        lambda frame: frame.set_index(np.arange(64)[::-1]),
    ],
    ids=["extension types", "categoricals", "objects", "another index"],
)
def test_any_pandas_types_give_the_same(convert: Any) -> None:
    plain = tokumei.anonymize(as_pandas(), k=2, schema=SCHEMA, seed=4, effort="fast", audit=False)
    other = tokumei.anonymize(convert(as_pandas()), k=2, schema=SCHEMA, seed=4, effort="fast", audit=False)
    assert other.data.equals(plain.data)


def test_a_file_gives_the_same_as_its_frame(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    FRAME.write_csv(path)
    made = [
        tokumei.anonymize(data, k=2, schema=SCHEMA, seed=4, effort="fast", audit=False)
        for data in (FRAME, FRAME.lazy(), path, str(path))
    ]
    assert all(one.data.equals(made[0].data) for one in made)


@pytest.mark.half_second
def test_a_release_is_written_and_audited_from_its_folder(tmp_path: Path) -> None:
    made = tokumei.anonymize(FRAME, k=2, effort="fast")
    published = made.write(tmp_path / "release")
    names = ["release", "release.audit.json", "release.plan.toml", "release.secret"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert published.manifest["parameters"]["k"] == 2
    result = tokumei.audit(FRAME, tmp_path / "release", secret=tmp_path / "release.secret", k=2)
    assert (result.verdict.outcome.value, result.with_secret) == ("safe", True)
    assert tokumei.audit(FRAME, str(tmp_path / "release")).with_secret is False
    assert made.plan.key in (tmp_path / "release.plan.toml").read_text(encoding="utf-8")
    assert made.secret.seed is None


def test_every_release_without_a_seed_is_another() -> None:
    made = [tokumei.anonymize(FRAME, method="pseudonymize", audit=False) for _ in range(2)]
    assert made[0].audit is None
    assert made[0].verdict is None
    assert made[0].why == "as asked for"
    assert not made[0].data["pseudonym"].equals(made[1].data["pseudonym"])


def test_wrong_use_is_told_in_one_sentence() -> None:
    told = "^data must be a polars, pandas or Arrow frame or the path of a file, got dict$"
    with pytest.raises(ParameterError, match=told):
        tokumei.describe({"a": [1]})
    with pytest.raises(ParameterError, match="^schema and subject both say whose history it is; give one of them$"):
        tokumei.describe(FRAME, schema=SCHEMA, subject="customer")
    with pytest.raises(
        InfeasibleError, match="^k-anonymity with k = 9 needs at least 9 subjects, the data has 8; lower"
    ):
        tokumei.anonymize(FRAME, k=9)
    with pytest.raises(InputError, match="^the data has no records, at most a header; give a file with records$"):
        tokumei.anonymize(FRAME.head(0))
    with pytest.raises(ParameterError, match="has no parameter 'efort' .did you mean 'effort'.."):
        tokumei.anonymize(FRAME, efort="fast")
    with pytest.raises(ParameterError, match="^data_format must be csv or parquet, got 'xls'$"):
        tokumei.anonymize(FRAME, data_format="xls")
    twice = pandas.DataFrame([["a", "b"]], columns=["x", "x"])
    with pytest.raises(InputError, match="^the frame has two columns named 'x'; rename one of them$"):
        tokumei.describe(twice)


def test_values_of_several_types_become_text() -> None:
    mixed = pandas.DataFrame({"customer": ["a", "a", "b"], "x": [1, "two", None]})
    assert tokumei.describe(mixed).profile.columns[0].distinct == 2


def test_times_with_a_zone_show_its_clock() -> None:
    naive = pandas.date_range("2020-03-01", periods=6, freq="5h")
    frames = [
        pandas.DataFrame({"customer": list("aabbcc"), "at": times})
        for times in (naive, naive.tz_localize("Asia/Tokyo"), naive.tz_localize("Asia/Tokyo").astype(object))
    ]
    texts = [tokumei.anonymize(frame, k=2, seed=1, audit=False).history.text() for frame in frames]
    assert texts[0]["at"][0] == "2020-03-01 00:00:00"
    assert texts[1].equals(texts[0])
    assert texts[2].equals(texts[0])


def test_objects_that_only_pandas_knows_become_text() -> None:
    months = pandas.period_range("2020-01", periods=6, freq="M")
    frame = pandas.DataFrame({"customer": list("aabbcc"), "month": months})
    assert tokumei.describe(frame).schema.columns == (Column(name="month", kind=Kind.CATEGORY),)
    assert tokumei.anonymize(frame, k=2, seed=1, audit=False).history.categories["month"][0] == "2020-01"


@pytest.mark.half_second
def test_pandas_is_not_imported_by_the_api() -> None:
    import subprocess

    code = "import sys, tokumei.api; print('pandas' in sys.modules, 'pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_help_and_signature_tell_the_parameters() -> None:
    names = list(inspect.signature(tokumei.anonymize).parameters)
    assert names[:6] == ["data", "method", "k", "schema", "subject", "allow"]
    assert names[6:10] == ["seed", "threads", "audit", "data_format"]
    assert names[10:] == ["content", "recipient", "limits", "ledger", "pseudonyms", "settings"]
    for function in (
        tokumei.anonymize,
        tokumei.attack,
        tokumei.audit,
        tokumei.compare,
        tokumei.describe,
        tokumei.read_history,
        tokumei.read_release,
        tokumei.report,
    ):
        text = pydoc.plain(pydoc.render_doc(function))
        for name, parameter in inspect.signature(function).parameters.items():
            assert parameter.annotation is not parameter.empty
            # Once in the signature, once in what is said of it.
            assert len(re.findall(rf"\b{name}\b", text)) > 1, (function, name)


@pytest.mark.half_second
def test_no_result_prints_what_a_person_did(tmp_path: Path) -> None:
    frame = FRAME.with_columns(customer=pl.format("QZX{}", "customer"), goods=pl.format("QZX{}", "goods"))
    made = tokumei.anonymize(frame, k=2, seed=4, effort="fast")
    assert repr(made) == "Made(k-anonymity: 64 records under 8 pseudonyms; not-shown-unsafe at k = 2)"
    made.write(tmp_path / "release")
    described = tokumei.describe(frame)
    assert repr(described) == "Description(64 records of 8 subjects)"
    release = tokumei.read_release(tmp_path / "release", frame)
    guesses = tokumei.attack(frame, made, "nearest-history", seed=1)
    results = (made, described, release, guesses, made.history, made.secret, tokumei.audit(frame, made), made.plan)
    for result in results:
        assert "QZX" not in repr(result)
        assert len(repr(result)) < 2000


def test_an_attack_on_a_folder_is_that_on_what_was_made(tmp_path: Path) -> None:
    made = tokumei.anonymize(FRAME, method="pseudonymize", schema=SCHEMA, seed=4, audit=False)
    made.write(tmp_path / "release")
    guesses = [tokumei.attack(FRAME, release, "re-item", seed=1) for release in (made, tmp_path / "release")]
    assert guesses[0].frame.equals(guesses[1].frame)
    assert guesses[0].hits(made.secret.owners) > 0
    assert tokumei.read_release(tmp_path / "release", made.history).text().equals(made.data)
    with pytest.raises(ParameterError, match="'re-item' has no parameter 'chioce'"):
        tokumei.attack(FRAME, made, "re-item", chioce="random")


@pytest.mark.half_second
def test_methods_are_compared_in_a_frame() -> None:
    runs = tokumei.compare(
        as_pandas(), ["k-anonymity", "pseudonymize"], k=[2], settings={"k-anonymity": {"effort": "fast"}}, seed=1
    )
    assert runs["release"].to_list() == ["k-anonymity k=2", "pseudonymize"]
    assert runs["settings"].to_list() == ["effort=fast", ""]
    assert runs["verdict"].to_list() == ["safe", "unsafe"]


@pytest.mark.half_second
def test_a_report_is_a_text_that_only_its_owner_reads(tmp_path: Path) -> None:
    made = tokumei.anonymize(FRAME, k=2, effort="fast", schema=SCHEMA, seed=4)
    text = tokumei.report(FRAME, made, language="ja", output=tmp_path / "report.html")
    assert text == (tmp_path / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "report.html").stat().st_mode & 0o777 == 0o600
    assert 'lang="ja"' in text
