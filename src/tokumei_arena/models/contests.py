"""Contests: rounds with phases and data, and the teams that take part."""

from __future__ import annotations

import secrets
from datetime import datetime
from pathlib import PurePath
from typing import ClassVar

from django.core.validators import slug_re
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tokumei.contests import file_name
from tokumei_arena import clock
from tokumei_arena.errors import RefusedError
from tokumei_arena.models.base import Unguessable
from tokumei_arena.models.people import Person

LONGEST_SLUG = 40


class Blob(Unguessable):
    """Bytes that were stored once and never change; ``area`` says who may ever read them."""

    class Area(models.TextChoices):
        """One storage each; web processes cannot open the truth."""

        UPLOADS = "uploads"
        DATA = "data"
        PUBLISHED = "published"
        TRUTH = "truth"

    area = models.CharField(max_length=10, choices=Area.choices)
    key = models.CharField(max_length=200, unique=True)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    name = models.CharField(max_length=200)
    # When its bytes were removed because they need not be kept any longer; the row says what they were.
    removed_at = models.DateTimeField(null=True, blank=True)


class Feedback(models.TextChoices):
    """What a team learns of a score while a phase is on, so that scores are no oracle."""

    NONE = "none", _("nothing")
    BANDS = "bands", _("a coarse band")
    ROUNDED = "rounded", _("rounded to two digits")
    EXACT = "exact", _("exact")
    DELAYED = "delayed", _("exact, after the phase has ended")


class Contest(Unguessable):
    """One contest under one rule set."""

    slug = models.SlugField(_("short name in addresses"), max_length=LONGEST_SLUG, unique=True)
    name = models.CharField(_("name"), max_length=120)
    about = models.TextField(_("description"), blank=True)
    rule_set = models.CharField(_("rule set"), max_length=40)
    parameters = models.JSONField(default=dict, blank=True)
    terms = models.TextField(_("terms of participation"), blank=True)
    team_size = models.PositiveSmallIntegerField(_("largest team"), default=10)
    needs_approval = models.BooleanField(_("teams need approval"), default=True)
    is_open = models.BooleanField(_("visible to everybody"), default=False)
    # The public archive as it was made: rankings, matrix and chart, in both languages; None until then.
    archive = models.JSONField(null=True, blank=True, editable=False)
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)
    # The identity of the event: a colour such as #27418f, and the hash of its logo; empty: those of the arena.
    colour = models.CharField(_("colour"), max_length=7, blank=True, default="")
    logo_tag = models.CharField(max_length=16, blank=True, default="", editable=False)
    # Shuffles aliases and draws test rows; it never leaves the server except in the archive.
    seed = models.CharField(max_length=64, default=secrets.token_hex, editable=False)

    def __str__(self) -> str:
        """Return the name."""
        return self.name


class Logo(Unguessable):
    """The picture of a contest, small enough for a row: pages ask for it once and keep it."""

    contest = models.OneToOneField(Contest, on_delete=models.CASCADE, related_name="logo")
    media_type = models.CharField(max_length=20)
    # Base64, so that archives hold it as they hold every text.
    data = models.TextField()


def check_slug(slug: str) -> None:
    """Raise one sentence unless a short name can stand in addresses."""
    if len(slug) > LONGEST_SLUG or not slug_re.match(slug):
        message = gettext(
            "the short name “%(slug)s” cannot be used; write letters, digits and hyphens, at most %(limit)d"
        )
        raise RefusedError(message % {"slug": slug[:LONGEST_SLUG], "limit": LONGEST_SLUG}, code="bad-slug")


class Round(Unguessable):
    """A round: practice, preliminary or final; from the second of its kind on with a number (``preliminary-2``)."""

    class Kind(models.TextChoices):
        """How a round is called."""

        PRACTICE = "practice", _("practice")
        PRELIMINARY = "preliminary", _("preliminary round")
        FINAL = "final", _("final round")

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="rounds")
    kind = models.CharField(_("kind"), max_length=20)
    name = models.CharField(_("name of the round"), max_length=60, blank=True)
    position = models.PositiveSmallIntegerField()
    weight = models.DecimalField(_("weight"), max_digits=6, decimal_places=4, default=1)
    private_data = models.BooleanField(_("every team gets data of its own"), default=False)
    parameters = models.JSONField(default=dict, blank=True)
    release_limit = models.PositiveSmallIntegerField(_("valid submissions per team"), null=True, blank=True)
    attack_limit = models.PositiveSmallIntegerField(_("attempts per target"), default=1)
    release_feedback = models.CharField(max_length=8, choices=Feedback.choices, default=Feedback.EXACT)
    attack_feedback = models.CharField(max_length=8, choices=Feedback.choices, default=Feedback.DELAYED)
    blind = models.BooleanField(_("names and figures stay apart until the results"), default=True)
    freeze_minutes = models.PositiveIntegerField(_("minutes the board is frozen before the end"), default=0)
    ceremony = models.BooleanField(_("results are revealed at a ceremony"), default=False)
    # How many places of each ranking were revealed, from the last one on.
    revealed = models.JSONField(default=dict, blank=True, editable=False)
    ceremony_ended_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        """Each kind (with its number) once, in order."""

        ordering: ClassVar[list[str]] = ["position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["contest", "kind"], name="one_round_of_a_kind"),
            models.UniqueConstraint(fields=["contest", "position"], name="one_round_at_a_position"),
        ]

    @property
    def sort(self) -> str:
        """The kind without its number: it decides what the rules ask for."""
        return self.kind.partition("-")[0]

    @property
    def counts(self) -> bool:
        """Whether the round is part of the overall ranking: practice is for trying things out."""
        return self.sort != Round.Kind.PRACTICE

    def get_kind_display(self) -> str:
        """Return how the round is called: by its own name, else by its kind and number."""
        return self.name or kind_label(self.kind)

    def results_out(self) -> bool:
        """Return whether everybody sees the results: their phase is on, and a ceremony is over."""
        return self.is_in(Phase.Kind.PUBLISHED) and not self.at_ceremony()

    def at_ceremony(self) -> bool:
        """Return whether results that are due wait for a ceremony to reveal them."""
        return self.ceremony and self.ceremony_ended_at is None and self.has_begun(Phase.Kind.PUBLISHED)

    def phase_of(self, kind: str) -> Phase | None:
        """Return the phase of this kind."""
        return next((phase for phase in self.phases.all() if phase.kind == kind), None)

    def current_phase(self, *, at: datetime | None = None) -> Phase | None:
        """Return the phase that is on, the one that began last if two overlap; None between phases."""
        moment, order = at or clock.now(), list(Phase.Kind.values)
        on = [phase for phase in self.phases.all() if phase.starts_at <= moment and not phase.is_over(moment)]
        return max(on, key=lambda phase: (phase.starts_at, order.index(phase.kind)), default=None)

    def is_in(self, kind: str) -> bool:
        """Return whether the phase of this kind is on."""
        phase = self.current_phase()
        return phase is not None and phase.kind == kind

    def has_begun(self, kind: str) -> bool:
        """Return whether the phase of this kind is on or over."""
        phase = self.phase_of(kind)
        return phase is not None and phase.starts_at <= clock.now()

    def has_ended(self, kind: str) -> bool:
        """Return whether the phase of this kind is over."""
        phase = self.phase_of(kind)
        return phase is not None and phase.is_over(clock.now())


