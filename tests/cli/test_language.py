"""The command line speaks the language of the locale; JSON stays English."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run


@pytest.mark.parametrize("setting", [("LC_ALL", "ja_JP.UTF-8"), ("TOKUMEI_LANGUAGE", "ja")])
def test_hints_are_told_in_japanese(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, setting: tuple[str, str]
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "TOKUMEI_LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "t.csv"
    file.write_text("customer;paid\na;1,5\nb;2,5\na;3\n", encoding="utf-8")
    assert "column 'paid': numbers with a decimal comma" in run("describe", file).out
    monkeypatch.setenv(*setting)
    told = run("describe", file)
    assert "列「paid」: 小数点がコンマの数値です" in told.out
    assert run("describe", file, "--json").json["hints"] == ["column 'paid': numbers with a decimal comma"]
    made = run("anonymize", file, "--k", "2", "-o", tmp_path / "out")
    assert "対象: customer(2 人、3 件。推定)" in made.err
    assert "調べていないこと" in made.out
