"""Links that work once and not for ever; only a hash of their token is kept."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.utils.translation import gettext as _

from tokumei_arena import clock
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import OneTimeLink, Person, Team


def hash_token(token: str) -> str:
    """Return what is kept of a token; tokens are long and random, so that a plain hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def make_link(
    purpose: OneTimeLink.Purpose,
    *,
    lasts: timedelta,
    by: Person | None = None,
    team: Team | None = None,
    role: str = "",
    email: str = "",
) -> tuple[OneTimeLink, str]:
    """Return a new link and its token, which is told once."""
    token = secrets.token_urlsafe(32)
    link = OneTimeLink.objects.create(
        purpose=purpose,
        token_hash=hash_token(token),
        team=team,
        role=role,
        email=email,
        made_by=by,
        expires_at=clock.now() + lasts,
    )
    return link, token


def find_link(token: str, purpose: OneTimeLink.Purpose) -> OneTimeLink:
    """Return the link of a token if it can still be used; otherwise say why not."""
    found = OneTimeLink.objects.filter(token_hash=hash_token(token), purpose=purpose).select_related("team__contest")
    link = found.first()
    if link is None:
        raise RefusedError(
            _("this link is not known; copy the whole address, or ask for a new one"), code="link-unknown"
        )
    if link.used_at is not None:
        raise RefusedError(_("this link was used before; ask for a new one"), code="link-used")
    if link.expires_at <= clock.now():
        raise RefusedError(_("this link has expired; ask for a new one"), code="link-expired")
    return link


def use_link(token: str, purpose: OneTimeLink.Purpose) -> OneTimeLink:
    """Use a link up and return it; of two that use it at once, one is refused."""
    link = find_link(token, purpose)
    # One statement decides, on every database.
    if not OneTimeLink.objects.filter(pk=link.pk, used_at=None).update(used_at=clock.now()):
        raise RefusedError(_("this link was used before; ask for a new one"), code="link-used")
    return link
