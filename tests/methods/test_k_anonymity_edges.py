"""Strict k-anonymity at the edges: too few subjects, degenerate columns, one very long history, tables T6 and T7."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest

from tests.methods.concealment.paper_tables import TABLE_6, TABLE_7, table_5, visit_release
from tokumei.data.cell_error import range_errors
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import Schema
from tokumei.errors import InfeasibleError, ParameterError
from tokumei.methods.k_anonymity import KAnonymity

SCHEMA = Schema("who", (Column(name="day", kind=Kind.NUMBER), Column(name="item", kind=Kind.CATEGORY)))


def history_of(who: list[str], day: list[int | None], item: list[str]) -> History:
    """Return a history of the given records."""
    schema = {"who": pl.String, "day": pl.Int64, "item": pl.String}
    return History.from_frame(pl.DataFrame({"who": who, "day": day, "item": item}, schema=schema), SCHEMA)


def anonymized(history: History, **settings: object) -> tuple[Release, Secret]:
    """Return a release under a fixed seed."""
    method = KAnonymity(**settings)  # type: ignore[arg-type]
    return method.anonymize(history, rng=np.random.default_rng(0))


def group_sizes(release: Release) -> list[int]:
    """Return how many pseudonyms share each published history."""
    rows: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for pseudonym, *cells in release.text().iter_rows():
        rows[pseudonym].append(tuple(cells))
    return sorted(Counter(tuple(sorted(lines)) for lines in rows.values()).values())


def contents(release: Release) -> Counter[tuple[str, ...]]:
    """Return the published rows without their pseudonyms."""
    return Counter(tuple(row[1:]) for row in release.text().iter_rows())


@pytest.mark.parametrize("k", [2, 3, 5])
def test_k_above_the_number_of_subjects_is_infeasible(k: int) -> None:
    """The sentence names k, what is needed, what there is, and what to do."""
    history = history_of(["a"] * 4, [1, 2, 3, 4], list("xyxy"))
    with pytest.raises(InfeasibleError) as error:
        anonymized(history, k=k)
    assert str(error.value) == (
        f"k-anonymity with k = {k} needs at least {k} subjects, the data has 1; lower k or add data"
    )


@pytest.mark.parametrize("k", [1, 0, -3])
def test_k_below_two_is_a_parameter_error(k: int) -> None:
    """One subject alone is not anonymous; the parameter is refused before any work."""
    with pytest.raises(ParameterError, match=f"'k' of 'k-anonymity' must be a whole number of at least 2, got {k}"):
        KAnonymity(k=k)


def test_one_record_or_none_is_infeasible() -> None:
    """One record is one subject; no record is no subject."""
    with pytest.raises(InfeasibleError, match="the data has 1; lower k or add data"):
        anonymized(history_of(["a"], [1], ["x"]), k=2)
    with pytest.raises(InfeasibleError, match="the data has 0; lower k or add data"):
        anonymized(history_of([], [], []), k=2)


@pytest.mark.parametrize(("k", "day"), [(2, "[0;5]"), (3, "*")])
def test_one_record_each_is_the_smallest_release(k: int, day: str) -> None:
    """Exactly k subjects with one record each become k equal rows: the tight hull, or nothing where that loses less."""
    who = [f"s{number}" for number in range(k)]
    history = history_of(who, [5 * number for number in range(k)], ["x"] * k)
    release, secret = anonymized(history, k=k, loss="cell-error")
    assert contents(release) == {(day, "x"): k}
    penalized, _ = anonymized(history, k=k)
    assert contents(penalized) == {(f"[0;{5 * (k - 1)}]", "x"): k}, (
        "plain tables are grouped by ncp, which keeps ranges"
    )
    assert group_sizes(release) == [k]
    assert sorted(secret.owners["subject"].to_list()) == who


@pytest.mark.parametrize("k", [2, 3])
def test_constant_columns_stay_as_they_are(k: int) -> None:
    """A number and a category that never vary are published plain in every row."""
    who = [f"s{number % 7}" for number in range(21)]
    release, secret = anonymized(history_of(who, [7] * 21, ["x"] * 21), k=k)
    assert contents(release) == {("7", "x"): 21}
    assert min(group_sizes(release)) >= k
    assert sorted(secret.rows.tolist()) == list(range(21))


@pytest.mark.parametrize("k", [2, 3])
def test_all_missing_columns_stay_missing(k: int) -> None:
    """A column without any value is missing everywhere and disturbs nothing else."""
    who = [f"s{number % 7}" for number in range(21)]
    release, _ = anonymized(history_of(who, [None] * 21, ["x"] * 21), k=k)
    assert contents(release) == {("", "x"): 21}
    assert min(group_sizes(release)) >= k


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_one_history_of_100_000_records_among_several_hundred(k: int) -> None:
    """The long history is published with the records its group allows; everybody else is published as usual."""
    rng = np.random.default_rng(1)
    counts = np.concatenate(([100_000], rng.integers(1, 40, 200)))
    who = np.repeat([f"s{number:03}" for number in range(len(counts))], counts)
    frame = pl.DataFrame(
        {"who": who, "day": rng.integers(0, 365, len(who)), "item": rng.choice(list("abcdefghij"), len(who))}
    )
    history = History.from_frame(frame, SCHEMA)
    release, secret = anonymized(history, k=k, effort="fast", threads=2)
    assert min(group_sizes(release)) >= k
    assert secret.owners["subject"].n_unique() == len(counts)
    published = np.bincount(history.subject[secret.rows], minlength=len(counts))
    assert 1 <= published[0] <= 39
    assert published[1:].sum() > 0.8 * counts[1:].sum()


# The paper's alignment by time of T5, as record positions: Bob, Carol, Alice in each row; Alice's (12/1; a) is left.
PAPER_ALIGNMENT = np.array([3, 5, 1, 4, 6, 2])


@pytest.fixture
def paper_alignment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Align records as the paper does instead of at least cost."""
    monkeypatch.setattr(
        "tokumei.methods.grouping.merging.align_groups", lambda *_, **__: (np.zeros(1), PAPER_ALIGNMENT.copy())
    )


