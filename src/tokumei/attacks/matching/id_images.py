"""Pseudonyms that are computed from the subject's id: encodings, checksums and digests of it, salted or weakly keyed.

Whoever knows the ids computes the image of each under every transformation that people use, in every form in which it
may have been written (hexadecimal, decimal, base 64, cut), and looks it up among the pseudonyms. A few ids are tried
first; a transformation that finds most of them is tried on all. What cannot be tried is a digest under a good key: it
looks like chance, and is as good as chance while the key stays secret.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from tokumei.attacks.matching.naming_rules import NamingRule, chance_of_hits
from tokumei.data import DIGESTED, ENCODED, STRONG, Way, images, in_base
from tokumei.words import Message

Key = str | int
# Gives the keys of every one of some ids; there are too many of them to keep.
Keys = Callable[[Sequence[str]], Iterator[Sequence[Key]]]

PROBES, FIRST_PROBES = 16, 2
_HEXADECIMAL = frozenset("0123456789abcdef")
# Digests of ids collide in a range in which so many pairs would (birthday problem): pseudonyms there are no digests.
COLLISIONS = 6
# Where so many of all possible pseudonyms are taken, every transformation finds some of them.
FULL = 0.05
COMMON_KEYS = (
    "", "salt", "pepper", "secret", "key", "password", "passwd", "pass", "admin", "test", "hash", "anonymous",
    "anonymize", "anonymise", "anon", "pseudonym", "privacy", "private", "data", "id", "user", "customer", "default",
    "changeme", "letmein", "qwerty", "abc", "abc123", "foo", "bar", "foobar", "hello", "my", "mysalt", "mykey",
    "my_salt", "my_key", "my_secret", "mysecret", "secretkey", "secret_key", "SECRET", "SALT", "KEY", "company",
    "project", "123456", "12345678", "123456789", "tokumei", "release", "research", "release2024", "2024salt",
)  # fmt: skip
SEPARATORS = ("", ":", "-", "_", "|", ".", " ", ",", "/", "#", "=")
# Transformations times forms: what a hit by chance is multiplied by.
TRIED = 50_000
_MODULI = (2**16, 2**31 - 1, 2**31, 2**32, 999_999_999, 10**9, 10**9 + 7)


def _common_start(texts: Sequence[str]) -> str:
    """Return what all texts begin with, without digits at its end: those may belong to a number."""
    low, high = min(texts, default=""), max(texts, default="")
    same = 0
    while len(texts) > 1 and same < min(len(low), len(high)) and low[same] == high[same]:
        same += 1
    return low[:same].rstrip(string.digits)


@dataclass(frozen=True, eq=False)
class _Written:
    """How the pseudonyms are written, with or without what all begin and end with; and where each one stands."""

    cores: Sequence[str]

    @cached_property
    def numeric(self) -> bool:
        return all(core.isdecimal() for core in self.cores)

    @cached_property
    def hexadecimal(self) -> bool:
        return all(_HEXADECIMAL.issuperset(core.lower()) for core in self.cores)

    @cached_property
    def length(self) -> int:
        return max(map(len, self.cores), default=0)

    @cached_property
    def place(self) -> dict[Key, int]:
        if self.numeric:
            return {int(core): position for position, core in enumerate(self.cores)}
        return {core.lower().rstrip("="): position for position, core in enumerate(self.cores)}

    @cached_property
    def possible(self) -> float:
        """How many names there could be of this length and these letters."""
        letters = 10 if self.numeric else 16 if self.hexadecimal else 32
        return float(letters) ** min(self.length, 30)

    @cached_property
    def crowded(self) -> bool:
        """Whether digests of so many ids, cut to this length, would collide, or could not be told from others."""
        return len(self.cores) ** 2 > 2 * COLLISIONS * self.possible or len(self.cores) > FULL * self.possible

    def chance_of(self, hits: int, tried: int) -> float:
        """Return a bound of the chance that images of so many ids hit as many names that were drawn at random."""
        return 1.0 if self.crowded else chance_of_hits(hits, len(self.cores) * tried / self.possible)

    @cached_property
    def _moduli(self) -> tuple[int, ...]:
        return tuple(sorted({*_MODULI, 10 ** (self.length - 1), 10**self.length}))

    def holds(self, keys: Iterable[Key]) -> bool:
        """Whether a pseudonym has one of these keys."""
        return any(key in self.place for key in keys)

    def text_keys(self, text: str) -> list[Key]:
        """Return how an encoded id may have been written."""
        if self.numeric:
            return [int(text)] if text.isdecimal() else []
        return [text.lower()]

    def digest_keys(self, digest: bytes, *, few: bool) -> list[Key]:
        """Return how a digest may have been written; only the most usual ways if a ``few`` are enough."""
        if self.numeric:
            wholes = [int.from_bytes(digest), int.from_bytes(digest[:8]), int.from_bytes(digest[:4])]
            if few:
                return [wholes[0] % 10**self.length, wholes[1] % 10**self.length, wholes[2], wholes[2] % 10**9]
            wholes += [int.from_bytes(digest, "little"), int.from_bytes(digest[:8], "little"), wholes[0] & 0xFFFFFFFF]
            wholes += [int.from_bytes(digest[:4], "little"), int(str(wholes[0])[: self.length])]
            return [
                *wholes,
                *(whole % modulus + more for whole, modulus, more in product(wholes, self._moduli, (0, 1))),
            ]
        texts = [digest.hex()]
        if not self.hexadecimal:
            encoded = base64.b64encode(digest).decode()
            texts = [encoded, encoded.replace("+", "-").replace("/", "_"), base64.b32encode(digest).decode()]
            texts += [] if few else [in_base(int.from_bytes(digest), 36), digest.hex()]
        texts = [text.lower() for text in texts]
        return [*(text[: self.length] for text in texts), *(text.rstrip("=")[-self.length :] for text in texts)]


@dataclass(frozen=True, eq=False, slots=True)
class _Image:
    """One transformation of ids: what it is called, and the keys it gives for every one of some ids."""

    finding: Message
    keys: Keys


def image_owners(subjects: pl.Series, names: pl.Series) -> Sequence[NamingRule]:
    """Return the transformations of ids that give pseudonyms, and whom each of them names."""
    return _image_owners(*(tuple(side.cast(pl.String).to_list()) for side in (subjects, names)))


# An audit asks twice: with the Secret and without.
@lru_cache(maxsize=1)
def _image_owners(ids: tuple[str, ...], names: tuple[str, ...]) -> Sequence[NamingRule]:
    if not ids or not names:
        return ()
    probes = [ids[place] for place in np.unique(np.linspace(0, len(ids) - 1, PROBES).astype(np.int64))]
    wanted = max(len(probes) * len(names) / (2 * len(ids)), 1.0)
    # Where everybody was published the image of any id must be found; else one of a few.
    first = probes[: 1 if len(names) >= len(ids) else FIRST_PROBES]
    start, end = _common_start(names), _common_start([name[::-1] for name in names])
    cores = tuple(name[len(start) : len(name) - len(end)] or name for name in names)
    found: list[NamingRule] = []
    for written in (_Written(names), *([_Written(cores)] if cores != names else [])):
        hashed = [] if written.crowded else [*_digested(written, first), *_keyed(written, first)]
        for image in [*_plain(written, first), *hashed]:
            found += _found(image, probes, ids, written, wanted)
    return found


def _found(
    image: _Image, probes: Sequence[str], ids: Sequence[str], written: _Written, wanted: float
) -> Iterator[NamingRule]:
    """Yield whom a transformation names, for every form in which it finds most of the probes."""
    keys = list(image.keys(probes))
    for form in range(max(map(len, keys), default=0)):
        hits = {written.place.get(each[form]) for each in keys if form < len(each)} - {None}
        if len(hits) < wanted:
            continue
        owner = np.full(len(written.cores), -1, dtype=np.int64)
        for subject, each in enumerate(image.keys(ids)):
            place = written.place.get(each[form]) if form < len(each) else None
            if place is not None:
                owner[place] = subject
        chance = written.chance_of(int((owner >= 0).sum()), len(ids))
        yield NamingRule(image.finding, TRIED, owner, chance)


def _plain(written: _Written, first: Sequence[str]) -> Iterator[_Image]:
    """Yield encodings that give a pseudonym for one of the first ids."""

    def keys(way: Way[str]) -> Keys:
        return lambda ids: (written.text_keys(text) for text in images([way], ids)[0])

    for way, texts in zip(ENCODED, images(ENCODED, first), strict=True):
        if any(written.holds(written.text_keys(text)) for text in texts):
            encoded = Message("detail.encoded", {"encoding": way.name})
            yield _Image(Message("detail.own-name") if way.name == "the id" else encoded, keys(way))


def _digested(written: _Written, first: Sequence[str]) -> Iterator[_Image]:
    """Yield digests that give a pseudonym for one of the first ids."""

    def keys(way: Way[bytes]) -> Keys:
        return lambda ids: (written.digest_keys(digest, few=False) for digest in images([way], ids)[0])

    for way, digests in zip(DIGESTED, images(DIGESTED, first), strict=True):
        if any(written.holds(written.digest_keys(digest, few=False)) for digest in digests):
            yield _Image(Message("detail.digest", {"digest": way.name}), keys(way))


def _keyed(written: _Written, first: Sequence[str]) -> Iterator[_Image]:
    """Yield digests under common salts and keys, and under short ones, that find one of the first ids."""
    short = ["".join(digits) for size in (1, 2, 3) for digits in product(string.digits, repeat=size)]
    probes = [text.encode() for text in first]
    for name, code in STRONG.items():
        finding, digest = Message("detail.keyed", {"digest": name}), getattr(hashlib, code)

        def salted(before: bytes, after: bytes, digest: Callable[[bytes], Any] = digest) -> Keys:
            return lambda ids: (
                written.digest_keys(digest(before + text.encode() + after).digest(), few=True) for text in ids
            )

        def keyed(key: bytes, code: str = code) -> Keys:
            return lambda ids: (written.digest_keys(hmac.digest(key, text.encode(), code), few=True) for text in ids)

        for word, separators in [*((word, SEPARATORS) for word in COMMON_KEYS), *((word, ("",)) for word in short)]:
            key = word.encode()
            if any(written.holds(written.digest_keys(hmac.digest(key, probe, code), few=True)) for probe in probes):
                yield _Image(finding, keyed(key))
            for separator in separators:
                joint = separator.encode()
                for before, after in ((key + joint, b""), (b"", joint + key)):
                    digests = [digest(before + probe + after).digest() for probe in probes]
                    if any(written.holds(written.digest_keys(each, few=True)) for each in digests):
                        yield _Image(finding, salted(before, after))
