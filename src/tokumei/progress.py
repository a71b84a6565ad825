"""Progress of long work, told to whoever listens.

Library code says what it is doing with `stage`; nothing happens unless a listener was installed (the command line
installs one that draws bars on a terminal).

>>> with stage("matching", total=2) as advance:
...     advance(1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

Advance = Callable[[float], None]
Listener = Callable[[str, float | None], AbstractContextManager[Advance]]

_listener: ContextVar[Listener | None] = ContextVar("tokumei_progress", default=None)


def stage(name: str, total: float | None = None) -> AbstractContextManager[Advance]:
    """Announce a stage of work; call the function it gives with the amount that has been done since the last call."""
    listener = _listener.get()
    return nullcontext(_unheard) if listener is None else listener(name, total)


def _unheard(amount: float) -> None:
    """Take the progress of work to which nobody listens."""


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send all stages announced inside this block to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
