"""Pages in Markdown with files: nothing that an organiser writes or attaches can do harm, and who may do what."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.arena import pages, world
from tests.arena.playing import sign_in
from tokumei_arena.contests import attach, pages_of, put_page, remove_page
from tokumei_arena.contests.pages import safe_name
from tokumei_arena.errors import NotAllowedError, RefusedError
from tokumei_arena.models import Blob, Contest, LogEntry, Page, Person
from tokumei_arena.web.markdown import render_markdown

HOSTILE = """
<script>alert(1)</script> <img src=x onerror=alert(1)> <style>*{}</style>

[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,<script>alert(1)</script>) [d](vbscript:x)

![e](https://elsewhere.example/pixel.png) ![f](javascript:alert(1)) ![g" onload="x](sample.png)

[h](https://example.org/"onmouseover="alert(1)) <https://example.org/<script>>

| a | b |
|:--|--:|
| 1 | 2 |

# One

[i]: javascript:alert(1)
[i] &#106;avascript: `<b>` ~~gone~~
"""


def test_markdown_of_organisers_can_do_no_harm() -> None:
    html = str(render_markdown(HOSTILE, {"sample.png": "/f/1/"}))
    assert pages.inline_parts(html) == []
    assert "<script" not in html
    assert "elsewhere.example" not in html
    assert html.count("<img") == 1
    assert "<h1>" not in html
    assert "<h2>One</h2>" in html
    assert '<td class="number">2</td>' in html
    assert 'rel="nofollow noopener noreferrer"' in html
    assert "<s>gone</s>" in html


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\data\\T.CSV", "T.csv"),
        ("ru\u202eles\x00.pdf", "rules.pdf"),
        ("規則.pdf", "規則.pdf"),
        ('a"b<c>.zip', "a_b_c_.zip"),
        ("x" * 300 + ".csv", "x" * 96 + ".csv"),
    ],
)
def test_names_of_files_lead_nowhere(given: str, kept: str) -> None:
    assert safe_name(given) == kept


@pytest.fixture
def contest(db: None) -> Contest:
    return world.make_contest("anonymize")


@pytest.fixture
def referee(db: None) -> Person:
    person = world.make_person("Referee", referee=True)
    pages.add_second_factor(person)
    return person


def test_an_organiser_writes_a_page_and_everybody_reads_it(contest: Contest, referee: Person) -> None:
    desk = sign_in(referee)
    draft = pages.check_page(desk.get(reverse("desk_pages", args=[contest.slug]) + "?draft=rules"))
    assert "Who wins" in draft
    address = reverse("desk_pages", args=[contest.slug])
    seen = desk.post(address, {"title": "Rules", "body": "# Fair **play**", "preview": "yes", "is_shown": "on"})
    assert "<strong>play</strong>" in pages.check_page(seen)
    assert not Page.objects.exists()
    assert desk.post(address, {"title": "Rules", "body": "# Fair", "is_shown": "on"}).status_code == 302
    files = desk.post(
        reverse("desk_page_attach", args=[contest.slug, "rules"]), {"file": world.upload(b"1,2\n", "../sample.csv")}
    )
    assert files.status_code == 302
    html = pages.check_page(Client().get(reverse("page", args=[contest.slug, "rules"])))
    assert "<h2>Fair</h2>" in html
    got = Client().get(reverse("page_file", args=[contest.slug, "rules", Page.objects.get().attachments.get().pk]))
    assert (got["Content-Disposition"], got["X-Content-Type-Options"]) == (
        'attachment; filename="sample.csv"',
        "nosniff",
    )
    assert b"".join(got.streaming_content) == b"1,2\n"  # type: ignore[attr-defined]
    actions = list(LogEntry.objects.filter(contest=contest.pk).values_list("action", flat=True))
    assert actions[-2:] == ["page.make", "page.attach"]


def test_a_hidden_page_is_for_officials_only(contest: Contest, referee: Person) -> None:
    put_page(contest, by=referee, title="Draft", body="", is_shown=False)
    assert pages_of(referee, contest).count() == 1
    assert Client().get(reverse("page", args=[contest.slug, "draft"])).status_code == 404
    assert Client().get(reverse("pages", args=[contest.slug])).status_code == 200


def test_files_that_are_not_what_they_say_are_refused(contest: Contest, referee: Person) -> None:
    page = put_page(contest, by=referee, title="Files", body="")
    for data, name, code in (
        (b"<svg onload=alert(1)>", "a.svg", "file-type"),
        (b"<html>", "a.html", "file-type"),
        (b"<html>", "a.png", "file-kind"),
        (b"", "a.csv", "empty-file"),
    ):
        with pytest.raises(RefusedError) as refused:
            attach(page, world.upload(data, name), name=name, by=referee)
        assert refused.value.code == code
    assert not Blob.objects.filter(area="published").exists()
    attach(page, world.upload(b"1\n"), name="a.csv", by=referee)
    attach(page, world.upload(b"2\n"), name="a.csv", by=referee)
    assert Blob.objects.filter(area="published").count() == page.attachments.count() == 1
    remove_page(page, by=referee)
    assert not Blob.objects.filter(area="published").exists()


def test_only_referees_write_pages(contest: Contest) -> None:
    _team, captain = world.make_team(contest, "Alpha")
    with pytest.raises(NotAllowedError):
        put_page(contest, by=captain, title="Mine", body="")


def test_two_pages_of_one_title_have_addresses_of_their_own(contest: Contest, referee: Person) -> None:
    made = [put_page(contest, by=referee, title="規則", body="").slug for _ in range(2)]
    assert made == ["page", "page-2"]
    with pytest.raises(RefusedError):
        put_page(contest, by=referee, title="x", body="", slug="page")
