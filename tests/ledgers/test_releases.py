"""Releases with a ledger: three of a growing shop, their pseudonyms, what is refused, and what the audit says."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tokumei
from tests.conftest import Run
from tests.ledgers.shops import growing_shop
from tokumei.data import read_secret
from tokumei.errors import InfeasibleError, InputError, LeakError, OutputError, ParameterError, UnreadableError
from tokumei.ledgers import Ledger, standing_of

SETTINGS: dict[str, Any] = {"subject": "who", "threads": 1, "effort": "fast", "audit": False}


def release(data: pl.DataFrame, folder: Path, ledger: Path, pseudonyms: str = "renewed", seed: int = 1) -> pl.DataFrame:
    """Publish and return who is behind which pseudonym."""
    made = tokumei.anonymize(data, ledger=ledger, pseudonyms=pseudonyms, seed=seed, **SETTINGS)
    made.write(folder)
    return read_secret(Path(f"{folder}.secret")).owners


def groups(folder: Path, owners: pl.DataFrame) -> set[frozenset[str]]:
    """Return who is published alike."""
    text = pl.read_csv(folder / "data.csv", infer_schema=False)
    names = [name for name in text.columns if name != "pseudonym"]
    shown = text.sort(text.columns).with_columns(pl.concat_str(names, separator="|").alias("row"))
    alike = shown.group_by("pseudonym", maintain_order=True).agg(pl.col("row").str.join("/"))
    named = alike.join(owners, on="pseudonym").group_by("row").agg("subject")
    return {frozenset(members) for members in named["subject"].to_list()}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[pl.DataFrame], list[set[frozenset[str]]]]:
    """Return the folder of three stable releases, the owners and the groups of each."""
    folder = tmp_path_factory.mktemp("shop")
    owners = [
        release(data, folder / f"r{number}", folder / "ledger", "stable", seed=number)
        for number, data in enumerate(growing_shop(), start=1)
    ]
    return folder, owners, [groups(folder / f"r{number}", one) for number, one in enumerate(owners, start=1)]


Shop = tuple[Path, list[pl.DataFrame], list[set[frozenset[str]]]]


def test_everybody_has_the_same_candidates_in_every_release(published: Shop) -> None:
    _, _, released = published
    everybody = set().union(*[group for one in released for group in one])
    for person in everybody:
        own = [group for one in released for group in one if person in group]
        assert len(frozenset.intersection(*own)) >= 3
    assert all(len(group) >= 3 for one in released for group in one)
    assert {name for one in released for group in one for name in group} <= {f"c{number:03}" for number in range(33)}


def test_who_lost_the_group_is_withheld_and_newcomers_join(published: Shop) -> None:
    folder, _, released = published
    first, second, _ = released
    shown = set().union(*second)
    for group in first:
        left = group - {"c004", "c011"}
        assert (left <= shown) == (len(left) >= 3)
        assert left <= shown or not left & shown
    assert {f"c{number:03}" for number in range(21, 27)} <= shown
    entries = Ledger.existing(folder / "ledger").entries
    assert [entry.withheld for entry in entries] == [0, 25 - len(shown), 30 - len(set().union(*released[2]))]
    assert entries[1].withheld > 0


def test_stable_pseudonyms_stay_while_the_group_does(published: Shop) -> None:
    _, owners, released = published
    first, second = (dict(zip(one["subject"], one["pseudonym"], strict=True)) for one in owners[:2])
    for group in released[0] & released[1]:
        assert {first[name] for name in group} == {second[name] for name in group}
        assert all(first[name] == second[name] for name in group)
    fresh = [name for group in released[1] - released[0] for name in group]
    assert fresh
    assert not {second[name] for name in fresh} & set(first.values())


def test_the_ledger_is_the_owners_and_has_no_id(published: Shop) -> None:
    folder, _, _ = published
    ledger = folder / "ledger"
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o700
    for file in ledger.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        # As a value of its own: the digits of a keyed digest may spell an id by chance.
        assert not re.search(rb"(?<![0-9a-f])c0[0-3][0-9](?![0-9a-f])", file.read_bytes())
    entry = Ledger.existing(ledger).entries[1]
    assert (entry.number, entry.k, entry.method, entry.audience) == (2, 3, "k-anonymity", "stable")
    assert entry.folder == str((folder / "r2").resolve())


@pytest.mark.half_second
def test_the_audit_judges_all_releases_of_the_ledger(published: Shop, tmp_path: Path) -> None:
    folder, _, _ = published
    data = growing_shop()[2]
    result = tokumei.audit(
        data, folder / "r3", secret=folder / "r3.secret", ledger=folder / "ledger", quick=True, k=3
    ).as_dict()
    answer = json.loads(json.dumps(result["questions"], default=float))["releases"]
    assert answer["figures"]["releases/linked"]["value"] > 0.9
    assert answer["figures"]["releases/named"]["value"] <= 1 / 3 + 1e-9
    assert answer["figures"]["releases/candidates-left"]["parts"]["fewest"] >= 3
    assert [reason["sentence"] for reason in answer["reasons"]] == [
        "the ledger proves: through all 3 releases nobody of this one has fewer than 3 candidates (3 promised)"
    ]


def test_recipients_have_pseudonyms_of_their_own(tmp_path: Path) -> None:
    data = growing_shop()[0]
    seen = {
        name: dict(zip(one["subject"], one["pseudonym"], strict=True))
        for name, one in (
            ("ann", release(data, tmp_path / "r1", tmp_path / "ledger", "for:ann", seed=1)),
            ("bob", release(data, tmp_path / "r2", tmp_path / "ledger", "for:bob", seed=2)),
            ("ann again", release(data, tmp_path / "r3", tmp_path / "ledger", "for:ann", seed=3)),
            ("renewed", release(data, tmp_path / "r4", tmp_path / "ledger", seed=4)),
        )
    }
    assert seen["ann"] == seen["ann again"]
    assert len({name for one in ("ann", "bob", "renewed") for name in seen[one].values()}) == 3 * 21


def test_what_a_ledger_refuses(tmp_path: Path) -> None:
    data = growing_shop()[0]

    def anonymize(**rest: Any) -> None:
        tokumei.anonymize(data, **{**SETTINGS, "ledger": tmp_path / "ledger", **rest})

    with pytest.raises(ParameterError, match="which the method 'pseudonymize' cannot do as it is set"):
        tokumei.anonymize(data, subject="who", method="pseudonymize", ledger=tmp_path / "ledger")
    with pytest.raises(ParameterError, match="cannot do as it is set; use k-anonymity"):
        anonymize(suppress=0.1)
    with pytest.raises(ParameterError, match="pseudonyms must be renewed, stable or for:NAME"):
        anonymize(pseudonyms="for: ")
    with pytest.raises(ParameterError, match="pseudonyms that stay the same are kept in a ledger"):
        anonymize(ledger=None, pseudonyms="stable")
    with pytest.raises(ParameterError, match="every row is a person without one"):
        anonymize(subject="row", schema=None)
    (tmp_path / "file").write_text("x")
    with pytest.raises(UnreadableError, match="this is a file; a ledger is a folder"):
        anonymize(ledger=tmp_path / "file")
    with pytest.raises(UnreadableError, match="is no ledger of tokumei, or it is damaged"):
        anonymize(ledger=tmp_path)
    assert not (tmp_path / "ledger").exists()


def test_two_releases_at_once_do_not_both_enter(tmp_path: Path) -> None:
    """The second was made without knowing the first: nothing of it is left."""
    data = growing_shop()[0]
    first, second = (tokumei.anonymize(data, ledger=tmp_path / "ledger", seed=seed, **SETTINGS) for seed in (1, 2))
    first.write(tmp_path / "r1")
    with pytest.raises(OutputError, match="something else was written to the ledger in the meantime"):
        second.write(tmp_path / "r2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger", "r1", "r1.plan.toml", "r1.secret"]


def test_a_release_that_would_break_the_promise_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong before: here everybody is taken for a newcomer, and grouped anew."""
    first, second, _ = growing_shop()
    release(first, tmp_path / "r1", tmp_path / "ledger")
    strangers = Ledger(tmp_path, b"other", (), Ledger.existing(tmp_path / "ledger").published.clear(), {})
    monkeypatch.setattr("tokumei.flow.bookkeeping.standing_of", lambda _, *rest: standing_of(strangers, *rest))
    with pytest.raises(LeakError, match="together would leave somebody with 1 candidates, where 3 were promised"):
        tokumei.anonymize(second, ledger=tmp_path / "ledger", **SETTINGS)


