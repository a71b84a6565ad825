"""Persons, their links and their tokens."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.db import models
from django.utils.translation import gettext_lazy as _

from tokumei_arena.models.base import Unguessable


class PersonManager(BaseUserManager["Person"]):
    """Makes persons."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> Person:
        """Return a new person; without a password nobody can sign in as them."""
        person = self.model(email=self.normalize_email(email).lower(), **fields)
        person.set_password(password)
        person.save(using=self._db)
        return person


class Person(AbstractBaseUser, Unguessable):
    """Somebody with an account; a referee runs contests, everybody else takes part in teams."""

    email = models.EmailField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=80)
    is_active = models.BooleanField(default=True)
    is_referee = models.BooleanField(default=False)
    language = models.CharField(_("language"), max_length=2, blank=True, choices=[("en", "English"), ("ja", "日本語")])
    time_zone = models.CharField(_("time zone"), max_length=64, blank=True)
    news_by_mail = models.BooleanField(_("news by mail"), default=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    # Set, never stored, for a referee who comes with a token that has no scope for it.
    as_participant: bool = False
    # The roles in contests, by contest, once somebody has asked for them.
    known_offices: dict[UUID, str] | None = None

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]
    objects: ClassVar[PersonManager] = PersonManager()

    def __str__(self) -> str:
        """Return the name others see."""
        return self.name

    def get_full_name(self) -> str:
        """Return the name others see."""
        return self.name

    @property
    def is_staff(self) -> bool:
        """There is no admin site."""
        return False


class OneTimeLink(Unguessable):
    """A link that works once: to become referee, join a team or take an office. Only a hash of its token is kept."""

    class Purpose(models.TextChoices):
        """What the link is for."""

        REFEREE = "referee"
        TEAM = "team"
        OFFICE = "office"

    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    token_hash = models.CharField(max_length=64, unique=True)
    team = models.ForeignKey("arena.Team", null=True, blank=True, on_delete=models.CASCADE, related_name="invitations")
    contest = models.ForeignKey("arena.Contest", null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=10, blank=True)
    email = models.EmailField(blank=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    made_by = models.ForeignKey(Person, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")


class Message(Unguessable):
    """A mail that waits: for a worker to send it, or (without a mail server) for a referee to pass it on."""

    to = models.EmailField()
    subject = models.CharField(max_length=300)
    body = models.TextField()
    handled_at = models.DateTimeField(null=True, blank=True)
    by_mail = models.BooleanField(default=False)
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(null=True, blank=True)


class ApiToken(Unguessable):
    """A token of a person for the API, limited to scopes; only its hash is kept."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(_("name"), max_length=60)
    token_hash = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=8)
    scopes = models.JSONField(default=list)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
