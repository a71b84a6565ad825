"""The contest of 2016: checks, figures of the command line, and the combined ranking."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import shop_example
from tests.conftest import Run
from tokumei.contests import Entry, Pair, make_contest

CONTEST = make_contest("pws2016")


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    """Return the paper's example, and a release of it made by a sample anonymizer."""
    found = {name: tmp_path / name for name in ("data", "guess")}
    for folder in found.values():
        folder.mkdir()
    (found["data"] / "M.csv").write_text(shop_example.M)
    (found["data"] / "T.csv").write_text(shop_example.T)
    (tmp_path / "release").mkdir()
    CONTEST.anonymize("ano-shuffle", found["data"], tmp_path / "release", settings={}, rng=np.random.default_rng(1))
    return {**found, "release": tmp_path / "release"}


def _guess(folders: dict[str, Path], text: str) -> Any:
    (folders["guess"] / "Q.csv").write_text(text)
    empty = folders["data"]
    return CONTEST.score_guesses(
        folders["data"], folders["release"], published=empty, truth=empty, guesses=[folders["guess"]]
    )[0]


def test_figures_equal_those_of_the_command_line(folders: dict[str, Path], run: Run) -> None:
    files = [folders["data"] / name for name in ("M.csv", "T.csv")]
    files += [folders["release"] / name for name in ("M1.csv", "T1.csv", "P.csv")]
    document = run("pws2016", "evaluate", *files, "--json").json
    checked = CONTEST.check_release(folders["data"], folders["release"])
    assert checked.valid
    figures = dict(checked.figures)
    assert {name: figures[name] for name in document["utility"]} == document["utility"]
    assert {name: figures[name] for name in document["combined"]} == document["combined"]
    assert {f"attack_{name}": rate for name, rate in document["attacks"].items()}.items() <= figures.items()
    assert (figures["reid_max"], figures["consistent"]) == (document["reid_max"], document["consistent"])
    assert CONTEST.release_order(figures) == document["combined"]["sum"]


def test_guesses_are_scored_against_the_secret_rows(folders: dict[str, Path], run: Run) -> None:
    p = (folders["release"] / "P.csv").read_text()
    exact = _guess(folders, p)
    assert (exact.valid, exact.figures["rate"], exact.figures["hits"]) == (True, 1.0, 4)
    scored = _guess(folders, "1\n2\n3\n4\n")
    document = run("pws2016", "safety", folders["release"] / "P.csv", folders["guess"] / "Q.csv", "--json").json
    assert {name: scored.figures[name] for name in ("hits", "n", "rate")} == {
        name: document[name] for name in ("hits", "n", "rate")
    }
    wrong = _guess(folders, "1\n9\nx\n")
    assert [(note.file, note.line, note.code) for note in wrong.notes] == [
        ("Q", 2, "row-out-of-range"),
        ("Q", 3, "bad-row"),
        ("Q", 4, "not-enough-numbers"),
    ]
    assert wrong.notes[2].message["ja"] == "行番号が3個で終わっていますが、M'は4行です。1行に1個を書いてください"
    assert _guess(folders, "1,2\n").notes[0].code == "wrong-cells"


def test_p_is_never_published(folders: dict[str, Path]) -> None:
    made = CONTEST.publish(folders["data"], folders["release"], attackers=["a"], seed="s")
    assert {name: data.decode() for name, data in made.common.items()} == {
        name: (folders["release"] / f"{name}.csv").read_text() for name in ("M1", "T1")
    }
    assert (made.per_attacker, made.truth) == ({}, {})
    assert [file.name for file in CONTEST.release_files if file.secret] == ["P"]


def test_findings_of_all_files_are_told(folders: dict[str, Path]) -> None:
    (folders["release"] / "P.csv").write_text("1\n1\n3\n4\n")
    path = folders["release"] / "M1.csv"
    path.write_text(path.read_text().replace(",f,", ",x,", 1))
    checked = CONTEST.check_release(folders["data"], folders["release"])
    assert [(note.file, note.code) for note in checked.notes] == [("M1", "bad-sex"), ("P", "duplicate-row")]
    assert (checked.valid, checked.note_count) == (False, 2)
    assert all(note.message["en"] != note.message["ja"] for note in checked.notes)
    (folders["release"] / "T1.csv").write_bytes(b"\xff\xfe\x00")
    assert "UTF-16" in CONTEST.check_release(folders["data"], folders["release"]).notes[0].message["en"]


