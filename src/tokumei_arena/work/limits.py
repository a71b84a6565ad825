"""The limits of one evaluation, as the child process gets them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of files (before anything parses them) and of the process that does."""

    upload_bytes: int
    unpacked_bytes: int
    zip_ratio: int
    zip_entries: int
    rows: int
    columns: int
    cell_length: int
    memory_bytes: int
    cpu_seconds: int
    wall_seconds: int

    @classmethod
    def of(cls, values: Mapping[str, int]) -> Limits:
        """Return the limits among these settings."""
        return cls(**{field.name: int(values[field.name]) for field in fields(cls)})

    def as_dict(self) -> dict[str, int]:
        """Return plain values for JSON."""
        return asdict(self)
