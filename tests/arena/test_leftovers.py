"""Files that killed processes left behind."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.utils import timezone

from tests.arena import world
from tokumei_arena.core import clock
from tokumei_arena.core.leftovers import sweep_files
from tokumei_arena.core.storage import open_blob, put_bytes
from tokumei_arena.models import Blob

pytestmark = pytest.mark.django_db


def test_what_nothing_refers_to_goes_when_it_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep_files(older=timedelta(0))
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    kept = world.hand_in(captain, contest.rounds.get())
    # Killed after the row of the file, before that of the submission; and before any row.
    abandoned = put_bytes(Blob.Area.UPLOADS, "A.csv", b"x")
    nameless = storages[Blob.Area.TRUTH].save("ab/abcdef", ContentFile(b"y"))
    half = storages[Blob.Area.UPLOADS].save("ab/.0123.part", ContentFile(b"z"))
    assert sweep_files() == 0
    later = timezone.now() + timedelta(days=1, minutes=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert sweep_files() == 3
    assert not Blob.objects.filter(pk=abandoned.pk).exists()
    assert not storages[Blob.Area.UPLOADS].exists(abandoned.key)
    assert not storages[Blob.Area.TRUTH].exists(nameless)
    assert not storages[Blob.Area.UPLOADS].exists(half)
    with open_blob(kept.blob) as file:
        assert file.read() == world.GOOD_A
    assert sweep_files() == 0
