"""What two releases of the same people give together: groups linked by content, candidates intersected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.audits.test_ladder import history_of, released
from tests.conftest import Run
from tokumei.audits import Question, combine_releases
from tokumei.data import History, write_release

PEOPLE = {
    who: [(f"2020-0{1 + place}-{day:02}", f"{who}{number}") for number, day in enumerate((1 + place, 9, 20))]
    for place, who in enumerate("abcdef")
}
PAIRS = [["a", "b"], ["c", "d"], ["e", "f"]]
TRIPLES = [["b", "c", "e"], ["a", "d", "f"]]


@pytest.fixture(scope="module")
def history() -> History:
    return history_of(PEOPLE)


def test_two_safe_releases_name_everybody_together(history: History) -> None:
    """Pairs and triples have one person in common each: alone 1/2 and 1/3, together everybody."""
    pairs, first = released(history, PAIRS)
    triples, second = released(history, TRIPLES, seed=1)
    for secrets in ([first, second], [first], []):
        answer = combine_releases(history, pairs, [triples], secrets)
        assert answer.question is Question.RELEASES
        named, linked = answer.figures["releases/named"], answer.figures["releases/linked"]
        assert (named.value, named.baseline) == (1.0, 0.5)
        assert linked.value == 1.0
        left = answer.figures["releases/candidates-left"]
        assert (left.value, left.baseline, left.parts) == (1.0, 2.0, {"fewest": 1.0})
        assert answer.figure == named


def test_the_same_groups_again_tell_nothing_new(history: History) -> None:
    pairs, first = released(history, PAIRS)
    again, second = released(history, PAIRS, seed=3)
    figures = combine_releases(history, pairs, [again], [first, second]).figures
    assert (figures["releases/named"].value, figures["releases/named"].baseline) == (0.5, 0.5)
    assert figures["releases/candidates-left"].value == 2.0


def test_three_releases_intersect(history: History) -> None:
    """Two groupings that leave two candidates, and a third one that parts them."""
    fours, first = released(history, [["a", "b", "c", "d", "e", "f"]])
    pairs, second = released(history, PAIRS)
    triples, third = released(history, TRIPLES)
    alone = combine_releases(history, fours, [pairs], [first, second]).figures["releases/candidates-left"]
    together = combine_releases(history, fours, [pairs, triples], [first, second, third]).figures
    assert (alone.value, together["releases/candidates-left"].value) == (2.0, 1.0)


def test_without_an_earlier_release_nothing_is_claimed(history: History) -> None:
    answer = combine_releases(history, released(history, PAIRS)[0], [])
    assert answer.figure is None
    assert [reason.code for reason in answer.reasons] == ["no-earlier-release"]


@pytest.mark.half_second
def test_the_command_names_earlier_releases(tmp_path: Path, run: Run) -> None:
    rows = [{"who": who, "day": day, "goods": goods} for who, records in PEOPLE.items() for day, goods in records]
    pl.DataFrame(rows).write_csv(tmp_path / "shop.csv")
    history = history_of(PEOPLE)
    for name, groups in (("now", PAIRS), ("before", TRIPLES)):
        write_release(released(history, groups)[0], tmp_path / name)
    ran = run(
        *("audit", "--original", tmp_path / "shop.csv", "--release", tmp_path / "now"),
        *("--with", tmp_path / "before", "--json"),
    )
    figure = ran.json["questions"]["releases"]["figure"]
    assert (figure["name"], figure["value"], figure["baseline"]) == ("named", 1.0, 0.5)


def test_purchases_of_a_shop_are_linked_through_two_safe_releases() -> None:
    """Issue 15: releases at k = 2 and 3 of the same people were linked to 99.8 %."""
    rng = np.random.default_rng(5)
    goods = [f"g{number}" for number in range(60)]
    people = {
        f"c{number:02}": [
            (str(np.datetime64("2021-01-01") + int(day)), goods[int(rng.zipf(1.4)) % 60])
            for day in np.sort(rng.integers(0, 300, 12))
        ]
        for number in range(60)
    }
    history = history_of(people)
    names = list(rng.permutation(pl.Series(sorted(people)).to_numpy()))
    other = list(rng.permutation(names))
    first = released(history, [list(names[begin : begin + 2]) for begin in range(0, 60, 2)])
    second = released(history, [list(other[begin : begin + 3]) for begin in range(0, 60, 3)])
    figures = combine_releases(history, first[0], [second[0]], [first[1], second[1]]).figures
    assert figures["releases/linked"].value >= 0.95
    assert figures["releases/named"].value > 0.9
    assert figures["releases/named"].baseline == pytest.approx(0.5, abs=0.01)
