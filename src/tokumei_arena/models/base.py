"""What the tables share: unguessable ids, and work that is taken under a lease."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class Unguessable(models.Model):
    """A row whose id says nothing and cannot be guessed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        """Only a base."""

        abstract = True


class WorkState(models.TextChoices):
    """How far the evaluation of a row is."""

    QUEUED = "queued", _("waiting")
    RUNNING = "running", _("being evaluated")
    DONE = "done", _("evaluated")
    FAILED = "failed", _("evaluation failed")


class Leased(Unguessable):
    """A row that a worker has to finish; whoever holds an unexpired lease works on it, everybody else leaves it alone.

    The row is the truth: there is no queue beside it that could be lost. ``runs`` counts how often it was begun.
    """

    state = models.CharField(max_length=10, choices=WorkState.choices, default=WorkState.QUEUED)
    lease = models.UUIDField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    runs = models.PositiveSmallIntegerField(default=0)
    failure = models.TextField(blank=True)

    class Meta:
        """Only a base."""

        abstract = True

    @property
    def pending(self) -> bool:
        """Whether a worker still has to finish this."""
        return self.state in (WorkState.QUEUED, WorkState.RUNNING)
