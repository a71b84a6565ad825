"""Whether a request comes from somebody who is signed in, asked before its body is read."""

from __future__ import annotations

from importlib import import_module

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.db import close_old_connections
from django.http import parse_cookie

from tokumei_arena.teams import find_token


def is_known(headers: dict[bytes, bytes]) -> bool:
    """Return whether the headers carry a session of somebody who signed in, or a token that can be used."""
    return _has_token(headers) or _has_session(headers)


def ask(headers: dict[bytes, bytes]) -> bool:
    """Return the same, from a thread that serves no request and keeps no connection that went stale."""
    close_old_connections()
    try:
        return is_known(headers)
    finally:
        close_old_connections()


def _has_token(headers: dict[bytes, bytes]) -> bool:
    kind, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    return kind.lower() == "bearer" and find_token(token.strip()) is not None


def _has_session(headers: dict[bytes, bytes]) -> bool:
    key = parse_cookie(headers.get(b"cookie", b"").decode("latin-1")).get(settings.SESSION_COOKIE_NAME)
    store = import_module(settings.SESSION_ENGINE).SessionStore
    return bool(key) and SESSION_KEY in store(key)
