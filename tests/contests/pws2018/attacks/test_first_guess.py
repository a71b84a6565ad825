"""re-1: one guess."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.contests.pws2018.attacks.first_guess import FirstGuess, guess_first
from tokumei.data.columns import Column
from tokumei.data.history import History, Release
from tokumei.data.schema import Schema

CASES = ["a01_pseudonym_only", "a02_light", "a03_mixed", "a04_goods_sets", "a05_several_pseudonyms"]


def _first_column(path: Path) -> pl.Series:
    return pl.Series([line.split(",")[0] for line in path.read_text().splitlines()], dtype=pl.String)


@pytest.mark.parametrize("name", [*CASES, "a06_duplicate_rows"])
def test_golden_guess(golden: Path, name: str) -> None:
    folder = golden / "pws2018" / name
    expected = json.loads((folder / "expected.json").read_text())["re_1"]["F1"]
    guesses = guess_first(_first_column(folder / "T.csv"), _first_column(folder / "A1.csv"))
    assert [",".join(row) for row in guesses.pairs().rows()] == expected
    assert guesses.attack == "re-1"


def test_part_pairs_the_first_rows() -> None:
    schema = Schema("who", (Column(name="what"),))
    history = History.from_frame(pl.DataFrame({"who": ["b", "a"], "what": ["x", "y"]}), schema)
    release = Release(schema, pl.Series(["9", "8"]), {"what": history.cells("what")})
    assert FirstGuess().guess(history, release, rng=np.random.default_rng(0)).pairs().rows() == [("9", "b")]


@pytest.mark.parametrize(("subjects", "pseudonyms"), [([], []), (["1"], []), ([], ["2"])])
def test_nothing_to_guess(subjects: list[str], pseudonyms: list[str]) -> None:
    assert len(guess_first(pl.Series(subjects, dtype=pl.String), pl.Series(pseudonyms, dtype=pl.String))) == 0
