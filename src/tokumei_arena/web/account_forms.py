"""Forms of accounts and teams: signing up, becoming a referee, preferences, tokens, making and joining a team."""

from __future__ import annotations

import zoneinfo
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tokumei_arena.models import ApiToken, Contest, Membership, Person, Team
from tokumei_arena.teams import Scope

LONGEST_NAME = 80


class NameForm(forms.Form):
    """The name that others see."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=LONGEST_NAME,
        help_text=gettext_lazy("Shown to your team and to referees."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class SignupForm(NameForm):
    """What signing up asks beside address and password."""

    def signup(self, request: HttpRequest, user: Person) -> None:  # noqa: ARG002
        """Keep the name."""
        user.name = self.cleaned_data["name"]
        user.save(update_fields=["name"])


class RefereeForm(forms.Form):
    """The account of a new referee."""

    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=LONGEST_NAME, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    email = forms.EmailField(
        label=gettext_lazy("E-mail address"),
        help_text=gettext_lazy("You sign in with it."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password1 = forms.CharField(
        label=gettext_lazy("Password"),
        help_text=password_validation.password_validators_help_text_html(),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
    )
    password2 = forms.CharField(
        label=gettext_lazy("Password (again)"),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
    )

    def clean(self) -> dict[str, Any]:
        """Check that both passwords agree and are good enough for this person."""
        data = super().clean() or {}
        password = data.get("password1")
        if password and password != data.get("password2"):
            self.add_error("password2", _("Write the same password twice."))
        elif password:
            person = Person(email=data.get("email", ""), name=data.get("name", ""))
            try:
                password_validation.validate_password(password, person)
            except forms.ValidationError as error:
                self.add_error("password1", error)
        return data


def _zones() -> list[Any]:
    """Return all zones, grouped by their first word; the first choice leaves it to the browser."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name in sorted(zoneinfo.available_timezones()):
        region, slash, place = name.partition("/")
        if slash and region not in ("Etc", "SystemV", "posix", "right"):
            groups.setdefault(region, []).append((name, place.replace("_", " ")))
    return [
        ("", _("as the browser says")),
        ("Asia/Tokyo", _("Japan Standard Time (JST)")),
        ("UTC", "UTC"),
        *groups.items(),
    ]


class PreferencesForm(NameForm):
    """Name, language, time zone and mail."""

    language = forms.ChoiceField(label=gettext_lazy("Language"), required=False)
    time_zone = forms.ChoiceField(label=gettext_lazy("Time zone"), required=False)
    news_by_mail = forms.BooleanField(
        label=gettext_lazy("Mail me announcements, answers and phases that begin"), required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["language"].choices = [("", _("as the browser says")), ("en", "English"), ("ja", "日本語")]  # type: ignore[attr-defined]
        self.fields["time_zone"].choices = _zones()  # type: ignore[attr-defined]

    def save_to(self, person: Person) -> None:
        """Keep what was chosen."""
        for name, value in self.cleaned_data.items():
            setattr(person, name, value)
        person.save(update_fields=list(self.cleaned_data))


class TokenForm(forms.Form):
    """A new token: its name, what it may do, how long."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=ApiToken._meta.get_field("name").max_length,
        help_text=gettext_lazy("So that you know later which program uses it."),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("What it may do"), widget=forms.CheckboxSelectMultiple, choices=Scope.choices
    )
    days = forms.TypedChoiceField(label=gettext_lazy("Valid for"), coerce=int, initial=90)

    def __init__(self, *args: Any, for_referee: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = [choice for choice in Scope.choices if for_referee or choice[0] != Scope.REFEREE]
        self.fields["scopes"].choices = offered  # type: ignore[attr-defined]
        self.fields["scopes"].initial = [Scope.READ.value, Scope.SUBMIT.value, Scope.ATTACK.value]
        self.fields["days"].choices = [  # type: ignore[attr-defined]
            (7, _("one week")),
            (30, _("30 days")),
            (90, _("90 days")),
            (366, _("one year")),
        ]

    @property
    def lasts(self) -> timedelta:
        """How long the token shall be valid."""
        return timedelta(days=self.cleaned_data["days"])


class EraseForm(forms.Form):
    """Consent to the end of an account."""

    sure = forms.BooleanField(label=gettext_lazy("I know that this cannot be undone."))


class ContestForm(forms.Form):
    """A form that depends on a contest."""

    def __init__(self, *args: Any, contest: Contest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.contest = contest


class TermsForm(ContestForm):
    """Acceptance of the terms; a contest without terms asks nothing."""

    terms = forms.BooleanField(label=gettext_lazy("I accept the terms of participation"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.contest.terms:
            del self.fields["terms"]

    @property
    def accepted(self) -> bool:
        """Whether the box is ticked."""
        return bool(self.cleaned_data.get("terms"))


class EditTeamForm(ContestForm):
    """Name and affiliation of a team."""

    name = forms.CharField(
        label=gettext_lazy("Team name"),
        max_length=Team._meta.get_field("name").max_length,
        help_text=gettext_lazy("Everybody sees it in the list of teams; beside figures once the results are out."),
    )
    affiliation = forms.CharField(
        label=gettext_lazy("Affiliation"),
        max_length=Team._meta.get_field("affiliation").max_length,
        required=False,
        help_text=gettext_lazy("University or company; may be left empty."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.contest.rounds.filter(blind=False).exists():
            self.fields["name"].help_text = _("Everybody sees it, on the board with its figures too.")


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
