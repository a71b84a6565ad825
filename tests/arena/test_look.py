"""The identity of a contest: a colour that can be read, a logo that is one, and where browsers get them."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tests.arena import pages, world
from tests.arena.desk_world import desk, referee
from tests.arena.pictures import LOGO, png
from tokumei_arena.contests import look
from tokumei_arena.errors import NotAllowedError, RefusedError
from tokumei_arena.models import Contest, LogEntry, Logo

pytestmark = pytest.mark.django_db
__all__ = ["desk", "referee"]
# A baseline JPEG of 16 by 24 up to its frame header (ITU T.81, B.2.2).
JPEG = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffc0000b0800180010010111000000")


@pytest.mark.parametrize("colour", ["#27418f", "#7a1f5c", "#000000", "#0b6e4f"])
def test_a_dark_colour_is_taken_and_can_be_read_on_dark_pages_too(colour: str) -> None:
    assert look.check_colour(f" {colour.upper()} ") == colour
    light, dark = look.style_of(colour).splitlines()
    assert f"--accent:{colour}" in light
    shown = dark.split("--accent:")[1][:7]
    assert min(look.contrast(shown, ground) for ground in (*look.DARK, look.DARK_INK)) >= look.LEAST_CONTRAST


def test_a_light_colour_is_refused_with_one_that_would_do() -> None:
    with pytest.raises(RefusedError, match=r"its contrast is 1\.\d to 1, and 4\.5 is needed; try (#\w{6})") as refused:
        look.check_colour("#ffcc00")
    better = refused.value.message[-7:]
    assert look.check_colour(better) == better
    with pytest.raises(RefusedError, match="six digits"):
        look.check_colour("red")


def test_the_contrast_is_that_of_the_guidelines() -> None:
    assert look.contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)


def test_pictures_are_known_by_their_bytes() -> None:
    assert look.picture_of(LOGO) == ("image/png", 64, 64)
    assert look.picture_of(JPEG) == ("image/jpeg", 16, 24)
    assert look.picture_of(b"<svg onload='alert(1)'/>") is None
    assert look.picture_of(b"\xff\xd8\xff") is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"GIF89a", "must be a PNG or JPEG"),
        (png(8, 64), "has 8 by 64 pixels"),
        (LOGO + b"\0" * look.LARGEST_LOGO, "at most 40 KB"),
    ],
)
def test_other_files_are_no_logo(data: bytes, words: str) -> None:
    contest, by = world.make_contest(), world.make_person("Ref", referee=True)
    with pytest.raises(RefusedError, match=words):
        look.change_look(contest, by=by, logo=ContentFile(data, name="x.png"))
    assert not Logo.objects.exists()


def test_only_referees_change_it() -> None:
    with pytest.raises(NotAllowedError, match="only referees"):
        look.change_look(world.make_contest(), by=world.make_person("Somebody"), colour="#000000")


def test_the_desk_sets_it_and_pages_show_it(desk: Client) -> None:
    contest = world.make_contest()
    address = reverse("desk_look", args=[contest.slug])
    assert pages.check_page(desk.get(address))
    refused = desk.post(address, {"own_colour": "on", "colour": "#ffff00"})
    assert (refused.status_code, "too light" in refused.content.decode()) == (400, True)
    logo = SimpleUploadedFile("logo.png", LOGO)
    assert desk.post(address, {"own_colour": "on", "colour": "#7a1f5c", "logo": logo}).status_code == 302
    saved = Contest.objects.get()
    assert LogEntry.objects.filter(action="contest.look").count() == 1
    page = pages.check_page(Client().get(reverse("contest", args=[contest.slug])))
    for part in (f'href="/c/{contest.slug}/look.css?7a1f5c"', f'src="/c/{contest.slug}/logo/?{saved.logo_tag}"'):
        assert part in page
    style = Client().get(reverse("look", args=[contest.slug]))
    assert (style["Content-Type"], "--accent:#7a1f5c" in style.content.decode()) == ("text/css; charset=utf-8", True)
    picture = Client().get(reverse("logo", args=[contest.slug]))
    assert (picture["Content-Type"], picture.content) == ("image/png", LOGO)
    assert desk.post(address, {"colour": "#7a1f5c", "remove": "yes"}).status_code == 302
    assert Client().get(reverse("logo", args=[contest.slug])).status_code == 404
    assert Client().get(reverse("look", args=[contest.slug])).status_code == 404
    Contest.objects.update(is_open=False)
    assert Client().get(reverse("logo", args=[contest.slug])).status_code == 404
