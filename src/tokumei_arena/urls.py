"""Every address of the arena; a test walks all of them as every kind of viewer."""

from __future__ import annotations

from django.urls import include, path

from tokumei_arena.api import routes as api
from tokumei_arena.web import routes_accounts, routes_allauth, routes_boards, routes_desk, routes_play, routes_teams

urlpatterns = [
    path("accounts/", include(routes_allauth.urlpatterns)),
    path("api/", include(api.urlpatterns)),
    path("", include(routes_accounts.urlpatterns)),
    path("", include(routes_teams.urlpatterns)),
    path("", include(routes_play.urlpatterns)),
    path("", include(routes_boards.urlpatterns)),
    path("desk/", include(routes_desk.urlpatterns)),
]
handler403 = "tokumei_arena.web.errors.forbidden"
handler404 = "tokumei_arena.web.errors.missing"
handler500 = "tokumei_arena.web.errors.failed"
