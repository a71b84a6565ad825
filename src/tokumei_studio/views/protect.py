"""The fourth step: try candidates on some of the people, choose one, make the release of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from tokumei.audits import Limits
from tokumei.errors import ParameterError, TokumeiError
from tokumei.flow import FORMATS, Plan, plan_of
from tokumei.parts import parse_settings
from tokumei_pages.charts import scatter
from tokumei_studio.controls import given_settings, settings_controls, whole_number
from tokumei_studio.inputs import note_columns
from tokumei_studio.jobs import Job, Step, start
from tokumei_studio.methods import TRIED, contents, has_k, offered
from tokumei_studio.project import DEFAULT_K, SCHEMA, Project
from tokumei_studio.templatetags.studio import words
from tokumei_studio.views.frame import needs, project, show

LEVELS = (2, 3, 5, 10)
TRIED_LEVELS = (2, 3, 5)
SAMPLED_PEOPLE = 100


@needs("protect")
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """Show candidates and the choice, or make the release that was chosen."""
    of = project()
    if request.method != "POST":
        return show(request, "protect", _context(of, _chosen(of, request.GET)))
    try:
        name = _make(of, request.POST)
    except TokumeiError as error:
        return show(request, "protect", _context(of, _typed(request.POST)), error=str(error))
    return redirect(f"{reverse('protect')}?{urlencode({'made': name})}")


@needs("protect")
@require_POST
def candidates(request: HttpRequest) -> HttpResponse:
    """Try several methods on some of the people."""
    of = project()
    try:
        _try(of, request)
    except TokumeiError as error:
        return show(request, "protect", _context(of, _chosen(of, {})), error=str(error))
    return redirect("protect")


@needs("protect")
@require_GET
def settings(request: HttpRequest) -> HttpResponse:
    """Return the fields of a method, for the form that is open."""
    return render(request, "studio/parts/settings.html", _choice(project(), _chosen(project(), request.GET)))


@needs("protect")
@require_POST
def preview(request: HttpRequest) -> HttpResponse:
    """Return what the form would run, as a plan and as commands."""
    of = project()
    try:
        plan, recipient = _planned(of, request.POST)
    except TokumeiError as error:
        return render(request, "studio/parts/preview.html", {"refused": str(error)})
    name = of.free_release(plan.method, plan.parameters.get("k"))
    commands = release_steps(plan, name, recipient, search="search" in request.POST)
    context = {"plan_text": plan.to_toml(secret=False), "commands": commands}
    return render(request, "studio/parts/preview.html", context)


def _chosen(of: Project, given: Mapping[str, str]) -> dict[str, Any]:
    """Return the choice that the address names (a point of the chart), else that of the plan."""
    plan, recipient = of.plan, of.state.get("recipient", "")
    assert plan is not None
    method = given.get("method", "")
    if method not in offered():
        return {"plan": plan, "recipient": recipient}
    k = given.get("k", "")
    parameters: dict[str, Any] = dict(plan.parameters) if method == plan.method else {}
    if has_k(method):
        parameters["k"] = int(k) if k.isdecimal() and len(k) < 10 else parameters.get("k", DEFAULT_K)
    return {"plan": replace(plan, method=method, parameters=parameters), "recipient": recipient}


def _typed(form: Mapping[str, str]) -> dict[str, Any]:
    """Return what was typed although it was refused, as far as it can be shown again."""
    plan = project().plan
    assert plan is not None
    method = form.get("method", "")
    values = {name.removeprefix("set-"): value for name, value in form.items() if name.startswith("set-") and value}
    known = plan if method not in offered() else replace(plan, method=method, parameters=values)
    return {"plan": known, "recipient": form.get("recipient", "")}


def _planned(of: Project, form: Any) -> tuple[Plan, str]:
    """Return the plan that a form asks for, and the recipient; mistakes are refused with the library's sentence."""
    plan = of.plan
    assert plan is not None
    method = form.get("method", "")
    if method not in offered():
        message = f"there is no method '{method[:40]}' here; choose one of the list"
        raise ParameterError(message, code="usage")
    data_format = form.get("format", FORMATS[0])
    if data_format not in FORMATS:
        message = f"the format must be one of {', '.join(FORMATS)}"
        raise ParameterError(message, code="usage")
    recipient = form.get("recipient", "")
    if recipient:
        Limits.read(recipient)
    settings = parse_settings(offered()[method], given_settings(offered()[method], form))
    if has_k(method):
        settings.setdefault("k", DEFAULT_K)
    allow = tuple(form.getlist("allow"))
    asked = plan_of(method, settings, allow=allow)
    content = form.get("content", "")
    if content and content not in contents():
        message = f"the contents must be one of {', '.join(contents())}"
        raise ParameterError(message, code="usage")
    if "search" in form and not recipient:
        message = "choose for whom the release is first: the search keeps to the limits of the recipient"
        raise ParameterError(message, code="usage")
    asked_for = replace(
        plan, method=method, parameters=asked.parameters, content=content, data_format=data_format, allow=allow
    )
    return asked_for, recipient


