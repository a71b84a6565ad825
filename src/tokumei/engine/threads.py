"""Work in threads that nobody has to wait for: an interrupt of the main thread takes effect at once.

A kernel that releases the GIL cannot be stopped from outside, and the pools of the standard library wait for what is
running (again when the interpreter ends). Here the main thread only waits, and Ctrl-C or SIGTERM ends its waiting:
pieces that have not begun are dropped, those that are running finish unheard. `abandoned` says whether any are left,
so that a program that ends can leave them behind (the command line does).

>>> list(in_order(lambda number: 2 * number, [1, 2, 3], threads=2))
[2, 4, 6]
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Generic, TypeVar

Item = TypeVar("Item")
Value = TypeVar("Value")

HEARING_SECONDS = 0.1
# Pieces that are this many times as many as threads end at about the same time.
PIECES_PER_THREAD = 4
# Handing over a piece takes as long as some people of an attack.
FEWEST_IN_A_PIECE = 16

_left_behind: list[threading.Thread] = []
# Python swallows an exception that a signal raises inside a finalizer or a library's callback: what was asked for is
# noted, and raised again where the main thread waits.
_asked_to_end: list[type[BaseException]] = []


def ask_to_end(error: type[BaseException]) -> None:
    """Let whoever waits for work on the main thread raise this error, at the latest within `HEARING_SECONDS`."""
    _asked_to_end.append(error)


def forget_to_end() -> None:
    """Begin anew: nobody asked to end."""
    _asked_to_end.clear()


def _end_if_asked() -> None:
    if _asked_to_end and threading.current_thread() is threading.main_thread():
        raise _asked_to_end[0]


def abandoned() -> bool:
    """Return whether threads still work on what nobody waits for any more."""
    return any(thread.is_alive() for thread in _left_behind)


def in_order(function: Callable[[Item], Value], items: Sequence[Item], *, threads: int) -> Iterator[Value]:
    """Yield ``function(item)`` for every item, in order; the first error of an item is raised in its place.

    On the main thread even a single worker is a thread of its own, because a kernel on the main thread would keep
    signals waiting; elsewhere one worker is the caller itself.
    """
    if threads <= 1 and threading.current_thread() is not threading.main_thread():
        for item in items:
            yield function(item)
        return
    crew = _Crew(function, items)
    workers = [threading.Thread(target=crew.work, daemon=True) for _ in range(min(max(threads, 1), len(items)))]
    try:
        for worker in workers:
            worker.start()
        for position in range(len(items)):
            yield crew.result(position)
    finally:
        crew.stop()
        _left_behind[:] = [thread for thread in (*_left_behind, *workers) if thread.is_alive()]


def spread_over(threads: int, work: Sequence[Callable[[], None]]) -> None:
    """Run independent pieces of work that release the GIL."""
    for _ in in_order(lambda piece: piece(), work, threads=threads):
        pass


def in_pieces(count: int, kernel: Callable[[int, int], None]) -> None:
    """Call ``kernel(begin, end)`` for parts of 0 ... count, with a thread for each core.

    The kernel must release the GIL and write to its own part only: the result does not depend on the number of parts.
    """
    threads = os.cpu_count() or 1
    pieces = max(1, min(threads * PIECES_PER_THREAD, count // FEWEST_IN_A_PIECE))
    bounds = [count * piece // pieces for piece in range(pieces + 1)] if count else []
    spread_over(threads, [partial(kernel, begin, end) for begin, end in pairwise(bounds)])


class _Crew(Generic[Item, Value]):
    """What the threads of one call share: which item is next, and the results so far."""

    def __init__(self, function: Callable[[Item], Value], items: Sequence[Item]) -> None:
        self._function = function
        self._items = items
        self._next = 0
        self._values: dict[int, Value] = {}
        self._errors: dict[int, BaseException] = {}
        self._changed = threading.Condition()

    def work(self) -> None:
        """Take items until none are left."""
        while (position := self._take()) is not None:
            try:
                value = self._function(self._items[position])
            except BaseException as error:
                # Whoever waits for this item raises it; nothing more is begun.
                self.stop()
                with self._changed:
                    self._errors[position] = error
                    self._changed.notify_all()
            else:
                with self._changed:
                    self._values[position] = value
                    self._changed.notify_all()

    def _take(self) -> int | None:
        with self._changed:
            position = self._next
            self._next += 1
        return position if position < len(self._items) else None

    def result(self, position: int) -> Value:
        """Wait for one item."""
        with self._changed:
            # Measured: SIGINT does not wake a wait without a limit once polars is loaded, so that waits are short.
            while position not in self._values and position not in self._errors:
                _end_if_asked()
                self._changed.wait(HEARING_SECONDS)
        if position in self._errors:
            raise self._errors[position]
        return self._values.pop(position)

    def stop(self) -> None:
        """Let nobody begin another item."""
        with self._changed:
            self._next = len(self._items)
