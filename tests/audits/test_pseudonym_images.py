"""Pseudonyms computed from the id are not called safe, with or without the Secret; random ones raise no alarm."""

from __future__ import annotations

import base64
import hashlib
import hmac
import uuid
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


def _marked(mark: Callable[[int, int], int]) -> list[str]:
    """Random numbers in which the rank of the member in its group was marked."""
    numbers = np.random.default_rng(7).choice(10**9, size=60, replace=False)
    for group in GROUPS.groups:
        for rank, member in enumerate(group):
            numbers[member] = mark(int(numbers[member]), rank)
    assert len(set(numbers)) == 60
    return numbers.astype(str).tolist()


def _with_digit(place: int) -> Callable[[int, int], int]:
    return lambda number, rank: number + (3 * (number % 3) + rank - number // 10**place % 10) * 10**place


def _with_even_bits(number: int, rank: int) -> int:
    while number.bit_count() % 3 != rank:
        number += 1
    return number


def _spelled(write: Callable[[str], bytes], name: str = "sha256") -> Callable[[str], str]:
    return lambda text: hashlib.new(name, write(text)).hexdigest()


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
    "sha256 of another encoding": _spelled(lambda text: text.encode("utf-16-le")),
    "sha256 with a line end": _spelled(lambda text: f"{text}\r\n".encode()),
    "sha256 in quotation marks": _spelled(lambda text: f'"{text}"'.encode()),
    "sha256 of a field": _spelled(lambda text: f"customer={text}".encode()),
    "sha256 of JSON": _spelled(lambda text: f'{{"id": "{text}"}}'.encode()),
    "md5 of a padded number": _spelled(lambda text: text[1:].zfill(8).encode(), "md5"),
    "md5 of the bytes of a number": _spelled(lambda text: int(text[1:]).to_bytes(8, "little"), "md5"),
    "sha1 of sha1": _spelled(
        lambda text: hashlib.new("sha1", text.encode(), usedforsecurity=False).hexdigest().encode(), "sha1"
    ),
    "sha256 twice": _spelled(lambda text: hashlib.sha256(text.encode()).digest()),
    "hmac under the id": lambda text: hmac.digest(text.encode(), text.encode(), "sha256").hex(),
    "uuid5": lambda text: uuid.uuid5(uuid.NAMESPACE_DNS, text).hex,
    "uuid3": lambda text: uuid.uuid3(uuid.NAMESPACE_OID, text).hex,
    "shake": lambda text: hashlib.shake_128(text.encode()).hexdigest(8),
    "short blake2b": lambda text: hashlib.blake2b(text.encode(), digest_size=4).hexdigest(),
}
LISTS: dict[str, list[str]] = {
    "zero padded": [f"{number:08d}" for number in NUMBERS],
    "affine": [str(7919 * number + 104729) for number in NUMBERS],
    "affine modulo a power of ten": [str((48271 * number + 11) % 10**9) for number in NUMBERS],
    "affine modulo a power of two": [str((2654435761 * number) % 2**32) for number in NUMBERS],
    "affine modulo an odd number": [str((31337 * 31337 * number + 5) % 987_654_323) for number in NUMBERS],
    "exclusive or": [str(number ^ 0x5A5A5A) for number in NUMBERS],
    "exclusive or in hexadecimal": [f"{number ^ 0x5BD1E995:08x}" for number in NUMBERS],
    "affine in hexadecimal": [f"{(number * 2654435761 + 77) % 2**32:08x}" for number in NUMBERS],
    "rank modulo 3": _by_rank(3),
    "rank modulo 7": _by_rank(7),
    "order in the group": _in_group_order(),
    "rank in a digit": _marked(_with_digit(4)),
    "rank in the second digit": _marked(_with_digit(7)),
    "rank in the number of bits": _marked(_with_even_bits),
    "sorted": [str(1000 + number) for number in range(60)],
    "sorted backwards": [str(9000 - 13 * number) for number in range(60)],
}
VARIANTS = {name: [image(text) for text in IDS] for name, image in TEXTS.items()} | LISTS
# What only the Secret shows: a relation to ranks that leaves no pattern in the pseudonyms themselves.
HIDDEN = {"order in the group", "rank in a digit", "rank in the second digit", "rank in the number of bits"}


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
