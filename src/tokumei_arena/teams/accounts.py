"""How allauth treats second factors here."""

from __future__ import annotations

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.utils.translation import gettext as _

from tokumei_arena.models import Person


class SecondFactorAdapter(DefaultMFAAdapter):
    """A second factor is open to everybody and required of referees."""

    def generate_authenticator_name(self, user: Person, type: Authenticator.Type) -> str:  # noqa: A002
        """Return the name offered for a new key."""
        count = Authenticator.objects.filter(user=user, type=type).count()
        return _("Key %(number)d") % {"number": count + 1}
