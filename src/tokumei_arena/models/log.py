"""The audit log: entries that are only ever appended, each holding the hash of the one before."""

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
