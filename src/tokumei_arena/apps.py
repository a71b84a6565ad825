"""The Django application."""

from __future__ import annotations

from django.apps import AppConfig


class ArenaConfig(AppConfig):
    """The arena as one Django application."""

    name = "tokumei_arena"
    label = "arena"
    verbose_name = "Tokumei arena"
    default_auto_field = "django.db.models.BigAutoField"
