"""The sixth step: what is handed out, what is kept, and the dossier for those who must answer for it."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET, require_http_methods

from tokumei.errors import ParameterError
from tokumei.reports import FRAMES
from tokumei_studio.jobs import Step, start
from tokumei_studio.project import Project
from tokumei_studio.views.frame import audit_of, needs, newest_release, project, release_page
from tokumei_studio.views.verdict import original_of

# Beyond this the folder is copied, not downloaded.
LARGEST_ARCHIVE = 200_000_000
# What a report needs; scripts, forms and addresses it has none.
REPORT_POLICY = "sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"
_REPORT = re.compile(r"[a-z0-9][a-z0-9.-]{0,100}\.(html|pdf)")
LANGUAGES = ("en", "ja")


newest = newest_release("handout")


@needs("handout")
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Show what belongs to a release, or write a report of it."""
    return release_page(request, "handout", name, take=_write_report, context=_context)


@needs("handout")
@require_GET
def archive(_request: HttpRequest, name: str) -> HttpResponse:
    """Return the release folder as one file: what is handed out, and nothing else."""
    places = project().release(name)
    if places is None or _size(places.folder) > LARGEST_ARCHIVE:
        raise Http404
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for path in _files(places.folder):
            # No times: those of a release tell when it was made.
            file.writestr(zipfile.ZipInfo(f"{name}/{path.relative_to(places.folder)}"), path.read_bytes())
    response = HttpResponse(packed.getvalue(), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    return response


@needs("handout")
@require_GET
def report(_request: HttpRequest, name: str) -> HttpResponse:
    """Show a report that was written; it is internal, and may load nothing."""
    path = project().folder / "reports" / name
    if not _REPORT.fullmatch(name) or not path.is_file() or path.is_symlink():
        raise Http404
    kind = "application/pdf" if path.suffix == ".pdf" else "text/html; charset=utf-8"
    response = HttpResponse(path.read_bytes(), content_type=kind)
    if path.suffix == ".pdf":
        # The reader of the browser is a script, which no report may run.
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Content-Security-Policy"] = REPORT_POLICY
    return response


def kinds() -> list[str]:
    """Return the kinds of files that a report can be: PDF where what makes it is installed."""
    return ["html", "pdf"] if find_spec("weasyprint") is not None else ["html"]


def _write_report(of: Project, name: str, form: Mapping[str, str]) -> None:
    language, frame, kind = form.get("language", ""), form.get("frame", ""), form.get("kind", "html")
    if language not in LANGUAGES or kind not in kinds() or (frame and frame not in FRAMES):
        message = "choose a language, a frame and a kind of file of the lists"
        raise ParameterError(message, code="usage")
    audit = audit_of(of, name) or {}
    file = f"{name}-{frame or 'report'}.{language}.{kind}"
    folder = f"releases/{name}"
    command = ["report", "--original", original_of(of, name), "--release", folder, "--secret", f"{folder}.secret"]
    command += ["--language", language, "-o", f"reports/{file}"]
    command += ["--recipient", audit["recipient"]] if audit.get("recipient") else []
    command += ["--frame", frame] if frame else []
    author = form.get("author", "").strip()
    command += ["--author", author] if author else []
    about = {"release": name, "file": file, "frame": frame, "language": language}
    start(of.folder / "jobs", "report", [Step(name="report", words=command)], about)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in _files(folder))


def _context(of: Project, name: str) -> dict[str, Any]:
    places = of.release(name)
    assert places is not None
    kept = [(path.name, path.stat().st_size) for path in (places.secret, places.plan, places.audit) if path.exists()]
    written = [path.name for path in sorted((of.folder / "reports").glob(f"{name}-*")) if _REPORT.fullmatch(path.name)]
    return {
        "folder": str(places.folder),
        "files": [(str(path.relative_to(places.folder)), path.stat().st_size) for path in _files(places.folder)],
        "can_pack": _size(places.folder) <= LARGEST_ARCHIVE,
        "kept": kept,
        "kept_folder": str(places.secret.parent),
        "reports": written,
        "frames": list(FRAMES),
        "kinds": kinds(),
        "last": of.newest("report", release=name),
    }
