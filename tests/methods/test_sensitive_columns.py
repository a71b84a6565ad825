"""Sensitive columns: what the schema demands holds in every group, for tables and histories, or is refused with why."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tokumei.array_types import Floats, Ints
from tokumei.data import History, Release, Schema, Secret
from tokumei.data.column_choices import Demand
from tokumei.errors import InfeasibleError
from tokumei.flow.making import anonymized
from tokumei.methods import KAnonymity
from tokumei.methods.grouping.demands import demand_arrays, shortfall_of
from tokumei.methods.grouping.diversity import TRIAL_LIMIT, ColumnDemand, GroupDemands, diverse_groups, total_shortfall
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.metrics.class_figures import ClassFigures, class_figures
from tokumei.profiles import read_history

DEMANDS = [
    "true",
    "{ l = 3 }",
    '{ l = 2.5, diversity = "entropy" }',
    '{ l = 2, diversity = "recursive", c = 2 }',
    "{ t = 0.3 }",
    '{ t = 0.2, distance = "ordered" }',
    "{ gain = 0.2 }",
]


def history_of(demand: str, *, people: int = 40, records: int = 1, values: int = 4, seed: int = 1) -> History:
    rng = np.random.default_rng(seed)
    size = people * records
    shares = np.arange(values, 0, -1) ** 2.0
    frame = pl.DataFrame(
        {
            "who": np.repeat([f"p{number:03}" for number in range(people)], records),
            "age": rng.integers(20, 60, size),
            "ill": np.array(list("abcdefgh"))[rng.choice(values, size, p=shares / shares.sum())],
        }
    )
    columns = f'age = {{ kind = "number" }}\nill = {{ kind = "category", sensitive = {demand} }}'
    return History.from_frame(frame, Schema.from_toml(f'subject = "who"\n[columns]\n{columns}\n'))


def group_of_records(history: History, release: Release, secret: Secret) -> Ints:
    """Return the group of every record of the original: the distinct histories of the release."""
    row = pl.concat_str("age", "ill", separator="|")
    told = release.text().group_by("pseudonym").agg(row.sort().str.join(" ").alias("rows"))
    numbers = told.select("pseudonym", pl.col("rows").rank("dense").alias("group"))
    owners = secret.owners.join(numbers, on="pseudonym").select(pl.col("subject").cast(pl.String), "group")
    subjects = pl.DataFrame({"subject": history.subjects.cast(pl.String)})
    group = subjects.join(owners, on="subject", how="left", maintain_order="left")["group"].to_numpy()
    return np.asarray(group[history.subject], dtype=np.int64)


def figures_of(history: History, release: Release, secret: Secret, *, ordered: bool = False) -> ClassFigures:
    """Return the figures of the released groups, by the metric that agrees with pycanon."""
    return class_figures(group_of_records(history, release, secret), history.codes["ill"], ordered=ordered)


def counts_of(history: History, release: Release, secret: Secret) -> list[list[int]]:
    """Return how often every group has each value."""
    group, codes = group_of_records(history, release, secret), history.codes["ill"]
    return [np.bincount(codes[group == one], minlength=4).tolist() for one in np.unique(group)]


def test_people_left_out_do_not_take_a_demand_with_them() -> None:
    """Two outliers alone have the third value: without them l = 3 could not be met, and it was published as if."""
    frame = pl.DataFrame(
        {
            "who": [f"p{number:03}" for number in range(40)],
            "age": [*(20 + number % 7 for number in range(38)), 90, 95],
            "ill": [*("ab"[number % 2] for number in range(38)), "c", "c"],
        }
    )
    text = 'subject = "who"\n[columns]\nage = { kind = "number" }\nill = { kind = "category", sensitive = { l = 3 } }\n'
    history = History.from_frame(frame, Schema.from_toml(text))
    release, _ = anonymized(history, KAnonymity(k=2, suppress=0.1), seed=1)
    assert set(release.text()["ill"]) <= {"{a;b;c}"}


@pytest.mark.half_second
@pytest.mark.parametrize("demand", DEMANDS)
@pytest.mark.parametrize("records", [1, 3])
def test_every_group_meets_its_demand(demand: str, records: int) -> None:
    history = history_of(demand, records=records)
    release, secret = anonymized(history, KAnonymity(k=3, effort="fast"), seed=1)
    asked = history.schema.columns[1].demand
    assert asked is not None
    found = figures_of(history, release, secret, ordered=asked.distance == "ordered")
    assert found.t <= asked.t + 1e-6
    if asked.diversity == "distinct":
        assert found.distinct >= asked.values
    elif asked.diversity == "entropy":
        assert found.entropy >= asked.values - 1e-6
    else:
        falling = -np.sort(-np.array(counts_of(history, release, secret)), axis=1)
        assert (falling[:, 0] < asked.c * falling[:, 1:].sum(axis=1)).all()
    assert 3 <= found.k < 40 * records
    assert release.pseudonyms.n_unique() == 40


@pytest.mark.half_second
def test_every_record_of_a_group_shows_all_its_values() -> None:
    """A cell that stays the same when members exchange their values says nothing of who has which."""
    history = history_of("true", records=3)
    release, secret = anonymized(history, KAnonymity(k=3, effort="fast"), seed=1)
    text = release.text()
    assert text.group_by("pseudonym").agg(pl.col("ill").n_unique())["ill"].max() == 1
    assert release.cells["ill"].contains(history.codes["ill"][secret.rows]).all()
    assert text["ill"].str.starts_with("{").all()


def lacking(counts: Floats, overall: Floats, asked: Demand) -> float:
    """Return by how much a group falls short, plainly: the definitions of Machanavajjhala et al. and Li et al."""
    inside = counts / max(counts.sum(), 1e-300)
    more = inside - overall / overall.sum()
    steps = np.abs(np.cumsum(more)).sum() / max(len(more) - 1, 1)
    distance = steps if asked.distance == "ordered" else np.abs(more).sum() / 2
    short = max(distance - asked.t, 0.0) + max(more.max() - asked.gain, 0.0)
    if asked.diversity == "distinct":
        return float(short + max(asked.values - (inside > 0).sum(), 0.0))
    if asked.diversity == "entropy":
        entropy = -sum(share * np.log(share) for share in inside if share > 0)
        return float(short + max(np.log(asked.values) - entropy, 0.0))
    falling = -np.sort(-inside)
    return float(short + max(falling[0] - asked.c * falling[int(asked.values) - 1 :].sum(), 0.0))


def any_demand(rng: np.random.Generator) -> Demand:
    return Demand(
        values=float(rng.integers(2, 4)),
        diversity=str(rng.choice(["distinct", "entropy", "recursive"])),
        c=float(rng.uniform(0.5, 3)),
        t=float(rng.choice([1.0, 0.3])),
        distance=str(rng.choice(["equal", "ordered"])),
        gain=float(rng.choice([1.0, 0.3])),
    )


def test_the_judge_of_groups_agrees_with_the_definitions() -> None:
    """Groups of histories with two sensitive columns: what each lacks in both is added."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        columns = [(any_demand(rng), rng.integers(0, 3, (6, values)).astype(float)) for values in (3, 5)]
        members = rng.permutation(6)[: rng.integers(1, 7)]
        plain = sum(lacking(counts[members].sum(axis=0), counts.sum(axis=0), asked) for asked, counts in columns)
        every = demand_arrays(columns)
        assert shortfall_of(every, members, len(members)) == pytest.approx(plain, abs=1e-8)
        assert shortfall_of(every.take(members), np.arange(len(members)), len(members)) == pytest.approx(
            plain, abs=1e-8
        )


