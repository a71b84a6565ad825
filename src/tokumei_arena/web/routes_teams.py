"""Addresses of contests and teams."""

from __future__ import annotations

from django.urls import URLPattern

__all__ = ["urlpatterns"]

urlpatterns: list[URLPattern] = []
