"""Results as JSON documents can hold them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tokumei.words.catalogue import Message


def json_values(value: Any) -> Any:
    """Return a value that JSON can hold: messages in English, numpy scalars as numbers, NaN and infinities as null.

    >>> json_values({"share": float("nan"), "names": ("a", "b")})
    {'share': None, 'names': ['a', 'b']}
    """
    if isinstance(value, Mapping):
        return {str(key): json_values(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_values(item) for item in value]
    if isinstance(value, Message):
        return str(value)
    if hasattr(value, "tolist"):
        return json_values(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
