"""News by mail and to programs: the webhooks of a contest, and what did not arrive."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from tokumei_arena.addresses import contest_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Delivery, Webhook
from tokumei_arena.teams import Event, add_webhook, failing_deliveries, mail_goes_out, remove_webhook, send_test
from tokumei_arena.web.desk_event_forms import WebhookForm
from tokumei_arena.web.desk_frame import desk_context, owner_acts, owner_fills_in, referee_of
from tokumei_arena.web.frame import act

NEWEST = 20


@owner_fills_in
def news(request: HttpRequest, slug: str) -> HttpResponse:
    """Show who is told what, and add a program; the secret of its signatures is shown once."""
    contest = contest_of(request, slug)
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            _made, secret = add_webhook(
                contest, form.cleaned_data["url"], form.cleaned_data["events"], by=referee_of(request)
            )
        except ArenaError as error:
            form.add_error("url", error.message)
        else:
            return _page(request, slug, form=WebhookForm(), secret=secret)
    return _page(request, slug, form=form, status=400 if form.is_bound else 200)


def _page(request: HttpRequest, slug: str, *, status: int = 200, **more: Any) -> HttpResponse:
    contest = contest_of(request, slug)
    labels = dict(Event.choices)
    context = {
        **desk_context(request, contest, "news"),
        "mail": mail_goes_out(),
        "webhooks": [
            {"webhook": one, "events": [labels.get(event, event) for event in one.events]}
            for one in contest.webhooks.order_by("created_at")
        ],
        "failing": failing_deliveries(contest)[:NEWEST],
        "deliveries": Delivery.objects.filter(webhook__contest=contest)
        .select_related("webhook")
        .order_by("-created_at")[:NEWEST],
        **more,
    }
    return render(request, "desk/news.html", context, status=status)


@owner_acts
def test(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Send a program a message to try it with."""
    webhook = get_object_or_404(Webhook, contest=contest_of(request, slug), pk=pk)
    by, done = referee_of(request), _("A test message is on its way; this page shows what became of it.")
    return act(request, lambda: send_test(webhook, by=by), done, "desk_news", slug)


@owner_acts
def remove(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Tell a program nothing any more."""
    webhook, by = get_object_or_404(Webhook, contest=contest_of(request, slug), pk=pk), referee_of(request)
    return act(request, lambda: remove_webhook(webhook, by=by), _("The webhook is removed."), "desk_news", slug)
