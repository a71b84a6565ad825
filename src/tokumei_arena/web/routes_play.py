"""Addresses of taking part: data, submissions, targets, guesses."""

from __future__ import annotations

from django.urls import URLPattern

__all__ = ["urlpatterns"]

urlpatterns: list[URLPattern] = []
