"""A whole contest of 2018 played through pages in a real browser: three teams, two languages, every page inspected."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.arena.browser_captain import Captain
from tests.arena.browser_play import BOARD, NAMES, PERSONS, Play
from tests.arena.browser_visitor import opened_browser
from tests.arena.real_server import RealServer, environment

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow
FIRST_PAGE_BYTES = 100_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with opened_browser() as opened:
        yield opened


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RealServer]:
    """Run a new arena without a mail server, as the first start makes it."""
    found = RealServer(environment(tmp_path / "home"), "--processes", "1")
    yield found
    found.end()


@pytest.mark.effort
def test_a_whole_contest_in_two_languages(browser: Browser, server: RealServer, tmp_path: Path) -> None:
    play = Play(browser, server, tmp_path)
    play.prepare()
    play.register()
    assert play.weigh_first_page() < FIRST_PAGE_BYTES
    play.refuse_and_correct()
    play.check_first()
    play.submit_others()
    play.attack()
    play.publish()
    _check_results(play)
    play.look_around()
    assert play.inspector.complaints == []


def _check_results(play: Play) -> None:
    """Check board, chart and matrix in both languages: the winner gave nobody away and lost least."""
    english, japanese = play.renamers, play.maskers
    english.open(BOARD)
    japanese.open(BOARD)
    winner, second, last = NAMES[1], NAMES[2], NAMES[0]
    ranking = [["1", winner, "0.750000", "0"], ["2", second, "1.000000", "0"], ["–", last, "0.000000", "1"]]
    assert _ranking(english.table("Anonymizers")) == ranking
    assert _ranking(japanese.table("匿名化者")) == ranking
    assert english.table("Anonymizers")[3][-1] == "effectively re-identified"
    assert japanese.table("匿名化者")[3][-1] == "有効な再識別を受けた"
    assert english.reads("Lowest U among the files that received no effective re-identification")
    assert japanese.reads("有効な再識別を受けなかったファイルのうち、Uが最小のものが1位。")
    _check_pictures(english, ("Utility against safety", "ranked", "not ranked"), "Attack matrix")
    _check_pictures(japanese, ("有用性と安全性", "順位あり", "順位なし"), "攻撃の行列")
    english.open(BOARD)
    english.follow("Attackers")
    assert _ranking(english.table("Attackers"))[0] == ["1", winner, "1", "1"]


def _ranking(table: list[list[str]]) -> list[list[str]]:
    """Return rank, team without its badge, and the first two figures."""
    return [[row[0], row[1].split()[0], *row[2:4]] for row in table[1:]]


def _check_pictures(reader: Captain, chart: tuple[str, ...], matrix: str) -> None:
    """Check that both charts are drawn as SVG, and what they say is also written."""
    assert all(reader.reads(text) for text in chart)
    (dots,) = reader.page.locator("main svg.chart").all()
    assert dots.locator("circle").count() == len(NAMES)
    reader.follow("Attack matrix")
    (heat,) = reader.page.locator("main svg.chart").all()
    assert heat.locator("rect.heat").count() == len(NAMES) * (len(NAMES) - 1)
    assert heat.locator("rect.self").count() == len(NAMES)
    attacked = " → ".join((NAMES[1], NAMES[0]))
    assert heat.locator("rect.marked").count() == 1
    assert heat.locator("g").filter(has=reader.page.locator("rect.marked")).locator("title").text_content() == (
        f"{attacked}: {PERSONS}"
    )
    written = {row[0]: row[1:] for row in reader.table(matrix)}
    assert written[NAMES[1]][0] == str(PERSONS)
