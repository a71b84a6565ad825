"""Records as JSON: one object per line (JSON lines), or one array of objects."""

from __future__ import annotations

import io
import json

import polars as pl

from tokumei.errors import UnreadableError

_ENDINGS = (".jsonl", ".ndjson", ".json")


def is_json(text: bytes, name: str) -> bool:
    """Return whether a text is meant as JSON: by its name, or by an object at its beginning."""
    stem = name.lower().removesuffix(".gz")
    return stem.endswith(_ENDINGS) or text.lstrip()[:2] in (b'{"', b"[{")


def read_json(text: bytes, file: str) -> pl.DataFrame:
    """Return the records; a value that is a list or an object is left to the schema, which can only drop it."""
    if text.lstrip().startswith(b"["):
        try:
            records = json.loads(text)
            if not all(isinstance(record, dict) for record in records):
                raise TypeError
            frame = pl.DataFrame(records, infer_schema_length=None, strict=False) if records else pl.DataFrame()
        except (ValueError, TypeError, pl.exceptions.PolarsError):
            message = f"{file}: this is no JSON array of objects; write one object per line (JSON lines)"
            raise UnreadableError(message, file=file, code="json") from None
    else:
        try:
            frame = pl.read_ndjson(io.BytesIO(text), infer_schema_length=None)
        except pl.exceptions.PolarsError:
            line = _wrong_line(text)
            place = f"{file}, line {line}" if line else file
            message = f"{place}: this is no JSON object; write one object per line"
            raise UnreadableError(message, file=file, line=line, code="json") from None
    if frame.height == 0 or frame.width == 0:
        message = f"{file}: the JSON holds no records; give a file with data in it"
        raise UnreadableError(message, file=file)
    return frame


def _wrong_line(text: bytes) -> int | None:
    """Return the first line that is no JSON object."""
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            if line.strip() and not isinstance(json.loads(line), dict):
                return number
        except ValueError:
            return number
    return None
