"""An arena of an earlier version, with everything that teams did in it, goes on under this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.arena.real_server import PROJECT

# Fills the tables as they were after 0003, with the models of then, and upgrades them as "serve" does.
PROGRAM = """
import django
django.setup()
import datetime, json, uuid
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

def tables_of(state):
    executor = MigrationExecutor(connection)
    executor.migrate([("arena", state), *[node for node in executor.loader.graph.leaf_nodes() if node[0] != "arena"]])
    return MigrationExecutor(connection).loader.project_state(("arena", state)).apps.get_model

was = tables_of("0003_fair_rounds")
now = datetime.datetime(2026, 11, 18, 9, tzinfo=datetime.UTC)
hour = datetime.timedelta(hours=1)
person = was("arena", "Person").objects.create(email="kim@example.org", name="Kim", password="x", is_referee=True)
contest = was("arena", "Contest").objects.create(slug="cup", name="Cup", rule_set="pws2018", is_open=True)
round_ = was("arena", "Round").objects.create(contest=contest, kind="final", position=0)
for number, kind in enumerate(["registration", "anonymize", "attack", "scoring", "published"]):
    ends = None if kind == "published" else now + (number - 1) * hour
    was("arena", "Phase").objects.create(round=round_, kind=kind, starts_at=now + (number - 2) * hour, ends_at=ends)
team = was("arena", "Team").objects.create(contest=contest, name="Alpha", number=1, approved_at=now)
was("arena", "Membership").objects.create(
    contest=contest, team=team, person=person, role="captain", terms_accepted_at=now
)
blob = was("arena", "Blob").objects.create(area="uploads", key="ab/abcd", name="A.csv", sha256="0" * 64, size=3)
submission = was("arena", "Submission").objects.create(
    round=round_, team=team, kind="release", blob=blob, person=person, state="done", verdict="valid", received_at=now
)
evaluation = was("arena", "Evaluation").objects.create(
    submission=submission, rule_set="pws2018", rule_version="x", inputs={}, valid=True, figures={"U": 0.25}
)
was("arena", "Submission").objects.filter(pk=submission.pk).update(evaluation=evaluation)
fields = dict(number=1, at=now, actor="system", action="contest.make", contest=None, object_id="", detail={"a": 1})
was("arena", "LogEntry").objects.create(**fields, previous="0" * 64, hash=HASH)

from tokumei_arena.commands.prepare import is_prepared, prepare_database
before = is_prepared()
prepare_database()
from tokumei_arena.models import Submission, Team
from tokumei_arena.records import log_state, sign_due_heads
from django.test import Client
signed = sign_due_heads()
state = log_state()
found = Submission.objects.select_related("team", "evaluation").get()
pages = [Client().get(path).status_code for path in ("/", "/c/cup/", "/c/cup/final/board/", "/log/", "/healthz")]
print(json.dumps({
    "before": before, "after": is_prepared(), "signed": signed, "log": state.as_dict()["intact"],
    "guarded": state.guarded, "figures": found.evaluation.figures, "team": found.team.name, "pages": pages,
}))
"""
# Of the entry above, as that version wrote it.
HASH = "bac4a14cb3be166909cbe96d2d1062ed0cc9f805febac40f42bd6864a824a691"


@pytest.mark.half_second
def test_a_filled_database_of_an_earlier_version_is_upgraded(tmp_path: Path) -> None:
    variables = {
        **os.environ,
        "TOKUMEI_ARENA_HOME": str(tmp_path / "home"),
        "DJANGO_SETTINGS_MODULE": "tests.arena.settings",
        "PYTHONPATH": str(PROJECT),
    }
    variables.pop("DATABASE_URL", None)
    program = PROGRAM.replace("HASH)", f"{HASH!r})")
    ran = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "before": False,
        "after": True,
        "signed": 1,
        "log": True,
        "guarded": True,
        "figures": {"U": 0.25},
        "team": "Alpha",
        "pages": [200] * 5,
    }
