"""Progress of long work, told to whoever listens.

Library code says what it is doing with `stage`; nothing happens unless a listener was installed (the command line
installs one that draws bars on a terminal). A search that has something to show at any time runs inside `searching`,
tells what it would lose now, and ends as soon as it can once somebody asks for what there is.

>>> with stage("matching", total=2) as advance:
...     advance(1)
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
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


class _Search:
    """The searches of this process: how many are going on, what they lose so far, and whether that is enough.

    Searches run in threads of their own, which do not have the context of whoever began them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.offered = False
        self._going_on = 0
        self._enough = False
        self._ended_early = False
        self._losses: dict[Hashable, tuple[float, float]] = {}

    def begin(self) -> None:
        with self._lock:
            if self._going_on == 0:
                self._enough, self._ended_early, self._losses = False, False, {}
            self._going_on += 1

    def end(self) -> None:
        with self._lock:
            self._going_on -= 1
            self._enough = self._enough and self._going_on > 0

    def ask(self) -> bool:
        with self._lock:
            heard = self.offered and self._going_on > 0 and not self._enough
            self._enough = self._enough or heard
            self._ended_early = self._ended_early or heard
            return heard

    def is_enough(self) -> bool:
        return self._enough

    def was_ended_early(self) -> bool:
        return self._ended_early

    def tell(self, part: Hashable, lost: float, of: float) -> None:
        with self._lock:
            self._losses[part] = (lost, of)

    def loss(self) -> float | None:
        with self._lock:
            of = sum(whole for _, whole in self._losses.values())
            return sum(lost for lost, _ in self._losses.values()) / of if of and self._going_on else None


_search = _Search()


@contextmanager
def searching() -> Iterator[None]:
    """Mark a search that may be asked to end early: what it has by then is its result."""
    _search.begin()
    try:
        yield
    finally:
        _search.end()


@contextmanager
def taking_what_there_is() -> Iterator[None]:
    """Let searches in this block be asked to end early: whoever calls tells the reader when one was."""
    before, _search.offered = _search.offered, True
    try:
        yield
    finally:
        _search.offered = before


def ask_for_what_there_is() -> bool:
    """Ask the searches that go on to end with what they have; return False if none can be, or they were asked."""
    return _search.ask()


def can_be_asked() -> bool:
    """Return whether whoever runs the searches takes what there is."""
    return _search.offered


def is_enough() -> bool:
    """Return whether somebody asked for what there is."""
    return _search.is_enough()


def was_ended_early() -> bool:
    """Return whether the last search was asked to end before it had enough."""
    return _search.was_ended_early()


def tell_loss(part: Hashable, lost: float, of: float) -> None:
    """Tell what a part of a search loses so far, of what it could lose at most."""
    _search.tell(part, lost, of)


def loss_so_far() -> float | None:
    """Return the share that the search would lose if it ended now, None while nothing is known."""
    return _search.loss()
