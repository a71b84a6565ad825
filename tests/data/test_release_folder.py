"""Release folders: whole or absent, free of ids, order and names of the original."""

from __future__ import annotations

import hashlib
import json
import resource
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tests.sample_histories import COLUMNS, mixed_frame, sample
from tokumei.data.cell_text import cell_text
from tokumei.data.cells import SetCells
from tokumei.data.columns import Column, Field, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.release_folder import ReleaseFolder, read_release, write_release
from tokumei.data.schema import Schema
from tokumei.data.written_cells import read_cells, written_categories
from tokumei.errors import OutputError, ParameterError, SchemaError
from tokumei.flow.making import in_published_order
from tokumei.methods.pseudonymize import Pseudonymize


def _made(history: History, seed: int = 1) -> tuple[Release, Secret]:
    return in_published_order(*Pseudonymize().anonymize(history, rng=np.random.default_rng(seed)))


def test_the_manifest_names_version_method_parameters_and_hashes(tmp_path: Path) -> None:
    release, _ = _made(sample("mixed"))
    folder = tmp_path / "release"
    manifest = write_release(release, folder, parameters={"style": "random"})
    assert json.loads((folder / "manifest.json").read_text(encoding="utf-8")) == manifest
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "manifest.json", "schema.toml"]
    assert (manifest["method"], manifest["parameters"]) == ("pseudonymize", {"style": "random"})
    assert (manifest["records"], manifest["pseudonyms"]) == (len(release), 9)
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert Schema.read(folder / "schema.toml") == release.schema


def test_the_published_order_is_that_of_the_text() -> None:
    history = sample("missing values")
    release, secret = _made(history)
    rows = release.text().rows()
    assert rows == sorted(rows)
    original = history.text()[secret.rows].drop("customer")
    shown = release.text().drop("pseudonym")
    same = (original["units"] == shown["units"]) | (shown["units"] == "*")
    assert same.all()


@pytest.mark.parametrize("name", ["position", "^.*$", "*", "pseudonyms", "row", " a "])
def test_any_column_name_can_be_published(tmp_path: Path, name: str) -> None:
    history = History.from_frame(
        pl.DataFrame({"who": ["a", "b", "b"], name: ["x", "y", "z"]}), Schema("who", (Column(name=name),))
    )
    release, _ = _made(history)
    write_release(release, tmp_path / "release")
    assert read_release(tmp_path / "release", history).text().equals(release.text())


def test_a_column_called_pseudonym_cannot_stand_beside_the_pseudonyms() -> None:
    schema = Schema("who", (Column(name="pseudonym"),))
    history = History.from_frame(pl.DataFrame({"who": ["a"], "pseudonym": ["x"]}), schema)
    with pytest.raises(SchemaError, match="the column 'pseudonym' has the name that a release gives to its ids"):
        _made(history)


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"], min_codepoint=9))


@pytest.mark.half_second
@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.sampled_from("abc"), ANY_TEXT), min_size=1))
def test_any_text_survives_the_files(tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]) -> None:
    frame = pl.DataFrame(pairs, schema={"who": pl.String, "what": pl.String}, orient="row")
    history = History.from_frame(frame, Schema("who", (Column(name="what"),)))
    release, _ = _made(history)
    for data_format in ("csv", "parquet"):
        folder = tmp_path_factory.mktemp("x") / "release"
        write_release(release, folder, data_format=data_format)
        assert read_release(folder, history).text().equals(release.text())
        assert ReleaseFolder.open(folder).release().text().equals(release.text())


@pytest.mark.half_second
@settings(max_examples=examples(60))
@given(st.lists(st.frozensets(ANY_TEXT, min_size=1, max_size=3), min_size=1, max_size=5))
def test_a_set_has_one_text_whatever_its_dictionary(sets: list[frozenset[str]]) -> None:
    """Dictionaries of an original, of a release alone and in any other order give the same text, which reads back."""
    field = Field("x", Kind.CATEGORY)
    values = sorted(set().union(*sets))
    written = [
        cell_text(SetCells.of_sets([sorted(one) for one in sets], pl.Series("x", order)), field)
        for order in (values, values[::-1], [*values[1:], values[0]])
    ]
    assert written[0].equals(written[1])
    assert written[0].equals(written[2])
    own = written_categories(written[0])
    assert set(own) == set(values)
    assert cell_text(read_cells(written[0], field, own).to_cells(field, own), field).equals(written[0])


def test_a_release_that_cannot_grow_leaves_nothing(tmp_path: Path) -> None:
    release, _ = _made(History.from_frame(mixed_frame(300), Schema("customer", COLUMNS)))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for data_format in ("csv", "parquet"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
        try:
            with pytest.raises(OutputError, match="the file would become larger than the system allows"):
                write_release(release, tmp_path / "release", data_format=data_format)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert list(tmp_path.iterdir()) == []


def test_control_characters_go_to_parquet_only(tmp_path: Path) -> None:
    frame = pl.DataFrame({"who": ["a", "b"], "x": ["\0", "\x08\x1b"]})
    history = History.from_frame(frame, Schema("who", (Column(name="x"),)))
    release, _ = _made(history)
    with pytest.raises(ParameterError, match="the column 'x' holds control characters, which CSV cannot carry; write"):
        write_release(release, tmp_path / "release")
    write_release(release, tmp_path / "release", data_format="parquet")
    assert read_release(tmp_path / "release", history).text().equals(release.text())


def test_kinds_of_all_columns_survive(tmp_path: Path) -> None:
    history = sample("mixed")
    release, _ = _made(history)
    write_release(release, tmp_path / "release")
    again = read_release(tmp_path / "release", history)
    assert again.schema == history.schema
    assert [field.kind for field in again.schema.fields].count(Kind.NUMBER) == 4
