"""A person in front of a real browser: presses what the page shows, in either language, and notices every complaint.

Buttons and links are found by the words a reader sees. In Japanese these come from the catalogue of the arena, so that
one play serves both languages; tests assert the sentences that matter literally.
"""

from __future__ import annotations

import gettext
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.arena.real_server import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator, Request

__all__ = ["Inspector", "Visitor", "opened_browser"]

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
CATALOGUE = Path(__file__).resolve().parents[2] / "src/tokumei_arena/locale/ja/LC_MESSAGES/django.mo"
LANGUAGES = {"en": "English", "ja": "日本語"}
PATIENCE = 60_000.0
# What differs from page to page of one kind: ids, keys of links, and words of the query.
CHANGING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/confirm-email/)[^/]+|(?<=/referee/)[^/]+|(?<=/join/)[^/]+")
GRAVE = ("serious", "critical")


@contextmanager
def opened_browser(language: str = "en") -> Iterator[Browser]:
    """Run Debian's browser with buttons of its own in a language, if it has it; without the browser, skip the test.

    Where a skipped test is a failure, it is one here.
    """
    if not CHROMIUM.exists() and os.environ.get("CI") != "true":
        pytest.skip(f"{CHROMIUM} is absent: install Debian's chromium to test the arena in a browser")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is absent: install the extra dev")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=list(ARGUMENTS), env={**os.environ, "LANGUAGE": language}
        )
        try:
            yield browser
        finally:
            browser.close()


@cache
def _catalogue() -> gettext.GNUTranslations:
    with CATALOGUE.open("rb") as file:
        return gettext.GNUTranslations(file)


class Inspector:
    """Asks axe about every kind of page once in each language, and keeps what it and the browser complain about."""

    def __init__(self) -> None:
        from axe_playwright_python.sync_playwright import Axe

        self._axe = Axe()
        self.seen: set[tuple[str, str]] = set()
        self.complaints: list[str] = []

    def look(self, visitor: Visitor) -> None:
        """Look at a page that shows something special: in the language it is in."""
        self._ask(visitor, f"{visitor.place} ({len(self.seen)})")

    def look_twice(self, visitor: Visitor) -> None:
        """Look at a page that can be asked for again: in its language, then in the other one, then go back."""
        if (visitor.place, visitor.language) in self.seen:
            return
        here = visitor.language
        other = "ja" if here == "en" else "en"
        self._ask(visitor, visitor.place)
        for language in (other, here):
            visitor.set_language_quietly(language)
            if language == other:
                self._ask(visitor, visitor.place)

    def _ask(self, visitor: Visitor, kind: str) -> None:
        self.seen.add((kind, visitor.language))
        page = visitor.page
        assert page.locator("html").get_attribute("lang") == visitor.language, kind
        for found in self._axe.run(page).response["violations"]:
            if found["impact"] in GRAVE:
                self.complaints.append(f"{kind} {visitor.language}: {found['id']}: {found['nodes'][0]['html'][:300]}")
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            self.complaints.append(f"{kind} {visitor.language}: wider than the window")


