"""Submissions, what was found about them, and the targets that accepted releases become."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from tokumei.contests import file_name
from tokumei_arena.models.base import Leased, Unguessable
from tokumei_arena.models.contests import Blob, Round, Team
from tokumei_arena.models.people import Person


class Target(Leased):
    """A chosen release as the others see it: published files under a blind alias."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="targets")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="targets")
    submission = models.OneToOneField("arena.Submission", on_delete=models.PROTECT, related_name="published_as")
    alias = models.CharField(max_length=40)

    class Meta:
        """One target per team and round, each with an alias of its own."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["round", "team"], name="one_target_per_team"),
            models.UniqueConstraint(fields=["round", "alias"], name="one_target_per_alias"),
        ]


class TargetFile(Unguessable):
    """A file of a target: published, or (area ``truth``) for the judge only; ``team`` if it is for one attacker."""

    target = models.ForeignKey(Target, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=20)
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")

    class Meta:
        """A name stands for one file, common or of an attacker."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["target", "team", "name"], name="one_target_file_of_a_team"),
            models.UniqueConstraint(
                fields=["target", "name"], condition=models.Q(team=None), name="one_common_target_file"
            ),
        ]

    @property
    def download_name(self) -> str:
        """The name under which the file is saved: those of different targets do not overwrite each other."""
        return f"{self.target.alias.replace(' ', '-')}-{file_name(self.name)}"


class Submission(Leased):
    """A file that a team handed in: a release, or guesses about a target."""

    class Kind(models.TextChoices):
        """What was handed in."""

        RELEASE = "release", _("anonymized data")
        GUESSES = "guesses", _("guesses")

    class Verdict(models.TextChoices):
        """What the checker says."""

        VALID = "valid", _("valid")
        INVALID = "invalid", _("invalid")

    kind = models.CharField(max_length=10, choices=Kind.choices)
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="submissions")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="submissions")
    target = models.ForeignKey(Target, null=True, blank=True, on_delete=models.PROTECT, related_name="guesses")
    person = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    received_at = models.DateTimeField()
    note = models.CharField(_("note"), max_length=200, blank=True)
    # A client that lost the answer sends the same key again and gets the same submission.
    client_key = models.CharField(max_length=64, blank=True)
    verdict = models.CharField(max_length=8, choices=Verdict.choices, blank=True)
    evaluation = models.ForeignKey(
        "arena.Evaluation", null=True, blank=True, on_delete=models.SET_NULL, related_name="current_of"
    )

    class Meta:
        """Newest first; a client key stands for one submission of a team."""

        ordering: ClassVar[list[str]] = ["-received_at"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["state", "leased_until"], name="work_to_take"),
            models.Index(fields=["round", "team", "kind"], name="work_of_a_team"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["team", "client_key"], condition=~models.Q(client_key=""), name="one_submission_per_key"
            ),
            models.CheckConstraint(
                condition=models.Q(kind="release", target__isnull=True)
                | models.Q(kind="guesses", target__isnull=False),
                name="guesses_have_a_target",
            ),
        ]


class SelfCheck(Leased):
    """A file that a team has checked before it spends a try; its bytes go when they are checked, the row soon after."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="+")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    target = models.ForeignKey(Target, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    person = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    blob = models.ForeignKey(Blob, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    received_at = models.DateTimeField()
    name = models.CharField(max_length=200)
    # What the checker said: valid, figures, findings and their count; empty until then.
    result = models.JSONField(default=dict)

    class Meta:
        """In the order in which they came."""

        ordering: ClassVar[list[str]] = ["received_at"]


class Evaluation(Unguessable):
    """What one evaluation found; never changed, only superseded. Versioned by rule set and input hashes."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="evaluations")
    rule_set = models.CharField(max_length=40)
    rule_version = models.CharField(max_length=40)
    inputs = models.JSONField()
    valid = models.BooleanField()
    figures = models.JSONField(default=dict)
    findings = models.JSONField(default=list)
    finding_count = models.PositiveIntegerField(default=0)
    # sha256 over everything above: two evaluations agree bit for bit if these agree.
    fingerprint = models.CharField(max_length=64)


class Attempt(Unguessable):
    """A counted try. The constraint keeps concurrent tries within the limit; an uncounted one gives its slot back."""

    scope = models.CharField(max_length=120)
    slot = models.PositiveSmallIntegerField()
    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="attempt")

    class Meta:
        """A slot is taken once."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["scope", "slot"], name="one_attempt_per_slot")
        ]


class Choice(Unguessable):
    """The submission with which a team wants to compete; without one the best valid one counts."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="choices")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="choices")
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    by = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        """One choice per team and round."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["round", "team"], name="one_choice_per_team")
        ]


class Rescore(Unguessable):
    """A second evaluation of everything in a round: computed first, compared, applied on request."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="rescores")
    reason = models.TextField(_("reason"))
    by = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    applied_at = models.DateTimeField(null=True, blank=True)


class RescoreItem(Leased):
    """One submission of a re-scoring."""

    rescore = models.ForeignKey(Rescore, on_delete=models.CASCADE, related_name="items")
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    evaluation = models.ForeignKey(Evaluation, null=True, on_delete=models.SET_NULL, related_name="+")
