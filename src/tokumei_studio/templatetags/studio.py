"""Words and numbers in templates."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.translation import get_language

from tokumei.words import Words, amount, conclusion_line, percent
from tokumei_studio.jobs import Job

register = template.Library()
HOME = "tokumei_studio"


def words() -> Words:
    """Return the texts of the studio in the language of the reader."""
    return Words("ja" if get_language() == "ja" else "en", HOME)


@register.simple_tag
def say(key: str, **values: Any) -> str:
    """Return a text of the catalogue."""
    return words()(key, **values)


@register.simple_tag
def named(group: str, name: str) -> str:
    """Return the text for a name of a group, or the name itself."""
    return words().named(group, name)


@register.simple_tag
def first_verdict(job: Job) -> str:
    """Return what is known of a release while the whole audit still runs; empty where nothing is."""
    audit = (job.result("anonymize") or {}).get("audit")
    return conclusion_line(audit["verdict"], audit["k"], words()) if audit else ""


@register.filter
def share(value: float | None) -> str:
    """Return a share as a percentage, a dash where there is none."""
    return "–" if value is None else percent(value)


@register.filter
def count(value: float | None) -> str:
    """Return a number with separators, a dash where there is none."""
    return "–" if value is None else amount(value)


@register.filter
def width(value: float | None) -> str:
    """Return a share as the width of a bar."""
    return f"{100 * min(max(value or 0.0, 0.0), 1.0):.1f}%"


@register.filter
def size(value: int) -> str:
    """Return a number of bytes as people read it."""
    number = float(value)
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"