@pytest.mark.half_second
@pytest.mark.parametrize(("k", "records"), [(4, 1), (2, 3), (3, 3)])
def test_a_search_under_demands_loses_no_more_than_a_repair_of_the_best_groups(k: int, records: int) -> None:
    """Pairs, larger groups and plain tables, under every kind of demand."""
    method, lost = KAnonymity(k=k, effort="fast"), {}
    for demand in DEMANDS[1:]:
        history = history_of(demand, people=48, records=records, values=5)
        demands, table = GroupDemands.of(history), RecordTable.from_history(history, {"ill": 0.0})
        _, secret = anonymized(history, method, seed=1)
        group = secret.report["group"]
        under = Groups.of([np.flatnonzero(group == number) for number in range(group.max() + 1)])
        work = method.work(len(table.rows), len(table), single=table.single)
        repaired = diverse_groups(table, method.groups(table, work), demands)
        assert total_shortfall(demands.arrays(), under.lists()) == 0
        costs = (group_costs(table, groups, limit=TRIAL_LIMIT, rounds=1) for groups in (under, repaired))
        lost[demand] = [float(cost.sum()) for cost in costs]
    assert all(ours <= theirs + 1e-9 for ours, theirs in lost.values()), lost
    assert sum(ours < theirs - 1e-9 for ours, theirs in lost.values()) >= 3, lost


def partitions(units: list[int], fewest: int) -> Iterator[list[list[int]]]:
    """Return all partitions into groups of at least so many."""
    if not units:
        yield []
    for size in range(fewest, len(units) + 1):
        for others in itertools.combinations(units[1:], size - 1):
            rest = [unit for unit in units[1:] if unit not in others]
            for more in partitions(rest, fewest):
                yield [[units[0], *others], *more]


