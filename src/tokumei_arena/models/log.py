"""The audit log: entries that are only ever appended, each holding the hash of the one before; and its signed heads."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.db import models


class LogEntry(models.Model):
    """Something that happened; ``actor`` is the id of a person, or 'system'. No personal data stands here."""

    number = models.PositiveBigIntegerField(primary_key=True)
    at = models.DateTimeField()
    actor = models.CharField(max_length=40)
    action = models.CharField(max_length=60)
    contest = models.UUIDField(null=True, blank=True)
    object_id = models.CharField(max_length=60, blank=True)
    detail = models.JSONField(default=dict)
    previous = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        """In order."""

        ordering: ClassVar[list[str]] = ["number"]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Append; an entry that exists is never written again."""
        kwargs["force_insert"] = True
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:  # noqa: ARG002
        """Refuse: the log only grows."""
        raise TypeError("entries of the audit log are never deleted")


class LogHead(models.Model):
    """The last entry of the log when a phase began, signed with a key that is not in the database."""

    number = models.PositiveBigIntegerField()
    hash = models.CharField(max_length=64)
    at = models.DateTimeField()
    contest = models.UUIDField()
    round = models.CharField(max_length=60)
    phase = models.CharField(max_length=60)
    # Both in hexadecimal digits; anyone can check the signature with the key, nobody can make one.
    key = models.CharField(max_length=64)
    signature = models.CharField(max_length=128)

    class Meta:
        """In order."""

        ordering: ClassVar[list[str]] = ["pk"]
