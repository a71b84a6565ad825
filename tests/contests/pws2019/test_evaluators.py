"""The evaluators of PWS Cup 2019 on files that are no text of theirs, and ties of the standings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tokumei.contests.official import StoppedError
from tokumei.contests.pws2019.traces import cell_lines, read_cells


def test_a_file_in_another_encoding_ends_the_program(tmp_path: Path) -> None:
    path = tmp_path / "ano.csv"
    path.write_bytes("reg_id\n101\n東京\n".encode("cp932"))
    with pytest.raises(StoppedError) as stopped:
        cell_lines(path)
    assert stopped.value.exception == "UnicodeDecodeError"
    assert "UTF-8" in str(stopped.value)


def test_text_in_utf_8_ends_it_at_its_cell() -> None:
    with pytest.raises(StoppedError) as stopped:
        read_cells(["101", "東京", "1025"], 3, "ano.csv")
    assert stopped.value.exception == "ValueError"
    assert "line 3" in str(stopped.value)


def test_totals_equal_on_paper_go_by_name_whatever_their_rounding(run: Run, tmp_path: Path) -> None:
    # .1 + .2 is .3, but a little more in binary.
    (tmp_path / "I.csv").write_text("pub,team001,team002\nteam001_data01_IDP,,.3\nteam002_data01_IDP,.1,\n")
    (tmp_path / "T.csv").write_text("pub,team001,team002\nteam001_data02_TRP,,0\nteam002_data02_TRP,.2,\n")
    found = run("pws2019", "standings", tmp_path / "I.csv", tmp_path / "T.csv", "--json").json["anonymizers"]
    assert (found["001"]["remark"], found["002"]["remark"]) == ("1st", "2nd")
    assert found["001"]["Total"] < found["002"]["Total"]
