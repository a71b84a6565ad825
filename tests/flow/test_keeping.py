"""What was found out about a release is kept: used for the same bytes, original, secret and settings, and no others."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.audits import AuditResult, AuditSettings, Limits
from tokumei.data import Evidence, Outcome, Reason, Verdict
from tokumei.flow import Keeper, Opened, audit, auditing, open_release, plan_of, release
from tokumei.flow.keeping import add_history, from_plain, to_plain
from tokumei.profiles import read_history

QUICK = AuditSettings(quick=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a small release with its secret beside it."""
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"who": [f"p{n % 8}" for n in range(24)], "paid": rng.integers(0, 50, 24)})
    frame.write_csv(tmp_path / "original.csv")
    history = read_history(tmp_path / "original.csv", subject="who")
    release(history, plan_of("k-anonymity", k=2, seed=1), threads=1, audit=False).write(tmp_path / "release")
    return tmp_path / "release"


def _opened(folder: Path, *, secret: bool = True) -> Opened:
    return open_release(
        folder.parent / "original.csv", folder, secret=folder.parent / "release.secret" if secret else None
    )


class _Count:
    """Counts how often an audit is computed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        compute = auditing._computed

        def counted(*given: object) -> AuditResult:
            self.times += 1
            return compute(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(auditing, "_computed", counted)


def test_an_audit_is_computed_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same question gets the same answer, with all its tables, from a file that its owner alone can read."""
    count = _Count(monkeypatch)
    first, second = audit(_opened(folder), QUICK), audit(_opened(folder), QUICK)
    assert count.times == 1
    assert second.as_dict() == first.as_dict()
    assert second.evidence.tables.keys() == first.evidence.tables.keys()
    assert all(second.evidence.tables[name].equals(table) for name, table in first.evidence.tables.items())
    (kept,) = (folder.parent / "release.kept").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    audit(_opened(folder), replace(QUICK, fresh=True))
    assert count.times == 2


def test_limits_decide_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another recipient has other limits, but the figures are the same."""
    count = _Count(monkeypatch)
    audit(_opened(folder), QUICK)
    public = audit(_opened(folder), replace(QUICK, limits=Limits.read("public")))
    assert (count.times, public.recipient) == (1, "public")


def test_what_differs_is_computed_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, secret, original, bytes and a spoilt file each make an audit of their own."""
    count = _Count(monkeypatch)
    audit(_opened(folder), QUICK)
    audit(_opened(folder), replace(QUICK, seed=1))
    audit(_opened(folder, secret=False), QUICK)
    assert count.times == 3
    original = folder.parent / "original.csv"
    lines = original.read_text().splitlines()
    original.write_text("\n".join([*lines[:-1], lines[-1] + "0"]) + "\n")
    audit(_opened(folder, secret=False), QUICK)
    assert count.times == 4
    data = folder / "data.csv"
    data.write_text("\n".join(data.read_text().splitlines()[:-1]) + "\n")
    audit(_opened(folder, secret=False), QUICK)
    assert count.times == 5
    for kept in (folder.parent / "release.kept").iterdir():
        kept.write_text(kept.read_text()[:-9])
    audit(_opened(folder, secret=False), QUICK)
    assert count.times == 6


def test_values_come_back_as_they_were() -> None:
    """Tables, names, tuples and nested values survive; a kind of value that no result has is refused."""
    reason = Reason(code="few-candidates", values={"below": np.int64(2), "names": ("a", "b"), "share": float("inf")})
    verdict = Verdict(outcome=Outcome.UNSAFE, reasons=(reason,))
    table = pl.DataFrame({"day": [1, None]}, schema={"day": pl.Int32})
    back = from_plain(to_plain([verdict, Evidence({"days": table}), {Outcome.SAFE: None}]))
    assert back[0] == verdict
    assert back[1].tables["days"].equals(table)
    assert back[2] == {Outcome.SAFE: None}
    with pytest.raises(TypeError, match="^set is not kept$"):
        to_plain({1, 2})


def test_nothing_is_kept_of_what_is_not_on_the_disk(folder: Path) -> None:
    """A release without a folder is computed each time."""
    keeper = Keeper.of(replace(_opened(folder), folder=None))
    assert keeper == Keeper()
    assert [keeper.remember("figure", "", lambda: 3), keeper.remember("figure", "", lambda: 4)] == [3, 4]


def test_equal_originals_have_one_hash_however_they_lie_in_memory() -> None:
    """Names longer than an inlined string were written in the order in which threads had read them."""
    names = [f"a storm with a long name {number}" for number in range(40)]
    frame = pl.DataFrame({"storm": names * 2, "wind": range(80)})
    pieces = pl.concat([frame[40:], frame[:40]], rechunk=False)[40:].vstack(frame[40:])
    digests = []
    for one in (frame, pieces):
        digest = hashlib.sha256()
        add_history(digest, read_history(one, subject="storm"))
        digests.append(digest.hexdigest())
    assert digests[0] == digests[1]
