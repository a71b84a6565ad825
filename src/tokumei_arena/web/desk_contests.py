"""Making a contest on one page, and changing its settings."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from tokumei.contests import find_contest, playable_contests, suggested_contest
from tokumei_arena import access, clock
from tokumei_arena.addresses import contest_of, round_of
from tokumei_arena.contests import (
    DEFAULT_TERMS,
    FEWEST,
    MOST,
    TEMPLATES,
    USUAL,
    ContestPlan,
    RoundPlan,
    add_round,
    clone_contest,
    create_contest,
    edit_contest,
    edit_rounds,
    remove_round,
    template_rounds,
)
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Contest, Round, kind_label
from tokumei_arena.web.desk_event_forms import AddRoundForm, CloneForm
from tokumei_arena.web.desk_forms import ContestForm, ParametersForm, RoundForm, StartsForm
from tokumei_arena.web.desk_frame import (
    desk_context,
    desk_page,
    owner_acts,
    owner_fills_in,
    referee_fills_in,
    referee_of,
)
from tokumei_arena.web.frame import act
from tokumei_arena.wording import in_language


@referee_fills_in
def new(request: HttpRequest) -> HttpResponse:
    """Make a contest: everything has a sensible value, only the name must be written."""
    rule_set = request.GET.get("rules") or suggested_contest()
    offered = playable_contests()
    if rule_set not in offered:
        return redirect("desk_contest_new")
    data = request.POST if request.method == "POST" else None
    form = ContestForm(data, initial={"terms": DEFAULT_TERMS})
    parameters = ParametersForm(data, rule_set=rule_set)
    template, count = request.GET.get("template", "rules"), _count(request.GET.get("count", ""))
    plans = template_rounds(template, rule_set, clock.now(), count=count).values()
    # What is optional comes last on the page.
    rounds = [_round_forms(data, plan) for plan in sorted(plans, key=lambda plan: not plan.weight)]
    if data is not None:
        made = _make(request, rule_set, form, parameters, rounds)
        if made is not None:
            messages.success(request, _("The contest is made. Next: its data."))
            return redirect("desk_contest", made.slug)
    context = {
        "form": form,
        "parameters": parameters,
        "rounds": rounds,
        "rule_set": rule_set,
        "templates": TEMPLATES.values(),
        "template": template,
        "count": count,
        "counts": range(FEWEST, MOST + 1),
        "games": [{"name": name, "title": in_language(rules.title)} for name, rules in offered.items()],
    }
    return render(request, "desk/new.html", context, status=200 if data is None else 400)


def _count(text: str) -> int:
    """Return how many rounds were asked for, or the usual number."""
    return int(text) if text.isascii() and text.isdigit() and FEWEST <= int(text) <= MOST else USUAL


def _round_forms(data: QueryDict | None, plan: RoundPlan) -> dict[str, Any]:
    """Return the two forms of a round: when, and how."""
    fields = {name: getattr(plan, name) for name in RoundForm.Meta.fields}
    return {
        "kind": plan.kind,
        "optional": not plan.weight,
        "label": kind_label(plan.kind),
        "starts": StartsForm(data, plan=plan, prefix=plan.kind),
        "form": RoundForm(data, initial=fields, prefix=plan.kind),
    }


def _make(
    request: HttpRequest, rule_set: str, form: ContestForm, parameters: ParametersForm, rounds: list[dict[str, Any]]
) -> Contest | None:
    """Return the new contest, or None with the reasons at the forms."""
    wanted = [one for one in rounds if f"{one['kind']}-included" in request.POST]
    # All are looked at, so that every mistake is shown at once.
    checks = [form.is_valid(), parameters.is_valid()]
    checks += [part.is_valid() for one in wanted for part in (one["starts"], one["form"])]
    if not all(checks):
        form.add_error(None, _("Something below needs a correction."))
        return None
    plan = ContestPlan(
        rule_set=rule_set,
        parameters=parameters.chosen(),
        rounds=tuple(
            RoundPlan(kind=one["kind"], starts=one["starts"].starts(), **one["form"].cleaned_data) for one in wanted
        ),
        **form.cleaned_data,
    )
    try:
        return create_contest(plan, by=referee_of(request))
    except ArenaError as error:
        form.add_error("slug" if error.code == "slug-taken" else None, error.message)
        return None


@owner_fills_in
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change what a contest says, its parameters and its rounds."""
    contest = contest_of(request, slug)
    data = request.POST if request.method == "POST" else None
    form = ContestForm(data, instance=Contest.objects.get(pk=contest.pk))
    parameters = ParametersForm(data, rule_set=contest.rule_set, values=contest.parameters)
    rounds = [
        {"kind": one.kind, "label": one.get_kind_display(), "form": RoundForm(data, instance=one, prefix=one.kind)}
        for one in Round.objects.filter(contest=contest)
    ]
    if data is not None and _change(request, contest, form, parameters, rounds):
        return redirect("desk_edit", slug)
    context = {
        **desk_context(request, contest, "edit"),
        "form": form,
        "parameters": parameters,
        "round_forms": rounds,
        "add_round": AddRoundForm(prefix=None),
        "title": in_language(find_contest(contest.rule_set).title),
    }
    return render(request, "desk/edit.html", context, status=200 if data is None else 400)


def _change(
    request: HttpRequest, contest: Contest, form: ContestForm, parameters: ParametersForm, rounds: list[dict[str, Any]]
) -> bool:
    """Save what is right; say what is not."""
    if not all([form.is_valid(), parameters.is_valid(), *(one["form"].is_valid() for one in rounds)]):
        form.add_error(None, _("Something below needs a correction."))
        return False
    by = referee_of(request)
    try:
        with transaction.atomic():
            edit_rounds(contest, {one["kind"]: one["form"].cleaned_data for one in rounds}, by=by)
            changes = edit_contest(contest, {**form.cleaned_data, "parameters": parameters.chosen()}, by=by)
    except ArenaError as error:
        form.add_error(None, error.message)
        return False
    messages.success(request, _("Saved."))
    if "parameters" in changes and contest.rounds.filter(submissions__evaluation__isnull=False).exists():
        text = _(
            "Submissions that were evaluated before keep their figures: start a re-scoring to bring them up to date."
        )
        messages.warning(request, text)
    return True


@desk_page("GET", "HEAD", "POST", writer=lambda viewer, _contest: access.is_referee(viewer))
def clone(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a new contest like this one."""
    contest = contest_of(request, slug)
    first = {"name": contest.name, "begins": clock.now().replace(minute=0, second=0) + timedelta(days=7)}
    form = CloneForm(request.POST if request.method == "POST" else None, initial=first)
    if form.is_valid():
        try:
            made = clone_contest(contest, by=referee_of(request), **form.cleaned_data)
        except ArenaError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("The contest is made, with the same rounds and pages. Next: its data."))
            return redirect("desk_contest", made.slug)
    context = {**desk_context(request, contest, "edit"), "form": form}
    return render(request, "desk/clone.html", context, status=400 if form.is_bound else 200)


@owner_acts
def round_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a round."""
    contest, by, form = contest_of(request, slug), referee_of(request), AddRoundForm(request.POST)
    wanted = form.cleaned_data if form.is_valid() else {"sort": "", "name": ""}
    done = _("The round is added; it counts nothing until you give it a weight. Check its times.")
    return act(request, lambda: add_round(contest, by=by, **wanted), done, "desk_edit", slug)


@owner_acts
def round_remove(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Take a round out."""
    found, by = round_of(request, slug, kind), referee_of(request)
    return act(request, lambda: remove_round(found, by=by), _("The round is removed."), "desk_edit", slug)