def test_a_ledger_that_others_can_read_is_refused(tmp_path: Path) -> None:
    release(growing_shop()[0], tmp_path / "r1", tmp_path / "ledger")
    (tmp_path / "ledger").chmod(0o755)
    with pytest.raises(InputError, match="others may look into this ledger; make it yours alone: chmod 700"):
        Ledger.open(tmp_path / "ledger")
    (tmp_path / "ledger").chmod(0o700)
    (tmp_path / "ledger" / "release-0001.parquet").write_bytes(b"x")
    with pytest.raises(UnreadableError, match="is no ledger of tokumei, or it is damaged"):
        Ledger.open(tmp_path / "ledger")


def test_nobody_is_left_to_publish(tmp_path: Path) -> None:
    data = growing_shop()[0]
    release(data.filter(pl.col("who") <= "c002"), tmp_path / "r1", tmp_path / "ledger")
    rest = data.filter(pl.col("who").is_in(["c001", "c002", "c005"]))
    with pytest.raises(InfeasibleError, match="2 people are left of groups that are too small now, and 1 newcomers"):
        tokumei.anonymize(rest, ledger=tmp_path / "ledger", **SETTINGS)


def test_the_command_tells_what_the_ledger_did(tmp_path: Path, run: Run) -> None:
    growing_shop()[0].write_csv(tmp_path / "shop.csv")
    words = ("anonymize", tmp_path / "shop.csv", "--subject", "who", "--set", "effort=fast", "--skip-audit")
    ran = run(*words, "-o", tmp_path / "r1", "--ledger", tmp_path / "ledger", "--json")
    assert ran.status == 0
    assert {name: ran.json["ledger"][name] for name in ("release", "newcomers", "withheld", "fewest_candidates")} == {
        "release": 1,
        "newcomers": 21,
        "withheld": 0,
        "fewest_candidates": 3,
    }
    again = run(*words, "-o", tmp_path / "r2", "--ledger", tmp_path / "ledger", "--pseudonyms", "stable")
    assert "release 2: 21 people in their groups, 0 newcomers, 0 withheld" in again.out
    lonely = run(*words, "-o", tmp_path / "r3", "--pseudonyms", "stable")
    assert (lonely.status, "--pseudonyms goes with --ledger" in lonely.err) == (2, True)
    inside = run(*words, "-o", tmp_path / "r3", "--ledger", tmp_path / "r3" / "ledger")
    assert (inside.status, "the ledger must not lie in the release folder" in inside.err) == (2, True)
    within = run(*words, "-o", tmp_path / "ledger" / "r3", "--ledger", tmp_path / "ledger")
    assert (within.status, "the release must not lie in the ledger" in within.err) == (2, True)
    assert "nobody of this data is in the ledger" not in again.err
    growing_shop()[0].with_columns(pl.col("who").str.replace("c", "d")).write_csv(tmp_path / "shop.csv")
    other = run(*words, "-o", tmp_path / "r4", "--ledger", tmp_path / "ledger")
    assert (other.status, "nobody of this data is in the ledger" in other.err) == (0, True)


def test_no_release_is_written_into_its_ledger(tmp_path: Path) -> None:
    """What is handed out would hold, or lie in, what is kept; nothing is left behind."""
    made = tokumei.anonymize(growing_shop()[0], ledger=tmp_path / "ledger", **SETTINGS)
    for place in (tmp_path / "ledger" / "r1", tmp_path / "ledger" / "deep" / "r1"):
        with pytest.raises(ParameterError, match="the release must not lie in the ledger"):
            made.write(place, secret_file=tmp_path / "secret")
    with pytest.raises(ParameterError, match="the ledger must not lie in the release folder"):
        made.write(tmp_path / "ledger")
    assert list(tmp_path.rglob("*")) == []
