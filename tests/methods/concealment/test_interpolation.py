"""Record interpolation: the grid, what fills it, and table 10 of the paper's figure 4 (T9 and T10)."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tests.methods.concealment import paper_tables as paper
from tokumei.attacks.matching.consistency import consistency_graph
from tokumei.attacks.matching.matchings import find_matches
from tokumei.data.cells import MISSING, SetCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.errors import InfeasibleError
from tokumei.flow import Opened, audit, plan_of, release
from tokumei.methods.concealment.interpolation import RecordInterpolation, complete, publish_slots, usual_slot
from tokumei.methods.grouping.groups import Groups

RNG = np.random.default_rng
PLACES = Schema(
    "who",
    (
        Column(name="at", kind=Kind.DATETIME),
        Column(name="where", kind=Kind.PLACE, step=0.01, latitude="lat", longitude="lon"),
    ),
)


def walks(people: int, seed: int) -> History:
    rng = RNG(seed)
    frame = pl.DataFrame(
        {
            "who": np.repeat([f"p{number}" for number in range(people)], 4),
            "at": pl.Series(np.tile([0, 600, 1200, 1800], people) * 1000).cast(pl.Datetime("ms")),
            "lat": rng.integers(0, 50, people * 4) / 100,
            "lon": rng.integers(0, 50, people * 4) / 100,
        }
    )
    return History.from_frame(frame, PLACES)


def goods_of(history: History) -> list[str]:
    names = history.categories["goods"]
    return ["".join(names[int(code)] or "*" for code in line) for line in history.codes["goods"].reshape(3, -1)]


def test_table_5_completed_is_table_9() -> None:
    completed = complete(paper.table_5())
    assert goods_of(completed.history) == ["abc*", "*de*", "**fg"]
    assert completed.rows.tolist() == [0, 1, 2, -1, -1, 3, 4, -1, -1, -1, 5, 6]
    assert (completed.history.codes["date"].reshape(3, 4) - paper.DECEMBER).tolist() == [[0, 1, 2, 3]] * 3


def test_unions_after_figure_4_are_the_table_of_the_paper() -> None:
    """Pseudonym 1 = Alice and Carol, 2 = Alice and Bob, 3 = Bob and Carol."""
    hulls = Groups.of([[0, 2], [0, 1], [1, 2]])
    release, secret = publish_slots(complete(paper.table_5()), hulls, np.array([2, 0, 1]), rng=RNG(1), method="test")
    cells = release.cells["goods"]
    assert isinstance(cells, SetCells)
    names = {row["subject"]: row["pseudonym"] for row in secret.owners.iter_rows(named=True)}
    wanted = {"Carol": ["a*", "b*", "cf", "g*"], "Alice": ["a*", "bd", "ce", "*"], "Bob": ["*", "d*", "ef", "g*"]}
    for person, rows in wanted.items():
        mine = np.flatnonzero((release.pseudonyms == names[person]).to_numpy())
        dates = release.cells["date"].take(mine)
        assert dates.plain.all()
        mine = mine[np.argsort(release.text()["date"].to_numpy()[mine])]
        written = [
            sorted(
                cells.categories[int(code)] or "*" for code in cells.codes[cells.offsets[row] : cells.offsets[row + 1]]
            )
            for row in mine
        ]
        assert written == [sorted(row) for row in rows]


def test_codes_of_the_original_stay_valid() -> None:
    """Metrics compare codes of the original with the release: every published record holds its own values."""
    history = paper.table_5()
    release, secret = RecordInterpolation().anonymize(history, rng=RNG(1))
    real = np.flatnonzero(secret.rows >= 0)
    for spec in history.schema.fields:
        assert release.cells[spec.name].take(real).contains(history.codes[spec.name][secret.rows[real]]).all()
    assert any(text.startswith("{;") for text in release.text()["goods"])


@pytest.mark.parametrize(
    ("fill", "goods"), [("star", ["a**b", "**c*"]), ("previous", ["aaab", "**cc"]), ("linear", ["aaab", "**cc"])]
)
def test_empty_slots_are_filled_as_asked(fill: str, goods: list[str]) -> None:
    frame = pl.DataFrame(
        {
            "who": ["A", "A", "B", "C", "C"],
            "day": [0, 3, 2, 0, 1],
            "goods": ["a", "b", "c", "d", "d"],
            "n": [0, 9, 5, 1, 1],
        }
    )
    frame = frame.with_columns(pl.col("day").cast(pl.Int32).cast(pl.Date))
    columns = (Column(name="day", kind=Kind.DATE), Column(name="goods"), Column(name="n", kind=Kind.NUMBER))
    completed = complete(History.from_frame(frame, Schema("who", columns)), fill=fill).history
    assert goods_of(completed)[:2] == goods
    numbers = completed.codes["n"].reshape(3, 4)[:2].tolist()
    gap = MISSING
    assert (
        numbers
        == {
            "star": [[0, gap, gap, 9], [gap, gap, 5, gap]],
            "previous": [[0, 0, 0, 9], [gap, gap, 5, 5]],
            "linear": [[0, 3, 6, 9], [5, 5, 5, 5]],
        }[fill]
    )


def test_the_first_record_of_a_slot_is_kept() -> None:
    frame = pl.DataFrame({"who": ["A", "A", "A"], "day": ["1970-01-09", "1970-01-08", "1970-01-15"], "n": [1, 2, 3]})
    columns = (Column(name="day", kind=Kind.DATE), Column(name="n", kind=Kind.NUMBER))
    completed = complete(History.from_frame(frame, Schema("who", columns)), slot=7)
    assert completed.history.codes["n"].tolist() == [2, 3]
    assert completed.rows.tolist() == [1, 2]
    assert completed.history.codes["day"].tolist() == [7, 14]


@pytest.mark.parametrize("graph", ["assignment", "edge-cover", "greedy"])
@pytest.mark.parametrize("k", [2, 3])
def test_everybody_fits_k_pseudonyms(k: int, graph: str) -> None:
    history = walks(9, 4)
    release, secret = RecordInterpolation(k=k, graph=graph).anonymize(history, rng=RNG(2))
    assert len(release) == len(history)
    for spec in history.schema.fields:
        assert release.cells[spec.name].contains(history.codes[spec.name][secret.rows]).all()
    assert find_matches(consistency_graph(history, release).graph).graph.subject_degrees().min() >= k


def test_rows_of_filled_slots_are_dummies() -> None:
    _, secret = RecordInterpolation().anonymize(paper.table_5(), rng=RNG(1))
    assert sorted(secret.rows) == [-1] * 5 + list(range(7))


def moments(people: int, seconds: int, each: int, seed: int) -> History:
    """Return people seen at random seconds."""
    rng = RNG(seed)
    at = np.concatenate([np.sort(rng.choice(seconds, each, replace=False)) for _ in range(people)])
    who = np.repeat([f"p{number}" for number in range(people)], each)
    places = {name: rng.integers(0, 50, people * each) / 100 for name in ("lat", "lon")}
    return History.from_frame(
        pl.DataFrame({"who": who, "at": pl.Series(at * 1000).cast(pl.Datetime("ms")), **places}), PLACES
    )


def test_the_usual_grid_neither_drops_records_nor_is_mostly_empty() -> None:
    """Observed times where people share them, else the coarsest round length at which records have their own slot."""
    assert usual_slot(walks(9, 4)) == 0
    history = moments(20, 86_400, 50, 1)
    assert usual_slot(history) == 300
    assert len(complete(history).history) <= 10 * len(history)
    steps = np.tile(np.arange(60) * 1200, 20) + np.repeat(np.arange(20), 60)
    frame = pl.DataFrame({"who": np.repeat(range(20), 60), "at": steps, "lat": 0.0, "lon": 0.0})
    frame = frame.with_columns((pl.col("at") * 1000).cast(pl.Datetime("ms")))
    assert usual_slot(History.from_frame(frame, PLACES)) == 1200


def test_data_with_many_records_at_a_time_needs_a_slot_of_its_own() -> None:
    """A basket is no series of moments: most of it would be dropped without a word."""
    frame = pl.DataFrame({"who": ["A"] * 9 + ["B"], "day": ["1970-01-09"] * 10, "n": range(10)})
    columns = (Column(name="day", kind=Kind.DATE), Column(name="n", kind=Kind.NUMBER))
    history = History.from_frame(frame, Schema("who", columns))
    with pytest.raises(InfeasibleError, match=r"would keep 2 of 10 records .* or set slot to accept that"):
        complete(history)
    assert len(complete(history, slot=0).history) == 2


@pytest.mark.half_second
@pytest.mark.parametrize("fill", ["star", "linear"])
def test_the_audit_judges_the_completed_records(fill: str) -> None:
    """Slots that were filled in are completed by the attacker too: nothing contradicts the original."""
    history = moments(12, 86_400, 10, 3)
    made = release(history, plan_of("record-interpolation", {"fill": fill}, k=2, seed=1))
    assert made.audit is not None
    assert made.audit.min_candidates == 2
    assert made.audit.max_posterior == pytest.approx(0.5)
    assert (made.secret.rows < 0).any()
    whole = audit(Opened(history=history, release=made.release, secret=made.secret, parameters=made.parameters))
    assert whole.max_posterior == pytest.approx(0.5)
    assert whole.k == 2


def test_what_cannot_be_laid_on_a_grid_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = History.from_frame(
        pl.DataFrame({"who": ["A"], "n": [1]}), Schema("who", (Column(name="n", kind=Kind.NUMBER),))
    )
    with pytest.raises(InfeasibleError, match="needs a date or datetime column to lay a time grid"):
        complete(numbers)
    monkeypatch.setattr("tokumei.methods.concealment.interpolation.MOST_RECORDS", 10)
    with pytest.raises(InfeasibleError, match="a grid of 4 times for 3 subjects is too large; set slot"):
        complete(paper.table_5())
    frame = pl.DataFrame({"who": ["A"], "at": [None], "lat": [0.1], "lon": [0.1]}, schema_overrides={"at": pl.Datetime})
    with pytest.raises(InfeasibleError, match="the column 'at' has records without a time"):
        complete(History.from_frame(frame, PLACES))
