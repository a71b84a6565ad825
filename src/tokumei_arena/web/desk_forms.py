"""Forms of the referee desk: a contest, its parameters, its rounds and their times."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.core.validators import MinValueValidator
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tokumei.contests import find_contest
from tokumei_arena.contests import ROUND_FIELDS, Following, RoundPlan
from tokumei_arena.models import Contest, Feedback, Phase, Round
from tokumei_arena.wording import in_language

MINUTES = "%Y-%m-%dT%H:%M"
PHASES = list(Phase.Kind)
BEGINNINGS = {
    Phase.Kind.REGISTRATION: gettext_lazy("Registration begins"),
    Phase.Kind.ANONYMIZE: gettext_lazy("Anonymization begins"),
    Phase.Kind.ATTACK: gettext_lazy("Attack begins"),
    Phase.Kind.SCORING: gettext_lazy("Scoring begins"),
    Phase.Kind.PUBLISHED: gettext_lazy("Results come out"),
}
ENDS = {
    Phase.Kind.REGISTRATION: gettext_lazy("Registration ends"),
    Phase.Kind.ANONYMIZE: gettext_lazy("Anonymization ends"),
    Phase.Kind.ATTACK: gettext_lazy("Attack ends"),
    Phase.Kind.SCORING: gettext_lazy("Scoring ends"),
}


class MomentInput(forms.DateTimeInput):
    """A date and time as browsers ask for it."""

    input_type = "datetime-local"

    def __init__(self) -> None:
        super().__init__(format=MINUTES)


def moment_field(label: Any, *, required: bool = True) -> forms.DateTimeField:
    """Return a field for a date and time."""
    return forms.DateTimeField(label=label, widget=MomentInput(), required=required)


def _at_least(field: forms.Field, least: int) -> None:
    field.widget.attrs["min"] = least
    field.validators.append(MinValueValidator(least))


class ContestForm(forms.ModelForm):  # type: ignore[type-arg]
    """What a contest is called and says."""

    class Meta:
        """The fields a referee writes."""

        model = Contest
        fields = ("name", "slug", "about", "terms", "team_size", "needs_approval")
        help_texts = {  # noqa: RUF012
            "slug": gettext_lazy("Letters, digits and hyphens; made from the name if left empty."),
            "about": gettext_lazy("Shown on the contest's page; may be left empty."),
            "terms": gettext_lazy("Everybody accepts them before taking part; empty: nothing is asked."),
            "needs_approval": gettext_lazy("Otherwise a team takes part as soon as it is made."),
        }
        error_messages = {  # noqa: RUF012
            "slug": {"unique": gettext_lazy("This short name is taken; choose another one.")}
        }
        widgets = {"about": forms.Textarea({"rows": 3}), "terms": forms.Textarea({"rows": 5})}  # noqa: RUF012

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["slug"].required = False
        _at_least(self.fields["team_size"], 1)
        if self.instance._state.adding is False:
            # Addresses that people have stay valid.
            del self.fields["slug"]


class ParametersForm(forms.Form):
    """The parameters of a rule set, as it declares them; only those that differ from its defaults are kept."""

    def __init__(self, data: QueryDict | None, *, rule_set: str, values: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, prefix="parameter")
        offered = find_contest(rule_set).referee_parameters()
        self.infos = [info for info, _words in offered]
        for info, words in offered:
            value = (values or {}).get(info.name, info.default)
            self.fields[info.name] = _parameter_field(info, in_language(words), value)

    def chosen(self) -> dict[str, Any]:
        """Return the parameters that are not as the rule set has them anyway."""
        found = {}
        for info in self.infos:
            value = self.cleaned_data[info.name]
            if value not in ("", None) and value != info.default:
                found[info.name] = value
        return found


def _parameter_field(info: Any, label: str, value: Any) -> forms.Field:
    common: dict[str, Any] = {"label": f"{info.name}: {label}", "initial": value, "required": False}
    if info.choices:
        return forms.ChoiceField(choices=[(choice, choice) for choice in info.choices], **common)
    if info.type == "bool":
        return forms.BooleanField(**common)
    if info.type == "int":
        return forms.IntegerField(min_value=info.low, max_value=info.high, **common)
    if info.type == "float":
        return forms.FloatField(min_value=info.low, max_value=info.high, **common)
    return forms.CharField(max_length=60, **common)


class RoundForm(forms.ModelForm):  # type: ignore[type-arg]
    """What a round counts and allows."""

    class Meta:
        """The fields a referee sets."""

        model = Round
        fields = ROUND_FIELDS
        labels = {  # noqa: RUF012
            "release_feedback": gettext_lazy("What teams learn of their utility"),
            "attack_feedback": gettext_lazy("What attackers learn of their score"),
        }
        help_texts = {  # noqa: RUF012
            "release_limit": gettext_lazy("Empty: as many as they like."),
            "blind": gettext_lazy(
                "Figures can be computed from published files: seen beside names, they tell whose file is whose."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, least in (("weight", 0), ("release_limit", 1), ("attack_limit", 1)):
            _at_least(self.fields[name], least)
        for name in ("release_feedback", "attack_feedback"):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = Feedback.choices
        if not self.instance._state.adding:
            self.initial["weight"] = f"{self.instance.weight.normalize():f}"


class StartsForm(forms.Form):
    """Whether a round takes place, and when each phase begins; it ends when the next one begins."""

    included = forms.BooleanField(label=gettext_lazy("this round takes place"), required=False)

    def __init__(self, *args: Any, plan: RoundPlan, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["included"].initial = plan.weight > 0
        for phase in PHASES:
            field = moment_field(BEGINNINGS[phase])
            field.initial = plan.starts[phase]
            self.fields[phase] = field

    def moments(self) -> list[Any]:
        """Return the fields of the phases."""
        return [self[phase] for phase in PHASES]

    def starts(self) -> dict[str, datetime]:
        """Return when each phase begins."""
        return {str(phase): self.cleaned_data[phase] for phase in PHASES}


class ReasonForm(forms.Form):
    """Why something is done; the log keeps it."""

    reason = forms.CharField(label=gettext_lazy("Reason (kept in the log)"), max_length=500)


class UntilForm(ReasonForm):
    """Until when a phase shall last."""

    until = moment_field(gettext_lazy("New end"))
    following = forms.TypedChoiceField(
        label=gettext_lazy("A round that would begin before the results are out"),
        choices=[
            (Following.ASK, gettext_lazy("ask me")),
            (Following.MOVE, gettext_lazy("moves too")),
            (Following.STAY, gettext_lazy("stays")),
        ],
        coerce=Following,
        empty_value=Following.ASK,
        required=False,
    )
    field_order = ("until", "following", "reason")


class TimesForm(ReasonForm):
    """Beginning and end of every phase of a round."""

    def __init__(self, data: QueryDict | None = None, *, round_: Round) -> None:
        super().__init__(data, prefix=round_.kind)
        self.rows = [phase for kind in PHASES for phase in round_.phases.all() if phase.kind == kind]
        for phase in self.rows:
            self.fields[f"{phase.kind}_from"] = moment_field(BEGINNINGS[Phase.Kind(phase.kind)])
            self.fields[f"{phase.kind}_from"].initial = phase.starts_at
            if phase.kind in ENDS:
                self.fields[f"{phase.kind}_to"] = moment_field(ENDS[Phase.Kind(phase.kind)])
                self.fields[f"{phase.kind}_to"].initial = phase.ends_at

    def times(self) -> dict[str, tuple[datetime, datetime | None]]:
        """Return the times; what looks unchanged keeps its seconds, which the page does not show."""
        found: dict[str, tuple[datetime, datetime | None]] = {}
        for phase in self.rows:
            starts = _kept(phase.starts_at, self.cleaned_data[f"{phase.kind}_from"])
            ends = _kept(phase.ends_at, self.cleaned_data.get(f"{phase.kind}_to"))
            assert starts is not None
            found[phase.kind] = (starts, ends)
        return found


def _kept(before: datetime | None, after: datetime | None) -> datetime | None:
    """Return the time before if the time after is the same minute."""
    same = before is not None and after is not None and before.replace(second=0, microsecond=0) == after
    return before if same else after


class GenerateForm(forms.Form):
    """How many persons generated data shall have."""

    def __init__(self, *, low: int, high: int, usual: int | None) -> None:
        super().__init__()
        help_text = _("Between %(low)d and %(high)d; empty: as many as usual.") % {"low": low, "high": high}
        self.fields["subjects"] = forms.IntegerField(
            label=_("Persons"), min_value=low, max_value=high, initial=usual, required=False, help_text=help_text
        )


class AnnouncementForm(forms.Form):
    """What everybody shall read."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=200)
    body = forms.CharField(label=gettext_lazy("Text"), widget=forms.Textarea({"rows": 4}), max_length=10_000)


class AnswerForm(forms.Form):
    """An answer to a question."""

    answer = forms.CharField(label=gettext_lazy("Answer"), widget=forms.Textarea({"rows": 3}), max_length=10_000)
    for_everybody = forms.BooleanField(label=gettext_lazy("Show question and answer to everybody"), required=False)
