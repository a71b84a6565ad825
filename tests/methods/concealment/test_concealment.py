"""k-concealment of the paper: its tables to the letter, and its guarantee on random histories."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.attacks.matching.record_graphs import record_graph
from tests.effort import examples
from tests.methods.concealment import paper_tables as paper
from tokumei.attacks.matching.consistency import published_histories
from tokumei.attacks.matching.matchings import find_matches
from tokumei.data.cells import RangeCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import Schema
from tokumei.errors import InfeasibleError, ParameterError
from tokumei.methods.concealment.dynamic import KConcealment, conceal, join_records, subject_pairs
from tokumei.methods.concealment.edge_cover import edge_cover
from tokumei.methods.concealment.index_distance import index_distances, time_table
from tokumei.methods.concealment.static import KConcealmentStatic

RNG = np.random.default_rng


def random_history(subjects: int, longest: int, seed: int) -> History:
    rng = RNG(seed)
    counts = rng.integers(1, longest + 1, subjects)
    total = int(counts.sum())
    frame = pl.DataFrame(
        {
            "who": np.repeat([f"s{number}" for number in range(subjects)], counts),
            "day": pl.Series(rng.integers(17_000, 17_030, total)).cast(pl.Int32).cast(pl.Date),
            "item": [f"i{code}" for code in rng.integers(0, 6, total)],
            "paid": rng.integers(1, 50, total),
        }
    )
    columns = (Column(name="day", kind=Kind.DATE), Column(name="item"), Column(name="paid", kind=Kind.NUMBER))
    return History.from_frame(frame, Schema("who", columns))


@pytest.mark.parametrize(
    ("rows", "anonymity", "concealment", "edges", "matchings", "changed"),
    [(paper.TABLE_2, 5, 5, 25, 120, 10), (paper.TABLE_3, 2, 2, 13, 12, 10), (paper.TABLE_4, 1, 2, 11, 6, 8)],
)
def test_static_tables_have_the_levels_of_the_paper(
    rows: list[tuple[int, int, str]], anonymity: int, concealment: int, edges: int, matchings: int, changed: int
) -> None:
    history, release = paper.table_1(), paper.people_release(rows)
    assert paper.record_level(history, release) == (edges, edges, matchings)
    assert find_matches(record_graph(history, release)).graph.subject_degrees().min() == concealment
    assert np.bincount(published_histories(release).kind).min() == anonymity
    age = int((~release.cells["age"].plain).sum())
    zips = np.any([release.cells[digit].suppressed for digit in paper.DIGITS], axis=0)
    assert age + int(zips.sum()) == changed


def test_matches_of_table_4() -> None:
    graph = find_matches(record_graph(paper.table_1(), paper.people_release(paper.TABLE_4))).graph
    matches = [sorted(graph.pseudonym[graph.subject == person] + 1) for person in range(5)]
    assert matches == [[1, 2], [1, 2, 3], [2, 3], [4, 5], [4, 5]]


def test_static_concealment_of_table_1_is_table_4() -> None:
    """Partners Alice-Bob-Carol and David-Eve; ages as in table 4, digits as sets where table 4 has a star."""
    history = paper.table_1()
    release, secret = KConcealmentStatic().anonymize(history, rng=RNG(1))
    order = np.argsort(secret.rows)
    ages = release.cells["age"].take(order)
    assert isinstance(ages, RangeCells)
    assert list(zip(ages.lo.tolist(), ages.hi.tolist(), strict=True)) == [row[:2] for row in paper.TABLE_4]
    text = release.text()
    starred = [
        "".join("*" if len(text[digit][int(row)]) > 1 else text[digit][int(row)] for digit in paper.DIGITS)
        for row in order
    ]
    assert starred == ["10055", "100**", "100**", "10***", "10***"]
    assert find_matches(record_graph(history, release)).graph.subject_degrees().min() == 2


@pytest.mark.parametrize(
    ("rows", "expected"), [(paper.TABLE_8, (15, 15, 6)), (paper.TABLE_10, (17, 17, 12))], ids=["T8", "T10"]
)
def test_dynamic_tables_have_the_matches_of_the_paper(
    rows: list[tuple[str, int, int, str]], expected: tuple[int, int, int]
) -> None:
    history, release = paper.table_5(), paper.visit_release(rows)
    assert paper.record_level(history, release) == expected
    assert find_matches(record_graph(history, release)).graph.subject_degrees().min() == 2


def test_table_6_hides_three_people_by_dummies() -> None:
    """Three identical histories, nine rows for seven visits."""
    release = paper.visit_release(paper.TABLE_6)
    assert np.bincount(published_histories(release).kind).tolist() == [3]
    assert len(release) - len(paper.table_5()) == 2


def test_table_7_protects_the_surplus_record_by_its_pseudonym_only() -> None:
    """By content record a has one match; everything else has three."""
    history, release = paper.table_5(), paper.visit_release(paper.TABLE_7)
    degrees = find_matches(record_graph(history, release)).graph.subject_degrees()
    assert degrees.tolist() == [1, 3, 3, 3, 3, 3, 3]
    assert len(release) == len(history)


def published(history: History, release: Release, secret: Secret) -> list[tuple[set[str], int, int, str]]:
    """Return the rows in the order of the original: whom the pseudonym stands for, days, goods."""
    text, dates = release.text(), release.cells["date"]
    assert isinstance(dates, RangeCells)
    rows = []
    for place in np.argsort(secret.rows).tolist():
        owners = secret.owners.filter(pl.col("pseudonym") == text["pseudonym"][place])["subject"]
        goods = "".join(letter for letter in text["goods"][place] if letter.isalpha())
        first, last = (int(end[place]) - paper.DECEMBER + 1 for end in (dates.lo, dates.hi))
        rows.append((set(owners), first, last, goods))
    return rows


def test_algorithm_1_gives_table_10_to_the_letter() -> None:
    """Table 5, k = 2, with the distances of table 9."""
    history = paper.table_5()
    pairs = edge_cover(paper.TABLE_9)
    assert pairs.tolist() == [[0, 1], [1, 2]]
    release, secret = conceal(history, pairs, rng=RNG(3))
    people = {"1": "Alice", "2": "Bob", "3": "Carol"}
    wanted = [({people[one] for one in row[0]}, *row[1:]) for row in paper.TABLE_10]
    assert published(history, release, secret) == wanted
    assert paper.record_level(history, release) == (17, 17, 12)
    assert release.pseudonyms.n_unique() == 4
    assert not set(release.pseudonyms) & set(history.subjects)


def test_edges_of_the_record_graph_of_table_10() -> None:
    table = time_table(paper.table_5())
    edges = join_records(table, np.array([[0, 1], [1, 2]]))
    letters = np.array(list("abcdefg"))[table.rows]
    joined = ["".join(sorted(pair)) for pair in zip(letters[edges.one], letters[edges.other], strict=True)]
    assert sorted(joined) == ["ad", "be", "ce", "df", "eg"]
    assert letters[edges.surplus].tolist() == ["c"]
    assert edges.beyond.tolist() == [1]


def test_a_surplus_record_can_join_the_nearest() -> None:
    """With dates 1, 9, 2 against 1, 8 the third record of the longer is nearest to the first of the shorter."""
    frame = pl.DataFrame({"name": ["A"] * 3 + ["B"] * 2, "when": [1, 9, 2, 1, 8]})
    history = History.from_frame(frame, Schema("name", (Column(name="when", kind=Kind.NUMBER),)))
    table = time_table(history)
    assert table.rows.tolist() == [0, 1, 2, 3, 4]
    pairs = np.array([[0, 1]])
    assert join_records(table, pairs).other.tolist() == [3, 4, 4]
    assert join_records(table, pairs, surplus="nearest").other.tolist() == [3, 4, 3]


def test_distances_are_errors_of_unions_plus_surplus() -> None:
    """Spread of 0, 2, 4, 6 is sqrt(5): records 0-4 apart 4, goods differ once, one surplus record of two cells."""
    frame = pl.DataFrame({"name": ["A", "A", "B"], "when": [0, 6, 3], "what": ["x", "y", "z"]})
    schema = Schema("name", (Column(name="when", kind=Kind.NUMBER), Column(name="what")))
    distances = index_distances(time_table(History.from_frame(frame, schema)))
    expected = 3 / np.std([0, 6, 3]) + 1 + 2
    assert distances.tolist() == [[0, pytest.approx(expected)], [pytest.approx(expected), 0]]


@settings(max_examples=examples(25))
@given(
    st.integers(2, 9),
    st.integers(1, 5),
    st.integers(2, 3),
    st.sampled_from(["edge-cover", "greedy"]),
    st.integers(0, 999),
)
def test_every_record_fits_k_published_ones(subjects: int, longest: int, k: int, graph: str, seed: int) -> None:
    """Def 2.1 on records; all are published, and the owner's is among them."""
    history = random_history(max(subjects, k), longest, seed)
    release, secret = KConcealment(k=k, graph=graph).anonymize(history, rng=RNG(seed))
    assert sorted(secret.rows) == list(range(len(history)))
    for spec in history.schema.fields:
        assert release.cells[spec.name].contains(history.codes[spec.name][secret.rows]).all()
    assert find_matches(record_graph(history, release)).graph.subject_degrees().min() >= k