def _entry(team: str, error: float | None, rate: float = 0.0, *, disqualified: bool = False) -> Entry:
    figures = None if error is None else {"utility_error": error, "reid_max": rate}
    return Entry(team, figures, None, disqualified)


def test_the_largest_rate_of_samples_and_teams_counts() -> None:
    entries = [_entry("a", 0.1, 0.3), _entry("b", 0.2, 0.1), _entry("c", None), _entry("d", 0.0, disqualified=True)]
    pairs = [Pair("a", "b", {"rate": 0.5}), Pair("b", "a", {"rate": 0.1}), Pair("d", "a", {"rate": 1.0})]
    table = CONTEST.rank_round(entries, pairs)
    assert [(row.team, row.rank, row.figures["score"]) for row in table.anonymizers] == [
        ("a", 1, pytest.approx(0.4)),
        ("b", 2, pytest.approx(0.7)),
        ("c", None, 2.0),
        ("d", None, 2.0),
    ]
    assert [(row.team, row.rank, row.figures.get("mean_rate")) for row in table.attackers] == [
        ("a", 1, 0.5),
        ("b", 2, 0.1),
        ("c", 3, 0.0),
        ("d", None, None),
    ]
    by_maximum = make_contest("pws2016", {"combine": "max"}).rank_round(entries, pairs)
    assert [row.figures["score"] for row in by_maximum.anonymizers] == [0.3, 0.5, 1.0, 1.0]
    overall = CONTEST.rank_overall([(0.1, table), (0.9, table)])
    assert overall.anonymizers[0].figures["score"] == pytest.approx(0.4)


def test_the_maximum_counts_everywhere_if_the_referee_chose_it() -> None:
    contest = make_contest("pws2016", {"combine": "max"})
    assert contest.release_order({"sum": 0.9, "max": 0.5}) == 0.5
    first = contest.rank_round([_entry("a", 0.1, 0.3)], [])
    second = contest.rank_round([_entry("a", 0.1, 0.3), _entry("late", 0.1, 0.2)], [])
    overall = contest.rank_overall([(0.5, first), (0.5, second)])
    assert {row.team: row.figures["score"] for row in overall.anonymizers} == pytest.approx({"a": 0.3, "late": 0.6})


def test_a_p_that_contradicts_the_data_is_told_or_refused(folders: dict[str, Path]) -> None:
    for name, text in (("M1", shop_example.M), ("T1", shop_example.T), ("P", "2\n3\n1\n4\n")):
        hidden = text.replace("1236", "9936")
        (folders["release"] / f"{name}.csv").write_text(hidden)
    as_in_2016 = make_contest("pws2016", {"need_consistent": False})
    lenient = as_in_2016.check_release(folders["data"], folders["release"])
    assert (lenient.valid, lenient.figures["consistent"]) == (True, False)
    strict = CONTEST.check_release(folders["data"], folders["release"])
    assert (strict.valid, strict.notes[0].code) == (False, "inconsistent-p")
    assert strict.notes[0].message["en"].endswith("P does not belong to this M' and T'.")
    remark = {"en": "P does not fit the data", "ja": "PがM'とT'の内容に合いません"}
    entries = [Entry("a", lenient.figures, None), _entry("b", 0.5, 0.5)]
    told = as_in_2016.rank_round(entries, [])
    assert [(row.team, row.rank, row.remark) for row in told.anonymizers] == [("a", 1, remark), ("b", 2, None)]
    refused = CONTEST.rank_round(entries, [Pair("b", "a", {"rate": 1.0})])
    assert [(row.team, row.rank, row.remark) for row in refused.anonymizers] == [("b", 1, None), ("a", None, remark)]
    assert [(row.team, row.figures["mean_rate"]) for row in refused.attackers] == [("a", 0.0), ("b", 0.0)]


def test_data_is_checked(folders: dict[str, Path]) -> None:
    assert CONTEST.check_data(folders["data"]).figures == {"customers": 4, "rows": 9}
    (folders["data"] / "T.csv").write_text("99999,1,2011/1/1,1:00,5,1.0,1\n")
    refused = CONTEST.check_data(folders["data"])
    assert (refused.valid, refused.notes[0].code) == (False, "unknown-id")
