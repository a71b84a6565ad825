"""The example scripts run from beginning to end on small data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SAYS = {
    "purchases": (
        "audit: safe",
        "['purchases.csv', 'release', 'release.audit.json', 'release.plan.toml', 'release.secret']",
    ),
    "trajectories": ("latitude = ", "safe: every history is shared by 3 pseudonyms"),
    "health": ("k = 5: information lost", " safe\n"),
}


def test_every_example_is_run() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == sorted(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs(tmp_path: Path, name: str) -> None:
    environment = {**os.environ, "TOKUMEI_EXAMPLE_SUBJECTS": "40", "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / f"{name}.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for text in SAYS[name]:
        assert text in done.stdout
