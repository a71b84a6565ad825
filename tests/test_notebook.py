"""What a notebook shows: rich tables without a value of anybody, typed releases, the version."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from importlib.metadata import version
from pathlib import Path

import polars as pl
import pytest

import tokumei
from tokumei.data import Reason
from tokumei.errors import ParameterError, SchemaError

FRAME = pl.DataFrame(
    {
        "customer": [f"secretperson{n % 8}" for n in range(32)],
        "day": [date(2024, 5, 1 + n % 20) for n in range(32)],
        "goods": ["plumwine" if n % 3 else "greentea" for n in range(32)],
        "price": [2.5 + n % 7 for n in range(32)],
    }
)


@pytest.fixture(scope="module")
def made() -> tokumei.Made:
    return tokumei.anonymize(FRAME, k=2, threads=1, data_format="parquet")


def test_nothing_that_is_shown_has_data_of_people(made: tokumei.Made) -> None:
    described = tokumei.describe(FRAME)
    audited = made.audit
    assert audited is not None
    shown = [made, made.release, made.history, made.secret, described, audited, audited.verdict, made.plan]
    for one in shown:
        texts = [repr(one)] + ([one._repr_html_()] if hasattr(one, "_repr_html_") else [])
        for text in texts:
            assert "secretperson" not in text
            assert "plumwine" not in text
            assert len(text) < 5000
    for rich in (made, made.release, described, audited, audited.verdict):
        html = rich._repr_html_()
        assert html.startswith("<div><strong>")
    assert "names: safe at k = 2, proven" in audited._repr_html_()
    assert "<th>singles out</th>" in described._repr_html_()
    assert "<td>price</td><td>number</td>" in described._repr_html_()
    assert "lost: " in made._repr_html_()


def test_no_word_of_a_contest_is_shown_in_a_notebook(made: tokumei.Made) -> None:
    audited = made.audit
    assert audited is not None
    joint = Reason(
        code="joint-risk",
        values={"guesses": 7, "probability": 0.01, "survives": 0.9, "coordinated": 0.8, "attempts": 13},
    )
    verdict = replace(audited.verdict, reasons=(*audited.verdict.reasons, joint))
    contested = replace(audited, verdict=verdict)
    shown = [contested, verdict, made, made.release, made.plan, tokumei.describe(FRAME)]
    for one in shown:
        told = repr(one) + (one._repr_html_() if hasattr(one, "_repr_html_") else "")
        assert re.findall(r"(?i)contest|PWS|joint.risk|survives", told) == [], told
    assert "every published history is shared by at least 2" in verdict._repr_html_()


def test_the_version_and_the_typed_names() -> None:
    assert tokumei.__version__ == version("tokumei")
    assert callable(tokumei.report)
    assert callable(tokumei.compare)


def test_a_release_is_read_as_an_analyst_wants_it(made: tokumei.Made, tmp_path: Path) -> None:
    made.write(tmp_path / "out")
    typed = pl.read_parquet(tmp_path / "out" / "data.parquet")
    assert dict(typed.schema) == {
        "pseudonym": pl.String(),
        "day_low": pl.Date(),
        "day_high": pl.Date(),
        "goods": pl.List(pl.String()),
        "price_low": pl.Float64(),
        "price_high": pl.Float64(),
    }
    read = tokumei.read_release(tmp_path / "out")
    assert read.equals(typed)
    assert (read["price_low"] <= read["price_high"]).all()
    middle = tokumei.read_release(tmp_path / "out", values="midpoints")
    assert middle["price"].equals((read["price_low"] + read["price_high"]) / 2, check_names=False)
    assert middle["day"].dtype == pl.Date
    drawn = tokumei.read_release(tmp_path / "out", values="draws", draws=3, seed=1)
    assert drawn.height == 3 * read.height
    first = drawn.filter(pl.col("draw") == 0)
    assert ((first["price"] >= read["price_low"]) & (first["price"] <= read["price_high"])).all()
    assert (
        pl.DataFrame({"one": first["goods"], "all": read["goods"]})
        .select(pl.col("all").list.contains(pl.col("one")).all())
        .item()
    )
    assert tokumei.read_release(tmp_path / "out", values="text").equals(made.data)
    assert type(tokumei.read_release(tmp_path / "out", library="pandas")).__module__.startswith("pandas")
    coded = tokumei.read_release(tmp_path / "out", FRAME)
    assert coded.text().equals(made.release.text())
    with pytest.raises(ParameterError, match="values must be intervals, midpoints, draws, text, apart, got 'means'"):
        tokumei.read_release(tmp_path / "out", values="means")  # type: ignore[call-overload]
    audited = tokumei.audit(FRAME, tmp_path / "out", secret=made.secret, quick=True)
    assert audited.verdict.outcome.value == "safe"


def test_withheld_cells_and_odd_texts_survive_typed_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"customer": ["a", "b", "c", "d"], "goods": ["x;y", "{z}", "*", ""], "size": [1.5, None, 2.5, 3.5]}
    )
    made = tokumei.anonymize(frame, method="pseudonymize", data_format="parquet", audit=False)
    made.write(tmp_path / "out")
    read = tokumei.read_release(tmp_path / "out")
    assert sorted(read["goods"].list.first().to_list()) == ["", "*", "x;y", "{z}"]
    assert read["size_low"].null_count() == 1
    assert tokumei.read_release(tmp_path / "out", frame).text().equals(made.release.text())


def test_names_that_would_collide_are_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"customer": ["a", "b"], "x": [1, 2], "x_low": ["p", "q"]})
    made = tokumei.anonymize(frame, method="pseudonymize", data_format="parquet", audit=False)
    with pytest.raises(
        SchemaError, match="two columns of the release would be named 'x_low'; rename one, or write CSV"
    ):
        made.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_arguments_of_a_wrong_type_are_told_in_a_sentence(made: tokumei.Made, tmp_path: Path) -> None:
    out = tmp_path / "out"
    made.write(out)
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: tokumei.anonymize(FRAME, schema=5), "schema must be a Schema or the path of one, got int"),  # type: ignore[arg-type]
        (lambda: tokumei.anonymize(FRAME, seed="a"), "seed must be a whole number of at least 0, got 'a'"),  # type: ignore[arg-type]
        (lambda: tokumei.audit(FRAME, out, k="x"), "k must be a whole number of at least 1, got 'x'"),  # type: ignore[arg-type]
        (lambda: tokumei.compare(FRAME, "k-anonymity"), "methods must be a list of names such as"),
        (lambda: tokumei.attack("nearest-history", FRAME, out), "name must be the name of an attack, got"),  # type: ignore[arg-type]
        (lambda: tokumei.read_release(out, values="draws", draws=0), "draws must be a whole number of at least 1"),
        (lambda: tokumei.read_release(out, library="numpy"), "library must be polars or pandas, got 'numpy'"),
    ]
    for call, told in wrong:
        with pytest.raises(ParameterError, match=re.escape(told)):
            call()
