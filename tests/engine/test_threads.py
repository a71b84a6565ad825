"""Work in threads: order, errors, and what an interrupt leaves behind."""

from __future__ import annotations

import gc
import sys
import threading
import time

import pytest

from tokumei.engine.threads import abandoned, ask_to_end, forget_to_end, in_order, spread_over


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_values_come_in_the_order_of_the_items(threads: int) -> None:
    """The slowest item is the first one."""

    def work(number: int) -> int:
        time.sleep(0.02 if number == 0 else 0.0)
        return number * number

    assert list(in_order(work, range(6), threads=threads)) == [0, 1, 4, 9, 16, 25]
    assert list(in_order(work, [], threads=threads)) == []


def test_the_main_thread_only_waits() -> None:
    """A kernel on the main thread would keep signals waiting."""
    seen: list[bool] = []
    spread_over(1, [lambda: seen.append(threading.current_thread() is threading.main_thread())])
    assert seen == [False]


def test_one_worker_inside_a_thread_is_the_thread_itself() -> None:
    seen: list[bool] = []

    def outer() -> None:
        here = threading.current_thread()
        spread_over(1, [lambda: seen.append(threading.current_thread() is here)])

    spread_over(2, [outer, outer])
    assert seen == [True, True]


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_is_raised_in_its_place_and_nothing_more_is_begun(threads: int) -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        time.sleep(0.01)
        if number == 1:
            message = "the second item"
            raise ValueError(message)
        return number

    values = in_order(work, range(100), threads=threads)
    assert next(values) == 0
    with pytest.raises(ValueError, match="the second item"):
        next(values)
    assert len(begun) <= 2 * threads


def test_whoever_stops_listening_leaves_running_work_behind() -> None:
    going_on, begun = threading.Event(), []

    def work(number: int) -> int:
        begun.append(number)
        if number:
            going_on.wait(10.0)
        return number

    values = in_order(work, range(50), threads=2)
    assert next(values) == 0
    values.close()  # type: ignore[attr-defined]
    assert abandoned()
    going_on.set()
    deadline = time.monotonic() + 10.0
    while abandoned() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not abandoned()
    assert len(begun) <= 3


def test_a_request_to_end_is_raised_again_where_it_was_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Python does with what a signal raises inside a finalizer or a library's callback."""

    class Swallowing:
        def __del__(self) -> None:
            ask_to_end(KeyboardInterrupt)
            raise KeyboardInterrupt

    unheard: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", unheard.append)
    Swallowing()
    gc.collect()
    assert len(unheard) == 1
    try:
        with pytest.raises(KeyboardInterrupt):
            spread_over(2, [lambda: time.sleep(0.2)] * 2)
    finally:
        forget_to_end()
    spread_over(2, [lambda: None] * 2)
