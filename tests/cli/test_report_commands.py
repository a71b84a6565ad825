"""``tokumei report`` and ``tokumei compare``: files, exit status, refusals, and no subject id in anything written."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.cli.refusal import refused
from tests.conftest import Run
from tests.sample_histories import mixed_frame

IDS = [f"SUBJECT-QZX-{number:04}" for number in range(9)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a small table with unmistakable subject ids."""
    path = tmp_path / "data.parquet"
    mixed_frame().write_parquet(path)
    return path


@pytest.fixture
def release(run: Run, tmp_path: Path, table: Path) -> Path:
    """Return the folder of a safe release of it; its secret lies beside it."""
    folder = tmp_path / "release"
    assert run("anonymize", table, "--k", "2", "-o", folder).status == 0
    return folder


@pytest.mark.half_second
def test_a_report_is_written_with_the_secret_beside_the_release(
    run: Run, tmp_path: Path, table: Path, release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "report.html"
    done = run("report", "--original", table, "--release", release, "--k-curve", "2,3", "-o", file, "--json")
    assert done.status == 0, done.err
    assert done.err == ""
    text = file.read_text(encoding="utf-8")
    expected = {"report": str(file), "language": "en", "verdict": "safe", "k": 2, "with_secret": True}
    assert done.json == {**expected, "bytes": len(text.encode())}
    assert [name for name in IDS if name in text] == []
    assert "k-anonymity k=3" in text
    opened: Counter[str] = Counter()
    opening = io.open

    def counted(path: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if "r" in mode:
            opened[str(path)] += 1
        return opening(path, mode, *arguments, **options)

    monkeypatch.setattr(io, "open", counted)
    again = run("report", "--original", table, "--release", release, "--language", "ja", "-o", file)
    monkeypatch.undo()
    # What is parsed, compared and hashed are the same bytes: every file is read once.
    inputs = [table, tmp_path / "release.secret", *release.iterdir()]
    assert {path.name: opened[str(path)] for path in inputs} == dict.fromkeys((path.name for path in inputs), 1)
    assert again.status == 0
    assert "公開データと一緒に渡さないでください" in again.out
    assert '<html lang="ja">' in file.read_text(encoding="utf-8")


@pytest.mark.half_second
def test_an_unsafe_release_ends_with_status_1(run: Run, tmp_path: Path, table: Path) -> None:
    folder = tmp_path / "bare"
    run("anonymize", table, "--method", "pseudonymize", "--skip-audit", "-o", folder)
    (tmp_path / "bare.secret").unlink()
    done = run("report", "--original", table, "--release", folder, "-o", tmp_path / "report.html", "--json")
    assert done.status == 1
    assert (done.json["verdict"], done.json["with_secret"]) == ("unsafe", False)


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--language", "jp"), "there is no report in the language 'jp'; known: en, ja"),
        (("--k-curve", "2,x"), "--k-curve takes whole numbers of at least 2, separated by commas"),
        (("--k-curve", "1"), "--k-curve takes whole numbers of at least 2"),
        (("--secret", "nowhere"), "nowhere: there is no such file; name the secret file"),
    ],
)
def test_wrong_options_are_refused_and_nothing_is_written(
    run: Run, tmp_path: Path, table: Path, release: Path, words: tuple[str, ...], message: str
) -> None:
    file = tmp_path / "report.html"
    error = refused(run, tmp_path, "report", "--original", table, "--release", release, "-o", file, *words)
    assert message in error["message"]


def test_a_report_never_lies_in_the_release_folder(run: Run, tmp_path: Path, table: Path, release: Path) -> None:
    inside = release / "report.html"
    error = refused(run, tmp_path, "report", "--original", table, "--release", release, "-o", inside)
    assert error["message"].startswith("the report must not lie in the release folder")


