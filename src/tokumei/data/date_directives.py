"""What the format of a date may say: the directives of chrono, and those of Japanese eras.

``%-m`` is a month without zeros, ``%s`` are seconds since 1970 (``%s%3f`` milliseconds), ``%:z`` and ``%z`` are offsets
such as ``+09:00``. ``%EC`` is the name of an era (令和), ``%EN`` its letter (R), ``%Ey`` the year in it.
"""

from __future__ import annotations

import re

ISO_DATE = "%Y-%m-%d"
EPOCH_SECONDS, EPOCH_MILLISECONDS = "%s", "%s%3f"
_DIRECTIVE = re.compile(r"%(?:\.\d?f|3f|:z|E[CNy]|-?.?)")
_DATE_DIRECTIVES = frozenset(_DIRECTIVE.findall("%Y%-Y%y%-y%m%-m%d%-d%e%j%-j%b%B%h%F%%%EC%EN%Ey"))
_TIME_DIRECTIVES = frozenset(_DIRECTIVE.findall("%H%-H%I%-I%p%P%M%-M%S%-S%T%R%.f%.3f%.6f%.9f%s%3f%z%:z"))


def has_time(text_format: str) -> bool:
    """Return whether a format tells the time of day."""
    return not _TIME_DIRECTIVES.isdisjoint(_DIRECTIVE.findall(text_format))


def format_fault(text_format: str, *, clock: bool) -> str:
    """Return what is wrong with a format in words, or nothing; ``clock``: it may tell the time of day."""
    if text_format in (EPOCH_SECONDS, EPOCH_MILLISECONDS) and clock:
        return ""
    used = set(_DIRECTIVE.findall(text_format))
    known = _DATE_DIRECTIVES | (_TIME_DIRECTIVES if clock else frozenset())
    if used - known:
        wrong, kind = min(used - known), "datetime" if clock else "date"
        advice = '; times of day need kind = "datetime"' if wrong in _TIME_DIRECTIVES else ""
        return f"the format '{text_format}' has '{wrong}', which is no part of a {kind}{advice}"
    letters = {directive.removeprefix("%").removeprefix("-") for directive in used}
    day = letters & set("de") and letters & set("mbBh")
    year = letters & set("Yy") or ("Ey" in letters and letters & {"EC", "EN"})
    if "F" in letters or (year and (day or "j" in letters)):
        return ""
    return f"the format '{text_format}' does not tell year, month and day; write it like {ISO_DATE}"
