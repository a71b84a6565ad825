"""What differs between two records of behaviour: statuses, JSON fields, texts, bytes and permissions of files."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["differences"]

# Values that differ from run to run on the same code, by their JSON field at any depth.
VOLATILE = {
    "seconds",  # how long a run of 'compare' took; in a plan how long it may take, which depends on the cores
    "shortest",
    "longest",
    "stages",  # the same by stage
    "megabytes",  # an estimate too
}
# The same in texts: the first group of a pattern is what is masked.
MASKS = [
    # An estimate before work depends on the cores of the machine.
    re.compile(r"(Estimate: about .*)"),
    # Elapsed time in a sentence.
    re.compile(r"\bin (\d[\d.,]* (?:s|min|ms))\b"),
    # Temporary folders.
    re.compile(r"(/tmp/[\w./-]+)"),
]
# The last column of a table with seconds in its head, which 'compare' prints.
SECONDS_HEAD = re.compile(r"seconds ┃$", re.MULTILINE)
SECONDS_CELL = re.compile(r"(?<=│)[ \d.,]+(?=│$)", re.MULTILINE)
# polars adds long columns in parallel, in no fixed order: the last digit of a sum (pws2016 evaluate) is not repeatable.
ROUNDING = 1e-14
LINES = 12
Record = Mapping[str, Any]


def masked(text: str) -> str:
    """Return a text without what differs from run to run."""
    for pattern in MASKS:
        text = pattern.sub(lambda found: found[0].replace(found[1], "~"), text)
    return SECONDS_CELL.sub("~", text) if SECONDS_HEAD.search(text) else text


def differences(first: Path, second: Path, *, statuses_only: bool = False) -> dict[str, list[str]]:
    """Return by command line what differs between the records in two folders."""
    a, b = (json.loads((folder / "record.json").read_text(encoding="utf-8")) for folder in (first, second))
    found: dict[str, list[str]] = {}
    for key in [*a["cases"], *(key for key in b["cases"] if key not in a["cases"])]:
        if key not in a["cases"] or key not in b["cases"]:
            told = [f"only in {first if key in a['cases'] else second}"]
        else:
            told = list(_case(a["cases"][key], b["cases"][key], (first, second), statuses_only=statuses_only))
        if told:
            found[key] = told
    return found


def _case(a: Record, b: Record, folders: tuple[Path, Path], *, statuses_only: bool) -> Iterator[str]:
    if a["status"] != b["status"]:
        yield f"status {a['status']} -> {b['status']}"
        yield from _texts("stderr", a["stderr"], b["stderr"])
    if statuses_only:
        return
    if not a["loose"]:
        yield from _texts("stdout", a["stdout"], b["stdout"])
        if a["status"] == b["status"]:
            yield from _texts("stderr", a["stderr"], b["stderr"])
    for name in sorted(a["files"].keys() | b["files"].keys()):
        one, two = a["files"].get(name), b["files"].get(name)
        if one is None or two is None:
            yield f"file {name}: {'no longer' if two is None else 'newly'} written"
            continue
        if one["mode"] != two["mode"]:
            yield f"file {name}: mode {one['mode']} -> {two['mode']}"
        if one["sha256"] != two["sha256"] and not a["loose"]:
            yield from _files(name, one, two, folders)


def _files(name: str, one: Record, two: Record, folders: tuple[Path, Path]) -> Iterator[str]:
    """Tell how two files of one name differ, by their texts where these were kept."""
    texts = [folder / "texts" / entry["sha256"] for folder, entry in zip(folders, (one, two), strict=True)]
    if all(path.exists() for path in texts):
        before, after = (path.read_text(encoding="utf-8") for path in texts)
        yield from _texts(f"file {name}", before, after)
    else:
        yield f"file {name}: {one['bytes']:,} bytes {one['sha256'][:12]} -> {two['bytes']:,} bytes {two['sha256'][:12]}"


def _texts(name: str, a: str, b: str) -> Iterator[str]:
    if a == b:
        return
    values = [_parsed(text) for text in (a, b)]
    if values[0] is not None and values[1] is not None:
        fields = list(_fields(name, *values))
        # Order of fields and white space count where all values are equal.
        yield from fields[:LINES]
        if len(fields) > LINES:
            yield f"{name}: ... and {len(fields) - LINES:,} more fields"
        if not fields and _shape(a) != _shape(b):
            yield f"{name}: the same JSON values, written in another way"
        return
    before, after = masked(a).splitlines(), masked(b).splitlines()
    if before == after:
        return
    told = difflib.unified_diff(before, after, lineterm="", n=0)
    changed = [line for line in told if line[:3] not in ("---", "+++")]
    yield from (f"{name}: {line[:300]}" for line in changed[:LINES])
    if len(changed) > LINES:
        yield f"{name}: ... and {len(changed) - LINES:,} more lines"


def _parsed(text: str) -> Any:
    if text[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _shape(text: str) -> str:
    """Return a JSON text without its numbers, some of which may be volatile."""
    return re.sub(r"[-\d.e]+", "", text)


def _fields(path: str, a: Any, b: Any) -> Iterator[str]:
    """Tell which fields of two JSON values differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(key for key in b if key not in a)]:
            if key in VOLATILE and key in a and key in b:
                continue
            if key not in a or key not in b:
                yield f"{path}.{key}: {'new' if key not in a else 'gone'}"
            else:
                yield from _fields(f"{path}.{key}", a[key], b[key])
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for place, (one, two) in enumerate(zip(a, b, strict=True)):
            yield from _fields(f"{path}[{place}]", one, two)
    elif isinstance(a, str) and isinstance(b, str):
        if masked(a) != masked(b):
            yield f"{path}: {a[:200]!r} -> {b[:200]!r}"
    elif isinstance(a, float) and isinstance(b, float):
        if not math.isclose(a, b, rel_tol=ROUNDING) and not (math.isnan(a) and math.isnan(b)):
            yield f"{path}: {a!r} -> {b!r}"
    elif a != b or type(a) is not type(b):
        yield f"{path}: {str(a)[:200]} -> {str(b)[:200]}"
