"""What version 0.1 wrote opens: a release with its secret and plan, as CSV and as Parquet, with and without a key.

The files in ``version_0_1`` were written by it from generated purchases and are never written again.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from packaging.version import Version

from tests.conftest import Run
from tokumei.data import made_by

WRITTEN = Path(__file__).parent / "version_0_1"


def _written_by() -> dict[str, str]:
    manifest: dict[str, dict[str, str]] = json.loads((WRITTEN / "safe" / "manifest.json").read_text(encoding="utf-8"))
    return manifest["versions"]


@pytest.mark.half_second
@pytest.mark.skipif(
    any(Version(made_by()[name]) < Version(version) for name, version in _written_by().items()),
    reason="versions later than the installed ones cannot be checked, and the audit says so",
)
@pytest.mark.parametrize(("name", "share", "status"), [("safe", 0.5, 0), ("keyed", 1.0, 1)])
def test_a_release_and_its_secret_open(run: Run, tmp_path: Path, name: str, share: float, status: int) -> None:
    # What an audit finds out is kept beside the release.
    copy = shutil.copytree(WRITTEN, tmp_path / "written")
    given = ["--original", copy / "original.csv", "--release", copy / name]
    audited = run("audit", *given, "--secret", copy / f"{name}.secret", "--json")
    assert (audited.status, audited.json["with_secret"], audited.json["max_posterior"]) == (status, True, share)
    # The words of its version are as canonical as those of today; a seed in its Secret is told all the same.
    assert "summary-text" not in [reason["code"] for reason in audited.json["reasons"]]
    assert audited.json["proven_k"] == (2 if name == "safe" else None)
    judged = run("judge", *given, "--json")
    scores = {score["name"]: score["value"] for score in judged.json["scores"]}
    assert scores["records-kept"] == pytest.approx(24 / 27 if name == "safe" else 1.0)
    assert (scores["cell-error"] == 0.0) is (name == "keyed")


def test_a_plan_makes_its_release_again_to_the_byte(run: Run, tmp_path: Path) -> None:
    shutil.copy(WRITTEN / "original.csv", tmp_path)
    answer = run("anonymize", tmp_path / "original.csv", "--plan", WRITTEN / "safe.plan.toml", "-o", tmp_path / "again")
    assert answer.status == 0
    assert (tmp_path / "again" / "data.csv").read_bytes() == (WRITTEN / "safe" / "data.csv").read_bytes()


def test_a_plan_without_its_hash_serves_for_new_data(run: Run, tmp_path: Path) -> None:
    lines = (WRITTEN / "keyed.plan.toml").read_text(encoding="utf-8").splitlines()
    plan = tmp_path / "plan.toml"
    plan.write_text("\n".join(line for line in lines if not line.startswith(("input", "seed"))), encoding="utf-8")
    answer = run("anonymize", WRITTEN / "original.csv", "--plan", plan, "-o", tmp_path / "again", "--json")
    assert (answer.status, answer.json["parameters"]["style"]) == (1, "keyed")
    assert (tmp_path / "again" / "data.parquet").exists()
