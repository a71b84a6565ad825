"""A release that is not held: its counts are those of the release in memory, everything else is told as sampled."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.conftest import Run
from tests.parted_releases import changed_manifest, write_parted
from tokumei.audits import AuditSettings, byte_findings, certificate_text, verify_certificate
from tokumei.audits.published_groups import history_groups
from tokumei.data import ReleaseFolder, memory_limit, release_parts
from tokumei.errors import InfeasibleError, TokumeiError
from tokumei.flow import Made, Plan, audit, measure_all, open_release, opening, reissuing, release
from tokumei.flow import large as large_releases
from tokumei.profiles import read_history
from tokumei.reports import collect_material, release_report
from tokumei.synth.writing import write_synthetic


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Made, Path]:
    """Return a release of generated purchases, and the folder of parts that they were read from."""
    data = tmp_path_factory.mktemp("large") / "purchases"
    write_synthetic("purchases", data, subjects=60, seed=5)
    whole = pl.read_parquet(data / "part-00000.parquet")
    (data / "part-00000.parquet").unlink()
    for number, begin in enumerate(range(0, whole.height, 1500)):
        whole[begin : begin + 1500].write_parquet(data / f"part-{number:05d}.parquet")
    return release(read_history(data), Plan(parameters={"k": 2})), data


@pytest.fixture
def parted(made: tuple[Made, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Return the folders of the release in parts and of its secret; no release is small enough to be held."""
    monkeypatch.setattr(release_parts, "PART_RECORDS", len(made[0].release) // 3 + 1)
    monkeypatch.setattr(opening, "is_large", lambda _: True)
    folder = tmp_path / "release"
    return folder, write_parted(made[0], folder)


@pytest.mark.half_second
def test_scores_that_add_up_are_those_of_the_release_in_memory(
    made: tuple[Made, Path], parted: tuple[Path, Path]
) -> None:
    opened = open_release(made[1], parted[0], secret=parted[1])
    assert opened.whole is not None
    expected = {score.name: score for score in measure_all(made[0]).scores}
    scores = {score.name: score for score in measure_all(opened).scores}
    assert scores.keys() == expected.keys()
    for name in ("cell-error", "ncp", "records-kept", "pseudonyms-per-subject"):
        assert scores[name].value == pytest.approx(expected[name].value, rel=1e-12)
        assert scores[name].parts == pytest.approx(expected[name].parts, rel=1e-12)
        assert scores[name].warnings == expected[name].warnings
    assert [str(warning) for warning in scores["discernibility"].warnings] == [
        "measured on a random sample of 60 of 60 people"
    ]


@pytest.mark.slow
def test_the_audit_counts_equal_histories_of_all_and_tells_what_was_sampled(
    made: tuple[Made, Path], parted: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_releases, "SMALLEST_GROUPS", 3)
    monkeypatch.setattr(large_releases.LargeRelease.sample, "__kwdefaults__", {"people": 8, "seed": 0})
    opened = open_release(made[1], parted[0], secret=parted[1])
    assert opened.whole is not None
    assert 8 <= len(opened.history.subjects) < 60
    settings = AuditSettings(quick=True)
    material = collect_material(opened, settings)
    assert material.figures["records_before"] == len(made[0].history)
    assert material.sampled == len(opened.history.subjects)
    assert f"show {material.sampled} of them, drawn at random" in release_report(material)
    result = audit(opened, settings)
    assert (result.subjects, result.pseudonyms, result.k_anonymity) == (60, 60, 2)
    assert result.verdict.outcome == "safe"
    told = [reason.sentence for reason in result.verdict.skipped if reason.code == "sampled"]
    assert len(told) == 1
    assert "equal histories were counted for all 60 pseudonyms" in told[0]
    assert sorted(result.digests) == [
        *(f"data/part-{number:05d}.parquet" for number in range(3)),
        "manifest.json",
        "schema.toml",
        "summary.md",
    ]


@pytest.mark.half_second
def test_without_the_secret_equal_histories_alone_are_judged(
    made: tuple[Made, Path], parted: tuple[Path, Path]
) -> None:
    result = audit(open_release(made[1], parted[0]))
    assert (result.k_anonymity, result.verdict.outcome, result.with_secret) == (2, "not-shown-unsafe", False)
    assert [reason.code for reason in result.verdict.reasons] == ["k-anonymous", "pseudonyms-untested"]


def test_rows_of_a_part_in_another_order_are_a_finding(made: tuple[Made, Path], parted: tuple[Path, Path]) -> None:
    part = parted[0] / "data" / "part-00001.parquet"
    table = pl.read_parquet(part)
    table[::-1].write_parquet(part)
    result = audit(open_release(made[1], parted[0]))
    codes = {reason.code for reason in result.verdict.reasons}
    assert result.verdict.outcome == "unsafe"
    assert {"wrong-hash", "row-order"} <= codes


def test_a_history_of_its_own_is_found_in_any_part(made: tuple[Made, Path], parted: tuple[Path, Path]) -> None:
    part = parted[0] / "data" / "part-00002.parquet"
    pl.read_parquet(part)[:-1].write_parquet(part)
    opened = open_release(made[1], parted[0])
    assert opened.whole is not None
    assert opened.whole.k_anonymity == 1
    assert audit(opened).verdict.outcome == "unsafe"


def test_small_releases_in_parts_are_read_as_one(
    made: tuple[Made, Path], parted: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "is_large", large_releases.is_large)
    with memory_limit(2):
        opened = open_release(made[1], parted[0], secret=parted[1])
    assert opened.whole is None
    assert opened.release.text().equals(made[0].release.text())
    assert opened.folder is not None
    assert byte_findings(opened.folder, opened.release) == ()


def test_a_part_that_is_missing_and_a_manifest_that_says_otherwise(
    made: tuple[Made, Path], parted: tuple[Path, Path]
) -> None:
    changed_manifest(parted[0], pseudonyms=61)
    codes = [reason.code for reason in audit(open_release(made[1], parted[0])).verdict.reasons]
    assert "wrong-count" in codes
    (parted[0] / "data" / "part-00001.parquet").unlink()
    with pytest.raises(TokumeiError, match=r"part-00001\.parquet: this part of the release is not there"):
        open_release(made[1], parted[0])


def test_the_secret_of_another_release_is_refused(made: tuple[Made, Path], parted: tuple[Path, Path]) -> None:
    rows = parted[1] / "rows"
    (rows / "part-00000.parquet").write_bytes((rows / "part-00001.parquet").read_bytes())
    with pytest.raises(TokumeiError, match="the secret does not belong to this release and original"):
        measure_all(open_release(made[1], parted[0], secret=parted[1]))


@pytest.mark.half_second
def test_a_certificate_is_made_and_checked_part_by_part(
    made: tuple[Made, Path], parted: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ReleaseFolder.open(parted[0]).release()
    groups = history_groups(whole)
    opened = open_release(made[1], parted[0], secret=parted[1])
    result = audit(opened, AuditSettings(quick=True))
    folder = ReleaseFolder.open(parted[0])
    monkeypatch.setattr(ReleaseFolder, "release", None)
    text = certificate_text(folder, result).encode()
    stated = json.loads(text)
    assert (stated["groups"], stated["records"], stated["pseudonyms"]) == (groups, len(whole), 60)
    checked = verify_certificate(folder, text)
    assert (checked.findings, checked.shared_by) == ((), 2)
    part = folder.path / folder.parts[1].name
    table = pl.read_parquet(part)
    table.with_columns(pl.lit("*").alias(table.columns[-1])).write_parquet(part)
    assert [finding.code for finding in verify_certificate(folder, text).findings] == ["certificate-file"]


def test_a_sample_is_as_large_as_memory_allows(
    made: tuple[Made, Path], parted: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_releases, "SMALLEST_GROUPS", 1)
    with memory_limit(0.302):
        few = open_release(made[1], parted[0], secret=parted[1])
    assert few.whole is not None
    assert few.whole.histories.height == 60
    # Memory holds the records of seven groups of usual length; who is drawn differs from release to release.
    assert 2 <= len(few.history.subjects) <= 24
    needed = r"a part of [12],\d+ records; give --memory 0\.30 or"
    with memory_limit(0.3001), pytest.raises(InfeasibleError, match=needed):
        open_release(made[1], parted[0], secret=parted[1])


def test_a_large_release_is_not_issued_again(
    run: Run, parted: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, secret = map(str, parted)
    with monkeypatch.context() as patched:
        patched.setattr(reissuing, "is_large", lambda _: True)
        result = run("reissue", folder, "--secret", secret, "-o", str(tmp_path / "new"))
    assert result.status == 2
    assert "too large to be issued again in memory; make a new one with 'tokumei anonymize'" in result.err
    assert not (tmp_path / "new").exists()
    assert run("reissue", folder, "--secret", secret, "-o", str(tmp_path / "new"), "--memory", "2").status == 0
