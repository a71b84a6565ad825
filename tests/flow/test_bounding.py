"""``--bound``: what a release loses stands beside what no k-anonymity of the data can undercut."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.conftest import Run
from tokumei.data import Column, History, Kind, Schema
from tokumei.errors import InfeasibleError
from tokumei.flow import plan_of, refuse_unproven, release, release_gap
from tokumei.methods import KAnonymity
from tokumei.metrics import CellError
from tokumei.metrics.certainty_penalty import CertaintyPenalty

RNG = np.random.default_rng(8)
TABLE = pl.DataFrame({"age": RNG.integers(20, 60, 40), "job": RNG.choice(list("abcd"), 40)})
SCHEMA = Schema("row", (Column(name="age", kind=Kind.NUMBER), Column(name="job")))
VISITS = pl.DataFrame({"who": np.repeat(np.arange(12), 3).astype(str), "age": RNG.integers(20, 60, 36)})


@pytest.mark.parametrize("loss", ["ncp", "entropy", "variance", "cell-error"])
def test_a_release_lies_above_its_floor_by_every_loss(loss: str) -> None:
    made = release(History.from_frame(TABLE, SCHEMA), plan_of("k-anonymity", {"loss": loss}, k=3, seed=1), audit=False)
    gap = release_gap(made)
    assert (gap.loss, gap.k) == (loss, 3)
    assert 0.0 < gap.floor.value <= gap.value < 1.0
    metrics = {"ncp": CertaintyPenalty(sets="beyond"), "cell-error": CellError()}
    if loss in metrics:
        measured = metrics[loss].measure(made.history, made.release, made.secret).value
        assert gap.value == pytest.approx(measured, rel=1e-9)


def test_histories_have_the_floor_of_pairs() -> None:
    history = History.from_frame(VISITS, Schema("who", SCHEMA.columns[:1]))
    gap = release_gap(release(history, plan_of("k-anonymity", k=2, seed=1), audit=False))
    assert (gap.loss, gap.floor.name) == ("cell-error", "strict-bound")
    assert 0.0 < gap.floor.value <= gap.value


def test_what_cannot_be_proven_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    history = History.from_frame(TABLE, SCHEMA)
    with pytest.raises(InfeasibleError, match="leave nobody out"):
        refuse_unproven(history, KAnonymity(k=3, suppress=0.1))
    with pytest.raises(InfeasibleError, match="whole histories"):
        refuse_unproven(history, KAnonymity(k=3, surplus="split"))
    monkeypatch.setattr("tokumei.methods.grouping.gaps.MOST_COMPARED", 10)
    with pytest.raises(InfeasibleError, match="compares all 40 people"):
        refuse_unproven(history, KAnonymity(k=3, loss="cell-error"))
    refuse_unproven(history, KAnonymity(k=3, loss="ncp"))


def test_the_command_tells_both(run: Run, tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "people.csv")
    words = ("anonymize", tmp_path / "people.csv", "--subject", "row", "--k", 3, "--skip-audit", "--bound")
    told = run(*words, "-o", tmp_path / "out", "--json").json["bound"]
    assert told["floor"] <= told["value"] == pytest.approx(told["times"] * told["floor"])
    refused = run(*words, "-o", tmp_path / "other", "--recipient", "public")
    assert (refused.status, "give one of them" in refused.err) == (2, True)
    refused = run(*words, "-o", tmp_path / "other", "--method", "recoding", "--json")
    assert (refused.status, refused.json["error"]["code"]) == (2, "no-floor")
