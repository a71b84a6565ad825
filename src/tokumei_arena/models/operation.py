"""What operators look at: which workers are there."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class WorkerBeat(models.Model):
    """A worker that was seen: where it runs, since when, and what keeps its evaluations apart from everything else."""

    name = models.CharField(max_length=200, primary_key=True)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    version = models.CharField(max_length=40)
    slots = models.PositiveSmallIntegerField()
    sandbox = models.CharField(max_length=60)

    class Meta:
        """Latest first."""

        ordering: ClassVar[list[str]] = ["-seen_at"]
