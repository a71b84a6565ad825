"""One zip with the answers about all targets, taken apart before it is handed in."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from tokumei.data import read_bytes
from tokumei.errors import InputError

LARGEST = 200 * 2**20


def read_zip(path: Path) -> dict[str, bytes]:
    """Return the files of a zip by their names; folders and what macOS adds are left out."""
    try:
        with zipfile.ZipFile(io.BytesIO(read_bytes(path))) as packed:
            entries = [one for one in packed.infolist() if not one.is_dir() and "__MACOSX" not in one.filename]
            if sum(entry.file_size for entry in entries) > LARGEST:
                raise InputError(f"{path} holds more than {LARGEST:,} bytes; pack less", code="too-large")
            return {entry.filename: packed.read(entry) for entry in entries}
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError) as error:
        raise InputError(f"{path} is no zip that can be read ({error}); pack it again", code="no-zip") from error


def split_by_folder(path: Path, targets: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, bytes]]:
    """Return the files of every target that has a folder of its name in the zip, whatever stands around it."""
    found: dict[str, dict[str, bytes]] = {}
    for name, content in read_zip(path).items():
        place = PurePosixPath(name)
        if place.name in names and place.parent.name in targets:
            found.setdefault(place.parent.name, {})[place.name] = content
    if not found:
        message = f"{path} has no folder named like a target ({', '.join(targets)}) with {', '.join(names)} in it"
        raise InputError(message, code="no-target", file=str(path))
    return found
