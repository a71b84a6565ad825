"""re-item: golden answers, a plain re-implementation, choice and parameters."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.contests.pws2018.attacks.item_sets import ItemSets, item_candidates, match_item_sets
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release
from tokumei.data.schema import Schema
from tokumei.errors import InfeasibleError, ParameterError
from tokumei.parts import make_part

CASES = ["a01_pseudonym_only", "a02_light", "a03_mixed", "a04_goods_sets", "a05_several_pseudonyms"]
ORIGINAL = st.lists(st.tuples(st.sampled_from("1234"), st.sampled_from("abcd*")), max_size=14)
CELLS = st.sampled_from(["a", "b", "c", "*", "{a;b}", "{b;c;d}", "{d}", "{a;a}", "{a", "q"])
PUBLISHED = st.lists(st.tuples(st.sampled_from(["9", "10", "2", "007", "x"]), CELLS), max_size=14)

Columns = tuple[pl.Series, pl.Series, pl.Series, pl.Series]


def _columns(original: list[tuple[str, str]], published: list[tuple[str, str]]) -> Columns:
    first, second = (
        [pl.Series([row[place] for row in rows], dtype=pl.String) for place in (0, 1)] for rows in (original, published)
    )
    return first[0], first[1], second[0], second[1]


def _golden(folder: Path) -> Columns:
    files = [[line.split(",") for line in (folder / name).read_text().splitlines()] for name in ("T.csv", "A1.csv")]
    return _columns(*([(row[0], row[2]) for row in rows] for rows in files))


def _plain_candidates(
    items: list[str], pool: set[str], rows: dict[str, int], published: list[tuple[str, str]]
) -> set[str]:
    """Walk through spec B.9 with Python sets."""
    left = {pseudonym for pseudonym in pool if rows[pseudonym] <= len(items)}
    for item in items:
        if len(left) <= 1:
            break
        left &= {name for name, cell in published if item in _elements(cell)}
    return left


def _elements(cell: str) -> list[str]:
    return cell[1:-1].split(";") if cell.startswith("{") and cell.endswith("}") else [cell]


def _number(pseudonym: str) -> tuple[bool, int, str]:
    return (not pseudonym.isdigit(), int(pseudonym) if pseudonym.isdigit() else 0, pseudonym)


@pytest.mark.parametrize("name", [*CASES, "a06_duplicate_rows"])
def test_golden_answers(golden: Path, name: str) -> None:
    folder = golden / "pws2018" / name
    expected = json.loads((folder / "expected.json").read_text())
    columns = _golden(folder)
    guesses = match_item_sets(*columns)
    assert [",".join(row) for row in guesses.pairs().rows()] == expected["re_item_deterministic"]["F1"]
    found = {subject: sorted(names) for subject, names in item_candidates(*columns).items()}
    assert found == {subject: sorted(names) for subject, names in expected["re_item_candidates"].items()}


@pytest.mark.half_second
@given(original=ORIGINAL, published=PUBLISHED)
def test_answers_equal_a_plain_walk(original: list[tuple[str, str]], published: list[tuple[str, str]]) -> None:
    rows = {name: sum(row[0] == name for row in published) for name, _ in published}
    pool, guesses, candidates = set(rows), [], {}
    for subject in dict.fromkeys(row[0] for row in original):
        items = [item for name, item in original if name == subject]
        everyone = _plain_candidates(items, set(rows), rows, published)
        if everyone:
            candidates[subject] = sorted(everyone, key=_number)
        left = _plain_candidates(items, pool, rows, published)
        if left:
            pick = min(left, key=_number)
            guesses.append((pick, subject))
            pool.remove(pick)
    columns = _columns(original, published)
    assert match_item_sets(*columns).pairs().rows() == guesses
    assert item_candidates(*columns) == candidates


@pytest.mark.half_second
@given(original=ORIGINAL, published=PUBLISHED, seed=st.integers(0, 9))
def test_random_answers_are_possible_distinct_and_repeatable(
    original: list[tuple[str, str]], published: list[tuple[str, str]], seed: int
) -> None:
    columns = _columns(original, published)
    first, second = (match_item_sets(*columns, rng=np.random.default_rng(seed)).pairs() for _ in range(2))
    assert first.equals(second)
    assert first["pseudonym"].n_unique() == first.height
    pool = {name for name, _ in published}
    rows = {name: sum(row[0] == name for row in published) for name in pool}
    for pseudonym, subject in first.iter_rows():
        items = [item for name, item in original if name == subject]
        assert pseudonym in _plain_candidates(items, pool, rows, published)
        pool.remove(pseudonym)


def _history(people: list[str], goods: list[str]) -> History:
    schema = Schema("who", (Column(name="paid", kind=Kind.NUMBER), Column(name="shop"), Column(name="goods")))
    frame = pl.DataFrame({"who": people, "paid": [1] * len(people), "shop": ["s"] * len(people), "goods": goods})
    return History.from_frame(frame, schema)


def _identity(history: History) -> Release:
    cells = {spec.name: history.cells(spec.name) for spec in history.schema.fields}
    return Release(history.schema, history.subjects.gather(history.subject), cells)


def test_part_finds_everyone_by_the_named_column() -> None:
    history = _history(["1", "1", "2", "3", "3"], ["a;b", "{c", "a;b", "*", "d"])
    guesses = ItemSets(column="goods").guess(history, _identity(history), rng=np.random.default_rng(1))
    assert guesses.pairs().rows() == [("1", "1"), ("2", "2"), ("3", "3")]
    assert guesses.attack == "re-item"


@pytest.mark.half_second
def test_part_takes_the_first_category_and_the_choice() -> None:
    history = _history(["3", "2", "1"], ["a", "b", "c"])
    release = _identity(history)
    smallest = make_part(ItemSets, {"choice": "smallest"})
    assert smallest.guess(history, release, rng=np.random.default_rng(0)).pairs().rows() == [
        ("1", "3"),
        ("2", "2"),
        ("3", "1"),
    ]
    answers = {
        tuple(ItemSets().guess(history, release, rng=np.random.default_rng(s)).pairs().rows()) for s in range(40)
    }
    assert len(answers) == 6


def test_unknown_column_and_schema_without_category_are_refused() -> None:
    history = _history(["1"], ["a"])
    with pytest.raises(ParameterError, match=r"must be a category column \(did you mean 'goods'\?\): shop, goods; got"):
        ItemSets(column="good").guess(history, _identity(history), rng=np.random.default_rng(0))
    schema = Schema("who", (Column(name="paid", kind=Kind.NUMBER),))
    numbers = History.from_frame(pl.DataFrame({"who": ["1"], "paid": [2]}), schema)
    with pytest.raises(InfeasibleError, match="compares a category column, and the schema has none"):
        ItemSets().guess(numbers, _identity(numbers), rng=np.random.default_rng(0))
    with pytest.raises(ParameterError, match="must be one of random, smallest, got 'largest'"):
        make_part(ItemSets, {"choice": "largest"})


@pytest.mark.half_second
def test_real_customers_are_found_by_their_goods(real_data: Path) -> None:
    rows = [line.split(",") for line in (real_data / "pwscup2018_T.csv").read_text().splitlines()]
    original = [(row[0], row[2]) for row in rows]
    guesses = match_item_sets(*_columns(original, sorted(original)))
    assert len(guesses) == 999
    assert (guesses.pairs()["pseudonym"] == guesses.pairs()["subject"]).sum() == 996
