"""The clock of the arena; everything that depends on the time asks here."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone


def now() -> datetime:
    """Return the present moment."""
    return timezone.now()
