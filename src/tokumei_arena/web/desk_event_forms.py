"""Forms of the referee desk for what makes a contest an event: pages, officials, news, single teams, copies."""

from __future__ import annotations

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tokumei_arena.contests import EXTENDABLE, LONGEST_BODY
from tokumei_arena.models import Contest, Page, Phase, Round, Team
from tokumei_arena.teams import Event
from tokumei_arena.web.desk_forms import ReasonForm, moment_field


class PageForm(forms.Form):
    """A page: title, text, whether it is shown, and its place."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=Page._meta.get_field("title").max_length)
    body = forms.CharField(
        label=gettext_lazy("Text (Markdown)"),
        widget=forms.Textarea({"rows": 16, "class": "wide mono"}),
        max_length=LONGEST_BODY,
        required=False,
        strip=False,
        help_text=gettext_lazy(
            "# heading, **bold**, - list, 1. numbered, | table |, [words](address). "
            "An attached file goes by its name: [sample](sample.csv), ![picture](picture.png). HTML is shown as text."
        ),
    )
    is_shown = forms.BooleanField(label=gettext_lazy("Visible to everybody who sees the contest"), required=False)
    position = forms.IntegerField(
        label=gettext_lazy("Place in the list"),
        min_value=0,
        max_value=999,
        required=False,
        help_text=gettext_lazy("Smaller numbers come first; empty: at the end."),
    )


class WebhookForm(forms.Form):
    """The address of a program, and what it is told."""

    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=500,
        widget=forms.URLInput({"placeholder": "https://"}),
        help_text=gettext_lazy("Public servers by https only, unless the operator lists the host."),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("News"),
        widget=forms.CheckboxSelectMultiple,
        choices=Event.choices,
        initial=[str(event) for event in Event],
    )


class ExtensionForm(ReasonForm):
    """Until when a phase lasts for one team, and why."""

    team = forms.ModelChoiceField(label=gettext_lazy("Team"), queryset=Team.objects.none())
    phase = forms.ModelChoiceField(label=gettext_lazy("Phase"), queryset=Phase.objects.none())
    until = moment_field(gettext_lazy("Until"))
    field_order = ("team", "phase", "until", "reason")

    def __init__(self, data: QueryDict | None = None, *, contest: Contest) -> None:
        super().__init__(data, prefix="longer")
        team, phase = self.fields["team"], self.fields["phase"]
        assert isinstance(team, forms.ModelChoiceField)
        assert isinstance(phase, forms.ModelChoiceField)
        team.queryset = contest.teams.filter(approved_at__isnull=False)
        phase.queryset = Phase.objects.filter(round__contest=contest, kind__in=EXTENDABLE).select_related("round")
        named = [(one.pk, f"{one.round.get_kind_display()}: {one.get_kind_display()}") for one in phase.queryset]
        phase.choices = [("", "–"), *named]
        self.fields["reason"].label = _("Reason (kept in the log, shown to the team)")


class CloneForm(forms.Form):
    """A new contest like another one."""

    name = forms.CharField(label=gettext_lazy("Name of the new contest"), max_length=120)
    begins = moment_field(gettext_lazy("Its first phase begins"))


class AddRoundForm(forms.Form):
    """One more round."""

    sort = forms.ChoiceField(label=gettext_lazy("Kind"), choices=Round.Kind.choices, initial=Round.Kind.PRELIMINARY)
    name = forms.CharField(
        label=gettext_lazy("Name of the round"),
        max_length=60,
        required=False,
        help_text=gettext_lazy("Empty: its kind and number."),
    )
