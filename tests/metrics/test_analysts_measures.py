"""Measures that the later contests brought: cells, two-way tables, groups, tails and survival, worked by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.conftest import Run
from tokumei import parts
from tokumei.data.cells import Cells, RangeCells, SetCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import Schema
from tokumei.errors import InfeasibleError
from tokumei.metrics.changed_cells import ChangedCells
from tokumei.metrics.cox_model import Concordance, CoxOverlap
from tokumei.metrics.pair_counts import PairCounts
from tokumei.metrics.rank_groups import RankGroups, rank_figures
from tokumei.metrics.survival_curve import SurvivalCurve
from tokumei.metrics.tail_shift import TailShift

COLUMNS = ("time", "age", "weight")


def people(count: int = 120, seed: int = 4) -> pl.DataFrame:
    """Return a table in which the older and heavier fall ill earlier, women and men alike."""
    rng = np.random.default_rng(seed)
    age, weight = rng.integers(40, 75, count), rng.integers(45, 100, count)
    hazard = np.exp(0.06 * (age - 57) + 0.03 * (weight - 70))
    time = np.minimum(rng.exponential(40.0 / hazard), 60.0).round().astype(int) + 1
    return pl.DataFrame(
        {
            "id": [f"p{n}" for n in range(count)],
            "time": time,
            "age": age,
            "weight": weight,
            "sex": [("f", "m")[n] for n in rng.integers(0, 2, count)],
            "ill": np.where(time < 61, "yes", "no").tolist(),
        }
    )


SCHEMA = Schema(
    "id", (*(Column(name=name, kind=Kind.NUMBER) for name in COLUMNS), Column(name="sex"), Column(name="ill"))
)


def history_of(frame: pl.DataFrame) -> History:
    return History.from_frame(frame, SCHEMA)


def released(history: History, frame: pl.DataFrame) -> tuple[Release, Secret]:
    """Return other plain values of the same people, row by row."""
    numbers: dict[str, Cells] = {name: RangeCells.of_values(frame[name].to_numpy()) for name in COLUMNS}
    texts = {
        name: SetCells.of_sets([[value] for value in frame[name]], history.categories[name]) for name in ("sex", "ill")
    }
    names = pl.Series("pseudonym", [str(at) for at in range(frame.height)], dtype=pl.String)
    return Release(SCHEMA, names, {**numbers, **texts}), Secret(pl.DataFrame(), np.arange(frame.height))


PEOPLE = people()
HISTORY = history_of(PEOPLE)
OTHER = PEOPLE.with_columns(pl.col("age") + 3, pl.Series("sex", ["f"] * 120), time=pl.col("time").reverse())


def test_what_is_unchanged_has_the_best_value_of_every_measure() -> None:
    same = released(HISTORY, PEOPLE)
    values = [
        metric.measure(HISTORY, *same).value
        for metric in (ChangedCells(), PairCounts(), RankGroups(), TailShift(), SurvivalCurve(time="time", event="ill"))
    ]
    assert values == [0.0] * 5
    named = {"time": "time", "event": "ill"}
    assert CoxOverlap(**named).measure(HISTORY, *same).value == pytest.approx(1.0)
    order = Concordance(**named).measure(HISTORY, *same)
    assert order.value == order.parts["original"] > 0.65


def test_cells_count_as_changed_however_little_is_lost() -> None:
    score = ChangedCells().measure(HISTORY, *released(HISTORY, OTHER))
    men = float((PEOPLE["sex"] == "m").mean())  # type: ignore[arg-type]
    moved = float((PEOPLE["time"] != PEOPLE["time"].reverse()).mean())  # type: ignore[arg-type]
    assert score.parts == pytest.approx({"time": moved, "age": 1.0, "weight": 0.0, "sex": men, "ill": 0.0})
    empty = released(HISTORY, PEOPLE.head(0))
    assert ChangedCells().measure(HISTORY, empty[0], Secret(pl.DataFrame(), np.array([], dtype=np.int64))).value == 1.0


def test_two_way_tables_count_what_moves_between_their_cells() -> None:
    score = PairCounts().measure(HISTORY, *released(HISTORY, OTHER))
    # Every man becomes a woman: both of the cells he leaves and enters change, in each table with sex.
    assert score.value >= float((PEOPLE["sex"] == "m").mean())  # type: ignore[arg-type]
    assert score.parts["pairs"] == 10.0


def test_groups_that_are_no_more_have_no_figures_left() -> None:
    score = RankGroups(group="ill").measure(HISTORY, *released(HISTORY, OTHER))
    before = rank_figures(PEOPLE["time"].to_numpy().astype(float), (PEOPLE["ill"] == "yes").to_numpy().astype(int))
    assert 0 < score.parts["time"] <= 1
    assert score.parts["weight"] == 0.0
    assert before[0] > 0.5
    one_sex = RankGroups(group="sex").measure(HISTORY, *released(HISTORY, OTHER))
    assert one_sex.value >= 0.5
    with pytest.raises(InfeasibleError, match="'age' is no category"):
        RankGroups(group="age").measure(HISTORY, *released(HISTORY, OTHER))
    with pytest.raises(InfeasibleError, match="there is no column 'sexes' "):
        RankGroups(group="sexes").measure(HISTORY, *released(HISTORY, OTHER))


def test_tails_move_in_widths_of_the_middle_half() -> None:
    score = TailShift().measure(HISTORY, *released(HISTORY, OTHER))
    width = float(np.subtract(*np.percentile(PEOPLE["age"].to_numpy(), [75, 25])))
    assert score.parts == pytest.approx({"time": 0.0, "age": 3 / width, "weight": 0.0})


def test_curves_differ_by_the_area_between_their_steps() -> None:
    frame = PEOPLE.head(2).with_columns(time=pl.Series([1, 3]), ill=pl.Series(["yes", "yes"]))
    history = history_of(frame)
    later = released(history, frame.with_columns(time=pl.Series([3, 3])))
    # From 1 to 3 one half is left in the original, everybody in the release.
    assert SurvivalCurve(time="time", event="ill").measure(history, *later).value == pytest.approx(0.5)
    with pytest.raises(InfeasibleError, match="'sex' is a category"):
        SurvivalCurve(time="sex").measure(history, *later)


def test_cox_models_of_another_order_find_something_else() -> None:
    named = {"time": "time", "event": "ill"}
    other = released(HISTORY, OTHER)
    assert CoxOverlap(**named).measure(HISTORY, *other).value < 0.5
    order = Concordance(**named).measure(HISTORY, *other)
    assert order.value < order.parts["original"]
    with pytest.raises(InfeasibleError, match="too few events"):
        CoxOverlap(**named).measure(HISTORY, *released(HISTORY, OTHER.with_columns(ill=pl.lit("no"))))


def test_without_the_library_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "find_spec", lambda _name: None)
    with pytest.raises(
        InfeasibleError, match=r"needs lifelines, not installed here; run pip install 'tokumei\[contests\]'"
    ):
        CoxOverlap(time="time").measure(HISTORY, *released(HISTORY, OTHER))


def test_parameters_of_a_metric_are_set_for_one_metric_alone(run: Run, tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    given = ("--original", tmp_path / "people.csv", "--release", tmp_path / "release")
    assert run("anonymize", given[1], "--method", "pseudonymize", "-o", given[3], "--seed", 1).status == 1
    words = ("--set", "time=time", "--set", "event=ill", "--json")
    ran = run("judge", *given, "--metric", "survival-curve", *words)
    assert ran.json["scores"][0]["value"] == 0.0, ran.err
    ran = run("judge", *given, *words)
    assert (ran.status, ran.json["error"]["code"]) == (2, "settings")