def test_a_demand_is_met_exactly_where_some_partition_meets_it() -> None:
    """Brute force over all partitions of 200 small instances: each is searched and repaired, or refused."""
    rng, method = np.random.default_rng(4), KAnonymity(k=2, effort="fast")
    refused = 0
    for _ in range(200):
        people = int(rng.integers(4, 8))
        values = rng.integers(0, int(rng.integers(1, 4)), people)
        asked = Demand(
            values=float(rng.integers(1, 4)),
            diversity=str(rng.choice(["distinct", "entropy", "recursive"])),
            c=float(rng.uniform(0.5, 3)),
            t=float(rng.choice([1.0, 0.3])),
            gain=float(rng.choice([1.0, 0.3])),
        )
        counts = np.zeros((people, 3))
        counts[np.arange(people), values] = 1
        demands = GroupDemands((ColumnDemand("ill", asked, counts),))
        judge = demands.arrays()
        possible = any(total_shortfall(judge, one) <= 0 for one in partitions(list(range(people)), 2))
        frame = pl.DataFrame({"who": [str(number) for number in range(people)], "age": rng.integers(0, 9, people)})
        schema = Schema.from_toml('subject = "who"\n[columns]\nage = { kind = "number" }\n')
        table = RecordTable.from_history(History.from_frame(frame, schema))
        pairs = [list(range(first, first + 2)) for first in range(0, people - 3, 2)]
        pairs.append(list(range(2 * len(pairs), people)))
        if not possible:
            refused += 1
            with pytest.raises(InfeasibleError, match=r"the sensitive column 'ill' has (one value|\d values) in all"):
                diverse_groups(table, Groups.of(pairs), demands)
            continue
        under = replace(table, demands=judge)
        searched = method.groups(under, method.work(people, people, single=True))
        for start in (Groups.of(pairs), searched):
            groups = diverse_groups(table, start, demands).lists()
            assert sorted(itertools.chain(*groups)) == list(range(people))
            assert min(map(len, groups)) >= 2
            assert total_shortfall(judge, groups) == 0
    assert 20 < refused < 180


def test_the_posterior_of_a_value_is_its_share_in_the_group() -> None:
    """Exact enumeration: of all assignments of a group's values to its members, each is as likely given its cells."""
    values = ["a", "a", "b"]
    seen: dict[tuple[str, ...], list[str]] = {}
    for own in sorted(set(itertools.permutations(values))):
        frame = pl.DataFrame({"who": ["p", "q", "r"], "age": [1, 1, 1], "ill": own})
        schema = (
            'subject = "who"\n[columns]\nage = { kind = "number" }\nill = { kind = "category", sensitive = true }\n'
        )
        history = History.from_frame(frame, Schema.from_toml(schema))
        release, _ = anonymized(history, KAnonymity(k=3), seed=2)
        seen.setdefault(tuple(map(str, release.text().rows())), []).append(own[0])
    assert list(map(sorted, seen.values())) == [["a", "a", "b"]]
    # (k - l + 1) / k with k = 3, l = 2.
    assert max(own.count(value) / len(own) for own in seen.values() for value in own) == pytest.approx(2 / 3)


def test_two_values_are_both_shown_everywhere_and_groups_stay() -> None:
    """A binary column asks nothing of the groups; three values of two are refused."""
    history = history_of("true", values=2)
    release, _ = anonymized(history, KAnonymity(k=3, effort="fast"), seed=1)
    assert release.text()["ill"].unique().to_list() == ["{a;b}"]
    plain = anonymized(history_of("{ l = 1 }", values=2), KAnonymity(k=3, effort="fast", weights="ill:0"), seed=1)[0]
    assert release.text()["age"].equals(plain.text()["age"])
    with pytest.raises(InfeasibleError, match=r"column 'ill' has 2 values in all the data, which does not give l = 3"):
        anonymized(history_of("{ l = 3 }", values=2), KAnonymity(k=3), seed=1)


@pytest.mark.parametrize("kind", ["category", "number"])
def test_a_missing_value_is_none_of_the_values_that_a_group_must_have(kind: str) -> None:
    """'Ill or not told' tells of everybody who is told: a declared word and an empty cell make no second value."""
    rng = np.random.default_rng(5)
    words = ["1", "2", "3", "NA", ""] if kind == "number" else ["flu", "cold", "gout", "NA", ""]
    table = pl.DataFrame({"age": rng.integers(20, 60, 60), "ill": rng.choice(words, 60, p=[0.3, 0.2, 0.1, 0.3, 0.1])})
    schema = Schema.from_toml(
        f'subject = "row"\nmissing = ["NA"]\n[columns]\nage = {{ kind = "number" }}\n'
        f'ill = {{ kind = "{kind}", sensitive = {{ l = 2 }} }}\n'
    )
    history = read_history(table, schema)
    demands = GroupDemands.of(history)
    assert [column.counts.shape[1] for column in (*demands.columns, *demands.widened)] == [3]
    secret = anonymized(history, KAnonymity(k=2, effort="fast"), seed=1)[1]
    group, code = secret.report["group"][history.subject], history.codes["ill"]
    told = [set(code[(group == one) & history.is_value("ill", code)].tolist()) for one in np.unique(group)]
    assert min(map(len, told)) >= 2
    alone = table.with_columns(ill=pl.when(pl.col("age") > 40).then(pl.lit(words[0])).otherwise(pl.lit("NA")))
    with pytest.raises(InfeasibleError, match=r"has one value in all the data.*\(a missing value is none\)"):
        anonymized(read_history(alone, schema), KAnonymity(k=2), seed=1)


def test_histories_that_are_cut_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="sensitive columns demand groups of whole histories; leave split out"):
        anonymized(history_of("true", records=3), KAnonymity(k=2, split=2), seed=1)


def test_only_measuring_demands_nothing() -> None:
    assert not history_of("{ l = 1 }").schema.demands
