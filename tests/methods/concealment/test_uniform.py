"""Uniform concealment: the six rules that its proof needs, and the designs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from tests.effort import examples
from tests.methods.concealment.test_concealment import random_history
from tokumei.attacks.matching.consistency import consistency_graph, published_histories
from tokumei.attacks.matching.matchings import find_matches
from tokumei.data.history import History, Release
from tokumei.errors import InfeasibleError
from tokumei.methods.concealment import uniform as uniform_concealment
from tokumei.methods.concealment.hulls import publish_hulls
from tokumei.methods.concealment.uniform import UniformConcealment, draw_owners
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.metrics.cell_error import CellError

RNG = np.random.default_rng


def sets_of(hulls: Groups) -> list[tuple[int, ...]]:
    return sorted(tuple(sorted(members)) for members in hulls.lists())


def published_sets(release: Release) -> list[tuple[tuple[str, ...], ...]]:
    """Return the published histories without their names."""
    text = release.text()
    columns = text.columns[1:]
    histories = text.group_by("pseudonym").agg(pl.concat_str(columns, separator="|").sort().alias("rows"))
    return sorted(tuple(rows) for rows in histories["rows"].to_list())


@pytest.fixture(scope="module")
def history() -> History:
    return random_history(11, 4, 21)


def test_rule_1_owners_are_drawn_once_and_not_chosen(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """One draw per release, and the cheapest guess is right one time in k on average: no draw was preferred."""
    calls = []
    original = draw_owners

    def counted(hulls: Groups, *, rng: np.random.Generator) -> object:
        calls.append(1)
        return original(hulls, rng=rng)

    monkeypatch.setattr(uniform_concealment, "draw_owners", counted)
    UniformConcealment(k=3).anonymize(history, rng=RNG(1))
    assert len(calls) == 1


@pytest.mark.half_second
@pytest.mark.parametrize(("k", "design"), [(2, "sets"), (3, "sets"), (3, "assignment")])
def test_rule_1_the_cheapest_guess_is_right_once_in_k(history: History, k: int, design: str) -> None:
    table = RecordTable.from_history(history)
    hulls = UniformConcealment(k=k, design=design).hulls(table)
    lists = hulls.lists()
    loss = np.full((len(lists), len(table)), 1e6)
    distance = group_costs(table, Groups.of([(i, j) for i in range(len(table)) for j in range(len(table))]), limit=99)
    pairs = distance.reshape(len(table), len(table))
    for hull, members in enumerate(lists):
        for member in members:
            loss[hull, member] = pairs[member, members].sum()
    guess = linear_sum_assignment(loss)[1]
    rng = RNG(5)
    hits = np.array([(draw_owners(hulls, rng=rng) == guess).mean() for _ in range(1500)])
    fair = (1 / hulls.sizes()).mean()
    assert abs(hits.mean() - fair) < 5 * hits.std() / np.sqrt(1500)


@pytest.mark.half_second
def test_rule_2_the_expected_loss_is_the_mean_of_the_draws(history: History) -> None:
    method = UniformConcealment(k=3)
    told = method.expected_loss(history)
    realised = [CellError().measure(history, *method.anonymize(history, rng=RNG(seed))).value for seed in range(25)]
    assert abs(np.mean(realised) - told) < 5 * np.std(realised) / np.sqrt(25) + 1e-9
    assert method.expected_loss(history) == told


@pytest.mark.half_second
@pytest.mark.parametrize("design", ["sets", "assignment"])
@pytest.mark.parametrize("k", [2, 3])
def test_rules_3_and_4_what_is_published_does_not_depend_on_the_owners(history: History, k: int, design: str) -> None:
    """All draws give the same histories, row by row; only who owns them differs."""
    results = [UniformConcealment(k=k, design=design).anonymize(history, rng=RNG(seed)) for seed in range(4)]
    assert all(published_sets(release) == published_sets(results[0][0]) for release, _ in results)
    deleted = {len(history) - len(secret.rows) for _, secret in results}
    assert len(deleted) == 1


def test_rule_3_the_row_count_is_that_of_the_shortest_member(history: History) -> None:
    table = RecordTable.from_history(history)
    hulls = Groups.of([[0, 1, 2], [1, 2, 0], [0, 1, 2]])
    release, secret = publish_hulls(
        history, table, hulls, np.array([2, 0, 1]), pl.Series(["7", "8", "9"]), method="test", rng=RNG(1), limit=99
    )
    assert published_histories(release).sizes().tolist() == [int(table.counts()[:3].min())] * 3
    assert np.bincount(published_histories(release).kind).tolist() == [3]
    assert secret.owners["subject"].sort().to_list() == history.subjects[:3].to_list()


def test_rule_5_input_order_shapes_at_most_the_design_and_never_the_draw(history: History) -> None:
    """Shuffled input gives the same design; coins decide the owners, the same coins the same owners."""
    text = history.frame
    shuffled = History.from_frame(text[RNG(3).permutation(text.height)], history.schema)
    method = UniformConcealment(k=3)
    one, other = (method.hulls(RecordTable.from_history(data)) for data in (history, shuffled))
    assert one.lists() == other.lists()
    assert draw_owners(one, rng=RNG(4)).tolist() == draw_owners(other, rng=RNG(4)).tolist()
    drawn = {tuple(draw_owners(one, rng=RNG(seed))) for seed in range(20)}
    assert len(drawn) > 5


@pytest.mark.parametrize("count", [3, 4, 5, 7, 8, 11])
def test_rule_6_nobody_is_left_out(count: int) -> None:
    history = random_history(count, 3, count)
    method = UniformConcealment(k=3)
    hulls = method.hulls(RecordTable.from_history(history))
    assert hulls.sizes().min() >= 3
    share = np.zeros(count)
    for members in hulls.lists():
        share[members] += 1 / len(members)
    assert share.tolist() == pytest.approx([1.0] * count)
    release, secret = method.anonymize(history, rng=RNG(1))
    assert secret.owners["subject"].sort().to_list() == history.subjects.to_list()
    assert release.pseudonyms.n_unique() == count


@pytest.mark.half_second
def test_every_link_has_probability_one_in_the_size_of_its_hull() -> None:
    """A clique of four, a set of four with its triples and a ring of five: 4,000 draws within five deviations."""
    ring = [[8 + place, 8 + (place + 1) % 5, 8 + (place + 2) % 5] for place in range(5)]
    hulls = Groups.of([*[[0, 1, 2, 3]] * 4, *[list(subset) for subset in combinations(range(4, 8), 3)], *ring])
    rng = RNG(2)
    hits = np.zeros((len(hulls), 13))
    for _ in range(4000):
        owners = draw_owners(hulls, rng=rng)
        assert sorted(owners) == list(range(13))
        hits[np.arange(13), owners] += 1
    for line, members in enumerate(hulls.lists()):
        fair = 1 / len(members)
        assert np.abs(hits[line, members] / 4000 - fair).max() < 5 * np.sqrt(fair * (1 - fair) / 4000)
        assert hits[line].sum() == hits[line, members].sum()


def cheapest_design(table: RecordTable) -> float:
    """Return the cheapest partition into pairs and triangles (k = 2) by trying all; loss summed over everybody."""
    count = len(table)
    sets = [(i, j) for i in range(count) for j in range(i + 1, count)]
    cost = dict(zip(sets, group_costs(table, Groups.of(sets), limit=99).tolist(), strict=True))

    def best(left: tuple[int, ...]) -> float:
        if not left:
            return 0.0
        first, rest = left[0], left[1:]
        found = [cost[first, one] + best(tuple(x for x in rest if x != one)) for one in rest]
        for one, two in combinations(rest, 2):
            triangle = (cost[first, one] + cost[first, two] + cost[one, two]) / 2
            found.append(triangle + best(tuple(x for x in rest if x not in (one, two))))
        return min(found, default=float("inf"))

    return best(tuple(range(count)))


@settings(max_examples=examples(12))
@given(st.integers(4, 8), st.integers(0, 999))
def test_designs_for_two_are_cheapest(subjects: int, seed: int) -> None:
    """The pool holds all pairs and triangles of so few people."""
    history = random_history(subjects, 3, seed)
    table = RecordTable.from_history(history)
    told = UniformConcealment(k=2).expected_loss(history) * len(history) * 3
    assert told == pytest.approx(cheapest_design(table), rel=2e-4)


@settings(max_examples=examples(10))
@given(st.integers(3, 9), st.integers(2, 3), st.sampled_from(["sets", "assignment"]), st.integers(0, 999))
def test_everybody_fits_k_pseudonyms(subjects: int, k: int, design: str, seed: int) -> None:
    history = random_history(subjects, 4, seed)
    release, secret = UniformConcealment(k=k, design=design).anonymize(history, rng=RNG(seed))
    for spec in history.schema.fields:
        assert release.cells[spec.name].contains(history.codes[spec.name][secret.rows]).all()
    assert find_matches(consistency_graph(history, release).graph).graph.subject_degrees().min() >= k


def test_further_draws_name_every_subject_once_and_fit_the_release(history: History) -> None:
    """Every draw explains the release: it is a perfect matching of its consistency graph."""
    release, _, draws = UniformConcealment(k=3).with_draws(history, rng=RNG(3), draws=20)
    graph = consistency_graph(history, release).graph
    fits = set(zip(graph.pseudonym.tolist(), graph.subject.tolist(), strict=True))
    assert draws.shape == (20, len(history.subjects))
    for line in draws.tolist():
        assert sorted(line) == list(range(len(history.subjects)))
        assert set(enumerate(line)) <= fits


def test_too_few_subjects_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="'uniform-concealment' needs at least k = 5 subjects"):
        UniformConcealment(k=5).anonymize(random_history(4, 2, 1), rng=RNG(1))
