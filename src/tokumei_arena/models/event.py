"""What makes a contest an event: officials, pages, longer phases for single teams, news to programs, the archive."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from tokumei_arena.models.base import Unguessable
from tokumei_arena.models.contests import Blob, Contest, Phase, Round, Team
from tokumei_arena.models.people import Person


class Office(Unguessable):
    """What somebody may do in one contest; referees of the arena own every contest without one."""

    class Role(models.TextChoices):
        """Observers look on, referees run the contest, owners also decide what it is."""

        OWNER = "owner", _("owner")
        REFEREE = "referee", _("referee")
        OBSERVER = "observer", _("observer")

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="offices")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="offices")
    role = models.CharField(max_length=10, choices=Role.choices)

    class Meta:
        """One office per person and contest."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["contest", "person"], name="one_office_per_person")
        ]


class Page(Unguessable):
    """A page of a contest, written by its referees in Markdown: rules, questions, samples."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="pages")
    slug = models.SlugField(_("short name in addresses"), max_length=40)
    title = models.CharField(_("title"), max_length=120)
    body = models.TextField(_("text"), blank=True)
    position = models.PositiveSmallIntegerField(_("place in the list"), default=0)
    is_shown = models.BooleanField(_("visible"), default=True)
    edited_at = models.DateTimeField()

    class Meta:
        """In the order that the referees chose."""

        ordering: ClassVar[list[str]] = ["position", "created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["contest", "slug"], name="one_page_of_a_name")
        ]


class Attachment(Unguessable):
    """A file of a page."""

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="attachments")
    name = models.CharField(max_length=100)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")

    class Meta:
        """By name, each once."""

        ordering: ClassVar[list[str]] = ["name"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["page", "name"], name="one_attachment_of_a_name")
        ]


class Extension(Unguessable):
    """A phase that lasts longer for one team, and why."""

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="extensions")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="extensions")
    until = models.DateTimeField()
    reason = models.TextField()

    class Meta:
        """One per phase and team."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["phase", "team"], name="one_extension_per_team")
        ]


class Webhook(Unguessable):
    """An address of a program that is told what happens in a contest."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(_("address"), max_length=500)
    # Encrypted: whoever has it can sign in our name.
    secret = models.CharField(max_length=300)
    events = models.JSONField(default=list)


class Delivery(Unguessable):
    """A piece of news on its way to a program; kept until it arrived, with what went wrong."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=20)
    body = models.TextField()
    handled_at = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(null=True, blank=True)
    failure = models.CharField(max_length=200, blank=True)


class PublicFile(Unguessable):
    """A file in the public archive of a contest, because its team agreed."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="public_files")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="public_files")
    name = models.CharField(max_length=60)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
