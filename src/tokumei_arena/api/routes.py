"""Addresses of the API: /api/v1/..., described at /api/v1/openapi.json."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from tokumei_arena.api import boards, contests, event, helping, log, play, referee, teams
from tokumei_arena.api.errors import add_handlers, no_such_address, one_form
from tokumei_arena.api.router import router


class _Described(NinjaAPI):
    """Describes itself once: anyone may ask, and each answer would take a third of a second of a web process."""

    @cached_property
    def _description(self) -> OpenAPISchema:
        return super().get_openapi_schema()

    def get_openapi_schema(self, **_: Any) -> OpenAPISchema:
        """Return the description of all addresses; they lie at one place only, whatever is asked for."""
        return self._description


api = _Described(
    title="Tokumei arena",
    version="1",
    description="Take part in contests of anonymization and re-identification, or run them. "
    'Send a token of yours as \'Authorization: Bearer TOKEN\'; every refusal is {"error": {"code", "message"}}.',
    docs_url=None,
)
add_handlers(api)
# Loading them registers their operations.
PARTS = (contests, teams, play, helping, boards, log, referee, event)
api.add_router("", router)
patterns, application, namespace = api.urls
for pattern in patterns:
    if pattern.callback is not None:
        pattern.callback = one_form(pattern.callback)

urlpatterns: list[Any] = [
    path("v1/", (patterns, application, namespace)),
    path("v1/<path:rest>", csrf_exempt(no_such_address)),
]
