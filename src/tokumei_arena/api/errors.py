"""Every refusal of the API has one form: ``{"error": {"code": ..., "message": ...}}``."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from tokumei_arena.contests import DataRefusedError
from tokumei_arena.errors import ArenaError
from tokumei_arena.wording import in_language
from tokumei_arena.work import was_cut

logger = logging.getLogger(__name__)
View = Callable[..., HttpResponse]


def refusal(status: int, code: str, message: str) -> JsonResponse:
    """Return an answer that refuses."""
    return JsonResponse({"error": {"code": code, "message": message}}, status=status)


def add_handlers(api: NinjaAPI) -> None:
    """Make every kind of failure answer in the one form."""
    api.add_exception_handler(ArenaError, _refused)
    api.add_exception_handler(Http404, _missing)
    api.add_exception_handler(AuthenticationError, _no_token)
    api.add_exception_handler(HttpError, _other)
    api.add_exception_handler(ValidationError, _invalid)
    api.add_exception_handler(RequestDataTooBig, _too_big)
    api.add_exception_handler(UnicodeEncodeError, _no_text)
    api.add_exception_handler(Exception, _failed)


def _refused(request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ARG001
    if isinstance(error, DataRefusedError):
        findings = [{**one, "message": in_language(one["message"])} for one in error.findings]
        body = {"code": error.code, "message": error.message, "findings": findings}
        return JsonResponse({"error": body}, status=error.status)
    return refusal(error.status, error.code, error.message)


def _missing(request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ARG001
    return refusal(404, "not-found", _("there is nothing here that you may see"))


def no_such_address(request: HttpRequest, rest: str = "") -> HttpResponse:  # noqa: ARG001
    """Answer whatever is no address of the API."""
    return refusal(404, "not-found", _("the API has no such address; /api/v1/openapi.json lists all of them"))


def one_form(view: View) -> View:
    """Make a view say in the one form that its address does not take a method."""

    @wraps(view)
    def answer(request: HttpRequest, *arguments: Any, **words: Any) -> HttpResponse:
        response = view(request, *arguments, **words)
        if response.status_code != 405:
            return response
        refused = refusal(405, "bad-method", _("this address does not take the method %s") % request.method)
        refused["Allow"] = response.headers.get("Allow", "")
        return refused

    return answer


def _no_token(request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ARG001
    response = refusal(401, "no-token", _("send a valid token in the header “Authorization: Bearer”"))
    response["WWW-Authenticate"] = "Bearer"
    return response


def _other(request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ARG001
    return refusal(error.status_code, "bad-request", str(error))


def _invalid(request: HttpRequest, error: Any) -> HttpResponse:
    if was_cut(request):
        return refusal(413, "too-large", _("the upload is too large; compress it (.gz or .zip) or make it smaller"))
    # Only where and what: the value may be long or private.
    first = error.errors[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    message = _("“%(field)s” cannot be used: %(reason)s") % {"field": where, "reason": first["msg"]}
    return refusal(422, "bad-field", message)


def _too_big(request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ARG001
    return refusal(413, "too-large", _("the document is too large; send less at once"))


def _no_text(request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ARG001
    """Refuse halves of characters (JSON can write them, nothing can keep them)."""
    return refusal(422, "bad-field", _("a text holds half of a character, which cannot be kept; write it anew"))


def _failed(request: HttpRequest, error: Any) -> HttpResponse:
    logger.error("an API call failed: %s %s", request.method, request.path, exc_info=error)
    return refusal(500, "internal", _("the server failed; your data is safe, try again later"))
