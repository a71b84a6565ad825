"""Everything that the arena knows about a person, for that person: a zip of JSON files (GDPR articles 15 and 20)."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import datetime
from typing import Any
from uuid import UUID

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tokumei_arena import clock
from tokumei_arena.models import Clarification, LogEntry, Message, Person, Submission
from tokumei_arena.records import record


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(type(value).__name__)


def _rows(rows: QuerySet[Any], *fields: str, **named: str) -> list[dict[str, Any]]:
    """Return some fields of rows; ``named``: field by the name it has in the file."""
    wanted = {**{field: field for field in fields}, **named}
    return [dict(zip(wanted, values, strict=True)) for values in rows.values_list(*wanted.values())]


def own_documents(person: Person) -> dict[str, Any]:
    """Return what is kept about a person, by the name of its file; secrets are left out, that they exist is not."""
    account = {
        name: getattr(person, name)
        for name in ("id", "email", "name", "language", "time_zone", "news_by_mail", "is_referee", "created_at")
    }
    addresses = EmailAddress.objects.filter(user=person)
    factors = Authenticator.objects.filter(user=person)
    questions = Clarification.objects.filter(asked_by=person)
    handed_in = Submission.objects.filter(person=person).order_by("received_at")
    return {
        "account.json": {
            **account,
            "last_login": person.last_login,
            "addresses": _rows(addresses, "email", "verified", "primary"),
            "second_factors": _rows(factors, "type", "created_at", "last_used_at"),
        },
        "teams.json": _rows(
            person.memberships.all(),
            "role",
            "terms_accepted_at",
            contest="contest__name",
            team="team__name",
            affiliation="team__affiliation",
            since="created_at",
        ),
        "offices.json": _rows(person.offices.all(), "role", contest="contest__name", since="created_at"),
        "submissions.json": _rows(
            handed_in,
            "kind",
            "received_at",
            "note",
            "verdict",
            contest="round__contest__name",
            round="round__kind",
            team="team__name",
            file="blob__name",
            size="blob__size",
            sha256="blob__sha256",
        ),
        "questions.json": _rows(
            questions, "question", "answer", "answered_at", contest="contest__name", asked_at="created_at"
        ),
        "tokens.json": _rows(person.tokens.all(), "name", "scopes", "created_at", "expires_at", "last_used_at"),
        "messages.json": _rows(
            Message.objects.filter(to__iexact=person.email), "subject", "created_at", "handled_at", text="body"
        ),
        "log.json": _rows(
            LogEntry.objects.filter(actor=str(person.pk)), "number", "at", "action", "object_id", "detail"
        ),
    }


def export_own_data(person: Person) -> bytes:
    """Return a zip with everything about a person, and a page that says what is in it."""
    documents = own_documents(person)
    about = _(
        "This is what the arena keeps about you, as of %(moment)s. Passwords, keys and the texts of tokens are kept "
        "as hashes or encrypted and are not in it; files that your team handed in are on the pages of your team."
    )
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", about % {"moment": clock.now().isoformat(timespec="seconds")} + "\n")
        for name, document in documents.items():
            archive.writestr(name, json.dumps(document, ensure_ascii=False, indent=1, default=_plain))
    record("person.export", person, actor=person)
    return target.getvalue()
