"""How allauth treats accounts here: addresses in mails, wrong passwords, second factors."""

from __future__ import annotations

import base64
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from tokumei_arena.models import Person

# Stands before what is encrypted; secrets of earlier versions are kept as they are until they are renewed.
ENCRYPTED = "fernet:"


class AccountAdapter(DefaultAccountAdapter):
    """Wrong passwords from one place lock nobody out who comes from another; mails name the configured address."""

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Return what wrong passwords are counted by: the account and where they come from."""
        return f"{super()._get_login_attempts_cache_key(request, **credentials)}:{self.get_client_ip(request)}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail that names the configured address."""
        super().send_mail(template_prefix, email, {**context, "arena_url": settings.ARENA_URL})

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """Return the link that verifies an address."""
        return public_link(super().get_email_confirmation_url(request, emailconfirmation))

    def get_reset_password_from_key_url(self, key: str) -> str:
        """Return the link that sets a new password."""
        return public_link(super().get_reset_password_from_key_url(key))


def public_link(address: str) -> str:
    """Return a link with the configured address of the arena; what a client calls the server is not to be trusted.

    >>> from django.test import override_settings
    >>> with override_settings(ARENA_URL="https://cup.example.org"):
    ...     public_link("http://cup.example.org:666/accounts/password/reset/key/1/")
    'https://cup.example.org/accounts/password/reset/key/1/'
    """
    if not settings.ARENA_URL:
        return address
    _scheme, _, rest = address.partition("://")
    return f"{settings.ARENA_URL}/{rest.partition('/')[2]}"


class SecondFactorAdapter(DefaultMFAAdapter):
    """A second factor is open to everybody and required of referees; its secret is kept encrypted."""

    def generate_authenticator_name(self, user: Person, type: Authenticator.Type) -> str:  # noqa: A002
        """Return the name offered for a new key."""
        count = Authenticator.objects.filter(user=user, type=type).count()
        return _("Key %(number)d") % {"number": count + 1}

    def encrypt(self, text: str) -> str:
        """Return a secret as the database keeps it."""
        return ENCRYPTED + cipher().encrypt(text.encode()).decode("ascii")

    def decrypt(self, encrypted_text: str) -> str:
        """Return a secret as it is."""
        if not encrypted_text.startswith(ENCRYPTED):
            return encrypted_text
        return cipher().decrypt(encrypted_text.removeprefix(ENCRYPTED).encode("ascii")).decode()


def cipher(purpose: bytes = b"second factors") -> Fernet:
    """Return the cipher for a purpose: its key comes from the arena's secret key, which is not in the database."""
    derived = HKDF(hashes.SHA256(), 32, None, purpose).derive(settings.SECRET_KEY.encode())
    return Fernet(base64.urlsafe_b64encode(derived))
