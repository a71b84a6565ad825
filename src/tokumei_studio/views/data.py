"""The first step: which data. It is uploaded into the project, named by its path, or generated to try things out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from tokumei.data import OWNER_ONLY, atomic_path, write_bytes
from tokumei.errors import InputError, ParameterError, TokumeiError, UnreadableError
from tokumei.flow import Plan
from tokumei_studio.inputs import file_of, look_at
from tokumei_studio.jobs import Step, start
from tokumei_studio.views.frame import project, show

SAMPLE, SAMPLE_PEOPLE = "data/purchases.csv", 120
LARGEST_PLAN = 1_000_000


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """Show the data, or take other data."""
    if request.method != "POST":
        return show(request, "data", _context())
    takers = {"file": _take_file, "path": _take_path, "sample": _take_sample, "plan": _take_plan}
    taker = takers.get(request.POST.get("what", ""))
    try:
        if taker is None:
            message = "choose a file first"
            raise ParameterError(message, code="usage")
        taker(request)
    except TokumeiError as error:
        return show(request, "data", _context(), error=str(error))
    return redirect("data")


def _context() -> dict[str, Any]:
    of = project()
    sample = of.newest("synth")
    if sample is not None and sample.state == "done" and of.state.get("sample") != sample.number:
        # It was asked for, and has been generated since.
        of.choose_input(of.folder / SAMPLE)
        of.note(sample=sample.number)
    plan, path = of.plan, of.input_path()
    if plan is None or path is None:
        return {"look": None, "sample": sample}
    try:
        look = look_at(path)
        size = None if path.is_dir() else file_of(path).stat().st_size
    except (TokumeiError, OSError):
        return {"look": None, "gone": plan.input}
    return {"look": look, "input": plan.input, "inside": path.is_relative_to(of.folder), "size": size}


def _chosen(request: HttpRequest) -> UploadedFile[Any]:
    upload = request.FILES.get("file")
    if not isinstance(upload, UploadedFile):
        message = "choose a file first"
        raise ParameterError(message, code="usage")
    return upload


def _take_file(request: HttpRequest) -> None:
    """Keep an uploaded file in the project if it can be read."""
    of, upload = project(), _chosen(request)
    place = of.free_place(upload.name or "")
    if place.exists():
        message = f"{place.name} is in the project already; rename the file, or go on with the one that is there"
        raise InputError(message, code="exists")
    with atomic_path(place, mode=OWNER_ONLY) as temporary, temporary.open("wb") as file:
        for piece in upload.chunks():
            file.write(piece)
    try:
        look_at(place)
    except TokumeiError:
        place.unlink()
        raise
    of.choose_input(place)


def _take_path(request: HttpRequest) -> None:
    """Take a file or a folder where it lies; it is never changed."""
    given = request.POST.get("path", "").strip()
    if not given:
        message = "write the path of a file first"
        raise ParameterError(message, code="usage")
    path = Path(given).expanduser()
    if not path.is_absolute():
        message = f"{given}: write the whole path, from / on"
        raise UnreadableError(message, file=given)
    try:
        look_at(path)
    except OSError as error:
        message = f"{given}: this cannot be read ({error.strerror}); check the path"
        raise UnreadableError(message, file=given) from None
    project().choose_input(path)


def _take_sample(_request: HttpRequest) -> None:
    """Generate purchases of people who do not exist."""
    of = project()
    place = of.folder / SAMPLE
    if not place.exists():
        words = ("synth", "purchases", "--subjects", str(SAMPLE_PEOPLE), "-o", SAMPLE)
        start(of.folder / "jobs", "synth", [Step(name="synth", words=words)], {})
        return
    of.choose_input(place)


def _take_plan(request: HttpRequest) -> None:
    """Open a plan: its schema, method and parameters, on its own input or on the data that was chosen."""
    of, upload = project(), _chosen(request)
    if (upload.size or 0) > LARGEST_PLAN:
        message = f"{upload.name}: this is too large for a plan; a plan is a small TOML file"
        raise UnreadableError(message, file=upload.name or "")
    copy = of.scratch / of.free_place(upload.name or "plan.toml").name
    write_bytes(copy, upload.read(), mode=OWNER_ONLY)
    try:
        opened = Plan.read(copy)
        opened.make_method()
    except TokumeiError as error:
        raise ParameterError(str(error).replace(f"{copy.parent}/", ""), code=error.code) from None
    finally:
        copy.unlink()
    _adopt(opened)


def _adopt(opened: Plan) -> None:
    of = project()
    present = of.input_path()
    if opened.input and (of.folder / opened.input).exists():
        path = of.folder / opened.input
    elif present is not None:
        path = present
    else:
        named = opened.input or "its data"
        message = f"the plan was made for {named}, which is not here; choose the data first, then open the plan again"
        raise InputError(message, code="no-input")
    if opened.schema is not None:
        opened.schema.check_against(look_at(path).columns, path.name)
    inside = path.is_relative_to(of.folder)
    of.save_plan(replace(opened, input=str(path.relative_to(of.folder)) if inside else str(path)))
