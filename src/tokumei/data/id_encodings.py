"""How people make another name of an id: spellings, encodings, checksums and digests of it.

The one list for who looks whether a column or a pseudonym is computed from the id. A digest takes bytes; a spelling
says which bytes an id gives, as it is or as a program may have written it. `ENCODED` and `DIGESTED` are all ways to put
these together.
"""

from __future__ import annotations

import base64
import codecs
import hashlib
import hmac
import string
import uuid
import zlib
from collections.abc import Callable, Sequence
from itertools import product
from typing import Generic, NamedTuple, TypeVar

Image = TypeVar("Image", str, bytes)
Digest = Callable[[bytes], bytes]

_WORD = 0xFFFFFFFF


def _by_bytes(start: int, factor: int, *, width: int = 32, exclusive: bool = False) -> Digest:
    """Return a hash that multiplies and takes a byte in turn: FNV (RFC 9923), djb2, sdbm, String.hashCode."""
    mask = (1 << width) - 1

    def digest(text: bytes) -> bytes:
        value = start
        for byte in text:
            value = ((value ^ byte) * factor if exclusive else value * factor + byte) & mask
        return value.to_bytes(width // 8, "big")

    return digest


def _murmur(text: bytes) -> bytes:
    """Return MurmurHash3 of 32 bits under the seed 0 (Appleby, 2011)."""
    value, whole = 0, len(text) // 4 * 4
    for begin in range(0, len(text), 4):
        block = int.from_bytes(text[begin : begin + 4], "little") * 0xCC9E2D51 & _WORD
        value ^= _rotated(block, 15) * 0x1B873593 & _WORD
        if begin < whole:
            value = (_rotated(value, 13) * 5 + 0xE6546B64) & _WORD
    value ^= len(text)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        value = (value ^ value >> shift) * factor & _WORD
    return value.to_bytes(4, "big")


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & _WORD


def _of(name: str) -> Digest:
    return lambda text: hashlib.new(name, text, usedforsecurity=False).digest()


def _twice(name: str, *, spelled: bool) -> Digest:
    def digest(text: bytes) -> bytes:
        first = hashlib.new(name, text, usedforsecurity=False)
        again = first.hexdigest().encode() if spelled else first.digest()
        return hashlib.new(name, again, usedforsecurity=False).digest()

    return digest


def _named(make: Callable[[uuid.UUID, str], uuid.UUID], space: uuid.UUID) -> Digest:
    return lambda text: make(space, text.decode("utf-8", "surrogateescape")).bytes


def _sized(size: int) -> Digest:
    return lambda text: hashlib.blake2b(text, digest_size=size).digest()


# What keys and salts are tried with.
STRONG: dict[str, str] = {"MD5": "md5", "SHA-1": "sha1", "SHA-256": "sha256", "SHA-512": "sha512"}
# What unusual spellings are tried with.
USUAL: dict[str, Digest] = {name: _of(code) for name, code in STRONG.items()} | {
    "CRC32": lambda text: zlib.crc32(text).to_bytes(4, "big"),
    "MurmurHash3": _murmur,
}
_SPACES = (uuid.NAMESPACE_DNS, uuid.NAMESPACE_URL, uuid.NAMESPACE_OID, uuid.NAMESPACE_X500)
DIGESTS: dict[str, Digest] = (
    USUAL
    | {f"SHA-{size}": _of(f"sha{size}") for size in (224, 384)}
    | {f"SHA3-{size}": _of(f"sha3_{size}") for size in (224, 256, 384, 512)}
    | {f"SHAKE{size}": lambda text, size=size: hashlib.new(f"shake_{size}", text).digest(64) for size in (128, 256)}  # type: ignore[call-arg]
    | {"BLAKE2b": _of("blake2b"), "BLAKE2s": _of("blake2s")}
    | {f"BLAKE2b-{8 * size}": _sized(size) for size in (4, 5, 6, 8, 10, 12, 16, 20, 32)}
    | {f"{name} twice": _twice(code, spelled=False) for name, code in STRONG.items()}
    | {f"{name} of its digits": _twice(code, spelled=True) for name, code in STRONG.items()}
    | {"HMAC under the id": lambda text: hmac.digest(text, text, "sha256")}
    | {f"UUID 3 ({number})": _named(uuid.uuid3, space) for number, space in enumerate(_SPACES)}
    | {f"UUID 5 ({number})": _named(uuid.uuid5, space) for number, space in enumerate(_SPACES)}
    | {
        "Adler32": lambda text: zlib.adler32(text).to_bytes(4, "big"),
        "FNV-1a": _by_bytes(0x811C9DC5, 0x01000193, exclusive=True),
        "FNV-1a of 64 bits": _by_bytes(0xCBF29CE484222325, 0x100000001B3, width=64, exclusive=True),
        "hashCode": _by_bytes(0, 31),
        "djb2": _by_bytes(5381, 33),
        "sdbm": _by_bytes(0, 65599),
    }
)
ENCODINGS: dict[str, Callable[[str], str]] = {
    "the id": lambda text: text,
    "the id reversed": lambda text: text[::-1],
    "base 64": lambda text: base64.b64encode(text.encode()).decode().rstrip("="),
    "base 32": lambda text: base64.b32encode(text.encode()).decode().rstrip("="),
    "hexadecimal": lambda text: text.encode().hex(),
    "ROT13": lambda text: codecs.encode(text, "rot13"),
    "base 36": lambda text: in_base(int(text), 36) if text.isdecimal() else "",
    "hexadecimal number": lambda text: f"{int(text):x}" if text.isdecimal() else "",
    "binary": lambda text: f"{int(text):b}" if text.isdecimal() else "",
}


def _digits(text: str) -> str:
    return "".join(filter(str.isdecimal, text))


def _number(text: str) -> int:
    return int(_digits(text)[:18] or 0)


# What is put into a transformation: the id as it is, or written otherwise.
SPELLINGS: dict[str, Callable[[str], str]] = {
    "": lambda text: text,
    "lower case": str.lower,
    "upper case": str.upper,
    "digits": _digits,
    "number": lambda text: str(int(_digits(text) or 0)),
    "line": lambda text: f"{text}\n",
}
# As programs write an id: line ends, quotation marks, another encoding, a padded or binary number, a field.
BYTES: dict[str, Callable[[str], bytes]] = (
    {
        "CRLF": lambda text: f"{text}\r\n".encode(),
        "quoted": lambda text: f'"{text}"'.encode(),
        "single quotes": lambda text: f"'{text}'".encode(),
        "UTF-16": lambda text: text.encode("utf-16-le", "surrogatepass"),
        "UTF-16 with its mark": lambda text: text.encode("utf-16", "surrogatepass"),
        "JSON": lambda text: f'{{"id": "{text}"}}'.encode(),
        "JSON without blanks": lambda text: f'{{"id":"{text}"}}'.encode(),
    }
    | {f"{width} digits": lambda text, width=width: f"{_number(text):0{width}d}".encode() for width in range(4, 13)}
    | {
        f"{size} bytes, {order}": lambda text, size=size, order=order: (_number(text) % 256**size).to_bytes(size, order)
        for size in (4, 8)
        for order in ("little", "big")
    }
)


class Way(NamedTuple, Generic[Image]):
    """One way to make an image of an id: the name of the encoding or digest, and the image."""

    name: str
    image: Callable[[str], Image]


def images(ways: Sequence[Way[Image]], ids: Sequence[str]) -> list[list[Image]]:
    """Return for every way the images of these ids."""
    return [[way.image(text) for text in ids] for way in ways]


def _encoded(name: str, spell: Callable[[str], str], encode: Callable[[str], str]) -> Way[str]:
    return Way(name, lambda text: encode(spell(text)))


def _digested(name: str, spell: Callable[[str], str], digest: Digest) -> Way[bytes]:
    return Way(name, lambda text: digest(spell(text).encode()))


def _digested_bytes(name: str, spell: Callable[[str], bytes], digest: Digest) -> Way[bytes]:
    return Way(name, lambda text: digest(spell(text)))


ENCODED: tuple[Way[str], ...] = tuple(
    _encoded(name, spell, encode) for spell, (name, encode) in product(SPELLINGS.values(), ENCODINGS.items())
)
DIGESTED: tuple[Way[bytes], ...] = (
    *(_digested(name, spell, digest) for spell, (name, digest) in product(SPELLINGS.values(), DIGESTS.items())),
    *(_digested_bytes(name, spell, digest) for spell, (name, digest) in product(BYTES.values(), USUAL.items())),
)


def in_base(number: int, base: int) -> str:
    """Return a whole number in another base, with letters after the digits.

    >>> in_base(71, 36)
    '1z'
    """
    digits = ""
    while number:
        number, rest = divmod(number, base)
        digits = (string.digits + string.ascii_lowercase)[rest] + digits
    return digits or "0"
