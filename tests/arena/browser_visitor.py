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
from tests.effort import EFFORT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Locator, Page, Request

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
VIEWPORT = {"width": 1000, "height": 800}
ALL_RULES: dict[str, Any] = {"resultTypes": ["violations"]}
# Colours do not depend on the language, and take most of the time.
# The other language is read on a telephone.
NARROW = {"width": 390, "height": 844}
# Adds up what moves while nobody touches the page (cumulative layout shift), and says what it was.
WATCH_MOVES = """
window.moved = { total: 0, what: [] };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries().filter((entry) => !entry.hadRecentInput)) {
    window.moved.total += entry.value;
    window.moved.what.push(...entry.sources.map((source) => source.node?.outerHTML?.slice(0, 100)));
  }
}).observe({ type: "layout-shift", buffered: true });
"""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window.moved), 50)))"
SAME_COLOURS = {**ALL_RULES, "rules": {"color-contrast": {"enabled": False}}}


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
    """Looks at every kind of page in both languages, and keeps what axe and the browser complain about.

    Axe is asked once about each kind of page, in a campaign in both languages.
    """

    def __init__(self) -> None:
        from axe_playwright_python.sync_playwright import Axe

        self._axe = Axe()
        self.seen: set[str] = set()
        self.complaints: list[str] = []

    def look(self, visitor: Visitor) -> None:
        """Look at this kind of page in its language, then in another tab in the other language."""
        if visitor.place in self.seen:
            return
        self.seen.add(visitor.place)
        self._see(visitor.page, visitor.place, visitor.language)
        self._ask(visitor.page, visitor.place, visitor.language, ALL_RULES)
        with visitor.other_language() as (tab, language):
            self._see(tab, visitor.place, language)
            if EFFORT == "campaign":
                self._ask(tab, visitor.place, language, SAME_COLOURS)

    def _see(self, page: Page, place: str, language: str) -> None:
        assert page.locator("html").get_attribute("lang") == language, place
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            self.complaints.append(f"{place} {language}: wider than the window")
        moved = page.evaluate(SETTLED)
        if moved["total"]:
            self.complaints.append(f"{place} {language}: moved by {moved['total']}: {moved['what']}")

    def _ask(self, page: Page, place: str, language: str, options: dict[str, Any]) -> None:
        for found in self._axe.run(page, options=options).response["violations"]:
            if found["impact"] in GRAVE:
                self.complaints.append(f"{place} {language}: {found['id']}: {found['nodes'][0]['html'][:300]}")


class Visitor:
    """One person with a browser window of their own."""

    def __init__(
        self, browser: Browser, url: str, inspector: Inspector, *, language: str = "en", **options: Any
    ) -> None:
        self.url, self.language, self._inspector = url, language, inspector
        self._questions: list[str] = []
        self._declines = False
        usual = {"locale": "en-GB", "timezone_id": "Europe/Berlin", "viewport": VIEWPORT, "reduced_motion": "reduce"}
        self.context = browser.new_context(accept_downloads=True, **{**usual, **options})
        self.context.set_default_timeout(PATIENCE)
        # A refusal of the policy is an event of the page even where the console stays silent.
        self.context.add_init_script(
            "document.addEventListener('securitypolicyviolation',"
            " (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))"
        )
        self.context.add_init_script(WATCH_MOVES)
        self.page = self.context.new_page()
        self._listen(self.page)
        self._tab: Page | None = None
        # Whoever only begins to wait for a dialog when a key is pressed may be too late.
        self.page.on("filechooser", lambda _chooser: None)

    def _listen(self, page: Page) -> None:
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self._inspector.complaints.append(f"{self.place}: {error}"))
        page.on("request", self._asked)
        page.on("dialog", self._answer)

    def _answer(self, dialog: Dialog) -> None:
        self._questions.append(dialog.message)
        if self._declines:
            dialog.dismiss()
        else:
            dialog.accept()

    def decline(self, act: Callable[[], None]) -> str:
        """Do something that asks, answer no, and return what was asked."""
        self._declines = True
        before = len(self._questions)
        act()
        until(lambda: self.page.evaluate("true") and len(self._questions) > before, "a question")
        self._declines = False
        return self._questions[-1]

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._inspector.complaints.append(f"{self.place}: {message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self.url}/", "data:", "about:blank")):
            self._inspector.complaints.append(f"{self.place}: asked {request.url}")

    @property
    def place(self) -> str:
        """What kind of page this is: its path without what differs between pages of one kind."""
        return CHANGING.sub("…", self.page.url.removeprefix(self.url).split("?")[0].split("#")[0])

    def words(self, english: str) -> str:
        """Return a text of the arena as this visitor reads it."""
        return english if self.language == "en" else _catalogue().gettext(english)

    def open(self, path: str) -> None:
        """Go to an address and look at the page."""
        self.page.goto(path if path.startswith("http") else self.url + path)
        self.look()

    def weigh(self, path: str) -> int:
        """Open a page for the first time; return how many bytes came for everything on it."""
        requests: list[Request] = []

        def note(request: Request) -> None:
            requests.append(request)

        self.page.on("requestfinished", note)
        self.page.goto(self.url + path, wait_until="networkidle")
        sizes = [request.sizes() for request in requests]
        return sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)

    def look(self) -> None:
        """Look at the page in both languages, unless that was done before."""
        self._inspector.look(self)

    @contextmanager
    def other_language(self) -> Iterator[tuple[Page, str]]:
        """Open this page once more, in another tab and in the other language."""
        other = "ja" if self.language == "en" else "en"
        if self._tab is None:
            self._tab = self.context.new_page()
            self._tab.set_viewport_size(NARROW)  # type: ignore[arg-type]
            self._listen(self._tab)
        self._prefer(other)
        try:
            self._tab.goto(self.page.url)
            yield self._tab, other
        finally:
            self._prefer(self.language)
            # Live parts of pages nobody looks at would go on asking.
            self._tab.evaluate("document.body.replaceChildren()")
            self.page.bring_to_front()

    def _prefer(self, language: str) -> None:
        self.context.add_cookies([{"name": "arena_language", "value": language, "url": self.url}])

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
