"""Every address of the arena; a test walks all of them as every kind of viewer."""

from __future__ import annotations

from django.urls import include, path

from tokumei_arena.api import routes as api
from tokumei_arena.web import routes, routes_allauth

urlpatterns = [
    path("accounts/", include(routes_allauth.urlpatterns)),
    path("api/", include(api.urlpatterns)),
    path("", include(routes.urlpatterns)),
    path("desk/", include(routes.desk_patterns)),
]
handler403 = "tokumei_arena.web.errors.forbidden"
handler404 = "tokumei_arena.web.errors.missing"
handler500 = "tokumei_arena.web.errors.failed"
