"""A studio in the process of the tests: its settings take the place of those of the arena."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.test.utils import override_settings

from tokumei_studio.access import Keys
from tokumei_studio.project import Project
from tokumei_studio.running import Studio
from tokumei_studio.settings import settings_of

PORT = 8123
HOST = f"127.0.0.1:{PORT}"
PEOPLE = 12
GOODS = ("tea", "rice", "soap")


def purchases(*, people: int = PEOPLE) -> str:
    """Return a small table of purchases in which a column names people."""
    lines = ["customer,date,goods,price,email"]
    for person in range(people):
        for visit in range(1 + person % 3):
            day, goods = 1 + (person * 5 + visit * 3) % 28, GOODS[(person + visit) % len(GOODS)]
            lines.append(f"c{person:02},2024-01-{day:02},{goods},{1.5 + (person + visit) % 4},c{person}@example.org")
    return "\n".join(lines) + "\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.open(tmp_path / "project")


@pytest.fixture
def studio(project: Project) -> Iterator[Studio]:
    """Run the tests inside this studio."""
    opened = Studio(project=project, keys=Keys(), port=PORT)
    settings = settings_of(opened)
    # The database of the other tests stays; no page of the studio asks for one.
    del settings["DATABASES"], settings["LOGGING_CONFIG"]
    with override_settings(**settings):
        yield opened


class Browser(Client):
    """A browser that came with the key, in English."""

    def __init__(self, **options: Any) -> None:
        super().__init__(headers={"Host": HOST, "Accept-Language": "en"}, **options)

    def enter(self, studio: Studio) -> None:
        """Come in with a new key."""
        assert self.get("/open/", {"key": studio.keys.new_key()}).status_code == 200


@pytest.fixture
def browser(studio: Studio) -> Browser:
    opened = Browser()
    opened.enter(studio)
    return opened


@pytest.fixture
def with_data(project: Project, browser: Browser) -> Browser:
    """Return the browser after some data was uploaded."""
    upload(browser, "purchases.csv", purchases())
    assert project.plan is not None
    return browser


def upload(browser: Client, name: str, text: str | bytes, what: str = "file") -> Any:
    """Send a file as the form does."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    content = text.encode() if isinstance(text, str) else text
    return browser.post("/data/", {"what": what, "file": SimpleUploadedFile(name, content)})


def said(response: Any) -> str:
    """Return the words of a page, each space once."""
    import html
    import re

    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())
