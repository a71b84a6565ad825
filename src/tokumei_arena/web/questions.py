"""Questions to the referees and their answers."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from tokumei_arena import access
from tokumei_arena.addresses import contest_of, person_of
from tokumei_arena.contests import LONGEST_QUESTION, announcements_of, ask_referees, questions_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.web.frame import either, frame


@either
def clarifications(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the questions this viewer may read, and take in a new one."""
    contest = contest_of(request, slug)
    refused: ArenaError | None = None
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(request.path)
        try:
            ask_referees(person_of(request), contest, request.POST.get("question", ""))
        except ArenaError as error:
            refused = error
        else:
            messages.success(request, _("Your question went to the referees."))
            return redirect("clarifications", slug)
    shared = frame(request, contest, "questions")
    context = {
        **shared,
        "clarifications": questions_of(request.user, contest),
        "announcements": announcements_of(contest),
        "may_ask": shared["membership"] is not None and not access.is_referee(request.user),
        "error": refused.message if refused else "",
        "question": request.POST.get("question", ""),
        "longest": LONGEST_QUESTION,
    }
    return render(request, "play/questions.html", context, status=refused.status if refused else 200)