def release_steps(plan: Plan, name: str, recipient: str, *, search: bool = False) -> list[Step]:
    """Return the commands that make a release and audit it; with ``search`` under the limits of the recipient."""
    folder = f"releases/{name}"
    words = ["anonymize", "--plan", f"plans/{name}.toml", "-o", folder]
    make = Step(name="anonymize", words=[*words, *(("--recipient", recipient) if search else ())])
    return [make, audit_step(plan.input, name, recipient)]


def audit_step(original: str, name: str, recipient: str) -> Step:
    """Return the command that audits a release."""
    folder = f"releases/{name}"
    words = ["audit", "--original", original, "--release", folder, "--secret", f"{folder}.secret"]
    return Step(name="audit", words=[*words, *(("--recipient", recipient) if recipient else ())])


def _make(of: Project, form: Any) -> str:
    """Keep the plan and start to make the release after it."""
    plan, recipient = _planned(of, form)
    with of.lock:
        name = of.free_release(plan.method, plan.parameters.get("k"))
        of.save_plan(plan)
        of.keep_plan(plan, name)
        of.note(recipient=recipient)
        about = {"release": name, "recipient": recipient, "method": plan.method}
        steps = release_steps(plan, name, recipient, search="search" in form)
        start(of.folder / "jobs", "release", steps, about)
    return name


def _try(of: Project, request: HttpRequest) -> None:
    """Start to compare the methods that were ticked."""
    plan, form = of.plan, request.POST
    assert plan is not None
    methods = [name for name in form.getlist("methods") if name in offered()]
    if not methods:
        message = "tick at least one method to try"
        raise ParameterError(message, code="usage")
    levels = [level for level in form.getlist("levels") if level.isdecimal()]
    people = whole_number(form, "people", low=10, default=SAMPLED_PEOPLE)
    words = ["compare", plan.input, "--schema", SCHEMA, "--methods", ",".join(methods), "--people", str(people)]
    words.append("--quick")
    for name in methods:
        words += ["--set", f"{name}.effort=fast"] if _can_be_fast(name) else []
    words += ["--k", ",".join(levels)] if levels else []
    words += [word for name in plan.allow for word in ("--allow", name)]
    about = {"methods": methods, "levels": levels, "people": people}
    start(of.folder / "jobs", "compare", [Step(name="compare", words=words)], about)


def _can_be_fast(name: str) -> bool:
    """Return whether a method can be told not to search for long."""
    return any(info.name == "effort" and "fast" in info.choices for info in offered()[name].parameters())


def _context(of: Project, chosen: Mapping[str, Any]) -> dict[str, Any]:
    compared, made = of.newest("compare"), of.newest("release")
    about = {} if compared is None else compared.about
    tried = about.get("methods", [name for name in TRIED if name in offered()])
    return {
        **_choice(of, chosen),
        "compared": compared,
        "made": made,
        "offered": [(name, part.summary, name in tried) for name, part in offered().items()],
        "levels": [(level, str(level) in about.get("levels", [str(one) for one in TRIED_LEVELS])) for level in LEVELS],
        "people": about.get("people", SAMPLED_PEOPLE),
        **_frontier(compared, chosen["plan"]),
    }


def _choice(of: Project, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form of one choice."""
    plan, path = chosen["plan"], of.input_path()
    assert path is not None
    part = offered().get(plan.method) or next(iter(offered().values()))
    controls = settings_controls(part, plan.parameters, words().group("setting"))
    try:
        suspects = list(note_columns(path, plan.schema).identifiers)
    except TokumeiError:
        suspects = []
    return {
        "plan": plan,
        "part": part,
        "recipient": chosen["recipient"],
        "recipients": Limits.recipients(),
        "formats": FORMATS,
        "contents": [(name, name == plan.content) for name in contents()],
        "first_controls": [control for control in controls if control.name == "set-k"],
        "controls": [control for control in controls if control.name != "set-k"],
        "methods": [(name, name == part.name) for name in offered()],
        "suspects": [(name, name in plan.allow) for name in suspects],
        "plan_text": plan.to_toml(secret=False),
        "commands": release_steps(plan, of.free_release(plan.method, plan.parameters.get("k")), chosen["recipient"]),
    }


def _frontier(compared: Job | None, plan: Plan) -> dict[str, Any]:
    """Return the chart of the candidates and its table."""
    found = None if compared is None or compared.running else compared.result("compare")
    if found is None or "runs" not in found:
        return {"runs": []}
    runs = [
        {**run, "link": f"?{urlencode({'method': run['method'], 'k': run['k'] or ''})}#make"} for run in found["runs"]
    ]
    links = {run["release"]: run for run in runs}
    mine = plan.method if not has_k(plan.method) else f"{plan.method} k={plan.parameters.get('k')}"
    points = [
        (run["release"], 100 * run["loss"], 100 * run["risk"], bool(run["front"]), run["release"] == mine)
        for run in runs
        if run["loss"] is not None and run["risk"] is not None
    ]
    chart = scatter(points)
    dots = [] if chart is None else [(dot, links[dot.name]) for dot in chart.dots]
    return {"runs": runs, "chart": chart, "dots": dots, "compared_people": found["subjects"]}
