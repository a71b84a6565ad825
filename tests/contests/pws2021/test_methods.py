"""Methods of PWS Cup 2021: sample programs by hand, the steps of Team 06, and its whole pipeline on real data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.contests.pws2021.test_table import random_table, table_of
from tests.effort import examples
from tokumei.contests.pws2021.methods.health_perturbation import LaplaceValues, RandomizedValues
from tokumei.contests.pws2021.methods.health_row_choice import BottomRows, RareRows, TopRows, join_rows
from tokumei.contests.pws2021.methods.team06 import (
    Team06,
    allowed_records,
    clustered_deletions,
    deletions_needed,
    secret_wave,
    singular_rows,
    swap_records,
    unit_encoding,
)
from tokumei.contests.pws2021.metrics.uniqueness_rate import uniqueness_rate
from tokumei.contests.pws2021.rows import first_equal_rows, kept_rows, pair_distances, pair_losses, row_losses
from tokumei.contests.pws2021.table import HealthTable
from tokumei.errors import InfeasibleError, ParameterError

DRAWS = examples(25)
BASE = "Male,{},White,{},Married,30.5,0,0,0,0,Q2,1"


def rng() -> np.random.Generator:
    return np.random.default_rng(4)


def test_top_and_bottom_are_strict_and_any_column_counts() -> None:
    table = table_of("\n".join(BASE.format(age, "9th") for age in (22, 75, 76, 21)))
    assert TopRows(columns="1_5", thresholds="75_50").change(table, rng=rng()).kept.tolist() == [0, 1, 3]
    assert BottomRows(columns="age,bmi", thresholds="22,20").change(table, rng=rng()).kept.tolist() == [0, 1, 2]
    assert TopRows(columns="5", thresholds="30").change(table, rng=rng()).table.height == 0


def test_rare_groups_are_deleted_and_lists_joined() -> None:
    table = table_of("\n".join(BASE.format(40, edu) for edu in ("9th", "9th", "11th", "9th")))
    changed = RareRows(k=2, columns="2_3_4").change(table, rng=rng())
    assert changed.kept.tolist() == [0, 1, 3]
    assert changed.report == {"deleted": 1}
    assert join_rows([np.array([1, 2, 3]), np.array([2, 5])]).tolist() == [1, 2, 3, 5]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (TopRows(columns="0", thresholds="1"), "the column 'gen' has no order"),
        (TopRows(columns="12", thresholds="1"), "there is no column '12'; name columns by number"),
        (TopRows(columns="1_5", thresholds="1"), "give one number per column, 2 in all"),
        (LaplaceValues(columns="1", epsilons="0"), "epsilons above 0"),
        (LaplaceValues(columns="gen", epsilons="1"), "adds noise to numeric columns"),
    ],
)
def test_wrong_settings_are_refused(method: TopRows | LaplaceValues, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        method.change(random_table(5, 1), rng=rng())


def test_randomized_response_keeps_the_share_p_and_known_values() -> None:
    table = random_table(4000, 2)
    kept = RandomizedValues(p=1.0).change(table, rng=rng()).table
    assert kept.lines() == table.lines()
    changed = RandomizedValues(p=0.5, columns="0_6").change(table, rng=rng()).table
    assert (changed.codes[:, 0] != table.codes[:, 0]).mean() == pytest.approx(0.25, abs=0.03)
    assert set(np.unique(changed.number("dep"))) == {0.0, 1.0}
    assert (changed.codes[:, 1:] == table.codes[:, 1:]).all()


def test_laplace_noise_gives_whole_numbers() -> None:
    table = random_table(3000, 3)
    noisy = LaplaceValues(columns="1_5", epsilons="1.0_2.0").change(table, rng=rng()).table
    assert (noisy.numbers[:, :2] == np.trunc(noisy.numbers[:, :2])).all()
    spread = np.abs(noisy.number("age") - table.number("age")).mean()
    assert spread == pytest.approx(1.0, abs=0.15)
    assert "-0" not in ",".join(noisy.lines()).split(",")


def test_singular_rows_are_unique_and_farthest() -> None:
    table = random_table(300, 5)
    encoded = unit_encoding(table)
    assert encoded.min() == 0.0
    assert encoded.max() == 1.0
    far = np.abs(encoded - encoded.mean(axis=0)).sum(axis=1)
    chosen = singular_rows(table, 10)
    assert len(chosen) == 10
    assert far[chosen].min() >= np.median(far)


def test_random_deletions_are_spread_over_clusters_and_reach_the_limit() -> None:
    table = random_table(400, 6)
    everyone = np.arange(400)
    count = deletions_needed(table, everyone, 0.8)
    unique = np.flatnonzero(np.ones(400))
    chosen = clustered_deletions(table, unique, 100, clusters=7, rng=rng())
    assert len(set(chosen.tolist())) == 100
    assert count == uniqueness_rate(table).unique - 320
    assert len(clustered_deletions(table, unique, 0, clusters=7, rng=rng())) == 0
    with pytest.raises(InfeasibleError, match="500 unique rows would have to be deleted, but only 400"):
        clustered_deletions(table, unique, 500, clusters=7, rng=rng())
    # Who weighs next to nothing is chosen only where its cluster has nobody else.
    light = np.where(np.arange(table.height) < 150, 1e-9, 1.0)
    uneven = clustered_deletions(table, unique, 50, clusters=2, rng=rng(), weights=light)
    assert len(uneven) == 50
    assert uneven.min() >= 150


def test_a_secret_wave_is_smooth_and_flat_without_unevenness() -> None:
    assert (secret_wave(100, 0.0, rng=rng()) == 1.0).all()
    wave = np.log(secret_wave(1000, 2.0, rng=rng()))
    assert wave.max() - wave.min() > 1.0
    assert np.abs(np.diff(wave)).max() < 0.1
    assert not np.array_equal(wave, np.log(secret_wave(1000, 2.0, rng=np.random.default_rng(8))))


def test_deletions_follow_the_wave() -> None:
    """The share of deleted rows differs along the table, their number does not."""
    table = random_table(600, 9)
    even, uneven = (Team06(uniqueness=0.7, uneven=value)._delete_rows(table, [], rng()) for value in (0.0, 3.0))
    assert len(even) == len(uneven)
    spread = [np.ptp(np.bincount(kept // 100, minlength=6)) for kept in (even, uneven)]
    assert spread[1] > spread[0] + 30


def test_allowed_records_are_within_the_loss_and_not_similar() -> None:
    table = random_table(120, 7)
    kept = np.arange(0, 120, 2)
    allowed = allowed_records(table, kept, limit=20.0, similar=5)
    losses, distances = pair_losses(table, table), pair_distances(table, table)
    for position, row in enumerate(kept.tolist()):
        near = np.sort(distances[row, kept])[5]
        wanted = (losses[row] <= 20.0) & (distances[row] > near)
        assert allowed[position].tolist() == wanted.tolist()
    partner = swap_records(allowed[:, kept] & allowed[:, kept].T, scarce_first=True, rng=rng())
    swapped = np.flatnonzero(partner >= 0)
    assert len(swapped) > 0
    assert (partner[partner[swapped]] == swapped).all()


@pytest.mark.half_second
def test_the_pipeline_reports_its_steps_and_keeps_the_loss() -> None:
    table = random_table(700, 8)
    method = Team06(loss=12.0, rate=1.0, odds=50.0, correlation=2.0, singular=5, uniqueness=0.9, similar=5)
    changed = method.change(table, rng=rng())
    assert changed.table.height == len(changed.kept)
    assert row_losses(table.take(changed.kept), changed.table).max() <= 12.0
    sources = first_equal_rows(changed.table, table)
    assert (sources >= 0).all()
    assert (sources != changed.kept).all(), "no record stayed in its place"
    steps = changed.report["steps"]
    assert [step["step"] for step in steps] == ["singular", "clustered", "swap", "decoys", "untouched", "repair"]
    assert all({"rows", "uniqrt", "rate", "OR", "cor", "iloss"} <= set(step) for step in steps)
    assert steps[-1]["uniqrt"] <= 0.9
    assert method.change(table, rng=rng()).table.lines() == changed.table.lines()
    without = Team06(loss=12.0, rate=1.0, odds=50.0, correlation=2.0, uniqueness=0.9, similar=5, decoys=0)
    assert without.change(table, rng=rng()).report["steps"][3]["changed"] == 0


def test_limits_that_cannot_be_met_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="'team06' cannot meet the limits on this table"):
        Team06(loss=12.0, odds=1e-6).change(random_table(300, 9), rng=rng())


def test_a_table_in_which_nothing_can_be_exchanged_is_refused() -> None:
    """All rows would be deleted as untouched, and the figures of none were divided by zero."""
    with pytest.raises(InfeasibleError, match="'team06' finds no records that may change places; allow a larger loss"):
        Team06(loss=0.0).change(random_table(300, 9), rng=rng())


@pytest.mark.slow
@pytest.mark.effort
def test_the_pipeline_passes_the_final_round_on_real_data(
    real_data: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """The winners had a risk of 0.067; the mean over many draws must be no higher against the contest's attacks."""
    from tokumei.contests.pws2021.attacks.loss_band import LossBand
    from tokumei.contests.pws2021.attacks.nearest_linkage import NearestLinkage
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021, release_lines

    original = HealthFile.read(real_data / "pwscup2021_B.csv", "B")
    release, secret = Team06().anonymize(original.history, rng=np.random.default_rng(1))
    d, x = tmp_path / "D.csv", tmp_path / "X.csv"
    d.write_text("".join(f"{line}\n" for line in release_lines(release, original)))
    x.write_text("".join(f"{row}\n" for row in kept_rows(original.frame.height, secret.rows).tolist()))
    rules = Rules2021()
    found = rules.evaluate(original, d, x)
    assert found["passes"], found["limits"]
    assert isinstance(original.table, HealthTable)
    for attack in (NearestLinkage(), LossBand()):
        score, marks = rules.risk(attack, original, d, x, draws=DRAWS)
        assert len(marks) == DRAWS
        assert score.value <= 0.07
        assert score.interval is not None
        assert score.interval.high <= 0.07
        record_property(
            "figure", f"risk of the winners' pipeline against {attack.name}: {score.value:.4f} in {DRAWS} draws"
        )
