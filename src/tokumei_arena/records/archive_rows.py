"""Which rows make up a contest, and how a row becomes plain values and a row again.

Persons are no part of a contest archive: neither names nor addresses, passwords or tokens. Who handed something in is
left out; what a team did stays. Identical rows give identical standings.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q, QuerySet

from tokumei_arena.models import (
    Announcement,
    Attachment,
    Attempt,
    Blob,
    Choice,
    Clarification,
    Contest,
    DataFile,
    Evaluation,
    Extension,
    Leased,
    Logo,
    Page,
    Person,
    Phase,
    PublicFile,
    Rescore,
    RescoreItem,
    Round,
    Submission,
    Target,
    TargetFile,
    Team,
    WorkState,
)

# Every table of a contest, with the way from a row to its contest.
_PATHS: dict[type[models.Model], str] = {
    Contest: "pk",
    Logo: "contest",
    Round: "contest",
    Phase: "round__contest",
    Team: "contest",
    DataFile: "round__contest",
    Announcement: "contest",
    Clarification: "contest",
    Target: "round__contest",
    TargetFile: "target__round__contest",
    Submission: "round__contest",
    Evaluation: "submission__round__contest",
    Attempt: "submission__round__contest",
    Choice: "round__contest",
    Rescore: "round__contest",
    RescoreItem: "rescore__round__contest",
    Page: "contest",
    Attachment: "page__contest",
    Extension: "phase__round__contest",
    PublicFile: "round__contest",
}
TABLES: dict[str, type[models.Model]] = {"Blob": Blob, **{model.__name__: model for model in _PATHS}}
# Archives of earlier versions have no such tables.
ADDED = {"Logo", "Page", "Attachment", "Extension", "PublicFile"}
# Keys of storage are made anew; leases belong to the processes of one server.
LEFT_OUT = {"Blob": {"key"}, "Team": {"served_at"}}
LEASE = {"lease", "leased_until"}


def rows_of(name: str, contest: Contest) -> QuerySet[Any]:
    """Return the rows of a table that belong to a contest, in a fixed order."""
    model = TABLES[name]
    if model is Blob:
        return _blobs(contest)
    return cast("Any", model).objects.filter(**{_PATHS[model]: contest.pk}).order_by("pk")


def _blobs(contest: Contest) -> QuerySet[Blob]:
    data = DataFile.objects.filter(round__contest=contest).values("blob")
    uploads = Submission.objects.filter(round__contest=contest).values("blob")
    published = TargetFile.objects.filter(target__round__contest=contest).values("blob")
    attached = Attachment.objects.filter(page__contest=contest).values("blob")
    public = PublicFile.objects.filter(round__contest=contest).values("blob")
    wanted = Q()
    for blobs in (data, uploads, published, attached, public):
        wanted |= Q(pk__in=blobs)
    return Blob.objects.filter(wanted).order_by("pk")


def _fields(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    """Return the fields an archive holds: not those that point to a person, nor leases and storage keys."""
    left_out = LEFT_OUT.get(model.__name__, set()) | (LEASE if issubclass(model, Leased) else set())
    return [
        field
        for field in model._meta.concrete_fields
        if field.related_model is not Person and field.name not in left_out
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, (UUID, Decimal)) else value


def values_of(row: models.Model) -> dict[str, Any]:
    """Return a row as plain values."""
    values = {field.attname: _plain(field.value_from_object(row)) for field in _fields(type(row))}
    if values.get("state") == WorkState.RUNNING and isinstance(row, Leased):
        values["state"] = str(WorkState.QUEUED)
    return values


def row_from_values(name: str, values: dict[str, Any]) -> models.Model:
    """Return an unsaved row; values that are missing, unknown or of the wrong kind raise ValueError."""
    model = TABLES[name]
    fields = {field.attname: field for field in _fields(model)}
    # Archives of earlier versions lack what was added since and can be left empty; it takes its usual value.
    needed = {attribute for attribute, field in fields.items() if not field.has_default() and not field.null}
    odd = sorted((set(values) - set(fields)) | (needed - set(values)))
    if odd:
        raise ValueError(f"{name}: {', '.join(odd)}")
    row = model()
    for attribute, value in values.items():
        setattr(row, attribute, _read(fields[attribute], value))
    return row


def _read(field: models.Field[Any, Any], value: Any) -> Any:
    if value is None or isinstance(field, models.JSONField):
        return value
    reader = field.target_field if isinstance(field, models.ForeignKey) else field
    try:
        return reader.to_python(value)
    except ValidationError as error:
        raise ValueError(f"{field.model.__name__}: {field.name}") from error
