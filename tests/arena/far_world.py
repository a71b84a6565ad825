"""Run beside a real server, with its settings: make a contest for it, and look at what it kept. Prints JSON."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

from tokumei_arena.commands.setup import django_ready


def make(names: list[str], *, release_limit: int, attack_limit: int, phase: str) -> dict[str, Any]:
    """Make a contest with teams; return its short name and a token for each team."""
    from tests.arena import world
    from tokumei_arena.teams import links

    contest = world.make_contest("anonymize")
    round_ = contest.rounds.get()
    round_.release_limit, round_.attack_limit = release_limit, attack_limit
    round_.save()
    found: dict[str, Any] = {"slug": contest.slug, "tokens": {}}
    scopes = ("read", "submit", "attack")
    for name in names:
        _team, captain = world.make_team(contest, name)
        found["tokens"][name] = links.make_token(captain, name="test", scopes=scopes, lasts=timedelta(days=1))[1]
        if phase == "attack":
            world.hand_in(captain, round_)
    world.move_to(round_, phase)
    return found


def look() -> dict[str, Any]:
    """Return everything about all submissions, and whether the log holds."""
    from tokumei_arena.models import Attempt, Blob, LogEntry, Submission
    from tokumei_arena.records import logbook
    from tokumei_arena.records.storage import open_blob
    from tokumei_arena.work import leftovers

    submissions = []
    for one in Submission.objects.select_related("blob", "team"):
        with open_blob(one.blob) as file:
            stored = hashlib.sha256(file.read()).hexdigest()
        submissions.append(
            {
                "id": str(one.pk),
                "team": one.team.name,
                "key": one.client_key,
                "state": one.state,
                "verdict": one.verdict,
                "runs": one.runs,
                "failure": one.failure,
                "stored": stored,
                "recorded": one.blob.sha256,
                "evaluations": one.evaluations.count(),
                "counted": Attempt.objects.filter(submission=one).count(),
            }
        )
    actions = list(LogEntry.objects.order_by("number").values_list("action", "object_id"))
    broken = logbook.verify()
    swept = leftovers.sweep_files(older=timedelta(0))
    blobs = Blob.objects.filter(area=Blob.Area.UPLOADS).count()
    return {
        "submissions": submissions,
        "log": actions,
        "broken": None if broken is None else broken.reason,
        "swept": swept,
        "blobs": blobs,
        "attempts": Attempt.objects.count(),
        "uploads": sorted(path.name for path in _uploads()),
    }


def _uploads() -> list[Path]:
    return [path for path in (Path(os.environ["TOKUMEI_ARENA_HOME"]) / "files/uploads").rglob("*") if path.is_file()]


def main(words: list[str]) -> None:
    """Do what the first word says."""
    django_ready("worker")
    result = make(**json.loads(words[1])) if words[0] == "make" else look()
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1:])
