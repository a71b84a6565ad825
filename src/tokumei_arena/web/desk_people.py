"""Referees, messages to pass on, erasing accounts and operations: what concerns no single contest."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages as notes
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Contest, Message, Person
from tokumei_arena.teams import (
    erase_person,
    has_second_factor,
    make_referee_link,
    pass_on,
    resign_as_referee,
    waiting_messages,
)
from tokumei_arena.web.desk_frame import referee_acts, referee_of, referee_reads
from tokumei_arena.web.frame import act


@referee_reads
def messages(request: HttpRequest) -> HttpResponse:
    """Show the messages that no mail server sends."""
    handled = Message.objects.exclude(handled_at=None).order_by("-handled_at")[:20]
    return render(request, "desk/messages.html", {"waiting": waiting_messages(), "handled": handled})


@referee_acts
def message_done(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Note that a message was passed on."""
    found, by = get_object_or_404(Message, pk=pk), referee_of(request)
    done = _("Noted; the text of the message is forgotten.")
    return act(request, lambda: pass_on(found, by=by), done, "desk_messages")


@referee_reads
def referees(request: HttpRequest) -> HttpResponse:
    """Show the referees."""
    return _referees(request)


def _referees(request: HttpRequest, **more: Any) -> HttpResponse:
    listed = Person.objects.filter(is_referee=True, is_active=True).order_by("created_at")
    shown = [{"person": one, "second_factor": has_second_factor(one)} for one in listed]
    return render(request, "desk/referees.html", {"referees": shown, **more})


@referee_acts
def referee_link(request: HttpRequest) -> HttpResponse:
    """Make a link with which somebody becomes a referee; it is shown once."""
    token = make_referee_link(referee_of(request))
    return _referees(request, told=request.build_absolute_uri(reverse("become_referee", args=[token])))


@referee_acts
def resign(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Take the rights of a referee away."""
    person, by = get_object_or_404(Person, pk=pk, is_referee=True), referee_of(request)
    to = "home" if person.pk == by.pk else "desk_referees"
    return act(request, lambda: resign_as_referee(person, by=by), _("No longer a referee."), to)


@referee_acts
def erase(request: HttpRequest) -> HttpResponse:
    """Erase the account of a person who asked for it."""
    by = referee_of(request)
    person = Person.objects.filter(email__iexact=request.POST.get("email", "").strip(), erased_at=None).first()
    if person is None:
        notes.error(request, _("No account has this address."))
        return redirect("desk_referees")
    try:
        erase_person(person, by=by)
    except ArenaError as error:
        notes.error(request, error.message)
        return redirect("desk_referees")
    notes.success(request, _("The account and its personal data are removed; what its team handed in stays."))
    return redirect("home" if person.pk == by.pk else "desk_referees")


@referee_reads
def operations(request: HttpRequest) -> HttpResponse:
    """Say how contests are archived and the arena is backed up: ground truth never passes through the web."""
    return render(request, "desk/operations.html", {"contests": Contest.objects.order_by("-created_at")})
