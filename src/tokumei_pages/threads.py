"""Django in the threads of a small pool: requests come in and answers go out asynchronously, views run one per thread.

Django's own asynchronous handler makes a thread for every request, with a new connection to the database, and goes
back and forth between it and the event loop at many a middleware, although all views here are synchronous. With threads
that stay, connections stay too, and their number is known: threads times web processes. A board page takes a third
less processor time.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

# Enough to have some wait for the disk or the database while others compute.
THREADS = 12


class ThreadedHandler(ASGIHandler):
    """Reads the request, lets a thread answer it, sends the answer."""

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="web")

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer one request. A client that goes away meanwhile changes nothing: what it began is finished."""
        if scope["type"] != "http":
            raise ValueError(f"this server speaks HTTP only, not {scope['type']}")
        try:
            # A thread is taken only when everything is here: slow clients keep nobody waiting.
            body = await self.read_body(receive)
        except RequestAborted:
            return
        loop = asyncio.get_running_loop()
        with body:
            response = await loop.run_in_executor(self._threads, self._answer, scope, body)
            try:
                await self.send_response(response, send)
            finally:
                if not response.closed:
                    await loop.run_in_executor(self._threads, response.close)

    def _answer(self, scope: dict[str, Any], body: Any) -> HttpResponseBase:
        """Return the answer; all of Django runs here."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, refused = self.create_request(scope, body)
        response = refused if request is None else self.get_response(request)
        assert response is not None
        response._handler_class = self.__class__  # type: ignore[attr-defined]
        if not response.streaming:
            response.close()
        return response
