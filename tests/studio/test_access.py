"""Nobody uses a studio but the browser that came with its key, from a page of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.studio.conftest import HOST, Browser, purchases, said, upload
from tokumei_studio.access import Keys
from tokumei_studio.running import Studio

PAGES = ("/", "/data/", "/columns/", "/risk/", "/protect/", "/verdict/", "/handout/", "/commands/", "/jobs/1/")


def test_a_key_works_once_and_a_new_one_replaces_it() -> None:
    keys = Keys()
    assert keys.exchange("") is None
    first, second = keys.new_key(), keys.new_key()
    assert first != second
    assert len(second) >= 32
    assert keys.exchange(first) is None
    session = keys.exchange(second)
    assert session is not None
    assert keys.exchange(second) is None
    assert keys.opens(session)
    assert not keys.opens("")
    assert not keys.opens(second)


def test_without_key_or_with_a_wrong_one_nothing_is_shown(studio: Studio) -> None:
    stranger = Browser()
    for page in PAGES:
        refused = stranger.get(page)
        assert refused.status_code == 403
        assert "Open it with the link that the terminal shows." in said(refused)
        assert str(studio.project.folder) not in refused.content.decode()
    studio.keys.new_key()
    wrong = stranger.get("/open/", {"key": "wrong"})
    assert wrong.status_code == 403
    assert "This link was used already, or is not complete." in said(wrong)
    assert stranger.cookies == {}
    assert stranger.post("/data/", {"what": "sample"}).status_code == 403
    assert studio.project.jobs() == []


def test_the_cookie_of_the_session_is_for_this_browser_alone(studio: Studio, browser: Browser) -> None:
    cookie = browser.cookies[studio.cookie]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/")
    again = browser.get("/open/", {"key": "used"})
    assert again.status_code == 403
    page = browser.get("/data/")
    assert page.status_code == 200
    form = browser.cookies[f"{studio.cookie}_form"]
    assert (form["httponly"], form["samesite"]) == (True, "Strict")


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{HOST.split(':')[1]}", "127.0.0.1:1", "127.0.0.1", ""])
def test_a_foreign_host_is_refused(browser: Browser, host: str) -> None:
    refused = browser.get("/data/", headers={"Host": host})
    assert refused.status_code == 403
    assert "This address does not belong to the studio." in said(refused)


def test_a_foreign_page_is_refused(studio: Studio, browser: Browser) -> None:
    """A page on another port of this machine is the same site for cookies, and another origin."""
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9"},
        {"Origin": f"https://{HOST}"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        for refused in (
            browser.get("/data/", headers=headers),
            browser.post("/data/", {"what": "sample"}, headers=headers),
        ):
            assert refused.status_code == 403
            assert "Another page tried to use the studio." in said(refused)
    assert studio.project.jobs() == []
    own = {"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"}
    assert browser.get("/data/", headers=own).status_code == 200


def test_a_form_without_its_token_is_refused(studio: Studio) -> None:
    careful = Browser(enforce_csrf_checks=True)
    careful.enter(studio)
    refused = careful.post("/data/", {"what": "sample"})
    assert refused.status_code == 403
    assert "This form was not sent by a page of the studio" in said(refused)
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', careful.get("/data/").content.decode())
    assert token is not None
    taken = careful.post("/data/", {"what": "path", "path": "", "csrfmiddlewaretoken": token.group(1)})
    assert taken.status_code == 422


def test_every_answer_has_a_strict_policy_and_is_kept_nowhere(browser: Browser) -> None:
    for page in (browser.get("/data/"), browser.get("/nowhere/"), Browser().get("/data/")):
        policy = page["Content-Security-Policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "unsafe" not in policy
        assert page["Cache-Control"] == "private, no-store"
        assert page["Referrer-Policy"] == "same-origin"
        assert page["X-Frame-Options"] == "DENY"
        assert page["X-Content-Type-Options"] == "nosniff"
    assert Browser().get("/static/studio/studio.css").status_code == 200


@pytest.mark.parametrize(
    "name", ["../plan.toml", "..%2Fplan.toml", "%2e%2e/plan.toml", "a.html/../x.toml", ".html", "x.toml", "a.html"]
)
def test_only_reports_are_shown_as_reports(studio: Studio, browser: Browser, name: str) -> None:
    folder = studio.project.folder
    (folder / "plan.toml").write_text('method = "k-anonymity"\ninput = "data/x.csv"\n')
    (folder / "releases" / "r-1").mkdir()
    (folder / "reports" / "x.toml").write_text("secret")
    assert browser.get(f"/reports/{name}").status_code == 404


def test_a_report_may_do_nothing_but_be_read(studio: Studio, browser: Browser) -> None:
    folder = studio.project.folder
    (folder / "plan.toml").write_text('method = "k-anonymity"\ninput = "data/x.csv"\n')
    (folder / "releases" / "r-1").mkdir()
    (folder / "reports" / "r-1-report.en.html").write_text("<p>internal</p>")
    shown = browser.get("/reports/r-1-report.en.html")
    assert shown.content == b"<p>internal</p>"
    assert shown["Content-Security-Policy"].startswith("sandbox allow-popups; default-src 'none';")


@pytest.mark.parametrize("place", ["/verdict/x/", "/handout/x/", "/handout/x/release.zip", "/handout/../release.zip"])
def test_releases_that_are_not_there_are_missing(studio: Studio, browser: Browser, place: str) -> None:
    (studio.project.folder / "releases" / "r-1").mkdir()
    assert browser.get(place).status_code == 404


def test_an_archive_holds_the_release_and_nothing_secret(studio: Studio, browser: Browser) -> None:
    import io
    import zipfile

    releases = studio.project.folder / "releases"
    (releases / "r-1").mkdir()
    (releases / "r-1" / "data.csv").write_text("pseudonym\n1\n")
    (releases / "r-1.secret").write_text("who is who")
    packed = browser.get("/handout/r-1/release.zip")
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        assert [(one.filename, one.date_time[0]) for one in archive.infolist()] == [("r-1/data.csv", 1980)]


def test_the_language_leads_back_to_pages_of_the_studio_only(browser: Browser) -> None:
    there = browser.post("/language/", {"language": "ja", "next": "/data/"})
    assert (there.status_code, there["Location"]) == (302, "/data/")
    assert "どのデータを加工しますか" in said(browser.get("/data/"))
    for place in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        assert browser.post("/language/", {"language": "en", "next": place})["Location"] == "/"


def test_the_key_is_in_no_log(studio: Studio, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    key = studio.keys.new_key()
    Browser().get("/open/", {"key": key})
    told = capfd.readouterr()
    assert key not in told.out + told.err
    kept = [path for path in studio.project.folder.rglob("*") if path.is_file() and key in path.read_text()]
    assert kept == []


def test_a_link_out_of_the_folder_leads_nowhere(studio: Studio, browser: Browser, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "private.html").write_text("SECRET")
    folder = studio.project.folder
    (folder / "releases" / "evil-1").symlink_to(outside)
    (folder / "reports" / "r-1-report.en.html").symlink_to(outside / "private.html")
    (folder / "releases" / "real-1").mkdir()
    (folder / "releases" / "real-1" / "data.csv").symlink_to(outside / "private.html")
    upload(browser, "p.csv", purchases())
    browser.post("/columns/text/", {"schema": 'subject = "customer"\n[columns]\n"date" = { kind = "date" }\n'})
    assert browser.get("/reports/r-1-report.en.html").status_code == 404
    assert studio.project.releases() == ["real-1"]
    assert b"private" not in browser.get("/handout/evil-1/").content
    assert b"SECRET" not in browser.get("/handout/real-1/release.zip").content
