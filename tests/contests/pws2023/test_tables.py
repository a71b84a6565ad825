"""The checker of PWS Cup 2023 against a slow one, and Ruby's generator in blocks against single draws."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Run
from tests.effort import EFFORT
from tokumei.contests.pws2023.samples import Neighbours, SortAttack, VoteAttack
from tokumei.contests.pws2023.tables import check_table, equal_cells, public_table, secret_table, seed_of
from tokumei.contests.ruby_random import RubyRandom

FILES = 2_000 if EFFORT == "campaign" else 50
ODD = ("10", "-1", " 3", "3 ", "", "03", "*", "x", "３", '"3"', "\r", "3\t", "**")


def damaged(rng: np.random.Generator, rows: int, columns: int) -> bytes:
    """Return a table of digits with some odd cells or lines."""
    lines = [[str(digit) for digit in row] for row in rng.integers(0, 10, size=(rows, columns)).tolist()]
    for _ in range(int(rng.integers(0, 4))):
        kind, at = int(rng.integers(6)), int(rng.integers(len(lines)))
        if kind <= 2:
            lines[at][int(rng.integers(len(lines[at])))] = str(rng.choice(ODD))
        elif kind == 3:
            lines[at].append("1") if rng.random() < 0.5 or len(lines[at]) == 1 else lines[at].pop()
        elif kind == 4:
            lines.insert(at, [""] if rng.random() < 0.5 else list(lines[at]))
        elif len(lines) > 1:
            lines.pop(at)
    end = str(rng.choice(["\n", "\r\n"]))
    text = end.join(",".join(line) for line in lines)
    return (["", "\ufeff"][int(rng.random() < 0.1)] + text + [end, ""][int(rng.integers(2))]).encode()


def slow_message(raw: bytes, rows: int, columns: int, *, star: bool) -> str | None:
    """Return the first fault as the official program finds it, line by line."""
    rest = raw.decode()
    for number in range(1, rows + 1):
        if rest == "":
            return f"line {number}: not a string"
        line, _, rest = rest.partition("\n")
        line = line.removesuffix("\r")
        # Ruby cuts an empty line into no cell at all.
        cells = line.split(",") if line else []
        if len(cells) != columns:
            return f"line {number}: wrong number of columns"
        for column, cell in enumerate(cells, 1):
            if len(cell) != 1 or cell not in ("0123456789*" if star else "0123456789"):
                return f"line {number}: col {column}: {cell}"
    return "too many lines" if rest else None


@pytest.mark.effort
def test_damaged_tables_get_the_verdict_of_the_slow_check(record_property: Any) -> None:
    rng = np.random.default_rng(2023)
    for number in range(FILES):
        rows, columns = (int(size) for size in rng.integers(1, 7, size=2))
        raw, star = damaged(rng, rows, columns), bool(rng.random() < 0.5)
        checked, table = check_table(raw, "A", rows=rows, columns=columns, star=star)
        message = checked.official["message"]
        assert message == slow_message(raw, rows, columns, star=star), (number, raw)
        assert (message is None) == (checked.count == 0) == (table is not None), (number, raw)
    record_property("figure", f"{FILES} damaged tables")


def test_all_faults_are_told_with_line_column_and_value() -> None:
    checked, _table = check_table(b"1,x\n2\n3,10\n", "A", rows=4, columns=2, star=True)
    assert [(note.code, note.line, note.column, note.value) for note in checked.notes] == [
        ("row-count", None, None, None),
        ("cell", 1, 2, "x"),
        ("column-count", 2, None, None),
        ("cell", 3, 2, "10"),
    ]
    assert checked.notes[1].message == {
        "en": "'x' must be a digit or *",
        "ja": "「x」は数字1文字または*でなければなりません",
    }
    assert checked.official == {"valid": False, "message": "line 1: col 2: x"}


def test_blocks_of_draws_equal_single_draws() -> None:
    blocks, single = RubyRandom(7), RubyRandom(7)
    assert blocks.draws(200, 10).tolist() == [single.rand(10) for _ in range(200)]
    blocks.skip_shuffle(50)
    for last in range(49, 0, -1):
        single.rand(last + 1)
    assert blocks.rand(10**9) == single.rand(10**9)
    assert (secret_table(2**32, 5) == secret_table(0, 5)).all()


def test_neighbours_hide_what_sorting_finds_and_voting_finds_more_than_chance() -> None:
    public, secret = public_table(1, 600, 8), secret_table(3, 600)
    table = np.hstack([public, secret])

    def found(released: Any, attack: SortAttack | VoteAttack) -> float:
        rows = released[np.lexsort(released.T[::-1])]
        return equal_cells(secret, attack.answers(public, rows, 1)) / secret.size

    released = Neighbours().anonymize(table, 5)
    assert equal_cells(table, released) / table.size > 0.8
    assert found(table, SortAttack()) == 1.0
    assert found(released, SortAttack()) < 0.13
    assert found(released, SortAttack()) < found(released, VoteAttack()) < 0.3


def test_equal_scores_share_a_rank_whatever_their_rounding(run: Run, tmp_path: Path) -> None:
    # (.8 + .6)/2 = (.9 + .5)/2 and .1 + .2 = .3, but not in binary: s decides, then all attackers are equal.
    utility, attack = tmp_path / "u.csv", tmp_path / "a.csv"
    utility.write_text("team,u\n01,.8\n02,.9\n03,.6\n04,.2\n")
    attack.write_text("attacker,01,02,03,04\n01,,.1,.2,.3\n02,.1,,.3,.2\n03,.4,.5,,.7\n04,.3,.1,.2,\n")
    found = run("pws2023", "standings", utility, attack, "--json").json
    assert [found["anonymizers"][team]["rank"] for team in ("01", "02", "03", "04")] == [1, 2, 3, 4]
    assert [found["attackers"][team]["rank"] for team in ("01", "02", "03", "04")] == [2, 2, 1, 2]


def test_who_handed_in_nothing_valid_shares_the_last_rank(run: Run, tmp_path: Path) -> None:
    utility, attack, before = (tmp_path / name for name in ("u.csv", "a.csv", "ranks.json"))
    utility.write_text("team,u\n01,.8\n02,.9\n03,0\n04,0\n")
    attack.write_text("attacker,01,02,03,04\n01,,.1,1,1\n02,.1,,1,1\n03,.4,.5,,1\n04,.3,.1,1,\n")
    ranks = {"01": 1, "02": 1, "03": 3, "04": 4}
    before.write_text(json.dumps({"anonymizer": ranks, "attacker": ranks}))
    words = (utility, attack, "--invalid", "03", "--invalid", "04", "--preliminary", before, "--json")
    found = run("pws2023", "standings", *words).json
    assert {team: one["rank"] for team, one in found["anonymizers"].items()} == {"01": 1, "02": 2, "03": 3, "04": 3}
    assert found["anonymizers"]["03"] == {"u": 0.0, "s": 0.0, "x": 0.0, "rank": 3}
    assert found["overall"]["anonymizer_top3"] == ["01", "02", "03"]


def test_ends_of_lines_are_cut_as_ruby_cuts_them_and_a_long_seed_is_one(run: Run, tmp_path: Path) -> None:
    assert check_table(b"\n3\n", "F", rows=2, columns=1)[0].official["message"] == "line 1: wrong number of columns"
    (tmp_path / "my_id.txt").write_bytes(b"03\r")
    assert run("pws2023", "check-attack", tmp_path, "--rows", 1, "--json").json["accepted"]
    assert seed_of(b"1" + b"0" * 5_000 + b"7\r\n") == 10**5_001 + 7


def test_a_seed_with_more_lines_is_refused_only_by_strict(run: Run, tmp_path: Path) -> None:
    seed = tmp_path / "seed.txt"
    seed.write_text("5\n6\n")
    assert run("pws2023", "check-seed", seed).status == 0
    assert run("pws2023", "check-seed", seed, "--strict").out == "refused\n"
