"""The second step: whose data it is, and what every column means."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from tokumei.data import ROW_SUBJECT, Kind, Schema
from tokumei.errors import TokumeiError
from tokumei_studio.controls import ROLES, Control, column_controls, column_spec, role_of
from tokumei_studio.inputs import Look, Noted, look_at, note_columns
from tokumei_studio.templatetags.studio import words
from tokumei_studio.views.frame import needs, project, show

# Between the names of columns that name a person together.
TOGETHER = " + "


@dataclass(frozen=True, kw_only=True)
class Row:
    """One column of the form."""

    number: int
    name: str
    sources: Sequence[str]
    samples: Sequence[str]
    role: str
    kind: str
    more: Sequence[Control]
    warnings: Sequence[str]
    identifier: str


@needs("columns")
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """Show the columns, or take what was said of them."""
    if request.method != "POST":
        return show(request, "columns", _context(_document()))
    document = _document()
    try:
        # What a schema says beside its columns has no field: it stays as it is.
        document = {**document, **_given(request.POST)}
        _take(Schema.from_document(document, file="schema"))
    except TokumeiError as error:
        return show(request, "columns", _context(document), error=str(error))
    return redirect("risk")


@needs("columns")
@require_POST
def subject(request: HttpRequest) -> HttpResponse:
    """Take another subject; what was said of the other columns stays."""
    path = project().input_path()
    assert path is not None
    named = [request.POST.get("subject", ROW_SUBJECT), request.POST.get("also", "")]
    wanted, known = TOGETHER.join(dict.fromkeys(name for name in named if name)), _document()
    try:
        proposed = _proposal(look_at(path, wanted))
    except TokumeiError as error:
        return show(request, "columns", _context(known), error=str(error))
    columns = {name: known["columns"].get(name, spec) for name, spec in proposed["columns"].items()}
    return show(request, "columns", _context({**proposed, "columns": columns}))


@needs("columns")
@require_POST
def as_text(request: HttpRequest) -> HttpResponse:
    """Take the schema as it was written by hand."""
    try:
        _take(Schema.from_toml(request.POST.get("schema", ""), file="schema"))
    except TokumeiError as error:
        return show(request, "columns", _context(_document()), error=str(error))
    return redirect("columns")


def _take(schema: Schema) -> None:
    """Keep a schema that fits the data."""
    of = project()
    path = of.input_path()
    assert path is not None
    schema.check_against(look_at(path).columns, path.name)
    note_columns(path, schema)
    of.choose_schema(schema)


def _document() -> dict[str, Any]:
    """Return the schema that was confirmed, else the proposed one in which nothing that names people is published."""
    of = project()
    schema, path = of.schema, of.input_path()
    assert path is not None
    return tomllib.loads(schema.to_toml()) if schema is not None else _proposal(look_at(path))


def _proposal(look: Look) -> dict[str, Any]:
    path = project().input_path()
    assert path is not None
    document = tomllib.loads(look.proposed.to_toml())
    suspects = note_columns(path, look.proposed).identifiers
    columns = {name: {"drop": True} if name in suspects else spec for name, spec in document["columns"].items()}
    return {**document, "columns": columns}


def _given(form: Mapping[str, str]) -> dict[str, Any]:
    """Return the schema document that a form says."""
    columns = {}
    number = 0
    while name := form.get(f"c{number}-name"):
        columns[name] = column_spec(number, form)
        number += 1
    whose = form.get("subject", ROW_SUBJECT)
    several = TOGETHER in whose and whose not in columns
    return {"subject": whose.split(TOGETHER) if several else whose, "columns": columns}


def _joined(subject: Any) -> str:
    """Return the subject of a schema document as one text: several columns may name a person together."""
    return subject if isinstance(subject, str) else TOGETHER.join(map(str, subject))


def _context(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form of a schema document; what is dropped shows the kind that its values suggest."""
    path, language = project().input_path(), words()
    assert path is not None
    whose = _joined(document["subject"])
    look = look_at(path)
    known = set(whose.split(TOGETHER)) <= {*look.columns, ROW_SUBJECT}
    proposed = look_at(path, whose if known else None).proposed
    choices = list(dict.fromkeys([*look.columns, ROW_SUBJECT]))
    kinds = {column.name: column.kind.value for column in proposed.columns}
    noted = _noted(document, proposed)
    labels = language.group("column")
    rows = []
    for number, (name, spec) in enumerate(document["columns"].items()):
        sources = [str(spec[end]) for end in ("latitude", "longitude") if spec.get(end)] or [name]
        suspicion = noted.identifiers.get(name)
        rows.append(
            Row(
                number=number,
                name=name,
                sources=sources,
                samples=[value for source in sources for value in look.samples.get(source, ())][:4],
                role=role_of(spec),
                kind=str(spec.get("kind", kinds.get(name, Kind.CATEGORY.value))),
                more=column_controls(number, spec, labels),
                warnings=[language.say(message) for message in noted.hints.get(name, ())],
                identifier="" if suspicion is None else language.say(suspicion),
            )
        )
    return {
        "subject": whose,
        "subjects": choices,
        "subject_first": whose.split(TOGETHER)[0],
        "subject_also": whose.partition(TOGETHER)[2],
        "subject_samples": look.samples.get(whose, ()),
        "rows": rows,
        "roles": ROLES,
        "kinds": [kind.value for kind in Kind],
        "why": "" if look.whose is None or look.whose.subject != whose else language.say(look.whose.why),
        "doubt": _doubt(look, whose),
        "notes": [language.say(note) for note in look.notes],
        "schema_text": _text(document),
        "confirmed": project().schema is not None,
    }


def _doubt(look: Look, whose: str) -> str:
    """Return what makes the proposed subject doubtful, empty once another one was chosen."""
    proposal = look.whose
    if proposal is None or proposal.doubt is None or proposal.subject != whose:
        return ""
    return words().say(proposal.doubt)


def _noted(document: Mapping[str, Any], proposed: Schema) -> Noted:
    """Return what should be looked at in the columns as they stand, and who names people whatever was said of it."""
    path = project().input_path()
    assert path is not None
    first = note_columns(path, proposed)
    try:
        noted = note_columns(path, Schema.from_document(document))
    except TokumeiError:
        return first
    return Noted(noted.hints, {**first.identifiers, **noted.identifiers})


def _text(document: Mapping[str, Any]) -> str:
    try:
        return Schema.from_document(document).to_toml()
    except TokumeiError:
        return ""
