"""The secret: a file of its own, for its owner only, that says nothing about itself by accident."""

from __future__ import annotations

import io
import json
import os
import stat
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.data.history import Secret
from tokumei.data.secret_file import default_secret_path, read_secret, write_secret
from tokumei.errors import UnreadableError

OWNERS = pl.DataFrame({"pseudonym": ["p1", "p2"], "subject": ["QZX-1", "QZX-2"]})
SECRET = Secret(OWNERS, np.array([1, -1, 0]), b"\x01\xff" * 16, 12345)


def test_a_secret_survives_its_file(tmp_path: Path) -> None:
    write_secret(SECRET, tmp_path / "s")
    again = read_secret(tmp_path / "s")
    assert again.owners.equals(OWNERS)
    assert again.rows.tolist() == [1, -1, 0]
    assert (again.key, again.seed) == (SECRET.key, 12345)
    empty = Secret(OWNERS.head(0), np.empty(0, dtype=np.int64))
    write_secret(empty, tmp_path / "e")
    again = read_secret(tmp_path / "e")
    assert (again.owners.height, len(again.rows), again.key, again.seed) == (0, 0, None, None)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_owner_may_read_it_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        write_secret(SECRET, tmp_path / "s")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600


def test_it_is_never_open_to_others_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    write = zipfile.ZipFile.writestr

    def spying(self: zipfile.ZipFile, *arguments: object, **options: object) -> None:
        seen.extend(stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir())
        write(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(zipfile.ZipFile, "writestr", spying)
    write_secret(SECRET, tmp_path / "s")
    assert set(seen) == {0o600}


def test_its_repr_says_nothing() -> None:
    for text in (repr(SECRET), str(SECRET), f"{SECRET}", repr([SECRET])):
        assert "QZX" not in text
        assert "12345" not in text
        assert "Secret(…)" in text


@pytest.mark.parametrize(
    ("folder", "wanted"),
    [("release", "release.secret"), ("a/b", "a/b.secret"), ("r.d", "r.d.secret"), ("/x/y/", "/x/y.secret")],
)
def test_it_lies_beside_the_release(folder: str, wanted: str) -> None:
    assert default_secret_path(Path(folder)) == Path(wanted)


def test_it_lies_beside_the_folder_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here" / "below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    assert default_secret_path(Path()) == tmp_path / "here.secret"
    assert default_secret_path(Path("below/..")) == tmp_path / "here.secret"


def _archive(tables: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in tables.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


ROWS = _parquet(pl.DataFrame({"row": [0]}))
REST = json.dumps({"key": None, "seed": None}).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no archive",
        _archive({}),
        _archive({"owners.parquet": b"x", "rows.parquet": ROWS, "secret.json": REST}),
        _archive({"owners.parquet": ROWS, "rows.parquet": ROWS, "secret.json": REST}),
        _archive({"owners.parquet": _parquet(OWNERS), "rows.parquet": _parquet(OWNERS), "secret.json": REST}),
        _archive({"owners.parquet": _parquet(OWNERS), "rows.parquet": ROWS, "secret.json": b"[]"}),
        _archive({"owners.parquet": _parquet(OWNERS), "rows.parquet": ROWS, "secret.json": b'{"key": "zz"}'}),
    ],
)
def test_any_other_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s"
    path.write_bytes(content)
    with pytest.raises(UnreadableError, match="is no secret file of tokumei, or it is damaged; name the file that"):
        read_secret(path)