def test_blocks_cover_everybody_and_nobody_pairs_across() -> None:
    history = random_history(23, 4, 5)
    table = time_table(history)
    pairs = subject_pairs(table, 3, most=8)
    assert np.bincount(pairs.ravel(), minlength=23).min() >= 2


def test_the_same_seed_gives_the_same_release() -> None:
    history = random_history(12, 4, 1)
    one, other = (KConcealment().anonymize(history, rng=RNG(9)) for _ in range(2))
    assert one[0].text().equals(other[0].text())
    assert one[1].owners.equals(other[1].owners)


def test_bad_requests_are_refused_with_a_sentence() -> None:
    history = random_history(3, 2, 1)
    with pytest.raises(InfeasibleError, match="needs at least k = 4 subjects to hide one among them, the data has 3"):
        KConcealment(k=4).anonymize(history, rng=RNG(1))
    with pytest.raises(InfeasibleError, match="is for one record per subject, but a subject has 3"):
        KConcealmentStatic().anonymize(paper.table_5(), rng=RNG(1))
    with pytest.raises(ParameterError, match="parameter 'k' of 'k-concealment' must be a whole number of at least 2"):
        KConcealment(k=1)


def test_nothing_gives_nothing() -> None:
    schema = Schema("who", (Column(name="paid", kind=Kind.NUMBER),))
    history = History.from_frame(
        pl.DataFrame({"who": [], "paid": []}, schema={"who": pl.String, "paid": pl.Int64}), schema
    )
    for part in (KConcealment(), KConcealmentStatic()):
        release, secret = part.anonymize(history, rng=RNG(1))
        assert (len(release), len(secret.owners), len(secret.rows)) == (0, 0, 0)
