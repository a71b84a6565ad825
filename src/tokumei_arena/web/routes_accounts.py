"""Addresses of accounts, home and preferences."""

from __future__ import annotations

from django.urls import URLPattern, path
from django.views.i18n import set_language

from tokumei_arena.web import accounts, referees

__all__ = ["urlpatterns"]

urlpatterns: list[URLPattern] = [
    path("", accounts.home, name="home"),
    path("preferences/", accounts.preferences, name="preferences"),
    path("preferences/erase/", accounts.erase_account, name="erase_account"),
    path("tokens/", accounts.tokens_page, name="tokens"),
    path("tokens/<uuid:pk>/revoke/", accounts.revoke_token, name="token_revoke"),
    path("referee/<str:token>/", referees.become_referee, name="become_referee"),
    path("language/", set_language, name="language"),
]
