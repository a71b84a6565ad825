"""Whether a column is an image of the subject id: itself, turned around, a part, a digest, a linear function of it."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

import polars as pl

from tokumei.data import DIGESTS, ENCODINGS, SPELLINGS, Digest
from tokumei.profiles.value_spread import ValueSpread

# Of so few pairs, chance gives an image; so many are tried before all are compared.
FEWEST_PAIRS, PROBES = 5, 4
# A digest may be cut to so many digits, a part of an id have so few letters.
SHORTEST_DIGEST, SHORTEST_PART = 6, 3
# Of a digest as a number, so many bytes are taken: a checksum has no more.
SHORT_BYTES = 4
MOST = 0.5


def _is_digest(ids: Sequence[str], values: Sequence[str]) -> bool:
    """Return whether most values are one digest or encoding of the id, or the begin of it.

    What none of the first values is, is not tried on the others.
    """
    pairs = [(subject, value.lower().rstrip("=")) for subject, value in zip(ids, values, strict=True)]
    long = [pair for pair in pairs if len(pair[1]) >= SHORTEST_DIGEST]
    if len(long) <= MOST * len(pairs):
        return False
    for written in _ways():
        suspected = any(written(subject).startswith(value) for subject, value in long[:PROBES])
        if suspected and sum(written(subject).startswith(value) for subject, value in long) > MOST * len(pairs):
            return True
    return False


def _ways() -> Iterator[Callable[[str], str]]:
    """Yield the ways to write a digest or an encoding of an id."""

    def way(spell: Callable[[str], str], digest: Digest, write: Callable[[bytes], str]) -> Callable[[str], str]:
        return lambda subject: write(digest(spell(subject).encode())).lower()

    def plain(encode: Callable[[str], str]) -> Callable[[str], str]:
        return lambda subject: encode(subject).lower()

    forms: list[Callable[[bytes], str]] = [
        bytes.hex,
        lambda digest: str(int.from_bytes(digest[:SHORT_BYTES])),
        lambda digest: base64.b64encode(digest).decode(),
    ]
    for spell, digest, write in product(SPELLINGS.values(), DIGESTS.values(), forms):
        yield way(spell, digest, write)
    for name in ("base 64", "base 32", "hexadecimal"):
        yield plain(ENCODINGS[name])


def _is_part(subject: str, value: str) -> bool:
    shorter, longer = sorted((subject, value), key=len)
    return len(shorter) >= SHORTEST_PART and shorter in longer


_IMAGES: Mapping[str, Callable[[str, str], bool]] = {
    "copy": lambda subject, value: subject.strip().lower() == value.strip().lower(),
    "padded": lambda subject, value: subject.lstrip("0") == value.lstrip("0") != "",
    "reversed": lambda subject, value: subject[::-1] == value,
    "part": _is_part,
}


def id_image(spread: ValueSpread, subjects: pl.Series) -> str:
    """Return what image of the id most values of a column are, empty if none.

    Values that several subjects share are no image.
    """
    if spread.lone < FEWEST_PAIRS or spread.lone <= MOST * spread.pairs:
        return ""
    sample = spread.owned
    ids = subjects.cast(pl.String)[sample["subject"]].to_list()
    values = sample["value"].to_list()
    for name, image in _IMAGES.items():
        if sum(map(image, ids, values)) > MOST * len(values):
            return name
    if _is_digest(ids, values):
        return "digest"
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
