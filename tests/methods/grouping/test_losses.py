"""Every loss against a plain oracle, cell by cell, and against the metrics of the same name."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest

from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.methods.grouping.bounds import strict_bound
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.losses import Loss, LossName, usual_loss
from tokumei.methods.grouping.plain_tables import SinglePlan, group_singles
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.single_records import members_cost, records_of
from tokumei.methods.k_anonymity import KAnonymity
from tokumei.metrics.certainty_penalty import CertaintyPenalty

LOSSES = [name.value for name in LossName if name is not LossName.AUTO]
SCHEMA = Schema("row", (Column(name="age", kind=Kind.NUMBER), Column(name="job"), Column(name="sex")))


def people(count: int = 60, *, seed: int = 3) -> History:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 70, count),
            "job": rng.choice(list("abcdef"), count, p=[0.4, 0.2, 0.2, 0.1, 0.05, 0.05]),
            "sex": rng.choice(["f", "m"], count),
        }
    )
    return History.from_frame(frame, SCHEMA)


def plain_range(loss: str, column: list[int], cell: list[int]) -> float:
    """Return the cost of an ordered cell, member by member."""
    low, high = min(cell), max(cell)
    if loss == "ncp":
        return len(cell) * (high - low) / (max(column) - min(column))
    spread = float(np.std(column))
    if loss == "cell-error":
        grid = range(low, high + 1)
        errors = sum(sum(abs(value - other) for other in grid) / len(grid) / spread for value in cell)
        return min(errors, float(len(cell)))
    if loss == "variance":
        mean = sum(cell) / len(cell)
        return sum((value - mean) ** 2 for value in cell) / spread**2
    counts = Counter(column)
    entropy = -sum(n / len(column) * math.log(n / len(column)) for n in counts.values())
    inside = sum(n for value, n in counts.items() if low <= value <= high)
    return sum(math.log(inside / counts[value]) for value in cell) / entropy


def plain_set(loss: str, column: list[int], cell: list[int]) -> float:
    """Return the cost of a set, member by member."""
    counts, sizes = Counter(column), Counter(cell)
    if loss == "ncp":
        return len(cell) * (len(sizes) - 1) / (len(counts) - 1)
    if loss == "cell-error":
        return len(cell) * (1 - 1 / len(sizes))
    if loss == "variance":
        whole = 1 - sum((n / len(column)) ** 2 for n in counts.values())
        return sum(1 - sizes[value] / len(cell) for value in cell) / whole
    entropy = -sum(n / len(column) * math.log(n / len(column)) for n in counts.values())
    inside = sum(counts[value] for value in sizes)
    return sum(math.log(inside / counts[value]) for value in cell) / entropy


@pytest.mark.half_second
@pytest.mark.parametrize("loss", ["cell-error", "ncp", "entropy", "variance"])
def test_groups_cost_what_the_plain_formula_says(loss: str) -> None:
    history = people()
    table = RecordTable.from_history(history, loss=Loss.of(loss, history))
    records, rng = records_of(table), np.random.default_rng(1)
    columns = {name: history.codes[name][table.rows].tolist() for name in ("age", "job", "sex")}
    groups = [rng.choice(60, size, replace=False) for size in (2, 3, 5, 9)]
    for members in groups:
        wanted = plain_range(loss, columns["age"], [columns["age"][one] for one in members])
        wanted += sum(
            plain_set(loss, columns[name], [columns[name][one] for one in members]) for name in ("job", "sex")
        )
        cost = members_cost(records, members, len(members), np.empty((3, len(members))))
        assert cost == pytest.approx(wanted, abs=1e-9)
        aligned = group_costs(table, Groups.of([members]), limit=10)
        assert float(aligned[0]) == pytest.approx(wanted, abs=1e-9), "alignment and search agree"


def test_a_hierarchy_costs_its_lowest_common_ancestor() -> None:
    history = people()
    loss = Loss.of("hierarchy", history)
    assert loss.ordered == ("age", "job", "sex")
    assert loss.nominal == ()
    records = records_of(RecordTable.from_history(history, loss=loss))
    everybody = np.arange(60)
    assert members_cost(records, everybody, 60, np.empty((3, 60))) == pytest.approx(3 * 60), "everything is lost"
    assert members_cost(records, everybody, 1, np.empty((3, 1))) == 0.0


def test_survey_weights_count_in_the_loss() -> None:
    """Two of weight 1 and 3 (2 and 0.5 on average) with ages 0 and 10 of 0 to 10: 2 people lose everything."""
    schema = Schema("row", (Column(name="age", kind=Kind.NUMBER), Column(name="w", kind=Kind.NUMBER, weight=True)))
    history = History.from_frame(pl.DataFrame({"age": [0, 10], "w": [1.0, 3.0]}), schema)
    records = records_of(RecordTable.from_history(history, loss=Loss.of("ncp", history)))
    assert records.hefts.tolist() == [0.5, 1.5]
    assert members_cost(records, np.arange(2), 2, np.empty((3, 2))) == pytest.approx(2.0)


def test_the_data_chooses_the_loss() -> None:
    assert usual_loss(people()) is LossName.NCP
    numbers = History.from_frame(pl.DataFrame({"age": [1, 2]}), Schema("row", SCHEMA.columns[:1]))
    assert usual_loss(numbers) is LossName.VARIANCE
    frame = pl.DataFrame({"who": ["a", "a"], "age": [1, 2]})
    assert usual_loss(History.from_frame(frame, Schema("who", SCHEMA.columns[:1]))) is LossName.CELL_ERROR
    assert KAnonymity().fitted(people()).loss == "ncp"
    assert KAnonymity(loss="entropy").fitted(people()).loss == "entropy"


@pytest.mark.half_second
@pytest.mark.parametrize("loss", LOSSES)
def test_plain_tables_are_grouped_by_every_loss(loss: str) -> None:
    history = people(103)
    shuffled = history.take(np.random.default_rng(2).permutation(103))
    method = KAnonymity(k=4, loss=loss)
    release, secret = method.anonymize(history, rng=np.random.default_rng(1))
    text = release.text().drop("pseudonym")
    assert int(str(text.group_by(pl.all()).len()["len"].min())) >= 4
    assert len(secret.rows) == 103
    again, _ = method.anonymize(shuffled, rng=np.random.default_rng(1))
    assert again.text().equals(release.text()), "the order of the rows does not matter"


@pytest.mark.half_second
def test_the_search_lowers_the_penalty_it_is_asked_for() -> None:
    """The cost that the search counts is the metric; more tries give less of it, and never a group below k."""
    history = people(400)
    table = RecordTable.from_history(history, loss=Loss.of("ncp", history))
    costs = []
    for tries in (0.0, 4.0):
        groups = group_singles(table, 5, SinglePlan(tries=tries, exchanges=int(tries)))
        assert groups.sizes().min() >= 5
        assert sorted(groups.members.tolist()) == list(range(400))
        costs.append(float(group_costs(table, groups, limit=10).sum()))
    assert costs[1] < costs[0]
    release, secret = KAnonymity(k=5, loss="ncp").anonymize(history, rng=np.random.default_rng(1))
    measured = CertaintyPenalty(sets="beyond").measure(history, release, secret).value
    assert measured < costs[0] / 1200


def test_outliers_are_suppressed_in_whole_groups_up_to_a_share() -> None:
    history = people(100)
    release, _ = KAnonymity(k=5, suppress=0.1).anonymize(history, rng=np.random.default_rng(1))
    assert 90 <= len(release) < 100
    assert KAnonymity(k=5, suppress=0.1).rule_sets == frozenset()
    assert int(str(release.text().drop("pseudonym").group_by(pl.all()).len()["len"].min())) >= 5


@pytest.mark.half_second
@pytest.mark.parametrize("loss", LOSSES)
def test_histories_of_several_records_are_grouped_by_every_loss(loss: str) -> None:
    """Groups of k show the same records, and no release loses less than the floor of its loss."""
    rng = np.random.default_rng(5)
    who = np.repeat([f"s{number:02}" for number in range(14)], rng.integers(1, 5, 14))
    frame = pl.DataFrame({"who": who, "age": rng.integers(20, 60, len(who)), "job": rng.choice(list("abcd"), len(who))})
    history = History.from_frame(frame, Schema("who", SCHEMA.columns[:2]))
    table = RecordTable.from_history(history, loss=Loss.of(loss, history))
    floor = strict_bound(history, loss=loss).value
    assert 0.0 < floor < 1.0
    for k in (2, 3):
        method = KAnonymity(k=k, loss=loss)
        groups = method.groups(table, method.work(len(table.rows), len(table)))
        assert groups.sizes().min() >= k
        lost = float(group_costs(table, groups, limit=100).sum()) / (table.surplus * len(history))
        assert lost >= floor - 1e-9
        release, _ = method.anonymize(history, rng=np.random.default_rng(1))
        shown = release.text().sort(pl.all()).group_by("pseudonym").agg(pl.concat_str("age", "job", separator="|"))
        assert int(str(shown.group_by("age").len()["len"].min())) >= k
