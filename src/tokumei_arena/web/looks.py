"""The identity of a contest as browsers ask for it: its logo and its style sheet; and the desk page that sets it."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.core.files.base import File
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from tokumei_arena.addresses import contest_of
from tokumei_arena.contests import change_look, logo_of, style_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.web.desk_frame import desk_context, referee_fills_in, referee_of, too_large

# The address changes with the content; who may see the contest may keep it.
KEPT = "private, max-age=604800"


class LookForm(forms.Form):
    """Colour and logo of a contest."""

    own_colour = forms.BooleanField(label=gettext_lazy("a colour of its own"), required=False)
    colour = forms.CharField(
        label=gettext_lazy("Colour"),
        max_length=7,
        required=False,
        widget=forms.TextInput({"type": "color"}),
        help_text=gettext_lazy("Buttons, marks and charts have it. It must be dark enough to be read on white."),
    )
    logo = forms.FileField(
        label=gettext_lazy("Logo"),
        required=False,
        widget=forms.FileInput({"accept": "image/png,image/jpeg"}),
        help_text=gettext_lazy("PNG or JPEG, square at best, at most 40 KB."),
    )


@require_GET
def logo(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the logo of a contest."""
    found = logo_of(contest_of(request, slug))
    if found is None:
        raise Http404
    return _kept(HttpResponse(found[0], content_type=found[1]))


@require_GET
def look(request: HttpRequest, slug: str) -> HttpResponse:
    """Give the style sheet of a contest."""
    contest = contest_of(request, slug)
    if not contest.colour:
        raise Http404
    return _kept(HttpResponse(style_of(contest.colour), content_type="text/css; charset=utf-8"))


def _kept(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = KEPT
    return response


@referee_fills_in
def edit_look(request: HttpRequest, slug: str) -> HttpResponse:
    """Set colour and logo."""
    contest = contest_of(request, slug)
    now = {"own_colour": bool(contest.colour), "colour": contest.colour or "#27418f"}
    data = request.POST if request.method == "POST" else None
    form = LookForm(data, request.FILES if data is not None else None, initial=now)
    if data is not None and form.is_valid():
        file = request.FILES.get("logo")
        chosen = form.cleaned_data["colour"] if form.cleaned_data["own_colour"] else ""
        try:
            change_look(
                contest,
                by=referee_of(request),
                colour=chosen,
                logo=file if isinstance(file, File) else None,
                without_logo="remove" in request.POST,
            )
        except ArenaError as error:
            form.add_error("colour" if error.code.startswith("colour") else "logo", error.message)
        else:
            messages.success(request, _("Saved."))
            return redirect("desk_look", slug)
    if data is not None and (cut := too_large(request)):
        form.add_error("logo", cut)
    context = {**desk_context(request, contest, "look"), "form": form}
    return render(request, "desk/look.html", context, status=200 if data is None else 400)
