"""The contest of 2021: limits by round, test rows per attacker, figures of the command line, official ranks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.contests.pws2021.test_table import random_table
from tokumei.contests import Checked, Entry, Pair, RoundTable, Row, make_contest

CONTEST = make_contest("pws2021")
ROWS, DELETED = 400, 60


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    """Return B, and as D its rows without the first 60."""
    found = {name: tmp_path / name for name in ("data", "release", "guess")}
    for folder in found.values():
        folder.mkdir()
    lines = random_table(ROWS, 5).lines()
    (found["data"] / "B.csv").write_text("".join(f"{line}\n" for line in lines))
    (found["release"] / "D.csv").write_text("".join(f"{line}\n" for line in lines[DELETED:]))
    (found["release"] / "X.csv").write_text("".join(f"{row}\n" for row in range(DELETED)))
    return found


def check(folders: dict[str, Path], kind: str = "final") -> Checked:
    """Check the release in a round of this kind."""
    return CONTEST.for_round(kind).check_release(folders["data"], folders["release"])


@pytest.mark.parametrize("kind", ["preliminary", "final"])
def test_figures_equal_those_of_the_command_line(folders: dict[str, Path], run: Run, kind: str) -> None:
    checked = check(folders, kind)
    files = (folders["data"] / "B.csv", folders["release"] / "D.csv", folders["release"] / "X.csv")
    document = run("pws2021", "evaluate", *files, "--round", kind, "--json").json
    assert checked.figures == {name: limit["value"] for name, limit in document["limits"].items()}
    assert checked.valid == document["passes"]
    beyond = [name for name, limit in document["limits"].items() if not limit["ok"]]
    assert [note.name for note in checked.notes] == beyond


def test_every_limit_that_is_broken_is_named_in_both_languages(folders: dict[str, Path]) -> None:
    path = folders["release"] / "D.csv"
    lines = path.read_text().splitlines()
    cells = lines[0].split(",")
    cells[1] = str(int(float(cells[1])) + (5 if float(cells[1]) < 70 else -5))
    path.write_text("\n".join([",".join(cells), *lines[1:]]) + "\n")
    preliminary, final = check(folders, "preliminary"), check(folders, "final")
    assert "iloss" not in [note.name for note in preliminary.notes]
    found = next(note for note in final.notes if note.name == "iloss")
    assert found.message == {
        "en": "largest information loss is 5, beyond the limit 4 of this round",
        "ja": "情報損失の最大値が5で、この回の制限4を超えています",
    }
    assert final.figures["iloss"] == 5
    assert check(folders, "practice").figures == preliminary.figures


def test_findings_name_file_line_column_and_value(folders: dict[str, Path]) -> None:
    path = folders["release"] / "D.csv"
    lines = path.read_text().splitlines()
    lines[2] = ",".join(["Robot", "old", *lines[2].split(",")[2:]])
    path.write_text("\n".join(lines) + "\n")
    (folders["release"] / "X.csv").write_text("0\n0\n")
    checked = check(folders, "final")
    assert not checked.valid
    told = [(note.file, note.line, note.column, note.code, note.value) for note in checked.notes]
    assert told == [
        ("D", 3, 1, "unknown-value", "Robot"),
        ("D", 3, 2, "no-number", "old"),
        ("X", None, None, "row-count", None),
        ("X", 2, 1, "duplicate-row", "0"),
    ]
    assert checked.notes[0].message["ja"] == "「Robot」は使えません。Female, Male のいずれかを書いてください"
    assert checked.notes[3].message["ja"] == "行 0 がXに2回あります。1回だけ書いてください"
    assert all(set(note.message) == {"en", "ja"} for note in checked.notes)


def test_files_far_too_long_are_refused_before_every_cell_is_explained(folders: dict[str, Path]) -> None:
    (folders["release"] / "D.csv").write_text("x\n" * 100_000)
    checked = check(folders, "final")
    assert [note.message["en"] for note in checked.notes] == [
        "the file has 100,000 lines, more than the 800 that can be needed"
    ]
    (folders["release"] / "D.csv").write_bytes(b"\x00" * 50)
    assert "NUL byte" in check(folders).notes[0].message["en"]
    assert str(folders["release"]) not in json.dumps(check(folders).notes[0].as_dict())


def test_every_attacker_gets_test_rows_of_its_own_whose_answers_stay_secret(folders: dict[str, Path]) -> None:
    made = CONTEST.publish(folders["data"], folders["release"], attackers=["a", "b"], seed="s")
    again = CONTEST.publish(folders["data"], folders["release"], attackers=["b"], seed="s")
    other = CONTEST.publish(folders["data"], folders["release"], attackers=["b"], seed="t")
    assert set(made.common) == {"D"}
    assert made.per_attacker["b"] == again.per_attacker["b"] != other.per_attacker["b"]
    assert made.per_attacker["a"] != made.per_attacker["b"]
    original = (folders["data"] / "B.csv").read_text().splitlines()
    kept = (folders["release"] / "D.csv").read_text().splitlines()
    tests = made.per_attacker["a"]["CT"].decode().splitlines()
    answers = [int(line) for line in made.truth_per_attacker["a"]["EA"].decode().splitlines()]
    assert (len(tests), answers.count(-1)) == (100, 50)
    assert all(kept[row] == test for test, row in zip(tests, answers, strict=True) if row >= 0)
    assert all(test in original[:DELETED] for test, row in zip(tests, answers, strict=True) if row < 0)


def test_few_deleted_rows_are_all_drawn(folders: dict[str, Path]) -> None:
    lines = (folders["data"] / "B.csv").read_text().splitlines()
    (folders["release"] / "X.csv").write_text("7\n3\n")
    (folders["release"] / "D.csv").write_text("\n".join(line for i, line in enumerate(lines) if i not in (3, 7)) + "\n")
    made = CONTEST.publish(folders["data"], folders["release"], attackers=["a"], seed="s")
    answers = made.truth_per_attacker["a"]["EA"].decode().split()
    assert (len(answers), answers.count("-1")) == (100, 2)


def _guess(folders: dict[str, Path], text: str, answers: bytes | None) -> Checked:
    place = folders["guess"]
    (place / "truth").mkdir(exist_ok=True)
    (place / "E.csv").write_text(text)
    if answers is not None:
        (place / "truth/EA.csv").write_bytes(answers)
    empty = folders["data"]
    return CONTEST.score_guesses(folders["data"], folders["release"], published=empty, truth=empty, guesses=[place])[0]


def test_guesses_are_scored_like_lmark(folders: dict[str, Path], run: Run) -> None:
    missing = _guess(folders, "-1,-1,-1\n" * 100, None)
    assert (missing.valid, missing.notes[0].code) == (False, "no-test-rows")
    answers = CONTEST.publish(folders["data"], folders["release"], attackers=["a"], seed="s").truth_per_attacker["a"][
        "EA"
    ]
    text = "".join(
        f"{row},5,6\n" if number % 3 else "-1,-1,-1\n" for number, row in enumerate(answers.decode().split())
    )
    scored = _guess(folders, text, answers)
    files = (folders["guess"] / "truth/EA.csv", folders["guess"] / "E.csv")
    document = run("pws2021", "lmark", *files, "--json").json
    assert {name: document[name] for name in scored.figures} == dict(scored.figures)
    assert 0 < scored.figures["risk"] < 1
    wrong = _guess(folders, "1,2\n" * 100, answers)
    assert wrong.notes[0].message["ja"] == "どの行も2セルですが、3セルが必要です"


def _entry(team: str, *, disqualified: bool = False, valid: bool = True) -> Entry:
    return Entry(team, {"iloss": 4.0} if valid else None, None, disqualified)


def _risk(attacker: str, owner: str, risk: float) -> Pair:
    return Pair(attacker, owner, {"risk": risk})


def test_official_scores_of_the_final() -> None:
    """Spec D.5.5: attacker 01 reaches 0.022 and attacker 06 0.041 over the files of 04, 06 and 10."""
    risks = {
        ("01", "04"): 0.016,
        ("01", "06"): 0.005,
        ("01", "10"): 0.045,
        ("06", "04"): 0.015,
        ("06", "10"): 0.067,
        ("10", "06"): 0.067,
        ("10", "04"): 0.067,
        ("04", "01"): 0.3,
    }
    pairs = [_risk(attacker, owner, risk) for (attacker, owner), risk in risks.items()]
    entries = [_entry(team) for team in ("01", "04", "06", "10")] + [_entry("03", valid=False)]
    table = CONTEST.rank_round(entries, pairs)
    assert [(row.team, row.rank, row.figures["R"]) for row in table.anonymizers] == [
        ("04", 1, 0.067),
        ("06", 1, 0.067),
        ("10", 1, 0.067),
        ("01", 4, 0.3),
        ("03", 5, 1.0),
    ]
    assert table.anonymizers[4].remark == {"en": "no valid submission", "ja": "有効な提出なし"}
    reached = {row.team: row.figures["A"] for row in table.attackers}
    assert reached["01"] == pytest.approx(0.022, abs=5e-4)
    assert reached["06"] == pytest.approx(0.041, abs=5e-4)
    assert reached["03"] == 0.0


def test_disqualified_teams_count_neither_as_target_nor_as_attacker() -> None:
    entries = [_entry("a"), _entry("b"), _entry("c", disqualified=True)]
    table = CONTEST.rank_round(entries, [_risk("c", "a", 0.9), _risk("a", "c", 0.8), _risk("a", "b", 0.2)])
    assert [(row.team, row.rank, row.figures["R"]) for row in table.anonymizers] == [
        ("a", 1, 0.0),
        ("b", 2, 0.2),
        ("c", None, 1.0),
    ]
    assert {row.team: (row.rank, row.figures.get("A")) for row in table.attackers} == {
        "a": (1, 0.2),
        "b": (2, 0.0),
        "c": (None, None),
    }


def _table(anonymizers: dict[str, float], attackers: dict[str, float]) -> RoundTable:
    blank = {"en": "", "ja": ""}
    first = tuple(Row(team, 1, {"R": risk}) for team, risk in anonymizers.items())
    second = tuple(Row(team, 1, {"A": risk}) for team, risk in attackers.items())
    return RoundTable(first, second, (), (), blank, blank)


def test_official_overall_ranks() -> None:
    """Spec D.5.5: 06 has 0.1*0.794 + 0.9*0.067 = 0.140 and 0.1*0.081 + 0.9*0.041 = 0.045; 10 wins with 3 + 2."""
    preliminary = _table(
        {"06": 0.794, "04": 0.81, "10": 0.83, "01": 0.9, "02": 0.9, "05": 0.9, "08": 0.9, "09": 0.9},
        {"06": 0.081, "04": 0.05, "10": 0.2, "01": 0.2, "02": 0.2, "05": 0.2, "08": 0.0, "09": 0.0},
    )
    final = _table(
        {"06": 0.067, "04": 0.067, "10": 0.067, "01": 0.3, "02": 0.2, "05": 0.25, "08": 0.15, "09": 0.27},
        {"06": 0.041, "04": 0.03, "10": 0.06, "01": 0.07, "02": 0.05, "05": 0.055, "08": 0.0, "09": 0.0},
    )
    table = CONTEST.rank_overall([(0.1, preliminary), (0.9, final)])
    anonymizers = {row.team: row for row in table.anonymizers}
    assert anonymizers["06"].figures["score"] == pytest.approx(0.140, abs=5e-4)
    attackers = {row.team: row for row in table.attackers}
    assert attackers["06"].figures["score"] == pytest.approx(0.045, abs=5e-4)
    found = {
        team: (anonymizers[team].rank, attackers[team].rank, anonymizers[team].figures["rank_sum"])
        for team in ("10", "06", "04")
    }
    assert found == {"10": (3, 2, 5), "06": (1, 5, 6), "04": (2, 6, 8)}
    by_place = sorted(anonymizers.values(), key=lambda row: row.figures["overall"])
    assert [(row.team, row.figures["overall"]) for row in by_place[:3]] == [("10", 1), ("06", 2), ("04", 3)]


def test_too_small_a_table_is_refused(folders: dict[str, Path]) -> None:
    assert CONTEST.check_data(folders["data"]).figures == {"rows": ROWS}
    path = folders["data"] / "B.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:150]) + "\n")
    assert CONTEST.check_data(folders["data"]).notes[0].message["en"] == (
        "B has 150 rows, but test rows can be drawn only from 200 or more"
    )
    path.write_text("a,b\n")
    assert not CONTEST.check_data(folders["data"]).valid
