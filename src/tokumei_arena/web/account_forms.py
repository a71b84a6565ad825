"""What signing up asks for besides e-mail address and password."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from tokumei_arena.models import Person

__all__ = ["SignupForm"]


class SignupForm(forms.Form):
    """The name that others see."""

    name = forms.CharField(label=_("Name"), max_length=80, help_text=_("Shown to your team and to referees."))

    def signup(self, request: HttpRequest, user: Person) -> None:  # noqa: ARG002
        """Keep the name."""
        user.name = self.cleaned_data["name"]
        user.save(update_fields=["name"])
