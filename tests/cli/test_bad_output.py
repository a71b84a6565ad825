"""Results that cannot be written: nothing half written is left, and nothing is ever written over by accident."""

from __future__ import annotations

import errno
import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.refusal import one_sentence, refused, snapshot
from tests.conftest import Run
from tokumei.data.secret_file import read_secret

ROWS = "".join(f"{n % 3 + 1},2011/1/{n % 28 + 1},A{n % 5},{n}.5,{n % 7 + 1}\n" for n in range(400))
HEADER = "customer,date,goods,price,quantity\n"
PSEUDONYMS = ("--method", "pseudonymize", "--skip-audit")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a small good table; beside it the same without header as T of 2018."""
    (tmp_path / "T.csv").write_text(ROWS, encoding="utf-8")
    path = tmp_path / "data.csv"
    path.write_text(HEADER + ROWS, encoding="utf-8")
    return path


def _writers(tmp_path: Path, target: Path) -> dict[str, list[object]]:
    """Return one command line for every way to write a file or folder."""
    data, t = tmp_path / "data.csv", tmp_path / "T.csv"
    return {
        "describe": ["describe", data, "-o", target],
        "anonymize": ["anonymize", data, *PSEUDONYMS, "-o", target],
        "secret": ["anonymize", data, *PSEUDONYMS, "-o", tmp_path / "release", "--secret", target],
        "synth": ["synth", "purchases", "--subjects", "300", "-o", target.with_name(target.name + ".csv")],
        "synth parquet": ["synth", "purchases", "--subjects", "300", "-o", target.with_name(target.name + ".parquet")],
        "publish": ["pws2018", "publish", t, "-o", target],
        "contest": ["pws2018", "anonymize", "pseudonymize", t, "-o", target],
        "threshold": ["pws2018", "threshold", "--max-n", "3", "-o", target],
        "demo": ["demo", target, "--subjects", "5"],
    }


WRITERS = list(_writers(Path(), Path("x")))


@pytest.mark.parametrize("writer", [name for name in WRITERS if name != "demo"])
def test_a_missing_folder_is_named(run: Run, tmp_path: Path, table: Path, writer: str) -> None:
    target = tmp_path / "absent" / "out"
    error = refused(run, tmp_path, *_writers(tmp_path, target)[writer])
    assert "cannot be written: the folder does not exist; create it first" in error["message"]
    assert error["code"] == "output"
    assert error["file"].startswith(str(target))


@pytest.mark.parametrize("writer", WRITERS)
def test_a_path_below_a_file_is_refused(run: Run, tmp_path: Path, table: Path, writer: str) -> None:
    target = table / "below" / "out"
    error = refused(run, tmp_path, *_writers(tmp_path, target)[writer])
    assert "a part of the path is a file, not a folder; choose another place" in error["message"]
    assert error["code"] == "output"


@pytest.mark.parametrize("writer", [name for name in WRITERS if name not in ("anonymize", "demo", "secret")])
def test_a_folder_in_place_of_the_file_is_refused(run: Run, tmp_path: Path, table: Path, writer: str) -> None:
    words = _writers(tmp_path, tmp_path / "out")[writer]
    target = Path(str(words[-1]))
    target.mkdir()
    error = refused(run, tmp_path, *words)
    assert error["message"] == f"{target} cannot be written: it is a folder; name a file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_protected_folder_is_refused(run: Run, tmp_path: Path, table: Path) -> None:
    folder = tmp_path / "protected"
    folder.mkdir(mode=0o500)
    error = refused(run, tmp_path, "describe", table, "-o", folder / "s.toml")
    assert "writing there is not permitted; choose another place or change the permissions" in error["message"]


@contextmanager
def _small_files(size: int) -> Iterator[None]:
    """Let the system refuse every file that grows beyond this size, as a full disk does, also in native code."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("writer", [name for name in WRITERS if name not in ("describe", "threshold")])
def test_a_file_that_cannot_grow_leaves_nothing_behind(run: Run, tmp_path: Path, table: Path, writer: str) -> None:
    before = snapshot(tmp_path)
    with _small_files(1500):
        told = run(*_writers(tmp_path, tmp_path / "out")[writer])
    assert (told.status, told.out) == (2, "")
    assert "cannot be written: the file would become larger than the system allows" in one_sentence(told.err)
    assert snapshot(tmp_path) == before


