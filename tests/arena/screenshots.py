"""Draw the pictures of the arena's guide anew: ``python -m tests.arena.screenshots`` writes docs/images/arena-*.png.

Each language gets a new arena, used as the guide describes; the results are those of the demonstration.
Needs Debian's chromium, chromium-l10n, fonts-noto-cjk and pngquant.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.arena.settings")

from tests.arena import browser_files as files
from tests.arena.browser_captain import Captain
from tests.arena.browser_visitor import Inspector, Visitor, opened_browser
from tests.arena.real_server import PROJECT, RealServer, environment

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["main"]

IMAGES = PROJECT / "docs/images"
WIDTH = 860
COLOURS = 48
OPTIONS: dict[str, Any] = {"timezone_id": "Asia/Tokyo", "viewport": {"width": WIDTH, "height": 700}}
NAMES = {
    "en": ("Spring Cup", "Robin Referee", "Team Fig Leaf"),
    "ja": ("春の匿名化カップ", "審判 花子", "チームいちじく"),
}
ZONE = ZoneInfo("Asia/Tokyo")


class _Blind(Inspector):
    """Takes pictures instead of asking axe."""

    def look(self, visitor: Visitor) -> None:
        """Do nothing."""


def _shoot(visitor: Visitor, name: str, height: int, *, top: str = "") -> None:
    """Write so much of the page, from its beginning or from just above an element."""
    begin = 0.0
    if top:
        box = visitor.page.locator(top).first.bounding_box()
        assert box, top
        begin = box["y"] + visitor.page.evaluate("window.scrollY") - 12
    tall = float(visitor.page.evaluate("document.documentElement.scrollHeight"))
    clip = {"x": 0.0, "y": begin, "width": float(WIDTH), "height": min(float(height), tall - begin)}
    path = IMAGES / f"arena-{name}-{visitor.language}.png"
    visitor.page.mouse.move(0, 0)
    visitor.page.screenshot(path=path, full_page=True, clip=clip, animations="disabled", caret="hide")  # type: ignore[arg-type]
    # A page has few colours: a palette makes the file small.
    subprocess.run(["pngquant", "--force", "--ext", ".png", "--nofs", "--strip", str(COLOURS), str(path)], check=True)
    print(f"{path.relative_to(PROJECT)}: {path.stat().st_size:,} bytes")


def _start(visitor: Visitor, language: str) -> None:
    """Choose the language on the first page."""
    visitor.page.goto(visitor.url)
    visitor.switch_language(language)


def _refereeing(browser: Browser, server: RealServer, language: str) -> Visitor:
    """Become the referee, make a contest and its data; return the referee."""
    from tests.arena import browser_referee as desk
    from tests.arena.pages import totp_code

    url = server.url.replace("127.0.0.1", "localhost")
    referee = Visitor(browser, url, _Blind(), **OPTIONS)
    _start(referee, language)
    contest, name, _team = NAMES[language]
    referee.open(next(word for word in server.messages.read_text().split() if "/referee/" in word))
    referee.fill(name=name, email=desk.EMAIL, password1=desk.PASSWORD, password2=desk.PASSWORD)
    referee.press("Make my account")
    _shoot(referee, "second-factor", 960)
    referee.fill(code=totp_code(referee.page.locator("#totp-key").inner_text()))
    referee.press("Switch on")
    referee.open("/desk/contests/new/")
    referee.fill(name=contest)
    _shoot(referee, "new-contest", 940)
    referee.fill(preliminary__registration=f"{datetime.now(ZONE):%Y-%m-%dT%H:00}")
    referee.press("Make the contest")
    _shoot(referee, "desk", 680)
    return referee


def _playing(browser: Browser, referee: Visitor, folder: Path, language: str) -> None:
    """Take part: hand in a file with mistakes."""
    from tests.arena import browser_referee as desk

    contest, _name, team = NAMES[language]
    slug = referee.page.url.rstrip("/").rsplit("/", 1)[-1]
    referee.open(f"/desk/c/{slug}/preliminary/data/")
    referee.fill(subjects="60")
    referee.press("Generate synthetic data")
    referee.open(f"/desk/c/{slug}/")
    referee.press("Open the contest to everybody")
    captain = Captain(browser, referee.url, _Blind(), **OPTIONS)
    _start(captain, language)
    captain.sign_up(
        "Kim" if language == "en" else "山田 太郎", "kim@example.org", lambda to: desk.link_for(referee, to)
    )
    captain.make_team(contest, team)
    referee.open(f"/desk/c/{slug}/teams/")
    referee.press("Approve")
    referee.open(f"/desk/c/{slug}/phases/")
    referee.page.locator("tr.own details").nth(1).locator("summary").click()
    _shoot(referee, "timetable", 700)
    desk.close_phase(referee, slug, "all teams are here")
    captain.page.goto(f"{captain.url}/c/{slug}/preliminary/")
    original = captain.save("T.csv", folder / "T.csv")
    renamed = files.rename(original, folder / "A.csv")
    _shoot(captain, "round", 900)
    captain.hand_in(files.spoil(renamed, folder / "A-first-try.csv"))
    captain.page.locator("#findings-title").wait_for()
    _shoot(captain, "findings", 800, top="dl.facts")
    captain.page.goto(f"{captain.url}/c/{slug}/preliminary/check/")
    captain.page.locator("input[name='file']").set_input_files(renamed)
    captain.press("Check")
    captain.page.locator("#result .notice.ok").wait_for()
    _shoot(captain, "check", 560)
    captain.context.close()


def _run_demo(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """Let programs play the demonstration; return its process and the address of the contest."""
    words = [sys.executable, "-m", "tokumei", "arena", "demo", "--port", "0", "--seed", "1", "--json"]
    demo = subprocess.Popen(
        [*words, "--home", str(folder / "demo")], env=environment(folder), stdout=subprocess.PIPE, text=True
    )
    assert demo.stdout
    text = ""
    while not text or text.count("{") != text.count("}"):
        line = demo.stdout.readline()
        assert line, text
        text += line
    return demo, json.loads(text)["url"]


def _results(browser: Browser, address: str, language: str) -> None:
    """Look at the board of the demonstration."""
    viewer = Visitor(browser, address.split("/c/", maxsplit=1)[0], _Blind(), **OPTIONS)
    _start(viewer, language)
    viewer.page.goto(viewer.url)
    _shoot(viewer, "home", 900)
    viewer.page.goto(f"{address}final/board/")
    _shoot(viewer, "ranking", 520, top="#title-anonymizers")
    _shoot(viewer, "chart", 560, top="#title-chart")
    viewer.page.goto(f"{address}final/board/?show=matrix")
    _shoot(viewer, "matrix", 620, top="#title-matrix")
    viewer.context.close()


def main() -> None:
    """Write all pictures."""
    import django

    django.setup()
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="arena-pictures-") as temporary:
        folder = Path(temporary)
        demo, address = _run_demo(folder)
        try:
            for language in NAMES:
                with opened_browser(language) as browser:
                    _results(browser, address, language)
                    server = RealServer(environment(folder / language), "--processes", "1")
                    try:
                        referee = _refereeing(browser, server, language)
                        _playing(browser, referee, folder, language)
                    finally:
                        server.end()
        finally:
            demo.send_signal(signal.SIGINT)
            demo.wait()


if __name__ == "__main__":
    main()
