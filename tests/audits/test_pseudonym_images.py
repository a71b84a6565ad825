"""Pseudonyms computed from the id are not called safe, with or without the Secret; random ones raise no alarm."""

from __future__ import annotations

import base64
import hashlib
import hmac
import zlib
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from tests.leaky_releases import grouped, purchases, release_of
from tokumei.attacks.matching.clues import smallest_visible
from tokumei.audits.audit import audit_release
from tokumei.data.results import Outcome

HISTORY = purchases(60)
GROUPS = grouped(HISTORY, 3)
IDS = HISTORY.subjects.to_list()
NUMBERS = [int(name[1:]) for name in IDS]


def _digest(name: str, *, before: str = "", after: str = "", length: int = 64) -> Callable[[str], str]:
    return lambda text: hashlib.new(name, (before + text + after).encode()).hexdigest()[:length]


def _hmac(name: str, key: str) -> Callable[[str], str]:
    return lambda text: hmac.digest(key.encode(), text.encode(), name).hex()[:16]


def _by_rank(modulus: int) -> list[str]:
    """Random numbers that leave the rank of the member in its group as the remainder."""
    rng = np.random.default_rng(5)
    numbers = rng.choice(10**6, size=60, replace=False) * modulus
    for group in GROUPS.groups:
        numbers[group] += np.arange(len(group)) % modulus
    return numbers.astype(str).tolist()


def _in_group_order() -> list[str]:
    numbers = np.random.default_rng(6).choice(10**8, size=60, replace=False)
    for group in GROUPS.groups:
        numbers[group] = np.sort(numbers[group])
    return numbers.astype(str).tolist()


TEXTS: dict[str, Callable[[str], str]] = {
    "reversed": lambda text: text[::-1],
    "upper case": str.upper,
    "base 64": lambda text: base64.b64encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "crc32": lambda text: str(zlib.crc32(text.encode())),
    "crc32 in hexadecimal": lambda text: f"{zlib.crc32(text.encode()):08x}",
    "adler32": lambda text: str(zlib.adler32(text.encode())),
    "md5": _digest("md5"),
    "md5 of the number": lambda text: hashlib.md5(text[1:].encode(), usedforsecurity=False).hexdigest(),
    "sha1": _digest("sha1", length=10),
    "sha224": _digest("sha224"),
    "sha256 behind a prefix": lambda text: "user_" + hashlib.sha256(text.encode()).hexdigest()[:12],
    "sha384": _digest("sha384"),
    "sha512": _digest("sha512", length=16),
    "sha512 in base 64": lambda text: base64.b64encode(hashlib.sha512(text.encode()).digest()).decode()[:12],
    "sha256 in decimal": lambda text: str(int(hashlib.sha256(text.encode()).hexdigest(), 16) % 10**9),
    "sha3": _digest("sha3_256", length=20),
    "blake2b": _digest("blake2b", length=20),
    "blake2s": _digest("blake2s", length=20),
    "salted md5": _digest("md5", before="salt"),
    "md5 salted behind": _digest("md5", after=":pepper"),
    "sha256 with a short salt": _digest("sha256", before="42", length=12),
    "hmac with a common key": _hmac("sha256", "secret"),
    "hmac with a short key": _hmac("sha512", "7"),
}
LISTS: dict[str, list[str]] = {
    "zero padded": [f"{number:08d}" for number in NUMBERS],
    "affine": [str(7919 * number + 104729) for number in NUMBERS],
    "affine modulo a power of ten": [str((48271 * number + 11) % 10**9) for number in NUMBERS],
    "affine modulo a power of two": [str((2654435761 * number) % 2**32) for number in NUMBERS],
    "affine modulo an odd number": [str((31337 * 31337 * number + 5) % 987_654_323) for number in NUMBERS],
    "exclusive or": [str(number ^ 0x5A5A5A) for number in NUMBERS],
    "rank modulo 3": _by_rank(3),
    "rank modulo 7": _by_rank(7),
    "order in the group": _in_group_order(),
    "sorted": [str(1000 + number) for number in range(60)],
    "sorted backwards": [str(9000 - 13 * number) for number in range(60)],
}
VARIANTS = {name: [image(text) for text in IDS] for name, image in TEXTS.items()} | LISTS
# What only the Secret shows: a relation to ranks that leaves no pattern in the pseudonyms themselves.
HIDDEN = {"order in the group"}


@pytest.mark.half_second
@pytest.mark.parametrize("name", VARIANTS)
def test_an_image_of_the_id_is_not_safe(name: str) -> None:
    """Without the Secret already, hence with it too; except where only the truth shows it."""
    release, secret = release_of(GROUPS, pl.Series("pseudonym", VARIANTS[name]))
    result = audit_release(HISTORY, release, secret if name in HIDDEN else None, k=3)
    assert result.verdict.outcome is not Outcome.SAFE
    assert "keyed-pseudonyms" in [reason.code for reason in result.verdict.skipped]


@pytest.mark.half_second
@pytest.mark.parametrize("name", ["rank modulo 3", "affine modulo an odd number", "salted md5", "exclusive or"])
def test_an_image_of_the_id_is_not_safe_with_the_secret(name: str) -> None:
    release, secret = release_of(GROUPS, pl.Series("pseudonym", VARIANTS[name]))
    assert audit_release(HISTORY, release, secret, k=3).verdict.outcome is not Outcome.SAFE


def _alarms(count: int) -> list[int]:
    """Return which of so many strict releases with fresh pseudonyms of several forms are not called safe."""
    alarms = []
    for number in range(count):
        rng = np.random.default_rng(number)
        history = purchases(int(rng.integers(6, 40)), seed=number)
        people = len(history.subjects)
        forms = (
            rng.choice(10**9, size=people, replace=False).astype(str),
            (rng.permutation(people) + 1).astype(str),
            np.array([rng.bytes(6).hex() for _ in range(people)]),
        )
        names = pl.Series("pseudonym", forms[number % 3].tolist())
        release, secret = release_of(grouped(history, 2 + number % 3), names)
        if audit_release(history, release, secret).verdict.outcome is not Outcome.SAFE:
            alarms.append(number)
    return alarms


@pytest.mark.half_second
def test_random_pseudonyms_raise_no_alarm() -> None:
    assert _alarms(12) == []


@pytest.mark.campaign
def test_two_hundred_releases_raise_no_alarm() -> None:
    assert _alarms(200) == []


def test_a_clue_says_what_it_could_have_seen() -> None:
    release, secret = release_of(GROUPS, pl.Series("pseudonym", np.random.default_rng(1).permutation(60).astype(str)))
    figure = audit_release(HISTORY, release, secret).reidentified["release-order"]
    assert figure.detectable is not None
    assert 1 / 3 < figure.detectable < 1
    assert figure.as_dict()["detectable"] == figure.detectable
    tiny = purchases(4)
    small = audit_release(tiny, *release_of(grouped(tiny, 2), pl.Series("pseudonym", ["7", "3", "9", "5"])))
    assert small.reidentified["release-order"].detectable is None


def test_what_can_be_seen_is_where_the_bound_falls_below_chance() -> None:
    share = smallest_visible(20, 0.5, 1e-3)
    assert share is not None
    divergence = share * np.log(share / 0.5) + (1 - share) * np.log((1 - share) / 0.5)
    assert np.exp(-20 * divergence) == pytest.approx(1e-3, rel=1e-6)
    assert smallest_visible(5, 0.5, 1e-3) is None
    assert smallest_visible(0, 0.5, 1e-3) is None
