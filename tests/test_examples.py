"""The example scripts run from beginning to end on small data."""

from __future__ import annotations

import json
import runpy
import tempfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.half_second

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SAYS = {
    "purchases": (
        "audit: safe",
        "['purchases.csv', 'release', 'release.audit.json', 'release.plan.toml', 'release.secret']",
    ),
    "trajectories": ("latitude = ", "safe: every history is shared by 3 pseudonyms"),
    "health": ("k=5: information lost", " safe\n"),
}


def test_every_example_is_run() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == sorted(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """A warning is an error, as in all tests."""
    monkeypatch.setenv("TOKUMEI_EXAMPLE_SUBJECTS", "40")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    said = capsys.readouterr().out
    for text in SAYS[name]:
        assert text in said


def test_an_executed_notebook_shows_what_its_cells_gave() -> None:
    pages = runpy.run_path(str(EXAMPLES.parent / "docs" / "notebook_pages.py"))
    script = '"""Doc."""\n# %% [markdown]\n# # Title\n# %% Two.\nx = 2\nprint("said")\nx + 1  # noqa: B018\n'
    cells = pages["run"](pages["cut"](script))
    document = json.loads(pages["notebook"](cells))
    assert [cell["cell_type"] for cell in document["cells"]] == ["markdown", "markdown", "code"]
    stream, result = document["cells"][2]["outputs"]
    assert (stream["text"], result["data"]) == (["said\n"], {"text/plain": "3"})
    page = pages["page"](cells, "a")
    assert page.startswith("# Title\n\n{download}`The notebook <a.ipynb>`")
    assert "noqa" not in page
