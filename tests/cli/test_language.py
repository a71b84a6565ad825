"""The command line speaks the language of the locale, or that of ``--language``; JSON stays English."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import Run

TABLE = "customer;paid\na;1,5\nb;2,5\na;3\nb;2,5\n"
# Words of English prose; names of columns, methods, files and options stay as they are.
ENGLISH = re.compile(r"\b(the|of|and|withheld|lost|names|verdict|hand|about|is|are|was)\b")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "TOKUMEI_LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    table = tmp_path / "t.csv"
    table.write_text(TABLE, encoding="utf-8")
    return table


@pytest.mark.parametrize("setting", [("LC_ALL", "ja_JP.UTF-8"), ("TOKUMEI_LANGUAGE", "ja")])
def test_hints_are_told_in_japanese(
    file: Path, run: Run, monkeypatch: pytest.MonkeyPatch, setting: tuple[str, str]
) -> None:
    assert "column 'paid': numbers with a decimal comma" in run("describe", file).out
    monkeypatch.setenv(*setting)
    told = run("describe", file)
    assert "列「paid」：小数点がコンマの数値です" in told.out
    assert run("describe", file, "--json").json["hints"] == ["column 'paid': numbers with a decimal comma"]
    assert run("describe", file, "--language", "en").out.startswith("4 records of 2 subjects")


def test_the_whole_path_is_told_in_japanese(
    file: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    japanese, out = ("--language", "ja"), Path("out")
    monkeypatch.chdir(tmp_path)
    file = Path(file.name)
    opened = ("--original", file, "--release", out, "--secret", f"{out}.secret")
    told = [run("describe", file, *japanese, "-o", "s.toml")]
    told.append(run("anonymize", file, "--k", 2, "--dry-run", *japanese))
    told.append(run("anonymize", file, "--k", 2, "-o", out, *japanese))
    told += [run("audit", *opened, *japanese), run("judge", *opened, *japanese)]
    told.append(run("attack", "nearest-history", *opened, "-o", "g.csv", *japanese))
    told.append(run("report", *opened, "-o", "r.html", "--quick", *japanese))
    assert "対象：customer（2 人、4 件。推定）" in told[2].err
    assert "調べていないこと" in told[2].out
    for one in told:
        assert one.status == 0, one.err
        text = re.sub(r"tokumei \S+ .*", "", one.out + one.err)
        assert not ENGLISH.search(text), text


def test_what_stops_a_run_is_told_in_japanese_and_in_json_in_english(tmp_path: Path, run: Run) -> None:
    doubtful = tmp_path / "rows.csv"
    rows = "".join(f"{row % 17},{row % 15},{row % 3}\n" for row in range(200))
    doubtful.write_text(f"user,patient,y\n{rows}", encoding="utf-8")
    stopped = run("anonymize", doubtful, "-o", tmp_path / "out", "--language", "ja")
    assert stopped.status == 2
    assert "--subject 列名 で指定してください" in stopped.err
    assert "name the column with --subject" in run("anonymize", doubtful, "-o", tmp_path / "out", "--json").json[
        "error"
    ]["message"]  # fmt: skip


def test_an_unknown_language_is_refused(file: Path, run: Run) -> None:
    refused = run("describe", file, "--language", "fr")
    assert refused.status == 2
    assert "known: en, ja" in refused.err


def test_contest_words_stay_in_contests(file: Path, tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out"
    run("anonymize", file, "--k", 2, "-o", out)
    told = run("audit", "--original", file, "--release", out, "--secret", f"{out}.secret")
    assert "contest" not in told.out
    assert "survive" not in told.out
