"""No page shows a link or a button that its viewer may not use: everybody walks wherever the pages lead."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest

from tests.arena import walk

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

# So many pages are looked at; a walk that does not end says so.
MOST_PAGES = 300
REFUSED = (401, 403, 404, 405)
BEGINNINGS = ("/", "/desk/", "/preferences/", "/tokens/")


class _Ways(HTMLParser):
    """Collects where the links and forms of a page lead."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "form":
            self.forms.append((values.get("method", "get").lower(), values.get("action", "")))
        for name in ("hx-get", "hx-post"):
            if name in values:
                self.forms.append((name.removeprefix("hx-"), values[name]))


def _ways(html: str, path: str) -> tuple[set[str], set[str]]:
    """Return the own addresses that a page asks for, and those that it sends something to."""
    found = _Ways()
    found.feed(html)
    asked: set[str] = set()
    sent: set[str] = set()
    ways = [*(("get", link) for link in found.links), *found.forms]
    for method, where in ways:
        target = urlsplit(urljoin(f"http://testserver{path}", where))
        if target.netloc == "testserver" and not target.path.startswith(("/static/", "/accounts/")):
            (asked if method == "get" else sent).add(target.path)
    return asked, sent


def _walk(town: walk.Town, role: str) -> tuple[list[str], dict[str, str]]:
    """Follow the links as this viewer; return those that lead nowhere, and where pages let something be sent."""
    wrong: list[str] = []
    sent: dict[str, str] = {}
    seen: set[str] = set()
    waiting = {path: "the beginning" for path in BEGINNINGS if walk.try_route(town, role, "GET", path).allowed}
    while waiting:
        path, source = waiting.popitem()
        seen.add(path)
        assert len(seen) < MOST_PAGES, sorted(seen)
        response = town.clients[role].get(path)
        if response.status_code in REFUSED or response.status_code >= 500:
            wrong.append(f"{role}: GET {path} from {source}: {response.status_code}")
        is_page = response.headers.get("Content-Type", "").startswith("text/html") and not response.streaming
        asked, to = _ways(response.content.decode(), path) if is_page else (set(), set())
        walk.close(response)
        waiting |= {one: path for one in asked if one not in seen}
        sent |= {one: path for one in to if one not in sent}
    return wrong, sent


@pytest.mark.parametrize(
    ("phase", "roles"), [("attack", ("other", "observer", "official")), ("published", ("observer",))]
)
def test_whoever_follows_the_pages_is_never_told_that_there_is_nothing(phase: str, roles: tuple[str, ...]) -> None:
    town = walk.build(phase)
    # All are read before anything is sent: what a request removes from the disk is not undone.
    walked = {role: _walk(town, role) for role in roles}
    wrong = [line for lines, _ in walked.values() for line in lines]
    for role, (_, sent) in walked.items():
        for path, source in sent.items():
            tried = walk.try_route(town, role, "POST", path, {})
            if not tried.allowed or tried.status in REFUSED or tried.status >= 500:
                wrong.append(f"{role}: POST {path} from {source}: {tried.status} {tried.location}")
    assert not wrong, "\n".join(wrong)
