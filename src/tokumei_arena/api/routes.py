"""Addresses of the API: /api/v1/..., described at /api/v1/openapi.json."""

from __future__ import annotations

from typing import Any

from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI

from tokumei_arena.api import boards, contests, play, referee, teams
from tokumei_arena.api.errors import add_handlers, no_such_address, one_form
from tokumei_arena.api.router import router

__all__ = ["api", "urlpatterns"]

api = NinjaAPI(
    title="Tokumei arena",
    version="1",
    description="Take part in contests of anonymization and re-identification, or run them. "
    'Send a token of yours as \'Authorization: Bearer TOKEN\'; every refusal is {"error": {"code", "message"}}.',
    docs_url=None,
)
add_handlers(api)
# Loading them registers their operations.
PARTS = (contests, teams, play, boards, referee)
api.add_router("", router)
patterns, application, namespace = api.urls
for pattern in patterns:
    if pattern.callback is not None:
        pattern.callback = one_form(pattern.callback)

urlpatterns: list[Any] = [
    path("v1/", (patterns, application, namespace)),
    path("v1/<path:rest>", csrf_exempt(no_such_address)),
]