@pytest.mark.half_second
@pytest.mark.parametrize("writer", ["describe", "anonymize", "publish", "contest", "threshold"])
@pytest.mark.parametrize("call", ["replace", "fsync", "write_bytes"])
def test_a_full_disk_leaves_nothing_behind(
    run: Run, tmp_path: Path, table: Path, monkeypatch: pytest.MonkeyPatch, writer: str, call: str
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if call == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    elif call == "write_bytes" and writer == "anonymize":
        monkeypatch.setattr("zipfile.ZipFile.writestr", full)
    elif call == "write_bytes" and writer == "contest":
        # A is written slice by slice.
        monkeypatch.setattr("polars.DataFrame.write_csv", full)
    else:
        monkeypatch.setattr(Path, call, full)
    error = refused(run, tmp_path, *_writers(tmp_path, tmp_path / "out")[writer])
    assert "cannot be written: the disk is full; make room or choose another place" in error["message"]
    assert error["code"] == "output"


def test_an_earlier_release_and_its_secret_are_never_touched(run: Run, tmp_path: Path, table: Path) -> None:
    release, secret = tmp_path / "release", tmp_path / "release.secret"
    words = ["anonymize", table, *PSEUDONYMS, "-o", release]
    assert run(*words).status == 0
    error = refused(run, tmp_path, *words)
    assert error["message"] == f"{release} exists already and is not an empty folder; choose another name or remove it"
    for path in release.iterdir():
        path.unlink()
    error = refused(run, tmp_path, *words)
    assert error["message"] == (f"{secret} exists already; keep it and name another place with --secret, or remove it")
    secret.unlink()
    plan = tmp_path / "release.plan.toml"
    error = refused(run, tmp_path, *words)
    assert error["message"] == (
        f"{plan} exists already and belongs to another release; name another folder, or move it away"
    )
    plan.unlink()
    assert run(*words).status == 0
    assert len(read_secret(secret).rows) == 400


@pytest.mark.parametrize("place", ["release/secret", "release"])
def test_the_secret_never_lies_in_the_release(run: Run, tmp_path: Path, table: Path, place: str) -> None:
    error = refused(
        run, tmp_path, "anonymize", table, *PSEUDONYMS, "-o", tmp_path / "release", "--secret", tmp_path / place
    )
    assert error["message"].startswith("the secret must not lie in the release folder: ")
    assert error["message"].endswith("name another place with --secret")


def test_the_folder_one_is_in_is_not_replaced(
    run: Run, tmp_path: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    error = refused(run, tmp_path, "anonymize", table, *PSEUDONYMS, "-o", ".")
    assert error["message"] == ". is the folder you are in; name a new folder"


@pytest.mark.parametrize(
    "words",
    [
        ["describe", "{data}", "-o", "{data}"],
        ["pws2018", "publish", "{t}", "-o", "{t}"],
        ["pws2018", "publish", "{t}", "-o", "{link}"],
        ["pws2018", "anonymize", "pseudonymize", "{t}", "-o", "{t}"],
    ],
)
def test_the_input_is_never_the_output(run: Run, tmp_path: Path, table: Path, words: list[str]) -> None:
    link = tmp_path / "link.csv"
    link.symlink_to("T.csv")
    error = refused(run, tmp_path, *(word.format(data=table, t=tmp_path / "T.csv", link=link) for word in words))
    assert "is the file that is read; name another one to write" in error["message"]


def test_a_device_is_written_to_and_a_link_followed(run: Run, tmp_path: Path, table: Path) -> None:
    assert run("describe", table, "-o", os.devnull).status == 0
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    target, link = tmp_path / "target.toml", tmp_path / "link.toml"
    link.symlink_to(target.name)
    assert run("describe", table, "-o", link).status == 0
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8").startswith('subject = "customer"')


def test_the_secret_file_belongs_to_its_owner_only(run: Run, tmp_path: Path, table: Path) -> None:
    assert run("anonymize", table, *PSEUDONYMS, "-o", tmp_path / "release").status == 0
    assert stat.S_IMODE((tmp_path / "release.secret").stat().st_mode) == 0o600
    assert run("pws2018", "anonymize", "pseudonymize", tmp_path / "T.csv", "-o", tmp_path / "A").status == 0
    assert stat.S_IMODE((tmp_path / "A").stat().st_mode) == 0o600
