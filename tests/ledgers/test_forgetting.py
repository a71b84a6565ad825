"""A person is forgotten: nothing in ledger and Secret finds the person again, and the others keep their promise."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import polars as pl
import pytest

from tests.conftest import Run
from tests.ledgers.shops import growing_shop
from tests.ledgers.test_releases import release
from tokumei.data import read_secret
from tokumei.errors import InputError
from tokumei.flow import check_secret, forget
from tokumei.ledgers import Ledger, candidate_sets

GONE = ["c001", "c002"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Publish twice, forget two people through the command, and return the folder."""
    folder = tmp_path_factory.mktemp("shop")
    for number, data in enumerate(growing_shop()[:2], start=1):
        release(data, folder / f"r{number}", folder / "ledger", "stable", seed=number)
    return folder


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def told(text: str, content: bytes) -> bool:
    """Whether a text stands there for itself: `c001` may well be a part of a digest."""
    return re.search(rb"(?<![0-9A-Za-z])" + re.escape(text.encode()) + rb"(?![0-9A-Za-z])", content) is not None


def test_forgotten_people_are_nowhere(shop: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.existing(shop / "ledger")
    hashes = ledger.persons(pl.Series(GONE)).to_list()
    owners = read_secret(shop / "r1.secret").owners
    names = owners.filter(pl.col("subject").is_in(GONE))["pseudonym"].to_list()
    assert all(told(text, everything(shop / "ledger")) for text in [*hashes, *names])
    before = candidate_sets(ledger, 1).together.tolist()

    ids = io.TextIOWrapper(io.BytesIO(b"c001\r\nc002\nstranger\n"))
    monkeypatch.setattr(sys, "stdin", ids)
    ran = run("forget", "--ledger", shop / "ledger", "--json")
    assert ran.status == 0
    assert (ran.json["forgotten"], ran.json["unknown"]) == (2, 1)
    first = [one for one in ran.json["published"] if one["release"] == 1]
    assert sorted(one["pseudonym"] for one in first) == sorted(names)
    assert all(one["group"] >= 3 and one["folder"].endswith("r1") for one in first)
    assert ran.json["secrets_cleaned"] == [str((shop / f"r{number}.secret").resolve()) for number in (1, 2)]
    assert not any(text in ran.out + ran.err for text in [*GONE, "stranger"])
    assert "1 of the ids is in no release of this ledger" in ran.err

    left = Ledger.existing(shop / "ledger")
    assert not any(told(text, everything(shop / "ledger")) for text in [*hashes, *GONE, *names])
    assert left.published["pseudonym"].null_count() == len(ran.json["published"])
    assert candidate_sets(left, 1).together.tolist() == before
    assert [sorted(stone) for stone in left.rest["tombstones"]] == [["releases", "time"]] * 2
    for number in (1, 2):
        secret = read_secret(shop / f"r{number}.secret")
        assert not secret.owners["subject"].is_in(GONE).any()
        data = pl.read_csv(shop / f"r{number}" / "data.csv", infer_schema=False)
        theirs = ~data["pseudonym"].is_in(secret.owners["pseudonym"].implode())
        assert theirs.any()
        assert (secret.rows[theirs.to_numpy()] == -1).all()
        check = check_secret(shop / f"r{number}.secret", shop / f"r{number}")
        assert (check.findings, check.unowned) == ((), theirs.sum() and data.filter(theirs)["pseudonym"].n_unique())
    files = json.dumps([path.name for path in sorted((shop / "ledger").iterdir())])
    assert files == '[".lock", "ledger.json", "release-0001.parquet", "release-0002.parquet"]'


def test_the_group_of_who_was_forgotten_gets_fresh_pseudonyms_or_waits(shop: Path, tmp_path: Path) -> None:
    """Who was with them stays withheld if too few are left, and nobody takes a deleted pseudonym for a link."""
    data = growing_shop()[1].filter(~pl.col("who").is_in(GONE))
    before = {one["person"]: one["cohort"] for one in Ledger.existing(shop / "ledger").published.rows(named=True)}
    owners = release(data, tmp_path / "r3", shop / "ledger", "stable", seed=3)
    ledger = Ledger.existing(shop / "ledger")
    assert candidate_sets(ledger, 3).kept
    persons = ledger.persons(owners["subject"]).to_list()
    assert all(before[person] == cohort for person, cohort in _cohorts(ledger, 3).items() if person in before)
    assert len(persons) < data["who"].n_unique()


def _cohorts(ledger: Ledger, number: int) -> dict[str, int]:
    rows = ledger.published.filter(pl.col("release") == number)
    return dict(zip(rows["person"], rows["cohort"], strict=True))


def test_what_forgetting_refuses(shop: Path, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no id was given; write one id per line to standard input"):
        forget(Ledger.existing(shop / "ledger"), ["", ""])
    with pytest.raises(InputError, match="none of the 2 ids given is in this ledger or in a secret of it"):
        forget(Ledger.existing(shop / "ledger"), ["stranger", "other"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe")))
    assert "standard input is not UTF-8 text" in run("forget", "--ledger", shop / "ledger").err
    missing = run("forget", "--ledger", shop / "ledger", "--secret", tmp_path / "none")
    assert (missing.status, "there is no such file; name a secret file" in missing.err) == (2, True)
    assert "is no ledger of tokumei" in run("forget", "--ledger", tmp_path).err
