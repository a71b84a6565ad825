"""Progress of long work, told to whoever listens.

Library code says what it is doing with `stage`; nothing happens unless a listener was installed (the command line
installs one that draws bars on a terminal).

>>> with stage("matching", total=2) as advance:
...     advance(1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Advance = Callable[[float], None]
Listener = Callable[[str, float | None], AbstractContextManager[Advance]]

_listener: ContextVar[Listener | None] = ContextVar("tokumei_progress", default=None)


@contextmanager
def stage(name: str, total: float | None = None) -> Iterator[Advance]:
    """Announce a stage of work; call the yielded function with the amount that has been done since the last call."""
    listener = _listener.get()
    if listener is None:
        yield lambda _amount: None
        return
    with listener(name, total) as advance:
        yield advance


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send all stages announced inside this block to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
