"""Take the pictures of the guide: ``python -m tests.studio.pictures`` rewrites docs/images/studio-*.png."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.arena.browser_visitor import opened_browser
from tests.studio.test_browser import PATIENCE, Reader, running_studio

if TYPE_CHECKING:
    from playwright.sync_api import ViewportSize

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "images"
WINDOW: ViewportSize = {"width": 900, "height": 900}
RELEASE = "k-anonymity-k3-1"


def _take(reader: Reader, what: str, start: str) -> None:
    """Take a page in both languages, from the element on that the picture is about."""
    for language in ("ja", "en"):
        reader.speak(language)
        top = reader.page.locator(start).first
        top.evaluate("(element) => window.scrollTo(0, element.getBoundingClientRect().top + window.scrollY - 24)")
        reader.page.screenshot(path=FOLDER / f"studio-{what}-{language}.png")


def main() -> None:
    """Walk from generated data to a verdict."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "my-project"
        with opened_browser() as browser, running_studio(folder) as (_, link):
            reader = Reader(browser.new_context(viewport=WINDOW, locale="en-GB").new_page(), link)
            page = reader.page
            page.goto(link)
            page.wait_for_url("**/data/")
            page.get_by_role("button", name=reader.words("data.try-go")).click()
            page.locator(".chosen").wait_for()
            page.goto(f"{reader.base}/columns/")
            _take(reader, "columns", "h1")
            page.get_by_role("button", name=reader.words("columns.save")).click()
            page.locator(".headline").wait_for()
            page.goto(f"{reader.base}/protect/")
            page.get_by_role("button", name=reader.words("protect.try")).click()
            page.locator("svg.chart").wait_for()
            _take(reader, "protect", "h3")
            page.get_by_role("button", name=reader.words("protect.go")).click()
            page.get_by_role("link", name=reader.words("protect.to-verdict")).click(timeout=4 * PATIENCE)
            page.wait_for_url(f"**/verdict/{RELEASE}/")
            _take(reader, "verdict", "h1")


if __name__ == "__main__":
    main()
