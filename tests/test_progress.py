"""Progress is told to a listener if there is one, and to nobody otherwise."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tokumei.progress import Advance, listening, stage


def test_without_a_listener_nothing_happens() -> None:
    with stage("work", total=2) as advance:
        advance(1)


def test_a_listener_hears_names_totals_and_amounts() -> None:
    heard: list[object] = []

    @contextmanager
    def listener(name: str, total: float | None) -> Iterator[Advance]:
        heard.append((name, total))
        yield heard.append
        heard.append("end")

    with listening(listener):
        with stage("outer"), stage("inner", total=3) as advance:
            advance(2)
        with pytest.raises(ValueError, match="x"), stage("broken"):
            raise ValueError("x")
    with stage("unheard"):
        pass
    assert heard == [("outer", None), ("inner", 3), 2, "end", "end", ("broken", None)]


def _on_a_terminal(folder: Path, code: str) -> str:
    """Run Python code whose standard error is a terminal; return what the terminal got."""
    main, side = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=folder, stdout=subprocess.DEVNULL, stderr=side, env=environment
    )
    os.close(side)
    shown = b""
    try:
        while chunk := os.read(main, 4096):
            shown += chunk
    except OSError:
        # The other side of a terminal that was closed gives an error, not an end.
        pass
    finally:
        os.close(main)
    assert process.wait() == 0
    return shown.decode()


WORK = """
import time
from tokumei.cli.output import progress_bars
from tokumei.progress import stage
with progress_bars(), stage("matching", total=3) as advance:
    for _ in range(3):
        time.sleep({pause})
        advance(1)
"""


@pytest.mark.half_second
def test_a_bar_appears_on_work_that_lasts_and_not_on_short_work(tmp_path: Path) -> None:
    assert _on_a_terminal(tmp_path, WORK.format(pause=0.01)) == ""
    assert "matching" in _on_a_terminal(tmp_path, WORK.format(pause=0.6))


@pytest.mark.half_second
def test_no_bar_is_drawn_into_a_file(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WORK.format(pause=0.4)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
