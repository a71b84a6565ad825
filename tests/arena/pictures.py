"""A small picture, as an organiser would upload it."""

from __future__ import annotations

import struct
import zlib

__all__ = ["LOGO", "png"]


def png(width: int, height: int) -> bytes:
    """Return a PNG of one colour (PNG specification, chapter 5)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + b"\x27\x41\x8f" * width for _ in range(height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


LOGO = png(64, 64)
