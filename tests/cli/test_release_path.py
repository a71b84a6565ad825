"""The practitioner's path: dry run, plan, release folder, what lies beside it, and that nothing leaks."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path

import polars as pl
import pytest

from tests.cli.refusal import refused, snapshot
from tests.conftest import Run
from tokumei.flow.plan import Plan

IDS = [f"SUBJECT-ZEBRA-{n:04}" for n in range(12)]
TABLE = "customer,day,goods,price\n" + "".join(
    f"{IDS[n % 12]},2011-02-{n % 28 + 1:02},{'ABCDE'[n * n % 5]},{n % 7}.{n % 10}\n" for n in range(90)
)
FAST = ("--set", "effort=fast")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small table of twelve unmistakable subjects; its folder is the current one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "purchases.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_a_dry_run_shows_the_plan_and_writes_nothing(
    run: Run, tmp_path: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    before = snapshot(tmp_path)
    told = run("anonymize", table, "-o", "release", "--dry-run", *FAST)
    assert told.status == 0
    assert told.err == ""
    text = " ".join(told.out.replace("│", " ").split())
    assert "Plan (nothing was written)" in text
    assert "90 records of 12 subjects" in text
    assert "the safest method here: every published history is the same for at least k people" in text
    assert (
        "summary.md, manifest.json; beside it, to keep: release.secret, release.plan.toml, release.audit.json" in text
    )
    assert "Estimate: about 2 s (1 s to 3 s; more on a busy machine) and 0.3 GB of memory, from runs" in text
    assert snapshot(tmp_path) == before
    document = run("anonymize", table, "--dry-run", *FAST, "--json").json
    assert document["method"] == "k-anonymity"
    asked = {"k": 3, "effort": "fast", "surplus": "delete", "weights": ""}
    assert document["parameters"] == {**asked, "loss": "cell-error", "suppress": 0.0}
    assert list(document["steps"]) == ["read", "anonymize", "audit", "publish"]
    assert 1 < document["estimate"]["seconds"] < 5
    assert "seed" not in document["plan"]


def test_a_saved_plan_is_reviewed_changed_and_run(run: Run, tmp_path: Path, table: Path) -> None:
    plan = tmp_path / "plan.toml"
    assert run("anonymize", table, "--dry-run", *FAST, "--save-plan", plan).status == 0
    text = plan.read_text(encoding="utf-8")
    assert "seed" not in text
    assert "sha256" not in text
    plan.write_text(text.replace("k = 3", "k = 4"), encoding="utf-8")
    made = run("anonymize", "--plan", plan, "-o", "release", "--json")
    assert made.status == 0
    assert made.json["parameters"]["k"] == 4
    assert made.json["audit"]["k_anonymity"] >= 4
    assert made.json["seeded"] is False


@pytest.mark.half_second
def test_a_plan_makes_the_same_release_again(run: Run, tmp_path: Path, table: Path) -> None:
    assert run("anonymize", table, *FAST, "-o", "one").status == 0
    again = run("anonymize", "--plan", "one.plan.toml", "-o", "two", "--json")
    assert again.status == 0
    assert snapshot(tmp_path / "one") == snapshot(tmp_path / "two")
    assert run("anonymize", table, *FAST, "-o", "other").status == 0
    assert (tmp_path / "one" / "data.csv").read_bytes() != (tmp_path / "other" / "data.csv").read_bytes()
    plan = Plan.read(tmp_path / "one.plan.toml")
    assert plan.input_sha256 == hashlib.sha256(table.read_bytes()).hexdigest()
    assert Plan.read(tmp_path / "two.plan.toml") == plan


def test_a_plan_of_another_input_is_refused(run: Run, tmp_path: Path, table: Path) -> None:
    assert run("anonymize", table, *FAST, "--skip-audit", "-o", "one").status == 0
    table.write_text(TABLE + f"{IDS[0]},2011-02-01,A,1.0\n", encoding="utf-8")
    error = refused(run, tmp_path, "anonymize", table, "--plan", "one.plan.toml", "-o", "two")
    assert error["code"] == "other-input"
    assert error["message"] == (
        f"{table}: this is not the input that the plan was made for (its hash differs); give that file, or "
        "delete the lines 'input_sha256', 'key' and 'seed' from the plan to use it for new data"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("method = ", "this is not valid TOML"),
        ("metod = 'x'", "unknown key 'metod' (did you mean 'method'?); a plan has tokumei, method"),
        ("format = 'csv'", 'the plan names no method; write method = "k-anonymity"'),
        ("method = 3", "'method' must be a text in quotes, got 3"),
        ("method = 'k-anonymity'\nformat = 'xls'", "'format' must be csv or parquet, got 'xls'"),
        ("method = 'k-anonymity'\nseed = -1", "'seed' must be a whole number of at least 0"),
        ("method = 'k-anonymity'\nschema = 'x'", "'schema' must be a table [schema]"),
        ("method = 'k-anonymity'\n[parameters]\nk = 1", "must be a whole number of at least 2, got 1"),
        ("method = 'k-anonimity'", "there is no anonymizer named 'k-anonimity' (did you mean 'k-anonymity'?)"),
        ("method = 'k-anonymity'\n[schema]\nsubject = 'customer'", "then a table [columns], and nothing else"),
    ],
)
def test_a_wrong_plan_is_refused(run: Run, tmp_path: Path, table: Path, text: str, message: str) -> None:
    (tmp_path / "p.toml").write_text(text + "\n", encoding="utf-8")
    error = refused(run, tmp_path, "anonymize", table, "--plan", "p.toml", "-o", "release")
    assert message in error["message"]


@pytest.mark.parametrize("data_format", ["csv", "parquet"])
def test_nothing_of_the_publisher_is_in_the_release(run: Run, tmp_path: Path, table: Path, data_format: str) -> None:
    """No subject id, input hash, key, input name or figure of the original in any file that is handed out."""
    made = run("anonymize", table, *FAST, "--format", data_format, "-o", "release")
    assert made.status == 0
    assert "ZEBRA" not in made.out + made.err
    folder = tmp_path / "release"
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [f"data.{data_format}", "manifest.json", "schema.toml", "summary.md"]
    )
    plan = Plan.read(tmp_path / "release.plan.toml")
    assert len(plan.key) == 64
    forbidden = ["ZEBRA", plan.input_sha256, plan.key, plan.key[:16], "purchases.csv", str(tmp_path)]
    for path in folder.iterdir():
        content = path.read_bytes()
        if path.suffix == ".parquet":
            content += str(pl.read_parquet(path).to_dict(as_series=False)).encode()
        for text in forbidden:
            assert text.encode() not in content, f"{path.name} holds {text}"
    # The same search finds what lies beside the folder.
    assert plan.input_sha256 in (tmp_path / "release.plan.toml").read_text(encoding="utf-8")
    assert b"ZEBRA" in (tmp_path / "release.secret").read_bytes()
    audit = (tmp_path / "release.audit.json").read_text(encoding="utf-8")
    assert "ZEBRA" not in audit
    assert json.loads(audit)["verdict"] == "safe"
    for name in ("release.secret", "release.plan.toml", "release.audit.json"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_the_public_summary_says_what_was_done_and_no_more(run: Run, tmp_path: Path, table: Path) -> None:
    made = run("anonymize", table, *FAST, "-o", "release", "--json").json
    text = (tmp_path / "release" / "summary.md").read_text(encoding="utf-8")
    assert f"{made['records']:,} records under 12 pseudonyms" in text
    assert "k = 3, effort = fast, surplus = delete, loss = cell-error, suppress = 0.0." in text
    assert "Names are safe at k = 3, proven" in text
    assert f"{made['utility']['value']:.4f}"[2:] not in text
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text(encoding="utf-8"))
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((tmp_path / "release" / name).read_bytes()).hexdigest() == digest
    assert "No audit was made of this release." in _unaudited_summary(run, tmp_path, table)


def _unaudited_summary(run: Run, tmp_path: Path, table: Path) -> str:
    made = run("anonymize", table, *FAST, "--skip-audit", "-o", "unaudited")
    assert "unaudited was not audited: do not hand it out before it is." in made.out
    assert not (tmp_path / "unaudited.audit.json").exists()
    return (tmp_path / "unaudited" / "summary.md").read_text(encoding="utf-8")


@pytest.mark.half_second
def test_describe_then_anonymize_then_audit(run: Run, tmp_path: Path, table: Path) -> None:
    """The three commands of a newcomer, without a single option that could be left out."""
    described = run("describe", table, "--html", "page.html", "-o", "schema.toml")
    assert described.status == 0
    assert described.err == "schema.toml was written\npage.html was written\n"
    assert "1 random record" in described.out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "How little singles a person out" in page
    assert "<svg" in page
    assert "<script" not in page
    made = run("anonymize", table, "-o", "release")
    assert made.status == 0
    assert "Quick audit: names: safe at k = 3, proven" in made.out
    assert "can be handed out" not in made.out
    assert "Names in release are safe; what it shows of contents, attributes and membership" in made.out
    audited = run("audit", "--original", table, "--release", "release", "--secret", "release.secret")
    assert audited.status == 0, audited
    assert audited.out.startswith("names: safe at k = 3, proven")


@pytest.mark.parametrize("place", ["release.plan.toml", "release.audit.json", "x/../release.plan.toml"])
def test_the_secret_has_a_place_of_its_own(run: Run, tmp_path: Path, table: Path, place: str) -> None:
    """Else the plan would be written over the secret, which cannot be made again."""
    (tmp_path / "x").mkdir()
    error = refused(run, tmp_path, "anonymize", table, *FAST, "-o", "release", "--secret", place)
    assert error["message"] == f"{place} is where the plan or the audit goes; name another place with --secret"


def test_a_plan_is_not_overruled_by_options_that_are_zero(run: Run, tmp_path: Path, table: Path) -> None:
    (tmp_path / "p.toml").write_text("method = 'k-anonymity'\n", encoding="utf-8")
    error = refused(run, tmp_path, "anonymize", table, "--plan", "p.toml", "--seed", "0", "-o", "release")
    assert error["message"].startswith("--plan already says what --seed would; change it in the plan")


def test_a_plan_with_its_seed_is_not_written_over(run: Run, tmp_path: Path, table: Path) -> None:
    (tmp_path / "p.toml").write_text("method = 'k-anonymity'\nseed = 7\n", encoding="utf-8")
    words = ("anonymize", table, "--plan", "p.toml", "--dry-run", "--save-plan", "p.toml")
    assert refused(run, tmp_path, *words)["message"] == "p.toml is the file that is read; name another one to write"


@pytest.mark.half_second
def test_files_may_have_names_that_are_no_text(run: Run, tmp_path: Path, table: Path) -> None:
    source, folder = os.fsdecode(b"caf\xe9.csv"), os.fsdecode(b"out\xe9")
    table.rename(tmp_path / source)
    for data_format in ("csv", "parquet"):
        made = run("anonymize", source, *FAST, "-o", f"{folder}.{data_format}", "--format", data_format, "--json")
        assert made.status == 0, made
        assert made.json["pseudonyms"] == 12
    plan = Plan.read(tmp_path / f"{folder}.csv.plan.toml")
    assert (plan.input, len(plan.input_sha256)) == ("", 64)
    again = run("anonymize", source, "--plan", f"{folder}.csv.plan.toml", "-o", "again")
    assert again.status == 0
    data = (tmp_path / "again" / "data.csv").read_bytes()
    assert data == (tmp_path / f"{folder}.csv" / "data.csv").read_bytes()


def test_what_changes_values_is_not_praised(run: Run, tmp_path: Path, table: Path) -> None:
    """Nothing was proven; and the summary must not call a noisy value the original one."""
    made = run("anonymize", table, "-o", "release", "--method", "laplace-noise", "--set", "epsilon=0.01", "--seed", "5")
    assert made.status == 0
    assert "Quick audit: names: not shown unsafe" in made.out
    assert "as it is" not in made.out
    assert (
        "release was not shown unsafe, which is no proof: weigh what stands above before you hand it out." in made.out
    )
    assert "ZEBRA" not in made.out + made.err
    assert "ZEBRA" not in (tmp_path / "release.audit.json").read_text(encoding="utf-8")
    summary = (tmp_path / "release" / "summary.md").read_text(encoding="utf-8")
    assert "- `value`: one value, the original one unless the method changes values" in summary
    assert "| column | kind | one value | generalized | withheld | typical width |" in summary
