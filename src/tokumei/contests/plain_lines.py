"""Lines of small answer files with nothing but the standard library: web processes count them and load no frames."""

from __future__ import annotations

from pathlib import Path


def plain_lines(path: Path) -> list[str]:
    """Return the lines of a file that are not blank, whatever its bytes; those of a missing file are none."""
    if not path.is_file():
        return []
    text = path.read_bytes().decode("utf-8-sig", "replace")
    return [line for line in text.splitlines() if line.strip()]


def first_cells(path: Path) -> set[str]:
    """Return what stands before the first comma of every line."""
    return {line.partition(",")[0].strip() for line in plain_lines(path)}
