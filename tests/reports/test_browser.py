"""A report in a real browser, offline: it asks nobody for anything, complains about nothing, and is accessible."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reports.test_release import _material
from tokumei.reports.release import release_report

pytestmark = pytest.mark.half_second

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


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    """Return a browser; without one the tests are skipped, except in CI."""
    if not CHROMIUM.exists() and os.environ.get("CI") != "true":
        pytest.skip(f"{CHROMIUM} is absent: install Debian's chromium to test reports in a browser")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is absent: install the extra dev")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(ARGUMENTS))
        yield opened
        opened.close()


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("ja", "dark")])
def test_a_report_asks_for_nothing_and_is_accessible(
    browser: object, tmp_path: Path, language: str, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is absent: install the extra dev")
    file = tmp_path / "report.html"
    file.write_text(release_report(_material("k-anonymity"), language=language), encoding="utf-8")
    # Axe is brought in by the test and needs scripts, which the policy of the page forbids: it runs in a second page.
    context = browser.new_context(offline=True, color_scheme=scheme)  # type: ignore[attr-defined]
    page = context.new_page()
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    assert requests == [file.as_uri()]
    assert complaints == []
    charts = page.locator("figure")
    assert charts.count() == page.locator("figure > svg").count() >= 8
    assert page.locator("img, canvas, object, iframe, script").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator("a.n").first.click()
    assert page.url.startswith(file.as_uri() + "#term-")
    context.close()
    context = browser.new_context(offline=True, color_scheme=scheme, bypass_csp=True)  # type: ignore[attr-defined]
    page = context.new_page()
    page.goto(file.as_uri())
    found = axe.Axe().run(page).response["violations"]
    context.close()
    assert [
        (one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in ("serious", "critical")
    ] == []


def test_a_report_prints_in_black_on_white(browser: object, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(release_report(_material("pseudonymize")), encoding="utf-8")
    context = browser.new_context(offline=True, color_scheme="dark")  # type: ignore[attr-defined]
    page = context.new_page()
    page.goto(file.as_uri())
    page.emulate_media(media="print")
    colours = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,"
        " getComputedStyle(document.querySelector('nav')).display]"
    )
    context.close()
    assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)", "none"]