def shared_names(secret: Secret) -> dict[str, list[str]]:
    """Return the subjects behind every pseudonym that stands for several."""
    behind = secret.owners.group_by("pseudonym").agg(pl.col("subject").sort())
    return dict(behind.filter(pl.col("subject").list.len() > 1).iter_rows())


@pytest.mark.usefixtures("paper_alignment")
def test_dummies_reproduce_table_6() -> None:
    """Three people, k = 3: nine rows, the surplus record under all three names, twice as a dummy (spec C.4, T6)."""
    release, secret = anonymized(table_5(), k=3, surplus="dummy")
    assert contents(release) == contents(visit_release(TABLE_6))
    assert group_sizes(release) == [3]
    dummies = release.take(np.flatnonzero(secret.rows < 0))
    assert contents(dummies) == {("2017-12-01", "a"): 2}
    alice = secret.owners.filter(pl.col("subject") == "Alice")["pseudonym"].to_list()
    assert not set(alice) & set(dummies.pseudonyms.to_list())
    assert sorted(secret.rows[secret.rows >= 0].tolist()) == list(range(7))


@pytest.mark.usefixtures("paper_alignment")
def test_shared_names_reproduce_table_7() -> None:
    """The surplus record stands under a name of all three people: seven rows, no dummy (spec C.4, T7)."""
    release, secret = anonymized(table_5(), k=3, surplus="shared")
    assert contents(release) == contents(visit_release(TABLE_7))
    assert sorted(secret.rows.tolist()) == list(range(7))
    [(name, people)] = shared_names(secret).items()
    assert people == ["Alice", "Bob", "Carol"]
    assert release.text().filter(pl.col("pseudonym") == name)["goods"].to_list() == ["a"]
    assert release.pseudonyms.n_unique() == 4


@pytest.mark.half_second
@pytest.mark.parametrize(("surplus", "rows", "paper"), [("dummy", 9, TABLE_6), ("shared", 7, TABLE_7)])
def test_own_alignment_of_table_5_loses_less_than_the_paper(
    surplus: str, rows: int, paper: list[tuple[str, int, int, str]]
) -> None:
    """Left to itself the method has the paper's shape, but joins c, e, f of one day and leaves b over."""
    history = table_5()
    release, secret = anonymized(history, k=3, surplus=surplus)
    assert len(release) == rows
    assert (secret.rows < 0).sum() == rows - 7
    times = 3 if surplus == "dummy" else 1
    assert contents(release) == {("2017-12-02", "b"): times, ("2017-12-03", "{c;e;f}"): 3, ("*", "{a;d;g}"): 3}
    sizes_of_paper = sorted(len(goods) for _, _, _, goods in paper)
    assert sorted(len(cell.strip("{}").split(";")) for cell in release.text()["goods"]) == sizes_of_paper
    paper_dates = sum(
        float(range_errors(np.array([day]), np.array([low]), np.array([high]), history.spread("date"))[0])
        for low, high, days in ((2, 3, (2, 2, 3)), (3, 4, (3, 3, 4)))
        for day in days
    )
    assert paper_dates > 3.0
