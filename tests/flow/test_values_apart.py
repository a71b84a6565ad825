"""Sensitive values published apart, as a multiset for each group: what the tables say, and what the audit finds."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tokumei
from tokumei.audits import AuditSettings, Question, certificate_text, verify_certificate
from tokumei.data import History, ReleaseFolder, Schema, read_secret
from tokumei.errors import ParameterError, SchemaError, UnreadableError
from tokumei.flow import Made, audit, open_release, plan_of, release
from tokumei.flow.gate import household_findings
from tokumei.flow.reissuing import reissue

SCHEMA = Schema.from_toml(
    'subject = "row"\n[columns]\nage = { kind = "number" }\n'
    'ill = { kind = "category", sensitive = { l = 2, apart = true } }\n'
    'rich = { kind = "category", sensitive = { l = 1, apart = true } }\n'
)


ILLS = ["flu", "none", "flu", "none", "none", "cancer"]


def table_of(ills: list[str]) -> pl.DataFrame:
    """Pairs of one age each, so that groups of two are known before any value is seen."""
    ages = [20 + 10 * (number // 2) for number in range(len(ills))]
    return pl.DataFrame({"age": ages, "ill": ills, "rich": ["yes", "no"] * (len(ills) // 2)})


def people(ills: list[str]) -> History:
    return History.from_frame(table_of(ills), SCHEMA)


@pytest.fixture(scope="module")
def made() -> Made:
    return release(people(ILLS), plan_of(None, k=2, seed=3), audit=False)


@pytest.fixture
def folder(made: Made, tmp_path: Path) -> Path:
    made.write(tmp_path / "out")
    return tmp_path / "out"


def found(folder: Path) -> list[str]:
    """Return what the quick audit finds against a folder."""
    opened = open_release(table_of(ILLS), folder, secret=Path(f"{folder}.secret"))
    result = audit(opened, AuditSettings(quick=True, fresh=True))
    return [reason.code for reason in result.verdict.reasons]


def test_tables_say_how_often_a_group_has_a_value_and_not_who(made: Made, folder: Path) -> None:
    table = tokumei.read_release(folder, values="apart")
    assert table.columns == ["pseudonym", "group", "column", "value", "records"]
    owners = made.secret.owners.cast(pl.String)
    ill = dict(zip("123456", ILLS, strict=True))
    for pseudonyms in table.group_by("group").agg(pl.col("pseudonym").unique())["pseudonym"].to_list():
        people_of = owners.filter(pl.col("pseudonym").is_in(pseudonyms))["subject"].to_list()
        told = table.filter((pl.col("pseudonym") == pseudonyms[0]) & (pl.col("column") == "ill"))
        assert len(people_of) == 2
        assert dict(zip(told["value"], told["records"], strict=True)) == {ill[one]: 1 for one in people_of}
    assert "k-anonymous" in found(folder)
    assert "groups.csv" in (folder / "summary.md").read_text()
    answer = audit(made, AuditSettings(quick=True)).answers[Question.ATTRIBUTES]
    assert answer.figures["all-but-ill/certain"].value == 0


def test_exchanging_values_inside_groups_changes_no_byte(tmp_path: Path) -> None:
    """Exactly those originals have the release that exchange values in a group: each value is likely by its share."""
    bytes_of: dict[tuple[str, ...], bytes] = {}
    for order in sorted(set(permutations(["flu", "flu", "none", "none"]))):
        groups = {frozenset(order[:2]), frozenset(order[2:])}
        if any(len(group) < 2 for group in groups):
            continue
        release(people(list(order)), plan_of(None, k=2, seed=3), audit=False).write(tmp_path / "-".join(order))
        files = sorted((tmp_path / "-".join(order)).iterdir())
        bytes_of[order] = b"".join(file.read_bytes() for file in files)
    assert len(bytes_of) == 4
    assert len(set(bytes_of.values())) == 1


@pytest.mark.parametrize(
    ("file", "old", "new", "code"),
    [
        ("sensitive.csv", "cancer,1", "cancer,2", "apart-table"),
        ("sensitive.csv", "cancer", "flu", "apart-values"),
        ("groups.csv", ",1\n", ",2\n", "apart-groups"),
    ],
)
def test_what_the_tables_must_not_say_is_found(folder: Path, file: str, old: str, new: str, code: str) -> None:
    path = folder / file
    text = path.read_text()
    path.write_text(text.replace(old, new, 1))
    assert code in found(folder)


def test_equal_histories_of_more_people_are_no_cover_for_a_group_of_the_tables(folder: Path, tmp_path: Path) -> None:
    """All six published the same records, but the tables tell them apart in pairs."""
    table = table_of(["flu", "none"] * 3).with_columns(age=pl.lit(20))
    history = History.from_frame(table, SCHEMA)
    same = release(history, plan_of(None, k=2), audit=False)
    assert same.release.apart is not None
    assert same.release.apart.groups["group"].n_unique() > 1
    same.write(tmp_path / "same")
    opened = open_release(table, tmp_path / "same", secret=tmp_path / "same.secret")
    for k, outcome, codes in ((2, "safe", 0), (5, "unsafe", 1)):
        for released in (same, opened):
            verdict = audit(released, AuditSettings(quick=True, k=k, fresh=True)).verdict
            assert verdict.outcome.value == outcome
            assert [reason.code for reason in verdict.reasons].count("apart-groups") == codes
    assert "k-anonymous" in found(folder)
    # Who has nothing but the release counts the smaller groups too.
    files = ReleaseFolder.open(tmp_path / "same")
    result = audit(opened, AuditSettings(quick=True, k=2, fresh=True))
    assert not verify_certificate(files, certificate_text(files, result).encode()).findings
    assert json.loads(certificate_text(files, result))["shared_by"] == 2
    boast = certificate_text(files, replace(result, k=5)).encode()
    assert "certificate-k" in [reason.code for reason in verify_certificate(files, boast).findings]


def test_a_household_is_no_cover_for_itself_in_a_group_of_the_tables() -> None:
    history = History.from_frame(table_of(["flu", "none"] * 3).with_columns(age=pl.lit(20)), SCHEMA)
    same = release(history, plan_of(None, k=2), audit=False)
    owners = same.secret.owners.cast(pl.String).sort("subject")
    for groups, found in (([1, 1, 2, 2, 3, 3], ["household-cover"]), ([1, 2, 3, 1, 2, 3], [])):
        housed = replace(history, households=np.array([0, 0, 1, 1, 2, 2]))
        assert same.release.apart is not None
        apart = replace(same.release.apart, groups=owners.select("pseudonym", group=pl.Series(groups)))
        told = household_findings(housed, replace(same.release, apart=apart), same.secret, 2)
        assert [reason.code for reason in told] == found


def test_a_pseudonym_that_is_left_out_and_a_missing_table(folder: Path) -> None:
    lines = (folder / "groups.csv").read_text().splitlines()
    (folder / "groups.csv").write_text("\n".join(lines[:-1]) + "\n")
    assert "apart-people" in found(folder)
    (folder / "groups.csv").unlink()
    with pytest.raises(UnreadableError, match="values are published apart"):
        ReleaseFolder.open(folder).release()


def test_issued_again_groups_have_fresh_pseudonyms(folder: Path, tmp_path: Path) -> None:
    again = reissue(ReleaseFolder.open(folder), read_secret(Path(f"{folder}.secret")))
    again.write(tmp_path / "again")
    assert "k-anonymous" in found(tmp_path / "again")
    old, new = (pl.read_csv(one / "groups.csv")["pseudonym"] for one in (folder, tmp_path / "again"))
    assert not new.is_in(old.implode()).any()


def test_names_of_a_grid_are_told_apart(tmp_path: Path) -> None:
    columns = [replace(column, grid=1) if column.name == "ill" else column for column in SCHEMA.columns]
    table = table_of(["flu", "none", "fever", "nothing", "none", "cancer"])
    coarse = History.from_frame(table, replace(SCHEMA, columns=tuple(columns)))
    release(coarse, plan_of(None, k=2, seed=3), audit=False).write(tmp_path / "out")
    told = tokumei.read_release(tmp_path / "out", values="apart").filter(pl.col("column") == "ill")
    assert set(told["value"].to_list()) == {"f*", "n*", "c*"}
    opened = open_release(table, tmp_path / "out", secret=tmp_path / "out.secret")
    assert "k-anonymous" in [reason.code for reason in audit(opened, AuditSettings(quick=True)).verdict.reasons]


def test_only_categories_and_only_groups() -> None:
    with pytest.raises(SchemaError, match="only categories can be published apart"):
        Schema.from_toml('subject = "row"\n[columns]\nage = { kind = "number", sensitive = { apart = true } }\n')
    assert Schema.from_toml(SCHEMA.to_toml()) == SCHEMA
    with pytest.raises(ParameterError, match="'pseudonymize' has no groups"):
        release(people(["flu", "none"] * 3), plan_of("pseudonymize", seed=1), audit=False)
    plain = release(people(["flu", "none"] * 3), plan_of(None, k=2, seed=1), audit=False)
    assert plain.release.apart is not None
    assert np.unique(plain.release.apart.groups["group"]).tolist() == [1, 2, 3]