def test_nothing_internal_is_written_into_the_release_folder_or_over_its_secret(
    run: Run, tmp_path: Path, table: Path, release: Path
) -> None:
    files = ("--original", table, "--release", release)
    secret = release.with_name("release.secret")
    report = ("report", *files, "-o", tmp_path / "report.html")
    for words, kind in (
        (("attack", "re-item", *files, "-o", release / "guesses.csv"), "the guesses"),
        (("attack", "re-item", *files, "-o", secret), str(secret)),
        (("audit", *files, "--quick", "--certificate", release / "certificate.json"), "the certificate"),
        (("audit", *files, "--quick", "--certificate", release / "data.csv"), "the certificate"),
        ((*report, "--public", release / "public.html"), "the public summary"),
    ):
        assert refused(run, tmp_path, *words)["message"].startswith(kind)


def test_a_report_does_not_replace_what_it_reads(run: Run, tmp_path: Path, table: Path, release: Path) -> None:
    error = refused(run, tmp_path, "report", "--original", table, "--release", release, "-o", table)
    assert error["message"].endswith("is the file that is read; name another one to write")


def test_a_curve_needs_a_method_with_k(run: Run, tmp_path: Path, table: Path) -> None:
    folder = tmp_path / "bare"
    run("anonymize", table, "--method", "pseudonymize", "--skip-audit", "-o", folder)
    file = tmp_path / "report.html"
    words = ("report", "--original", table, "--release", folder, "-o", file, "--k-curve", "2")
    assert refused(run, tmp_path, *words)["message"] == "the method 'pseudonymize' has no k; leave --k-curve out"


@pytest.mark.half_second
def test_methods_are_compared_in_table_chart_and_page(run: Run, tmp_path: Path, table: Path) -> None:
    words = ("compare", table, "--methods", "pseudonymize,k-anonymity", "--k", "2,40", "--seed", "1")
    first = run(*words, "-o", tmp_path / "one", "--json")
    assert first.status == 0, first.err
    document = first.json
    assert [row["release"] for row in document["runs"]] == ["pseudonymize", "k-anonymity k=2", "k-anonymity k=40"]
    assert document["front"] == ["k-anonymity k=2"]
    assert document["runs"][2]["failure"]
    assert document["runs"][2]["loss"] is None
    names = ["comparison.csv", "comparison.html", "comparison.json", "comparison.svg"]
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == names
    rows = pl.read_csv(tmp_path / "one" / "comparison.csv")
    assert rows["front"].to_list() == [False, True, False]
    assert json.loads((tmp_path / "one" / "comparison.json").read_text(encoding="utf-8"))[1]["verdict"] == "safe"
    assert (tmp_path / "one" / "comparison.svg").read_text(encoding="utf-8").startswith("<svg")
    assert run(*words, "-o", tmp_path / "two").status == 0
    for name in names:
        written = (tmp_path / "one" / name).read_bytes()
        assert written == (tmp_path / "two" / name).read_bytes(), name
        assert b"SUBJECT-QZX" not in written


@pytest.mark.half_second
def test_the_terminal_shows_failures_and_the_front(run: Run, table: Path) -> None:
    done = run("compare", table, "--methods", "k-anonymity", "--k", "2,40", "--set", "k-anonymity.effort=fast")
    assert done.status == 0
    assert "best trade-offs of lost and named (*): k-anonymity k=2" in done.out
    assert "k-anonymity k=40 failed: " in done.out
    assert run("compare", table, "--methods", "k-anonymity", "--k", "40").status == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--methods", ","), "--methods names no method; give some, separated by commas"),
        (("--methods", "k-anonymty"), "did you mean 'k-anonymity'?"),
        (("--methods", "pseudonymize", "--k", "two"), "--k takes whole numbers of at least 2"),
        (("--methods", "pseudonymize", "--set", "k=2"), "write settings as method.name=value"),
        (("--methods", "pseudonymize", "--set", "swapping.k=2"), "the method 'swapping', which is not compared"),
        (("--methods", "pseudonymize", "--language", "fr"), "there is no report in the language 'fr'"),
    ],
)
def test_a_wrong_comparison_is_refused(
    run: Run, tmp_path: Path, table: Path, words: tuple[str, ...], message: str
) -> None:
    assert message in refused(run, tmp_path, "compare", table, "-o", tmp_path / "out", *words)["message"]
