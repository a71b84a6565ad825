"""The evaluators of PWS Cup 2019 on files that are no text of theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

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
