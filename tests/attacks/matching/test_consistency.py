"""The golden levels of the k-concealment paper (spec C.1, C.4), and consistency against plain enumeration."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.attacks.matching.record_graphs import record_graph
from tests.attacks.matching.test_matchings import all_matchings
from tests.effort import examples
from tokumei.attacks.matching.consistency import consistency_graph, published_histories
from tokumei.attacks.matching.matchings import Bipartite, find_matches
from tokumei.data.cells import Cells, RangeCells, SetCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release
from tokumei.data.schema import Schema

STATIC = Schema("row", (Column(name="age", kind=Kind.NUMBER), Column(name="zip", kind=Kind.NUMBER)))
PEOPLE = History.from_frame(
    pl.DataFrame({"age": [30, 21, 21, 55, 47], "zip": [10055, 10055, 10023, 10165, 10224]}), STATIC
)
WIDE, NEAR, ANY = (10000, 10999), (10000, 10099), (21, 55)
TABLES = {
    "T2": ([(ANY, WIDE)] * 5, 5, 25, 120),
    "T3": ([((21, 30), NEAR)] * 3 + [((47, 55), WIDE)] * 2, 2, 13, 12),
    "T4": (
        [((21, 30), (10055, 10055)), ((21, 30), NEAR), ((21, 21), NEAR), ((47, 55), WIDE), ((47, 55), WIDE)],
        2,
        11,
        6,
    ),
}
Pair = tuple[int, int]


def _worlds(graph: Bipartite) -> int:
    matrix = np.zeros((graph.pseudonyms, graph.subjects), dtype=bool)
    matrix[graph.pseudonym, graph.subject] = True
    return len(all_matchings(matrix))


@pytest.mark.parametrize("name", TABLES)
def test_static_tables_of_the_paper(name: str) -> None:
    rows, level, edges, worlds = TABLES[name]
    cells = {
        column: RangeCells.of_ranges([row[position][0] for row in rows], [row[position][1] for row in rows])
        for position, column in enumerate(("age", "zip"))
    }
    release = Release(STATIC, pl.Series(["1", "2", "3", "4", "5"]), cells)
    graph = record_graph(PEOPLE, release)
    assert len(graph) == edges
    matches = find_matches(graph)
    assert len(matches.graph) == edges
    assert matches.graph.subject_degrees().min() == level
    assert _worlds(graph) == worlds
    again = consistency_graph(PEOPLE, release).graph
    assert (again.subject.tolist(), again.pseudonym.tolist()) == (graph.subject.tolist(), graph.pseudonym.tolist())
    groups = np.bincount(published_histories(release).kind)
    assert groups.min() == (1 if name == "T4" else level)


DATED = Schema("name", (Column(name="day", kind=Kind.NUMBER), Column(name="goods", kind=Kind.CATEGORY)))
T5 = History.from_frame(
    pl.DataFrame(
        {"name": ["Alice"] * 3 + ["Bob"] * 2 + ["Carol"] * 2, "day": [1, 2, 3, 2, 3, 3, 4], "goods": list("abcdefg")}
    ),
    DATED,
)
DYNAMIC = {
    "T8": ([(1, 3, "af"), (2, 3, "bf"), (3, 4, "cg"), (1, 2, "abd"), (3, 3, "ce"), (2, 3, "df"), (3, 4, "eg")], 15, 6),
    "Table 10": (
        [(1, 2, "ad"), (2, 3, "be"), (3, 3, "ce"), (1, 3, "adf"), (2, 4, "bceg"), (2, 3, "df"), (3, 4, "eg")],
        17,
        12,
    ),
}


@pytest.mark.parametrize("name", DYNAMIC)
def test_records_of_the_dynamic_examples(name: str) -> None:
    rows, edges, worlds = DYNAMIC[name]
    cells: dict[str, Cells] = {
        "day": RangeCells.of_ranges([row[0] for row in rows], [row[1] for row in rows]),
        "goods": SetCells.of_sets([list(row[2]) for row in rows], T5.categories["goods"]),
    }
    graph = record_graph(T5, Release(DATED, pl.Series(["1"] * 7), cells))
    matches = find_matches(graph)
    assert (len(graph), len(matches.graph), matches.graph.subject_degrees().min()) == (edges, edges, 2)
    assert _worlds(graph) == worlds
    if name == "T8":
        by_record = [matches.graph.pseudonym[matches.graph.subject == record] + 1 for record in range(7)]
        assert [found.tolist() for found in by_record] == [[1, 4], [2, 4], [3, 5], [4, 6], [5, 7], [1, 2, 6], [3, 7]]


@st.composite
def small_releases(draw: st.DrawFn) -> tuple[History, Release]:
    """Return a small history and a release of anything: ranges, sets and suppressed cells."""
    counts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    total = sum(counts)
    day = draw(st.lists(st.integers(0, 4), min_size=total, max_size=total))
    goods = draw(st.lists(st.sampled_from("abcd"), min_size=total, max_size=total))
    who = [f"u{number}" for number, count in enumerate(counts) for _ in range(count)]
    history = History.from_frame(pl.DataFrame({"name": who, "day": day, "goods": goods}), DATED)
    published = draw(st.integers(1, 6))
    low = draw(st.lists(st.integers(0, 4), min_size=published, max_size=published))
    width = draw(st.lists(st.integers(0, 4), min_size=published, max_size=published))
    known = history.categories["goods"].to_list()
    some = st.one_of(st.none(), st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
    sets = draw(st.lists(some, min_size=published, max_size=published))
    hidden = draw(st.lists(st.booleans(), min_size=published, max_size=published))
    names = draw(st.lists(st.sampled_from("vwx"), min_size=published, max_size=published))
    cells: dict[str, Cells] = {
        "day": RangeCells.of_ranges(low, np.add(low, width), suppressed=hidden),
        "goods": SetCells.of_sets(sets, history.categories["goods"]),
    }
    return history, Release(DATED, pl.Series(names), cells)


def _fits(history: History, release: Release, records: list[int], subject: int) -> bool:
    own = np.flatnonzero(history.subject == subject).tolist()
    admits = {
        (record, original): all(
            bool(release.cells[name].take([record]).contains([history.codes[name][original]])[0])
            for name in ("day", "goods")
        )
        for record in records
        for original in own
    }
    return any(
        all(admits[record, original] for record, original in zip(records, chosen, strict=True))
        for chosen in permutations(own, len(records))
    )


@pytest.mark.half_second
@given(small_releases())
@settings(max_examples=examples(150))
def test_consistency_equals_trying_every_placing_of_records(case: tuple[History, Release]) -> None:
    history, release = case
    found = consistency_graph(history, release)
    links = set(zip(found.graph.pseudonym.tolist(), found.graph.subject.tolist(), strict=True))
    for pseudonym in range(len(found.histories.names)):
        records = found.histories.rows_of(pseudonym).tolist()
        for subject in range(len(history.subjects)):
            fits = _fits(history, release, records, subject)
            assert ((pseudonym, subject) in links) == fits
            assert (found.contradiction(pseudonym, subject) == -1) == fits
