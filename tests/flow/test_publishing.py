"""A release on the disk: two that are written to one place at the same time do not cost either its secret."""

from __future__ import annotations

from pathlib import Path

import pytest

import tokumei
from tests.leaky_releases import purchases
from tokumei.data import read_secret
from tokumei.errors import OutputError
from tokumei.flow import publishing


def test_of_two_that_write_to_one_place_at_once_the_later_takes_nothing_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = purchases(12).frame
    first, second = (tokumei.anonymize(frame, subject="who", k=2, effort="fast", audit=False) for _ in range(2))
    place = tmp_path / "out"
    first.write(place)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    # Both looked at the place before either wrote.
    monkeypatch.setattr(publishing, "check_places", lambda *_args, **_more: None)
    for secret in (None, tmp_path / "second.secret"):
        with pytest.raises(OutputError, match="exists already"):
            second.write(place, secret_file=secret)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert read_secret(tmp_path / "out.secret").owners.equals(first.secret.owners)
