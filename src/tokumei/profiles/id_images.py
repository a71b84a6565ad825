"""Whether a column is an image of the subject id: itself, turned around, a part, a digest, a linear function of it."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Callable, Mapping

import polars as pl

from tokumei.profiles.value_spread import ValueSpread

# Of so few pairs, chance gives an image.
FEWEST_PAIRS = 5
# A digest may be cut to so many digits, a part of an id have so few letters.
SHORTEST_DIGEST, SHORTEST_PART = 6, 3
MOST = 0.5


def _digests(subject: str) -> list[str]:
    raw = subject.encode()
    hexadecimal = [hashlib.new(name, raw).hexdigest() for name in ("md5", "sha1", "sha256", "sha512", "sha3_256")]
    return [*hexadecimal, f"{zlib.crc32(raw):08x}", str(zlib.crc32(raw)), base64.b64encode(raw).decode().lower()]


def _is_digest(subject: str, value: str) -> bool:
    if len(value) < SHORTEST_DIGEST:
        return False
    return any(digest.startswith(value.lower()) for digest in _digests(subject))


def _is_part(subject: str, value: str) -> bool:
    shorter, longer = sorted((subject, value), key=len)
    return len(shorter) >= SHORTEST_PART and shorter in longer


_IMAGES: Mapping[str, Callable[[str, str], bool]] = {
    "copy": lambda subject, value: subject.strip().lower() == value.strip().lower(),
    "padded": lambda subject, value: subject.lstrip("0") == value.lstrip("0") != "",
    "reversed": lambda subject, value: subject[::-1] == value,
    "digest": _is_digest,
    "part": _is_part,
}


def id_image(spread: ValueSpread, subjects: pl.Series) -> str:
    """Return what image of the id most values of a column are, empty if none.

    Values that several subjects share are no image.
    """
    if spread.lone < FEWEST_PAIRS or spread.lone <= MOST * spread.pairs:
        return ""
    sample = spread.owned
    ids = subjects.cast(pl.String).gather(sample["subject"]).to_list()
    values = sample["value"].to_list()
    for name, image in _IMAGES.items():
        if sum(map(image, ids, values)) > MOST * len(values):
            return name
    return "linear" if _linear(ids, values) else ""


def _linear(ids: list[str], values: list[str]) -> bool:
    """Return whether the numbers in the values are one linear function of the numbers in the ids."""
    points = {}
    for subject, value in zip(ids, values, strict=True):
        number, result = re.fullmatch(r"\D*(\d{1,18})\D*", subject), re.fullmatch(r"\D*?(-?\d{1,18})\D*", value)
        if number is None or result is None:
            return False
        points[int(number[1])] = int(result[1])
    if len(points) < FEWEST_PAIRS:
        return False
    (first, start), (second, end), *rest = sorted(points.items())
    return all((at - first) * (end - start) == (result - start) * (second - first) for at, result in rest)
