"""How allauth treats accounts here."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter

__all__ = ["AccountAdapter", "SecondFactorAdapter"]


class AccountAdapter(DefaultAccountAdapter):
    """Accounts by e-mail address; everybody may sign up."""


class SecondFactorAdapter(DefaultMFAAdapter):
    """A second factor is open to everybody and required of referees."""
