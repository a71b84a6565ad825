"""Addresses of the referee desk."""

from __future__ import annotations

from django.urls import URLPattern

__all__ = ["urlpatterns"]

urlpatterns: list[URLPattern] = []
