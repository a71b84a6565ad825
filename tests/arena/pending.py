"""All work that waits, done at once in the process of a test and its children."""

from __future__ import annotations

from django.test import override_settings

from tokumei_arena.work.evaluation import work_once

__all__ = ["run_pending"]


def run_pending() -> int:
    """Do all work that waits, as a worker would; return the number of jobs."""
    count = 0
    with override_settings(ARENA_ROLE="worker"):
        while done := work_once():
            count += done
    return count
