"""Attackers who know little: known answers on hand-made releases, intervals, baselines, determinism."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tokumei.audits import Answer, Question, climb_ladder
from tokumei.data import Cells, Column, History, Kind, RangeCells, Release, Schema, Secret, SetCells

SCHEMA = Schema("who", (Column(name="day", kind=Kind.DATE), Column(name="goods", kind=Kind.CATEGORY)))
# Two pairs who share nothing: whoever knows one record knows the pair.
PEOPLE = {
    "a": [("2020-01-01", "ant"), ("2020-01-09", "ape"), ("2020-01-20", "ass")],
    "b": [("2020-01-03", "bat"), ("2020-01-11", "bee"), ("2020-01-22", "boa")],
    "c": [("2020-03-01", "cat"), ("2020-03-09", "cod"), ("2020-03-20", "cow")],
    "d": [("2020-03-03", "doe"), ("2020-03-11", "dog"), ("2020-03-22", "dun")],
}
# Who, month, day and goods: two pairs agree in their goods, one does not.
SENSITIVE = (("a", 1, 1, "x"), ("b", 1, 2, "x"), ("c", 5, 1, "y"), ("d", 5, 2, "y"), ("e", 9, 1, "x"), ("f", 9, 2, "y"))


def history_of(people: dict[str, list[tuple[str, str]]], *, seed: int | None = None) -> History:
    rows = [(who, day, goods) for who, records in people.items() for day, goods in records]
    frame = pl.DataFrame(rows, schema=["who", "day", "goods"], orient="row")
    if seed is not None:
        frame = frame.sample(fraction=1, shuffle=True, seed=seed)
    return History.from_frame(frame, SCHEMA)


def released(history: History, groups: list[list[str]], *, seed: int | None = None) -> tuple[Release, Secret]:
    """Publish the n-th records of a group as one cell, under one pseudonym for each member."""
    number = {name: place for place, name in enumerate(history.subjects.to_list())}
    names: list[str] = []
    low: list[int] = []
    high: list[int] = []
    sets: list[list[str]] = []
    goods = history.categories["goods"].to_list()
    owners = {who: f"p{place}" for place, who in enumerate(who for group in groups for who in group)}
    for group in groups:
        own = [history.order[history.offsets[number[who]] : history.offsets[number[who] + 1]] for who in group]
        for rows in zip(*own, strict=True):
            days = history.codes["day"][list(rows)]
            for who in group:
                names.append(owners[who])
                low.append(int(days.min()))
                high.append(int(days.max()))
                sets.append([goods[history.codes["goods"][row]] for row in rows])
    order = np.arange(len(names)) if seed is None else np.random.default_rng(seed).permutation(len(names))
    cells: dict[str, Cells] = {
        "day": RangeCells.of_ranges(low, high),
        "goods": SetCells.of_sets(sets, history.categories["goods"]),
    }
    table = pl.DataFrame({"pseudonym": list(owners.values()), "subject": list(owners)})
    release = Release(SCHEMA, pl.Series(names), cells).take(order)
    return release, Secret(table, np.empty(0, dtype=np.int64))


def climb(history: History, release: Release, secret: Secret | None) -> dict[Question, Answer]:
    return climb_ladder(history, release, secret, rng=np.random.default_rng(0), quick=True)


def test_who_shares_nothing_with_others_is_found_by_one_record() -> None:
    history = history_of(PEOPLE)
    answers = climb(history, *released(history, [["a", "b"], ["c", "d"]]))
    found = answers[Question.CONTENTS].figures["records-3/class-found"]
    assert (found.value, found.baseline) == (1.0, 0.5)
    assert found.interval is not None
    assert 0.5 < found.interval.low < 0.6
    assert found.interval.high == 1.0
    auc = answers[Question.MEMBERSHIP].figures["records-3/membership-auc"]
    assert (auc.value, auc.baseline) == (1.0, 0.5)
    # All ends of ranges are values of members, and the pair has no others: half of the named ones are the person's.
    assert answers[Question.CONTENTS].figures["records-3/day-day"].baseline == 0.0


def test_nothing_is_inferred_where_no_column_is_sensitive() -> None:
    history = history_of(PEOPLE)
    answer = climb(history, *released(history, [["a", "b"], ["c", "d"]]))[Question.ATTRIBUTES]
    assert (answer.figures, answer.figure) == ({}, None)
    assert [reason.code for reason in answer.reasons] == ["ladder-no-sensitive"]


@pytest.mark.half_second
def test_figures_depend_neither_on_row_order_nor_on_the_secret_where_the_class_is_plain() -> None:
    history = history_of(PEOPLE)
    groups = [["a", "b"], ["c", "d"]]
    expected = {question: answer.as_dict() for question, answer in climb(history, *released(history, groups)).items()}
    for seed in (1, 2):
        shuffled = history_of(PEOPLE, seed=seed)
        release, secret = released(shuffled, groups, seed=seed)
        for known in (secret, None):
            answers = climb(shuffled, release, known)
            assert {question: answer.as_dict() for question, answer in answers.items()} == expected


def test_without_the_person_random_people_are_learned_by_chance_alone() -> None:
    """Everybody's records are drawn alike: leave-one-out names goods as often as chance does."""
    rng = np.random.default_rng(3)
    people = {
        f"p{number:02}": [
            (str(np.datetime64("2020-01-01") + int(day)), f"g{int(goods)}")
            for day, goods in zip(rng.integers(0, 200, 6), rng.permutation(30)[:6], strict=True)
        ]
        for number in range(60)
    }
    history = history_of(people)
    names = sorted(people)
    answers = climb(history, *released(history, [names[begin : begin + 3] for begin in range(0, 60, 3)]))
    goods = answers[Question.CONTENTS].figures["records-3/goods-value"]
    # Three of the 27 goods that are not known are the person's own.
    assert goods.baseline is not None
    assert abs(goods.baseline - 3 / 27) < 0.06
    assert goods.value > 0.25


def test_a_sensitive_value_that_a_whole_group_shares_is_certain() -> None:
    """Pairs of the same goods on far days: who knows the days knows the goods, and without the release guesses."""
    people = {who: [(f"2020-{month:02}-0{day}", goods)] for who, month, day, goods in SENSITIVE}
    history = history_of(people)
    release, secret = released(history, [["a", "b"], ["c", "d"], ["e", "f"]])
    answers = climb_ladder(history, release, secret, rng=np.random.default_rng(0), sensitive=("goods",), quick=True)
    answer = answers[Question.ATTRIBUTES]
    assert answer.headline == "all-but-goods/certain"
    certain, inferred = answer.figures["all-but-goods/certain"], answer.figures["all-but-goods/inferred"]
    assert (certain.value, certain.baseline) == (4 / 6, 0.0)
    assert inferred.value == 5 / 6
    assert answer.reasons == ()
