"""From a file to a dossier in a real browser: by keyboard alone, in two languages, on two sizes of window."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.arena.browser_visitor import ALL_RULES, GRAVE, opened_browser
from tests.effort import EFFORT
from tests.studio.conftest import purchases
from tokumei.words import Words

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# Four commands in processes of their own, and a browser: some 35 CPU seconds.
pytestmark = pytest.mark.campaign

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
PATIENCE = 90_000.0
MOST_TABS = 80
HOME = "tokumei_studio"


@contextmanager
def running_studio(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run ``tokumei studio`` and give its process and its link."""
    words = [sys.executable, "-W", "error", "-m", "tokumei", "studio", str(folder), "--no-browser", "--json"]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        assert told["folder"] == str(folder)
        yield process, told["url"]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


class Reader:
    """Somebody with a keyboard and no mouse, who looks at every page in both languages and sizes."""

    def __init__(self, page: Page, link: str) -> None:
        from axe_playwright_python.sync_playwright import Axe

        self.page, self.base, self.language = page, link.split("/open", maxsplit=1)[0], "en"
        self.complaints: list[str] = []
        self._axe, self._looked = Axe(), 0
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: self.complaints.append(f"{page.url}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.on("request", self._asked)
        # Whoever only begins to wait for a dialog when a key is pressed may be too late.
        page.on("filechooser", lambda _chooser: None)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(f"{self.base}/"):
            self.complaints.append(f"asked {request.url}")

    def words(self, key: str, **values: object) -> str:
        """Return a text of the studio as this reader sees it."""
        return Words(self.language, HOME)(key, **values)

    def speak(self, language: str) -> None:
        """Read in another language from now on."""
        self.language = language
        name = "tokumei_studio_language"
        self.page.context.add_cookies([{"name": name, "value": language, "url": self.base}])
        self.page.reload()

    def look(self, key: str) -> None:
        """Look at the page in both languages, each on its size of window.

        Axe is asked about it in turns, on the wide and on the narrow one; in a campaign about both.
        """
        self._looked += 1
        own = self.language
        for number, (language, size) in enumerate((("en", WIDE), ("ja", NARROW))):
            self.page.set_viewport_size(size)  # type: ignore[arg-type]
            self.speak(language)
            where = f"{self.page.url} {language}"
            assert self.page.locator("html").get_attribute("lang") == language
            assert self.page.locator("h1").inner_text() == self.words(key)
            if self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
                self.complaints.append(f"{where}: wider than the window")
            if EFFORT != "campaign" and number != self._looked % 2:
                continue
            for found in self._axe.run(self.page, options=ALL_RULES).response["violations"]:
                if found["impact"] in GRAVE:
                    self.complaints.append(f"{where}: {found['id']}: {found['nodes'][0]['html'][:300]}")
        self.page.set_viewport_size(WIDE)  # type: ignore[arg-type]
        self.speak(own)

    def reach(self, target: Locator) -> None:
        """Press Tab until a control has the focus."""
        target.wait_for()
        handle = target.element_handle()
        for _ in range(MOST_TABS):
            if self.page.evaluate("(element) => document.activeElement === element", handle):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"no way by keyboard to {target}")

    def press(self, key: str, role: Any = "button") -> None:
        """Press a button or a link by its words."""
        self.reach(self.page.locator("main").get_by_role(role, name=self.words(key), exact=True).first)
        self.page.keyboard.press("Enter")


def test_from_a_file_to_a_dossier_by_keyboard_in_both_languages(tmp_path: Path) -> None:
    data, folder = tmp_path / "purchases.csv", tmp_path / "project"
    data.write_text(purchases())
    with opened_browser() as browser, running_studio(folder) as (process, link):
        context = browser.new_context(viewport=WIDE, locale="en-GB", reduced_motion="reduce")  # type: ignore[arg-type]
        reader = Reader(context.new_page(), link)
        page = reader.page
        page.goto(link)
        page.wait_for_url("**/data/")
        reader.look("data.title")
        _upload(reader, data)
        reader.press("data.next", "link")
        page.wait_for_url("**/columns/")
        reader.look("columns.title")
        reader.press("columns.save")
        page.locator(".headline").wait_for()
        reader.look("risk.title")
        reader.press("risk.next", "link")
        page.wait_for_url("**/protect/")
        assert page.locator("#make").is_visible()
        _try_candidates(reader)
        # In Japanese from here on.
        reader.speak("ja")
        reader.press("protect.go")
        reader.press("protect.to-verdict", "link")
        page.wait_for_url("**/verdict/k-anonymity-k2-1/")
        reader.look("verdict_page.title")
        assert page.locator(".verdict .outcome").inner_text().strip("✓\n") == "名前：k = 2 で安全です（証明済み）"
        assert page.locator(".answers article").count() == 5
        reader.press("verdict_page.next", "link")
        page.wait_for_url("**/handout/k-anonymity-k2-1/")
        reader.reach(page.locator("#frame"))
        page.keyboard.press("ArrowDown")
        reader.press("handout.write")
        page.locator(".reports a").wait_for()
        reader.look("handout.title")
        page.goto(f"{reader.base}/reports/k-anonymity-k2-1-ppc.ja.html")
        assert page.locator("html").get_attribute("lang") == "ja"
        page.goto(f"{reader.base}/commands/")
        reader.look("job.title")
        assert [card.inner_text() for card in page.locator("main .card .badge").all()] == ["完了"] * 4
        assert reader.complaints == []
        stderr = _ended(process)
    assert stderr == "studio: ended\n"
    _check_folder(folder, data)


def _upload(reader: Reader, data: Path) -> None:
    """Choose the file with the keyboard."""
    reader.reach(reader.page.locator("#file"))
    with reader.page.expect_file_chooser() as chooser:
        reader.page.keyboard.press("Space")
    chooser.value.set_files(data)
    reader.press("data.take")
    reader.page.locator(".chosen").wait_for()
    reader.look("data.title")


def _try_candidates(reader: Reader) -> None:
    """Try k = 2 only, then choose its point of the chart."""
    page = reader.page
    for box in ("input[value=pseudonymize]", "input[name=levels][value='3']", "input[name=levels][value='5']"):
        reader.reach(page.locator(box))
        page.keyboard.press("Space")
    reader.press("protect.try")
    page.locator("svg.chart").wait_for()
    reader.look("protect.title")
    reader.reach(page.locator("svg.chart a").first)
    page.keyboard.press("Enter")
    page.wait_for_url("**/protect/?method=k-anonymity&k=2#make")
    assert page.locator("input[name=set-k]").input_value() == "2"


def _ended(process: subprocess.Popen[str]) -> str:
    """End the studio as Ctrl-C does; return what it said."""
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 0
    return stderr


def _check_folder(folder: Path, data: Path) -> None:
    """Check that all of it is there, for its owner alone, and that the input was not touched."""
    assert data.read_text() == purchases()
    names = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    made = "releases/k-anonymity-k2-1"
    assert {"plan.toml", "schema.toml", f"{made}/data.csv", f"{made}.secret", f"{made}.plan.toml"} <= names
    assert "reports/k-anonymity-k2-1-ppc.ja.html" in names
    private = [folder / name for name in names if not name.startswith(f"{made}/") and (folder / name).is_file()]
    assert [path for path in private if path.stat().st_mode & 0o077] == []
    assert folder.stat().st_mode & 0o777 == 0o700
    assert os.listdir(folder / ".scratch") == []  # noqa: PTH208
