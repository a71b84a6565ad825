"""The one router of the API: operations of several modules share addresses and differ only in their method."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ninja import Router

router = Router()
Operation = Callable[..., Callable[[Any], Any]]


def operations(about: str, **common: Any) -> tuple[Operation, Operation]:
    """Return what registers reading and writing operations of one module, listed under a heading of their own."""
    return partial(router.get, tags=[about], **common), partial(router.post, tags=[about], **common)
