"""Names and values come from files of others: a terminal shows them, and obeys nothing in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tokumei.cli.output import _console, show_verdict
from tokumei.data.results import Outcome, Reason, Verdict


def test_a_pseudonym_cannot_forge_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    reason = Reason(code="x", sentence="the pseudonym 'a\x1b[31m\nsafe at k = 3'", remedy="see\x07")
    show_verdict(_console(), Verdict(outcome=Outcome.UNSAFE, reasons=(reason,), skipped=(reason,)), 3)
    shown = "the pseudonym 'a\\x1b[31m\\nsafe at k = 3'"
    assert capsys.readouterr().out.splitlines() == ["unsafe", f"- {shown}; see\\x07", f"- not tested: {shown}"]


def test_a_hint_cannot_colour_the_terminal(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("customer,\x1b[31mred\na,\na,\nb,\n", encoding="utf-8")
    described = run("describe", table)
    assert described.status == 0
    assert "! column '\\x1b[31mred': has no values at all" in described.out
    assert "\x1b" not in described.out
