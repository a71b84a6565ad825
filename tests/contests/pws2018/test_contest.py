"""The contest of 2018: the same figures as on the command line, findings in both languages, rankings with every tie."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.arena import world
from tests.conftest import Run
from tokumei.contests import Entry, Pair, RoundTable, make_contest
from tokumei.contests.notes import KEPT_NOTES

CONTEST = make_contest("pws2018")
START = datetime(2018, 10, 9, tzinfo=UTC)
# Table 3 of the report (spec B.11): U and whether an effective re-identification was received.
TABLE_3 = {
    "01": (0.206, True),
    "02": (0.365, False),
    "03": (0.294, True),
    "05": (0.262, False),
    "06": (0.209, True),
    "07": (0.457, False),
    "08": (0.277, False),
    "09": (0.430, True),
    "10": (0.193, True),
    "11": (0.206, True),
    "12": (0.476, True),
    "13": (0.255, True),
    "14": (0.206, False),
}


def entry(team: str, loss: float | None, minutes: int = 0, *, disqualified: bool = False) -> Entry:
    """Return a team with a release of this U, or without one."""
    figures = None if loss is None else {"U": loss}
    return Entry(team, figures, START + timedelta(minutes=minutes), disqualified)


def pair(attacker: str, owner: str, *, unsafe: bool = False, sharp: bool = False, hits: int = 0) -> Pair:
    """Return what an attacker achieved."""
    return Pair(attacker, owner, {"unsafe": unsafe, "sharp_unsafe": sharp or unsafe, "hits": hits, "n": 8})


def places(table: RoundTable) -> list[tuple[str, int | None]]:
    """Return the anonymizers with their ranks."""
    return [(row.team, row.rank) for row in table.anonymizers]


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    """Return data, release, published and guesses folders of the small world."""
    found = {name: tmp_path / name for name in ("data", "release", "published", "truth", "guesses")}
    for folder in found.values():
        folder.mkdir()
    (found["data"] / "T.csv").write_bytes(world.T)
    (found["release"] / "A.csv").write_bytes(world.GOOD_A)
    return found


def score(folders: dict[str, Path], *files: bytes, **parameters: Any) -> list[Any]:
    """Publish the release and score files of guesses about it."""
    made = CONTEST.publish(folders["data"], folders["release"], attackers=[], seed="")
    (folders["published"] / "A1.csv").write_bytes(made.common["A1"])
    places = []
    for number, data in enumerate(files):
        place = folders["guesses"] / str(number)
        place.mkdir()
        (place / "F1.csv").write_bytes(data)
        places.append(place)
    return make_contest("pws2018", parameters).score_guesses(
        folders["data"], folders["release"], published=folders["published"], truth=folders["truth"], guesses=places
    )


def _without(document: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in names}


def test_figures_equal_those_of_the_command_line(folders: dict[str, Path], run: Run) -> None:
    generalized = world.GOOD_A.decode().replace(",1.5,", ",[1;2],").replace("2011/3/4", "[2011/3/1;2011/3/9]")
    a = folders["release"] / "A.csv"
    a.write_text(generalized)
    files = [world.guesses(right) for right in (8, 7, 0)]
    scored = score(folders, *files)
    paths = [folders["guesses"] / str(number) / "F1.csv" for number in range(3)]
    document = run("pws2018", "evaluate", folders["data"] / "T.csv", a, *paths, "--json").json
    checked = CONTEST.check_release(folders["data"], folders["release"])
    assert checked.figures == document["utility"]
    assert checked.figures["U"] > 0
    assert [dict(one.figures) for one in scored] == [
        _without(found, "file", "warnings") for found in document["safety"]
    ]
    assert [one.figures["unsafe"] for one in scored] == [True, False, False]
    published = folders["published"] / "A2.csv"
    run("pws2018", "publish", a, "-o", published)
    assert published.read_bytes() == (folders["published"] / "A1.csv").read_bytes()


def test_findings_have_place_value_and_both_languages(folders: dict[str, Path], run: Run) -> None:
    bad = world.GOOD_A.replace(b"2011/1/3", b"2011/13/3").replace(b",20007,", b",[1;2],")
    a = folders["release"] / "A.csv"
    a.write_bytes(bad)
    checked = CONTEST.check_release(folders["data"], folders["release"])
    assert not checked.valid
    assert checked.figures == {}
    for language in ("en", "ja"):
        told = run("pws2018", "check", folders["data"] / "T.csv", a, "--language", language, "--json").json
        assert checked.note_count == told["error_count"]
        assert [
            {"line": note.line, "cell": note.column, "code": note.code, "message": note.message[language]}
            for note in checked.notes
        ] == told["errors"]
    first = checked.notes[0]
    assert (first.file, first.line, first.column, first.name, first.value) == ("A", 1, 2, "date", "2011/13/3")
    guessed = score(folders, b"381,1\nx\n")[0]
    assert [(note.line, note.code) for note in guessed.notes] == [(1, "UNKNOWN_CUSTOMER"), (2, "INVALID_FORMAT")]


def test_guesses_that_only_the_checker_can_read_do_not_spoil_those_of_others(folders: dict[str, Path]) -> None:
    odd, good = score(folders, world.guesses().replace(b"\n", b"\r"), world.guesses())
    assert (odd.valid, odd.notes[0].code, good.figures["hits"]) == (False, "column-count", 8)


def test_only_the_first_sentences_of_a_hopeless_file_are_kept(folders: dict[str, Path]) -> None:
    row = b"12345,2011/1/1,1,1.5,1\n"
    (folders["data"] / "T.csv").write_bytes(row * 2_000)
    (folders["release"] / "A.csv").write_bytes(b"x,x,x,x,x\n" * 2_000)
    checked = CONTEST.check_release(folders["data"], folders["release"])
    assert (checked.note_count, len(checked.notes)) == (10_000, KEPT_NOTES)


def test_a_threshold_table_and_other_levels_are_followed(folders: dict[str, Path]) -> None:
    (folders["data"] / "R.csv").write_text("".join(f"{n},{1 if n == 8 else n + 1}\n" for n in range(20)))
    assert score(folders, world.guesses(2))[0].figures["threshold"] == 1
    (folders["data"] / "R.csv").unlink()
    easier = make_contest("pws2018", {"p": "1/10", "alpha": "0.05"}).score_guesses(
        folders["data"],
        folders["release"],
        published=folders["published"],
        truth=folders["truth"],
        guesses=[folders["guesses"] / "0"],
    )
    assert easier[0].figures["threshold"] < 8


def test_data_is_described_or_refused(folders: dict[str, Path]) -> None:
    found = CONTEST.check_data(folders["data"])
    assert (found.valid, found.figures["rows"], found.figures["customers"]) == (True, 24, 8)
    (folders["data"] / "T.csv").write_bytes(b"1,2\n")
    refused = CONTEST.check_data(folders["data"])
    assert not refused.valid
    assert "T.csv, line 1: the line has 2 cells" in refused.notes[0].message["en"]
    assert str(folders["data"]) not in refused.notes[0].message["en"]


def test_the_winner_of_2018_is_team_14() -> None:
    entries = [entry(team, loss) for team, (loss, _) in TABLE_3.items()]
    pairs = [pair("07", team, unsafe=hit, hits=8 if hit else 3) for team, (_, hit) in TABLE_3.items() if team != "07"]
    table = CONTEST.rank_round(entries, pairs)
    assert places(table)[:5] == [("14", 1), ("05", 2), ("08", 3), ("02", 4), ("07", 5)]
    unsafe = [row for row in table.anonymizers if row.rank is None]
    assert [row.team for row in unsafe] == ["10", "01", "11", "06", "13", "03", "09", "12"]
    assert all(row.remark == {"en": "effectively re-identified", "ja": "有効な再識別を受けた"} for row in unsafe)
    assert table.attackers[0].team == "07"
    assert table.attackers[0].figures["effective"] == 8


def test_ties_go_by_sharp_test_then_by_time() -> None:
    entries = [
        entry("late", 0.2, 9),
        entry("early", 0.2 + 4e-10, 1),
        entry("sharp", 0.2 - 4e-10, 0),
        entry("worse", 0.3),
    ]
    pairs = [pair("worse", "sharp", sharp=True, hits=7)]
    assert places(CONTEST.rank_round(entries, pairs)) == [("early", 1), ("late", 2), ("sharp", 3), ("worse", 4)]
    same = [entry("one", 0.2), entry("two", 0.2)]
    assert places(CONTEST.rank_round(same, [])) == [("one", 1), ("two", 1)]
    chain = [entry("a", 0.2, 3), entry("b", 0.2 + 9e-10, 2), entry("c", 0.2 + 18e-10, 1)]
    assert places(CONTEST.rank_round(chain, [])) == [("b", 1), ("a", 2), ("c", 3)]


def test_disqualified_absent_and_unattacked_teams() -> None:
    entries = [entry("good", 0.4), entry("cheat", 0.1, disqualified=True), entry("absent", None)]
    pairs = [pair("cheat", "good", unsafe=True, hits=8), pair("absent", "cheat", unsafe=True, hits=8)]
    table = CONTEST.rank_round(entries, pairs)
    # What a disqualified team found does not count against others.
    assert places(table) == [("good", 1), ("cheat", None), ("absent", None)]
    assert [row.remark and row.remark["en"] for row in table.anonymizers[1:]] == ["disqualified", "no valid submission"]
    assert [(row.team, row.rank) for row in table.attackers] == [("absent", 1), ("good", 2), ("cheat", None)]


def test_overall_weighs_rounds_and_counts_an_unsafe_one_as_complete_loss() -> None:
    first = CONTEST.rank_round([entry("a", 0.1), entry("b", 0.3), entry("c", 0.2)], [pair("b", "a", unsafe=True)])
    second = CONTEST.rank_round([entry("a", 0.2), entry("b", 0.25), entry("c", 0.3)], [pair("a", "c", unsafe=True)])
    table = CONTEST.rank_overall([(0.1, first), (0.9, second)])
    found = {row.team: (row.rank, row.figures["score"]) for row in table.anonymizers}
    assert found["b"] == (1, pytest.approx(0.1 * 0.3 + 0.9 * 0.25))
    assert found["a"] == (2, pytest.approx(0.1 * 1.0 + 0.9 * 0.2))
    assert found["c"] == (3, pytest.approx(0.1 * 0.2 + 0.9 * 1.0))
    assert [(row.team, row.figures["score"]) for row in table.attackers] == [
        ("a", pytest.approx(0.9)),
        ("b", pytest.approx(0.1)),
        ("c", 0.0),
    ]
