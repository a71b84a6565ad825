"""Files that killed processes left behind."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.utils import timezone

from tests.arena import world
from tokumei_arena import clock
from tokumei_arena.models import Blob
from tokumei_arena.records.storage import FolderStorage, open_blob, put_bytes
from tokumei_arena.work.leftovers import sweep_files

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def _half_file(area: str) -> Path | None:
    """Leave a half written file, where that can happen."""
    storage = storages[area]
    if not isinstance(storage, FolderStorage):
        return None
    path = Path(storage.path("ab/.0123.part"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"z")
    return path


def test_what_nothing_refers_to_goes_when_it_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep_files(older=timedelta(0))
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    kept = world.hand_in(captain, contest.rounds.get())
    # Killed after the row of the file, before that of the submission; and in the middle of a file.
    abandoned = put_bytes(Blob.Area.UPLOADS, "A.csv", b"x")
    foreign = storages[Blob.Area.TRUTH].save("ab/abcdef", ContentFile(b"y"))
    halves = [_half_file(area) for area in ("uploads", "truth")]
    assert sweep_files() == 0
    later = timezone.now() + timedelta(days=1, minutes=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert sweep_files() == 1 + len([path for path in halves if path])
    assert not Blob.objects.filter(pk=abandoned.pk).exists()
    with pytest.raises(FileNotFoundError, match=abandoned.key), open_blob(abandoned):
        pass
    assert not any(path.exists() for path in halves if path)
    # Perhaps of another arena in the same store.
    with storages[Blob.Area.TRUTH].open(foreign) as file:
        assert file.read() == b"y"
    with open_blob(kept.blob) as file:
        assert file.read() == world.GOOD_A
    assert sweep_files() == 0


def test_data_that_was_replaced_goes_ground_truth_too(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep_files(older=timedelta(0))
    contest = world.make_contest()
    old = contest.rounds.get().data_files.get()
    replaced = [old.blob, put_bytes(Blob.Area.TRUTH, "X.csv", b"1\n")]
    old.blob = put_bytes(Blob.Area.DATA, "T.csv", world.T)
    old.save()
    later = timezone.now() + timedelta(days=1, minutes=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert sweep_files() == len(replaced)
    assert not any(storages[blob.area].exists(blob.key) for blob in replaced if blob.area == Blob.Area.TRUTH)
    assert list(Blob.objects.all()) == [old.blob]
