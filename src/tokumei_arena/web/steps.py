"""The address of the next step."""

from __future__ import annotations

from urllib.parse import quote

from django.http import HttpRequest
from django.urls import reverse

from tokumei_arena.contests import Step

__all__ = ["step_address"]


def step_address(request: HttpRequest, step: Step) -> str:
    """Return where the step leads, or nothing; after signing in the viewer comes back."""
    if not step.route:
        return ""
    address = reverse(step.route, args=step.words)
    return f"{address}?next={quote(request.path)}" if step.route == "account_login" else address
