"""``tokumei anonymize`` of a folder of parts: what it writes and says, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.conftest import Run
from tests.flow.parted.test_releasing import purchases
from tokumei.data import data_set

ADVICE = "a release in parts is not audited while it is made"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    frame = purchases(40, seed=9)
    (tmp_path / "data").mkdir()
    frame[:70].write_parquet(tmp_path / "data" / "a.parquet")
    frame[70:].write_parquet(tmp_path / "data" / "b.parquet")
    return tmp_path / "data"


@pytest.mark.half_second
def test_a_folder_becomes_a_release_in_parts(run: Run, folder: Path, tmp_path: Path) -> None:
    made = run("anonymize", folder, "-o", tmp_path / "out", "--k", 2, "--subject", "who", "--memory", 2, "--json")
    assert made.status == 0
    assert ADVICE in made.err
    told = json.loads(made.out)
    assert (told["pseudonyms"], told["parts"], told["audit"]) == (40, 1, None)
    assert told["records"] + told["records_deleted"] == told["records_original"] == len(pl.read_parquet(folder))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["parts"][0]["name"] == "data/part-00000.parquet"
    assert manifest["files"].keys() == {"data/part-00000.parquet", "schema.toml", "summary.md"}
    judged = run(
        "judge", "--original", folder, "--release", tmp_path / "out", "--secret", tmp_path / "out.secret", "--json"
    )
    assert judged.status == 0
    again = run("anonymize", folder, "-o", tmp_path / "out", "--k", 2)
    assert (again.status, "exists already" in again.err) == (2, True)


def test_parts_that_differ_are_refused_with_one_sentence(run: Run, folder: Path, tmp_path: Path) -> None:
    pl.read_parquet(folder / "b.parquet").with_columns(pl.col("paid").cast(pl.String)).write_parquet(
        folder / "b.parquet"
    )
    refused = run("anonymize", folder, "-o", tmp_path / "out", "--json")
    assert refused.status == 2
    error = json.loads(refused.out)["error"]
    assert (error["code"], error["file"]) == ("parts-differ", str(folder / "b.parquet"))
    assert "the column 'paid' differs between the parts (a.parquet: Float64, here: String)" in error["message"]
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--memory", "0.31"], "--memory 0.31 is less than the program itself takes; give at least 0.4"),
        (["--engine", "ray"], "--engine must be one of threads, processes, dask, got 'ray'"),
        (["--engine", "threads", "--cluster", "tcp://x:1"], "--cluster names a Dask scheduler, which --engine threads"),
        (
            ["--method", "pseudonymize", "--subject", "who"],
            "the method 'pseudonymize' needs all data in memory at once",
        ),
    ],
)
def test_what_cannot_be_is_refused(run: Run, folder: Path, tmp_path: Path, words: list[str], sentence: str) -> None:
    refused = run("anonymize", folder, "-o", tmp_path / "out", *words)
    assert (refused.status, sentence in refused.err) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_comparison_on_fewer_people_says_how_many_they_are(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_set, "records_held", lambda: 10)
    (tmp_path / "schema.toml").write_text('subject = "who"\n[columns]\npaid = { kind = "number", step = 0.5 }\n')
    words = ("--schema", tmp_path / "schema.toml", "--methods", "pseudonymize", "--people", 7)
    told = run("compare", folder, *words, "--quick", "--json")
    assert (told.json["subjects"], told.status) == (7, 0)
    assert "measured on a random sample of 7 of 40 people" in told.err
