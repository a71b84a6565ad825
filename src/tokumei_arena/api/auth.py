"""Who calls: a person by a token, limited to the scopes of the token. Cookies are not looked at."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.security import HttpBearer

from tokumei_arena import access, clock
from tokumei_arena.errors import NotAllowedError
from tokumei_arena.models import ApiToken, Person
from tokumei_arena.teams import Scope, find_token, has_second_factor, spend

# A moment written at every request would make readers wait for each other.
USED_AGAIN_AFTER = timedelta(minutes=1)
# In how many blocks web processes take what a token may call in a minute.
BLOCKS = 20


class TokenAuth(HttpBearer):
    """Takes ``Authorization: Bearer TOKEN`` if the token has the scope that the operation needs."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """Return the token, or None if there is no such token (any more)."""
        found = find_token(token)
        if found is None:
            return None
        limit = settings.ARENA_LIMITS["api_per_minute"]
        spend("api", found.pk, limit=limit, block=max(1, limit // BLOCKS))
        if self.scope not in found.scopes:
            message = _("this token has no scope “%(scope)s”; make another one") % {"scope": self.scope}
            raise NotAllowedError(message, code="scope")
        if Scope.REFEREE in found.scopes:
            _refuse_single_factor(found.person)
        found.person.as_participant = Scope.REFEREE not in found.scopes
        if self.scope == Scope.REFEREE:
            access.need_office(found.person)
        _note_use(found)
        request.user = found.person
        return found


def _refuse_single_factor(person: Person) -> None:
    """Refuse a referee who has switched the second factor off: the pages do so too."""
    if access.has_office(person) and not has_second_factor(person):
        raise NotAllowedError(_("referees need a second factor; set one up first"), code="second-factor")


def _note_use(token: ApiToken) -> None:
    now = clock.now()
    if token.last_used_at is None or now - token.last_used_at > USED_AGAIN_AFTER:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


def token_of(request: HttpRequest) -> ApiToken:
    """Return the token of a call."""
    found: Any = getattr(request, "auth", None)
    assert isinstance(found, ApiToken)
    return found


def caller(request: HttpRequest) -> Person:
    """Return who calls."""
    return token_of(request).person


READ, SUBMIT, ATTACK, REFEREE = (TokenAuth(scope.value) for scope in Scope)
