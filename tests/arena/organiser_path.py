"""From nothing to an open contest with rules and starter kit, by clicks: ``python -m tests.arena.organiser_path``.

Starts an arena in an empty folder, drives Debian's chromium through its pages and counts clicks and keys. A driven
browser types at once and does not think, so beside its seconds stands what a person would need by the keystroke-level
model (Card, Moran and Newell, 1980): 0.28 s for a key, 1.1 s to point, 0.2 s to click, 1.35 s of thought for a click.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.arena.settings")

from tests.arena.browser_visitor import Inspector, Visitor, opened_browser
from tests.arena.real_server import RealServer, environment

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["main"]

KEY, POINT, CLICK, THINK = 0.28, 1.1, 0.2, 1.35


class _Blind(Inspector):
    """Looks at nothing: only the way is measured."""

    def look(self, visitor: Visitor) -> None:
        """Do nothing."""


@dataclass
class Counted:
    """What a person would have done by hand."""

    clicks: int = 0
    keys: int = 0
    began: float = 0.0

    def told(self) -> dict[str, float | int]:
        """Return the figures."""
        steps = self.clicks * (POINT + CLICK + THINK) + self.keys * KEY
        return {
            "clicks": self.clicks,
            "keys": self.keys,
            "seconds_of_the_browser": round(time.monotonic() - self.began, 1),
            "seconds_of_a_person": round(steps, 1),
        }


class Organiser(Visitor):
    """Somebody new whose every click and key is counted."""

    def __init__(self, browser: Browser, url: str, **options: Any) -> None:
        super().__init__(browser, url, _Blind(), **options)
        self.counted = Counted(began=time.monotonic())

    def press(self, english: str) -> None:
        """Press a button."""
        self.counted.clicks += 1
        super().press(english)

    def follow(self, english: str) -> None:
        """Follow a link."""
        self.counted.clicks += 1
        super().follow(english)

    def fill(self, **fields: str) -> None:
        """Click into fields and type."""
        self.counted.clicks += len(fields)
        self.counted.keys += sum(len(value) for value in fields.values())
        super().fill(**fields)


def _walk(organiser: Organiser, link: str) -> str:
    """Go the whole way; return the short name of the contest."""
    # These ask for the settings, which nobody needs who only asks for help.
    import django

    django.setup()
    from tests.arena.browser_referee import EMAIL, PASSWORD
    from tests.arena.pages import totp_code

    organiser.open(link)
    organiser.fill(name="Rei Referee", email=EMAIL, password1=PASSWORD, password2=PASSWORD)
    organiser.press("Make my account")
    organiser.fill(code=totp_code(organiser.page.locator("#totp-key").inner_text()))
    organiser.press("Switch on")
    organiser.follow("To the first page")
    organiser.follow("Referee desk")
    organiser.follow("Make the first contest")
    organiser.follow("One round")
    organiser.fill(name="Spring Cup")
    organiser.press("Make the contest")
    organiser.follow("Data")
    organiser.press("Generate synthetic data")
    organiser.follow("Pages")
    organiser.follow("Draft of the rules")
    organiser.press("Save the page")
    sample = Path(tempfile.gettempdir()) / "sample.csv"
    sample.write_text("12345,2011/1/3,20000,1.5,1\n", encoding="utf-8")
    # The button of the browser, its dialog, and the file in it.
    organiser.counted.clicks += 3
    organiser.page.locator("input[type=file]").set_input_files(sample)
    organiser.press("Attach")
    sample.unlink()
    organiser.follow("Now")
    organiser.press("Open the contest to everybody")
    return organiser.page.url.rstrip("/").rsplit("/", 1)[-1]


def main(language: str = "en") -> dict[str, Any]:
    """Go the way in a language; return the figures."""
    with tempfile.TemporaryDirectory(prefix="organiser-") as folder, opened_browser(language) as browser:
        server = RealServer(environment(Path(folder) / "home"))
        try:
            url = server.url.replace("127.0.0.1", "localhost")
            organiser = Organiser(browser, url)
            organiser.page.goto(url)
            if language != "en":
                organiser.switch_language(language)
            organiser.counted.began = time.monotonic()
            link = next(word for word in server.messages.read_text(encoding="utf-8").split() if "/referee/" in word)
            slug = _walk(organiser, link)
            figures = organiser.counted.told()
            visitor = Visitor(browser, url, _Blind())
            visitor.open(f"/c/{slug}/pages/rules/")
            assert visitor.reads("sample.csv"), "everybody reads the rules page"
            kit = visitor.page.request.get(f"{url}/c/{slug}/final/kit/")
            assert kit.body().startswith(b"PK"), "everybody gets the starter kit"
            figures["bytes_of_the_starter_kit"] = len(kit.body())
            return {"language": language, **figures}
        finally:
            server.end()


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:2])))
