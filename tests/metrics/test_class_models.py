"""k, l, t, alpha, beta and delta: worked by hand, and as pyCANON counts them."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.conftest import PROJECT
from tests.metrics.random_tables import random_tables
from tokumei.data import Cells, Column, History, Kind, RangeCells, Release, Schema, Secret, SetCells
from tokumei.metrics.class_figures import ClassFigures, class_figures
from tokumei.metrics.class_models import ClassModels

FIXED = Path(__file__).parent / "pycanon_figures.json"
PEER = PROJECT / "build" / "peers" / "pycanon" / "bin" / "python"


def as_pycanon(found: ClassFigures) -> dict[str, Any]:
    """Return our figures as pyCANON rounds them."""
    return {
        "k": found.k,
        "l": found.distinct,
        "entropy": int(found.entropy + 1e-9),
        "c": None if found.distinct < 2 else math.floor(found.recursive_upwards + 1),
        "alpha": found.alpha,
        "t": found.t,
        "beta": found.beta,
        "enhanced": found.enhanced_beta,
        "delta": found.delta,
    }


def agree(figures: list[dict[str, Any]]) -> None:
    tables = random_tables()
    assert len(figures) == len(tables) == 20
    for table, expected in zip(tables, figures, strict=True):
        found = as_pycanon(class_figures(table.classes(), table.sensitive, ordered=table.ordered))
        assert found == pytest.approx(expected, abs=1e-12)


def test_twenty_random_tables_have_the_figures_of_pycanon() -> None:
    agree(json.loads(FIXED.read_text())["figures"])


@pytest.mark.campaign
def test_pycanon_itself_says_so(tmp_path: Path) -> None:
    if not PEER.exists():
        pytest.skip(f"{PEER} is absent: python -m benchmarks.peers installs it")
    tables = [table.columns() for table in random_tables()]
    (tmp_path / "tables.json").write_text(json.dumps(tables))
    program = PROJECT / "benchmarks" / "peer_programs" / "pycanon_figures.py"
    done = subprocess.run([PEER, program, tmp_path / "tables.json"], capture_output=True, text=True, check=True)
    agree(json.loads(done.stdout)["result"])


def test_figures_by_hand() -> None:
    """Classes {a a b} and {a c}: shares of a 2/3 and 1/2 inside, 3/5 overall."""
    found = class_figures(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 0, 2]), ordered=False)
    assert (found.k, found.distinct) == (2, 2)
    assert found.entropy == pytest.approx(math.exp(-2 / 3 * math.log(2 / 3) - 1 / 3 * math.log(1 / 3)))
    assert found.recursive == 2.0
    assert found.alpha == pytest.approx(2 / 3)
    assert found.t == pytest.approx((0.1 + 0.2 + 0.3) / 2)
    assert found.beta == pytest.approx((1 / 2 - 1 / 5) / (1 / 5))
    assert found.enhanced_beta == pytest.approx(1.5)
    assert found.delta == pytest.approx(math.log(5 / 2))
    ordered = class_figures(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 0, 2]), ordered=True)
    assert ordered.t == pytest.approx((0.1 + 0.3) / 2)


def test_one_value_tells_everything() -> None:
    found = class_figures(np.array([0, 0, 1]), np.array([4, 4, 4]), ordered=True)
    assert (found.k, found.distinct, found.entropy, found.recursive, found.alpha) == (1, 1, 1.0, 0.0, 1.0)
    assert (found.t, found.beta, found.delta) == (0.0, 0.0, 0.0)


def test_the_metric_looks_at_columns_marked_sensitive() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "ill": ["flu", "flu", "flu", "cold"]})
    for marked in (True, False):
        columns = (Column(name="age", kind=Kind.NUMBER), Column(name="ill", sensitive=marked, keep=True))
        history = History.from_frame(frame, Schema("row", columns))
        cells: dict[str, Cells] = {
            "age": RangeCells.of_ranges([1, 1, 3, 3, 9], [2, 2, 4, 4, 9]),
            "ill": SetCells.of_values(np.append(history.codes["ill"], 0), history.categories["ill"]),
        }
        release = Release(history.schema, pl.Series("pseudonym", list("abcde")), cells)
        score = ClassModels().measure(history, release, Secret(pl.DataFrame(), np.array([0, 1, 2, 3, -1])))
        if marked:
            assert score.value == 2.0
            assert score.parts["distinct l"] == 1.0
            assert score.parts["t"] == pytest.approx(0.25)
        else:
            assert (score.value, dict(score.parts)) == (1.0, {})
