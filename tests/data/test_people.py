"""A table of people beside the records, releases read as histories, and guesses in one form."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tokumei.data import Column, Guesses, History, Kind, RangeCells, Release, Schema, SetCells
from tokumei.errors import InfeasibleError, SchemaError

BOUGHT = Schema("who", (Column(name="paid", kind=Kind.NUMBER, step=0.5), Column(name="goods")))
ABOUT = Schema("who", (Column(name="sex"),))


def records() -> History:
    frame = pl.DataFrame({"who": ["b", "a", "b"], "paid": [2.5, 1.0, 0.5], "goods": ["x", "y", "y"]})
    return History.from_frame(frame, BOUGHT)


def people(*names: str) -> History:
    return History.from_frame(pl.DataFrame({"who": names, "sex": ["f"] * len(names)}), ABOUT)


def test_people_share_the_subjects_of_the_records() -> None:
    """Who stands only in the table of people is a subject without records."""
    joined = records().with_people(people("c", "b", "a"))
    assert joined.subjects.to_list() == ["a", "b", "c"]
    assert joined.counts().tolist() == [1, 2, 0]
    assert joined.people is not None
    assert joined.people.subjects.equals(joined.subjects)
    assert joined.people.text().rows() == [("c", "f"), ("b", "f"), ("a", "f")]
    assert joined.take([2, 0]).people is joined.people


def test_records_may_belong_to_nobody_in_the_table() -> None:
    joined = records().with_people(people("b"))
    assert joined.subjects.to_list() == ["a", "b"]
    assert joined.people is not None
    assert joined.people.subject.tolist() == [1]


def test_a_person_has_one_row() -> None:
    with pytest.raises(SchemaError, match="a table of people has one row per subject; this one has several rows of a"):
        records().with_people(people("b", "b"))


def _release(paid: RangeCells, goods: SetCells) -> Release:
    return Release(BOUGHT, pl.Series(["9", "7", "9"]), {"paid": paid, "goods": goods})


def test_a_release_of_single_values_is_a_history_of_pseudonyms() -> None:
    paid = RangeCells.of_ranges([5, 2, 0], [5, 2, 0], suppressed=[False, False, True])
    goods = SetCells.of_sets([["x"], None, ["y"]], pl.Series(["x", "y"]))
    history = _release(paid, goods).as_history()
    assert history.subjects.to_list() == ["7", "9"]
    assert history.text().rows() == [("9", "2.5", "x"), ("7", "1", ""), ("9", "", "y")]
    assert history.categories["goods"].to_list() == ["x", "y", ""], "the codes of the original stay"


def test_a_generalized_release_is_no_history() -> None:
    goods = SetCells.of_sets([["x"], ["x"], ["y"]], pl.Series(["x", "y"]))
    with pytest.raises(
        InfeasibleError, match="the column 'paid' of the release has ranges or sets, where single values"
    ):
        _release(RangeCells.of_ranges([1, 2, 3], [1, 3, 3]), goods).as_history()


def test_guesses_about_pseudonyms_and_about_subjects_are_judged_alike() -> None:
    owners = pl.DataFrame({"pseudonym": ["9", "7"], "subject": ["b", "a"]})
    named = Guesses.of_pairs(pl.Series(["9", "7"]), pl.Series(["b", "b"]), attack="one")
    assert named.frame.rows() == [("9", 1, "b"), ("7", 1, "b")]
    assert named.hits(owners) == 1
    choices = np.array([[1, 0], [-1, -1], [0, -1]])
    looked_for = Guesses.of_choices(pl.Series(["a", "b", "c"]), pl.Series(["9", "7"]), choices, attack="other")
    assert looked_for.frame.rows() == [
        ("a", 1, "7"), ("a", 2, "9"), ("b", 1, None), ("b", 2, None), ("c", 1, "9"), ("c", 2, None),
    ]  # fmt: skip
    assert looked_for.pairs().rows() == [("7", "a"), ("9", "c")]
    assert looked_for.hits(owners) == 1
    assert looked_for.choices(pl.Series(["9", "7"])).tolist() == choices.tolist()
    assert Guesses.of_choices(pl.Series(dtype=pl.String), pl.Series(["9"]), choices[:0]).pairs().height == 0
