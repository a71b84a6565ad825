"""From T to a valid A: slices change nothing, and neither does the order of the rows of T."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tokumei.contests.pws2018 import release_checker
from tokumei.contests.pws2018 import rules as pws2018
from tokumei.contests.pws2018.files import SCHEMA
from tokumei.contests.pws2018.rules import Anonymized, Original, Rules2018
from tokumei.data.cells import MISSING
from tokumei.data.history import History
from tokumei.errors import InfeasibleError
from tokumei.flow import make_method
from tokumei.synth.writing import write_synthetic


@pytest.fixture(scope="module")
def t(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("anonymize") / "T.csv"
    write_synthetic("purchases", path, subjects=40, seed=5, header=False)
    return path


def anonymized(
    t: Path, a: Path, *, name: str = "k-anonymity", settings: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Write A with the seed 3; return what is told about it."""
    method = make_method(name, settings)
    return Rules2018().anonymize(method, Original.read(t).history, a, rng=np.random.default_rng(3))


@pytest.mark.half_second
def test_what_is_told_is_what_the_file_says(t: Path, tmp_path: Path) -> None:
    a = tmp_path / "A.csv"
    told = anonymized(t, a, settings={"k": 3})
    lines = a.read_text(encoding="utf-8").splitlines()
    original = Original.read(t)
    assert told["rows"] == len(lines) == original.frame.height
    assert told["deleted"] == lines.count("*,*,*,*,*")
    assert told["pseudonyms"] == len({line.split(",")[0] for line in lines} - {"*"}) == 40
    assert told["U"] == pytest.approx(Rules2018().utility(original, Anonymized.read(a)).value, rel=1e-12)
    assert Rules2018().check(original, a).valid
    assert a.stat().st_mode & 0o077 == 0


@pytest.mark.half_second
def test_slices_change_nothing(t: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, sliced = tmp_path / "whole.csv", tmp_path / "sliced.csv"
    told = anonymized(t, whole, settings={"k": 2})
    monkeypatch.setattr(pws2018, "ROWS_AT_A_TIME", 97)
    monkeypatch.setattr(release_checker, "BATCH_ROWS", 53)
    again = anonymized(t, sliced, settings={"k": 2})
    assert sliced.read_bytes() == whole.read_bytes()
    assert again == {**told, "U": pytest.approx(told["U"], rel=1e-12)}


@pytest.mark.half_second
@pytest.mark.parametrize(("name", "settings"), [("k-anonymity", {"k": 2}), ("ano-random", {})])
def test_the_order_of_the_rows_of_t_changes_nothing(
    t: Path, tmp_path: Path, name: str, settings: dict[str, Any]
) -> None:
    lines = t.read_text(encoding="utf-8").splitlines()
    order = np.random.default_rng(1).permutation(len(lines))
    mixed = tmp_path / "mixed.csv"
    mixed.write_text("".join(lines[row] + "\n" for row in order), encoding="utf-8")
    a, b = tmp_path / "A.csv", tmp_path / "B.csv"
    for source, target in ((t, a), (mixed, b)):
        anonymized(source, target, name=name, settings=settings)
    first, second = (path.read_text(encoding="utf-8").splitlines() for path in (a, b))
    pairs = sorted(zip(lines, first, strict=True))
    assert pairs == sorted((lines[row], line) for row, line in zip(order, second, strict=True))


def test_a_refused_result_leaves_what_was_there(t: Path, tmp_path: Path) -> None:
    """Dates of 2012 are outside what the rules admit."""
    late, a = tmp_path / "late.csv", tmp_path / "A.csv"
    late.write_text(t.read_text(encoding="utf-8").replace(",2011/", ",2012/"), encoding="utf-8")
    a.write_text("before\n", encoding="utf-8")
    with pytest.raises(InfeasibleError, match=r"gives an A that the 2018 rules reject \(line \d+, column 2 \(date\)"):
        anonymized(late, a, settings={"k": 2})
    assert a.read_text(encoding="utf-8") == "before\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["A.csv", "late.csv"]


def test_coded_text_says_what_the_history_says() -> None:
    frame = pl.DataFrame(
        {
            "customer": ["7", "8", "7"],
            "date": ["2011/1/5", "2010/12/31", ""],
            "goods": ["B", "A", "B"],
            "price": ["2.10", "3", "0.5"],
            "quantity": ["1", "", "12"],
        }
    )
    history = History.from_frame(frame, SCHEMA)
    assert int((history.codes["date"] == MISSING).sum()) == 1
    coded = pws2018._coded_text(history)
    assert coded.cast(pl.String).equals(history.text(literal=True))
