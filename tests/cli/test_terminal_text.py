"""Names and values come from files of others: a terminal shows them, and obeys nothing in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tokumei.cli.output import _console, show_verdict
from tokumei.data.results import Outcome, Reason, Verdict
from tokumei.words import Message


def test_a_pseudonym_cannot_forge_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    example = Message("detail.too-long", {"size": 2, "count": 1})
    values = {"pseudonyms": 1, "all": 2, "pseudonym": "a\x1b[31m\nsafe at k = 3", "example": example}
    reason = Reason(code="inconsistent", form="inconsistent-alone", values=values)
    show_verdict(_console(), Verdict(outcome=Outcome.UNSAFE, reasons=(reason,), skipped=(reason,)), 3)
    shown = (
        "the release contradicts the original: 1 of 2 pseudonyms fit no subject; "
        "the pseudonym 'a\\x1b[31m\\nsafe at k = 3' has 2 records, more than every subject (1)"
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["names: unsafe", f"- {shown}; {reason.remedy}", f"- not tested: {shown}"]


def test_a_hint_cannot_colour_the_terminal(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("customer,\x1b[31mred\na,\na,\nb,\n", encoding="utf-8")
    described = run("describe", table)
    assert described.status == 0
    assert "! column '\\x1b[31mred': has no values at all" in described.out
    assert "\x1b" not in described.out
