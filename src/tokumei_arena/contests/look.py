"""The identity of a contest: its colour, which must be readable as ground and as ink, and its logo.

Contrast is that of WCAG 2.2 (relative luminance): 4.5 to 1 for text. A colour is chosen for light pages; on dark ones
it is mixed with white until it can be read there.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from typing import NamedTuple

from django.core.files.base import File
from django.db import transaction
from django.utils.translation import gettext as _

from tokumei_arena import access
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import Contest, Logo, Person
from tokumei_arena.records import record

FORM = re.compile(r"#[0-9a-f]{6}")
LEAST_CONTRAST = 4.5
# Ground and paper of light and dark pages, as pages.css has them.
LIGHT, DARK, DARK_INK = ("#ffffff", "#f6f7fa", "#eceff5"), ("#1b202b", "#12151d", "#252b39"), "#10162b"
STEPS = 50
# The first page with everything on it stays below 100 KB.
LARGEST_LOGO, SIDES = 40_000, range(16, 1025)
PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
Channels = tuple[float, float, float]


class Picture(NamedTuple):
    """What a file says it is: its media type, width and height."""

    media_type: str
    width: int
    height: int


def _channels(colour: str) -> Channels:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _luminance(colour: str) -> float:
    """Return the relative luminance (WCAG 2.2)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in _channels(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21.

    >>> round(contrast("#000000", "#ffffff"), 1)
    21.0
    """
    bright, dim = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _mixed(colour: str, with_: str, share: float) -> str:
    parts = (own * (1 - share) + other * share for own, other in zip(_channels(colour), _channels(with_), strict=True))
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)


def _until_readable(colour: str, with_: str, others: tuple[str, ...]) -> str:
    """Return the colour, mixed with another one just so far that it can be read on these."""
    mixes = (_mixed(colour, with_, step / STEPS) for step in range(STEPS + 1))
    return next(mix for mix in mixes if all(contrast(mix, other) >= LEAST_CONTRAST for other in others))


def check_colour(colour: str) -> str:
    """Return a colour in its usual form, or nothing; refuse one that cannot be read on light pages."""
    found = colour.strip().lower()
    if not found:
        return ""
    if not FORM.fullmatch(found):
        raise RefusedError(_("write the colour as # and six digits, such as #27418f"), code="colour-form")
    least = min(contrast(found, ground) for ground in LIGHT)
    if least < LEAST_CONTRAST:
        words = {"contrast": f"{least:.1f}", "better": _until_readable(found, "#000000", LIGHT)}
        message = _("the colour is too light: its contrast is %(contrast)s to 1, and 4.5 is needed; try %(better)s")
        raise RefusedError(message % words, code="colour-contrast")
    return found


def style_of(colour: str) -> str:
    """Return the style sheet of a contest with this colour, for light and dark pages."""
    dark = _until_readable(colour, "#ffffff", (*DARK, DARK_INK))
    light = f":root{{--accent:{colour};--accent-ink:#ffffff;--series-1:{colour}}}"
    dim = f":root{{--accent:{dark};--accent-ink:{DARK_INK};--series-1:{dark}}}"
    return f"{light}\n@media (prefers-color-scheme:dark){{{dim}}}\n"


def picture_of(data: bytes) -> Picture | None:
    """Return what picture these bytes begin with: PNG (its IHDR) or JPEG (its frame header); None: neither."""
    if data.startswith(PNG) and data[12:16] == b"IHDR" and len(data) > 24:
        return Picture("image/png", *struct.unpack_from(">II", data, 16))
    at = 2
    while data.startswith(JPEG) and at + 9 < len(data) and data[at] == 0xFF:
        if data[at + 1] in FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return Picture("image/jpeg", width, height)
        at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


def _check_logo(data: bytes) -> Picture:
    if len(data) > LARGEST_LOGO:
        message = _("the logo has %(size)d KB; at most %(limit)d KB are possible, so that the first page stays small")
        raise RefusedError(message % {"size": len(data) // 1000, "limit": LARGEST_LOGO // 1000}, code="logo-size")
    found = picture_of(data)
    if found is None:
        raise RefusedError(_("the logo must be a PNG or JPEG picture"), code="logo-form")
    if found.width not in SIDES or found.height not in SIDES:
        words = {"width": found.width, "height": found.height, "least": SIDES.start, "most": SIDES.stop - 1}
        message = _("the logo has %(width)d by %(height)d pixels; each side must have %(least)d to %(most)d")
        raise RefusedError(message % words, code="logo-sides")
    return found


def change_look(
    contest: Contest,
    *,
    by: Person,
    colour: str | None = None,
    logo: File[bytes] | None = None,
    without_logo: bool = False,
) -> None:
    """Give a contest a colour (empty: that of the arena) or a logo, or take its logo away; what is None stays."""
    access.need_referee(by, contest)
    wanted = contest.colour if colour is None else check_colour(colour)
    data = None if logo is None else logo.read(LARGEST_LOGO + 1)
    picture = None if data is None else _check_logo(data)
    with transaction.atomic():
        tag = contest.logo_tag
        if data is not None and picture is not None:
            text = base64.b64encode(data).decode("ascii")
            Logo.objects.update_or_create(contest=contest, defaults={"media_type": picture.media_type, "data": text})
            tag = hashlib.sha256(data).hexdigest()[:16]
        elif without_logo:
            Logo.objects.filter(contest=contest).delete()
            tag = ""
        Contest.objects.filter(pk=contest.pk).update(colour=wanted, logo_tag=tag)
        record("contest.look", contest, actor=by, colour=wanted, logo=tag)
    contest.colour, contest.logo_tag = wanted, tag


def logo_of(contest: Contest) -> tuple[bytes, str] | None:
    """Return the logo of a contest with its media type."""
    found = Logo.objects.filter(contest=contest).first()
    return None if found is None else (base64.b64decode(found.data), found.media_type)