def kind_label(kind: str) -> str:
    """Return a kind of round in words, with its number from the second on."""
    sort, _dash, number = kind.partition("-")
    label = str(Round.Kind(sort).label)
    return f"{label} {number}" if number else label


class Phase(Unguessable):
    """What is allowed from when to when; the phase of a round follows from these times and the clock."""

    class Kind(models.TextChoices):
        """The phases in their order."""

        REGISTRATION = "registration", _("registration")
        ANONYMIZE = "anonymize", _("anonymization")
        ATTACK = "attack", _("attack")
        SCORING = "scoring", _("scoring")
        PUBLISHED = "published", _("results")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="phases")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    # When everybody was told that it has begun.
    told_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        """Each kind once; a phase ends after it starts."""

        ordering: ClassVar[list[str]] = ["starts_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["round", "kind"], name="one_phase_of_a_kind"),
            models.CheckConstraint(
                condition=Q(ends_at__isnull=True) | Q(ends_at__gte=F("starts_at")), name="phase_ends_after_start"
            ),
        ]

    def is_over(self, moment: datetime) -> bool:
        """Return whether the phase has ended by a moment."""
        return self.ends_at is not None and self.ends_at <= moment


class Team(Unguessable):
    """A team of one contest; limits count for all its members together."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="teams")
    name = models.CharField(_("team name"), max_length=60)
    affiliation = models.CharField(_("affiliation"), max_length=120, blank=True)
    number = models.PositiveSmallIntegerField()
    approved_at = models.DateTimeField(null=True, blank=True)
    disqualified_at = models.DateTimeField(null=True, blank=True)
    disqualified_for = models.TextField(blank=True)
    # Whether the public archive may hold its files; the team says so, and may change its mind until that is made.
    publishes = models.BooleanField(_("our files may stand in the public archive"), default=False)
    # When the work of this team was taken up last: whose turn was longest ago comes first.
    served_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        """Names and numbers are unique within a contest."""

        ordering: ClassVar[list[str]] = ["number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["contest", "name"], name="one_team_of_a_name"),
            models.UniqueConstraint(fields=["contest", "number"], name="one_team_of_a_number"),
        ]

    def __str__(self) -> str:
        """Return the name."""
        return self.name


class Membership(Unguessable):
    """A person in a team; a person is in at most one team of a contest."""

    class Role(models.TextChoices):
        """What a member may do: captains invite and choose, members submit, advisers look."""

        CAPTAIN = "captain", _("captain")
        MEMBER = "member", _("member")
        ADVISER = "adviser", _("adviser")

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="+")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    terms_accepted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """One membership per person and contest."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["contest", "person"], name="one_team_per_person")
        ]


class DataFile(Unguessable):
    """A file that a round hands out: to everybody who takes part, or to one team."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="data_files")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="data_files")
    name = models.CharField(max_length=20)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")

    class Meta:
        """A name stands for one file, common or of a team."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["round", "team", "name"], name="one_file_of_a_team"),
            models.UniqueConstraint(fields=["round", "name"], condition=Q(team=None), name="one_common_file"),
        ]

    @property
    def download_name(self) -> str:
        """The name under which the file is saved: those of different teams do not overwrite each other."""
        path = PurePath(file_name(self.name))
        return path.name if self.team is None else f"{path.stem}-team{self.team.number}{path.suffix}"


class Announcement(Unguessable):
    """What the referee tells everybody."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="announcements")
    title = models.CharField(_("title"), max_length=200)
    body = models.TextField(_("text"))
    by = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")


class Clarification(Unguessable):
    """A question of a team; the answer goes to the team, or to everybody."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="clarifications")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="clarifications")
    question = models.TextField(_("question"), max_length=4000)
    asked_by = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    answer = models.TextField(_("answer"), blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    for_everybody = models.BooleanField(_("show to everybody"), default=False)