class Visitor:
    """One person with a browser window of their own."""

    def __init__(
        self, browser: Browser, url: str, inspector: Inspector, *, language: str = "en", **options: Any
    ) -> None:
        self.url, self.language, self._inspector = url, language, inspector
        options = {
            "locale": "en-GB",
            "timezone_id": "Europe/Berlin",
            "viewport": {"width": 1100, "height": 900},
            **options,
        }
        self.context = browser.new_context(accept_downloads=True, **options)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: inspector.complaints.append(f"{self.place}: {error}"))
        self.page.on("request", self._asked)
        self.page.on("dialog", lambda dialog: dialog.accept())
        # A refusal of the policy is an event of the page even where the console stays silent.
        self.page.add_init_script(
            "document.addEventListener('securitypolicyviolation',"
            " (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))"
        )

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._inspector.complaints.append(f"{self.place}: {message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self.url}/", "data:")):
            self._inspector.complaints.append(f"{self.place}: asked {request.url}")

    @property
    def place(self) -> str:
        """What kind of page this is: its path without what differs between pages of one kind."""
        return CHANGING.sub("…", self.page.url.removeprefix(self.url).split("?")[0].split("#")[0])

    def words(self, english: str) -> str:
        """Return a text of the arena as this visitor reads it."""
        return english if self.language == "en" else _catalogue().gettext(english)

    def open(self, path: str) -> None:
        """Go to an address and look at the page in both languages."""
        self.page.goto(path if path.startswith("http") else self.url + path)
        self.look()

    def look(self) -> None:
        """Look at the page in both languages, unless that was done before."""
        self._inspector.look_twice(self)

    def look_here(self) -> None:
        """Look at a page that is not shown again."""
        self._inspector.look(self)

    def set_language_quietly(self, language: str) -> None:
        """Read the same page in a language, as if it had been chosen before."""
        self.context.add_cookies([{"name": "arena_language", "value": language, "url": self.url}])
        self.language = language
        self.page.reload()

    def switch_language(self, language: str) -> None:
        """Press the name of a language at the top of the page."""
        self.page.get_by_role("button", name=LANGUAGES[language], exact=True).click()
        self.language = language
        self.page.wait_for_load_state()
        assert self.page.locator("html").get_attribute("lang") == language

    def button(self, english: str) -> Locator:
        """Return the first button in the main part with these words."""
        return self.page.locator("main").get_by_role("button", name=self.words(english), exact=True).first

    def press(self, english: str) -> None:
        """Press a button and wait for the page that comes."""
        with self.page.expect_navigation():
            self.button(english).click()

    def follow(self, english: str) -> None:
        """Follow the first link in the main part with these words, and look at the page."""
        with self.page.expect_navigation():
            self.page.locator("main").get_by_role("link", name=self.words(english), exact=True).first.click()
        self.look()

    def fill(self, **fields: str) -> None:
        """Write into fields by their names; two underscores stand for a hyphen."""
        for name, value in fields.items():
            self.page.locator(f"main [name='{name.replace('__', '-')}']").fill(value)

    def tick(self, name: str) -> None:
        """Tick a box by its name."""
        self.page.locator(f"main input[name='{name}']").check()

    def reads(self, text: str) -> bool:
        """Return whether the main part of the page says this."""
        return text in self.said()

    def said(self) -> str:
        """Return all words of the main part, each space once."""
        return " ".join(self.page.locator("main").inner_text().split())

    def wait_for(self, text: str) -> None:
        """Wait until a text appears, without reloading."""
        self.page.locator("main").get_by_text(text).first.wait_for()

    def save(self, link: str, path: Path) -> Path:
        """Download what a link with this text gives."""
        with self.page.expect_download() as download:
            self.page.locator("main").get_by_role("link", name=link, exact=True).first.click()
        download.value.save_as(path)
        return path

    def table(self, name: str) -> list[list[str]]:
        """Return the cells of the table in the region or group of this name, folded away or not."""
        region, group = (
            self.page.get_by_role(role, name=name, exact=True, include_hidden=True) for role in ("region", "group")
        )
        rows = (
            region.or_(group)
            .locator("table")
            .first.evaluate("(table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent))")
        )
        return [[" ".join(cell.split()) for cell in row] for row in rows]

    def row(self, text: str) -> str:
        """Return the words of the first row that holds a text."""
        return self._row(text).inner_text()

    def press_in_row(self, text: str, english: str) -> None:
        """Press the button whose words begin so in the first row that holds a text."""
        with self.page.expect_navigation():
            self._row(text).get_by_role("button", name=self.words(english)).click()

    def _row(self, text: str) -> Locator:
        return self.page.locator("main tr").filter(has_text=text).first

    def reload_until(self, look: Callable[[], bool], what: str) -> None:
        """Ask for the page again until something holds."""

        def again() -> bool:
            self.page.reload()
            return look()

        until(again, what)
