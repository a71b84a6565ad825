"""What pages show alike: moments in the viewer's zone, figures under the columns of a contest, and badges."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tokumei.contests import Column
from tokumei_arena.wording import in_language

register = template.Library()
JST = ZoneInfo("Asia/Tokyo")
NOTHING = "–"
DAY, HOUR, MINUTE = 86_400, 3_600, 60
KINDS = {
    "queued": "info",
    "running": "info",
    "done": "ok",
    "failed": "bad",
    "valid": "ok",
    "invalid": "bad",
    "registration": "info",
    "anonymize": "ok",
    "attack": "warn",
    "scoring": "info",
    "published": "ok",
}


def is_jst(moment: datetime) -> bool:
    """Return whether a moment is told in Japan Standard Time."""
    return moment.tzname() == "JST"


def _zone_name(moment: datetime) -> str:
    """Return the short name of the zone; zones without one have only an offset, such as '+04'."""
    name = moment.tzname() or ""
    return f"UTC{name}" if name[:1] in ("+", "-") else name


def shown_moment(value: datetime) -> tuple[str, str]:
    """Return a moment in the viewer's zone, and in JST if that is another one."""
    here = timezone.localtime(value)
    text = f"{here:%Y-%m-%d %H:%M:%S} {_zone_name(here)}"
    if is_jst(here):
        return text, ""
    japan = value.astimezone(JST)
    beside = f"{japan:%H:%M:%S} JST" if japan.date() == here.date() else f"{japan:%Y-%m-%d %H:%M:%S} JST"
    return text, f"({beside})"


@register.filter
def moment(value: datetime | None) -> str | SafeString:
    """Show a moment in the viewer's zone, with JST stated; machines read the exact one."""
    if value is None:
        return NOTHING
    text, beside = shown_moment(value)
    if not beside:
        return format_html('<time datetime="{}">{}</time>', value.isoformat(), text)
    # Between both a line may end, within them not.
    form = '<time datetime="{}"><span>{}</span> <span>{}</span></time>'
    return format_html(form, value.isoformat(), text, beside)


@register.filter
def countdown(seconds: int) -> SafeString:
    """Show how long it is until something; a script counts down in place, in the same form and width."""
    days, rest = divmod(max(0, int(seconds)), DAY)
    hours, rest = divmod(rest, HOUR)
    form = _("# d")
    text = f"{form.replace('#', str(days))} {hours:02}:{rest // MINUTE:02}:{rest % MINUTE:02}"
    return format_html(
        '<span class="countdown" role="timer" data-countdown="{}" data-days="{}">{}</span>', seconds, form, text
    )


@register.filter
def figure(value: Any, digits: int = 6) -> str:
    """Show a number with so many digits after the point; whole numbers as they are, nothing as a dash."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, (bool, str)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    number = float(value)
    if math.isnan(number):
        return NOTHING
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    return f"{number:,.{digits}f}"


@register.filter
def badge_kind(state: str) -> str:
    """Return the colour that fits the state of work, a verdict or a phase."""
    return KINDS.get(str(state), "")


@register.filter
def badge(text: Any, kind: str = "") -> SafeString:
    """Show a word as a badge; kinds are ok, warn, bad and info."""
    return format_html('<span class="badge {}">{}</span>', kind, text)


@register.filter
def as_json(value: Any) -> str:
    """Write plain values for an attribute that a script reads; the template escapes it."""
    return json.dumps(value)


@dataclass(frozen=True)
class Heading:
    """The head of a column: its title, which way is better, in words, and the key under which it is explained."""

    title: str
    better: str
    key: str = ""


@dataclass(frozen=True)
class Cell:
    """A figure under its title, and the key under which it is explained."""

    title: str
    text: str
    key: str = ""


@register.filter
def headings(columns: Sequence[Column]) -> list[Heading]:
    """Return the heads of these columns."""
    ways = {"lower": _("lower is better"), "higher": _("higher is better")}
    return [Heading(in_language(column.title), ways.get(column.better, ""), column.key) for column in columns]


@register.filter
def cells(columns: Sequence[Column], figures: Mapping[str, Any]) -> list[Cell]:
    """Return the figures under these columns; what is not told is a dash."""
    return [
        Cell(in_language(column.title), shown(figures.get(column.key), column.digits), column.key) for column in columns
    ]


def shown(value: Any, digits: int = 6) -> str:
    """Return one figure as text."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, (list, dict)):
        return ""
    return figure(value, digits)
