"""Forms of teams."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from tokumei_arena.models import Contest, Membership, Team


class TermsForm(forms.Form):
    """Acceptance of the terms; a contest without terms asks nothing."""

    terms = forms.BooleanField(label=gettext_lazy("I accept the terms of participation"))

    def __init__(self, *args: Any, contest: Contest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not contest.terms:
            del self.fields["terms"]

    @property
    def accepted(self) -> bool:
        """Whether the box is ticked."""
        return bool(self.cleaned_data.get("terms"))


class EditTeamForm(forms.Form):
    """Name and affiliation of a team."""

    name = forms.CharField(
        label=gettext_lazy("Team name"),
        max_length=Team._meta.get_field("name").max_length,
        help_text=gettext_lazy("Shown on boards once the results are out."),
    )
    affiliation = forms.CharField(
        label=gettext_lazy("Affiliation"),
        max_length=Team._meta.get_field("affiliation").max_length,
        required=False,
        help_text=gettext_lazy("University or company; may be left empty."),
    )


class TeamForm(EditTeamForm, TermsForm):
    """A new team."""

    field_order = ("name", "affiliation", "terms")


class InvitationForm(forms.Form):
    """Whom to invite, as what."""

    role = forms.ChoiceField(
        label=gettext_lazy("Role"), choices=Membership.Role.choices, initial=Membership.Role.MEMBER.value
    )
    email = forms.EmailField(
        label=gettext_lazy("E-mail address"),
        required=False,
        help_text=gettext_lazy("May be left empty: you can pass the link on yourself."),
    )


class RoleForm(forms.Form):
    """Another role for a member."""

    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=Membership.Role.choices)
