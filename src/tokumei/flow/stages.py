"""Stages run after one another: anonymize, judge, publish, attack."""

from __future__ import annotations

import dataclasses
import os
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import (
    OWNER_ONLY,
    Goal,
    Guesses,
    History,
    Release,
    Schema,
    Score,
    Secret,
    check_file_target,
    check_folder_target,
    default_secret_path,
    in_published_order,
    public_summary,
    refuse_leaks,
    write_release,
    write_secret,
    write_text,
)
from tokumei.errors import (
    InfeasibleError,
    InputError,
    OutputError,
    ParameterError,
    SchemaError,
    TokumeiError,
    UnknownPartError,
)
from tokumei.parts import Attack, Method, Metric, find_part, make_part, parse_settings, part_names
from tokumei.progress import stage

if TYPE_CHECKING:
    from tokumei.audits import AuditResult

__all__ = [
    "Measured",
    "Published",
    "anonymize",
    "attack_success",
    "check_places",
    "make_anonymizer",
    "measure",
    "measure_all",
    "public_parameters",
    "publish",
    "quick_audit",
    "refuse_foreign_secret",
    "seeded",
]

QUICK_AUDIT_SECONDS = 60.0
# Parameters that say how a method ran, not what it did; a manifest leaves them out.
HOW_IT_RAN = frozenset({"resume", "threads"})


@dataclass(frozen=True, eq=False)
class Published:
    """A release on disk, with where its parts are."""

    release: Release
    secret: Secret
    folder: Path
    secret_file: Path
    manifest: dict[str, Any]


def seeded(seed: int | None) -> np.random.Generator:
    """Return the generator of a run: repeatable from a seed, or the operating system's entropy without one."""
    return np.random.default_rng(seed)


def make_anonymizer(
    name: str, settings: Sequence[str] = (), *, k: int | None = None, threads: int | None = None
) -> Method:
    """Return a registered method with ``name=value`` settings.

    ``k`` is refused by methods that have none. Methods that can use threads get this many (default: one per core);
    their results do not depend on it.
    """
    part = find_part("anonymizer", name)
    known = {info.name for info in part.parameters()}
    values = parse_settings(part, settings)
    if "threads" in known:
        values.setdefault("threads", threads or os.cpu_count() or 1)
    if k is not None:
        if "k" not in known:
            message = f"the method '{name}' has no k; leave --k out"
            raise ParameterError(message)
        if "k" in values:
            message = f"parameter 'k' of '{name}' is given twice; give it once"
            raise ParameterError(message)
        values["k"] = k
    method: Method = make_part(part, values)
    return method


def anonymize(history: History, method: Method, *, seed: int | None = None) -> tuple[Release, Secret]:
    """Run a method and return the release in published order with its secret.

    The method sees the records sorted by subject and content: what it draws does not depend on their order in a file.
    Columns that the schema keeps unchanged are not shown to it; they are put back afterwards.
    """
    method.require(history)
    history.schema.check_publishable()
    if not history.schema.fields:
        message = "the schema leaves no column to publish; name at least one in it that is not dropped"
        raise SchemaError(message)
    with stage(f"anonymize: {method.name}"):
        release, secret = method.anonymize(_without_kept(history).take(history.order), rng=seeded(seed))
    real = secret.rows >= 0
    rows = secret.rows.copy()
    rows[real] = history.order[rows[real]]
    release = _with_kept(history, release, rows)
    release, secret = in_published_order(release, dataclasses.replace(secret, rows=rows))
    return release, dataclasses.replace(secret, seed=seed)


def _without_kept(history: History) -> History:
    """Return the history without the columns that the schema keeps unchanged."""
    kept = {field.name for field in history.schema.kept}
    if not kept:
        return history
    schema = Schema(history.schema.subject, tuple(column for column in history.schema.columns if not column.keep))
    if not schema.fields:
        message = "the schema keeps every column unchanged, which leaves nothing to anonymize; keep fewer columns"
        raise SchemaError(message)
    codes = {name: column for name, column in history.codes.items() if name not in kept}
    return dataclasses.replace(history, schema=schema, codes=codes)


def _with_kept(history: History, release: Release, rows: Ints) -> Release:
    """Return the release with the columns that the schema keeps, as the original has them; empty in dummy records."""
    if not history.schema.kept:
        return release
    source, dummy = np.maximum(rows, 0), rows < 0
    kept = {field.name: history.cells(field.name).take(source).suppress(dummy) for field in history.schema.kept}
    cells = {field.name: {**release.cells, **kept}[field.name] for field in history.schema.fields}
    return dataclasses.replace(release, schema=history.schema, cells=cells)


def check_places(folder: Path, secret_file: Path | None = None, *, beside: Sequence[Path] = ()) -> Path:
    """Raise an error if a release, its secret and what lies beside it cannot be written; return the secret's place.

    Nothing is ever written over: the secret of an earlier release cannot be made again.
    """
    path = secret_file or default_secret_path(folder)
    inside = path.resolve()
    if folder.resolve() in (inside, *inside.parents):
        message = f"the secret must not lie in the release folder: {path}; name another place with --secret"
        raise ParameterError(message, file=str(path))
    if any(inside == other.resolve() for other in beside):
        message = f"{path} is where the plan or the audit goes; name another place with --secret"
        raise ParameterError(message, file=str(path))
    check_folder_target(folder)
    if path.exists():
        message = f"{path} exists already; keep it and name another place with --secret, or remove it"
        raise OutputError(message, file=str(path))
    for other in beside:
        if other.exists():
            message = f"{other} exists already and belongs to another release; name another folder, or move it away"
            raise OutputError(message, file=str(other))
        check_file_target(other)
    check_file_target(path)
    return path


def publish(
    history: History,
    release: Release,
    secret: Secret,
    folder: Path,
    *,
    method: Method,
    secret_file: Path | None = None,
    data_format: str = "csv",
    audited: AuditResult | None = None,
    beside: Mapping[Path, str] | None = None,
) -> Published:
    """Write the release folder and, beside it, the secret; refuse a release that still shows subject ids.

    ``beside`` has further files that only the publisher may see. Of an audit the folder tells the outcome alone:
    its figures say which guesses are right.
    """
    private = dict(beside or {})
    path = check_places(folder, secret_file, beside=list(private))
    refuse_leaks(history, release, secret)
    parameters = public_parameters(method)
    told = None if audited is None else (audited.verdict.outcome, audited.k)
    summary = public_summary(release, parameters=parameters, about=method.summary, verdict=told)
    # What is kept goes first: a release whose secret could not be written would be lost to its publisher.
    written: list[Path] = []
    try:
        write_secret(secret, path)
        written.append(path)
        for place, text in private.items():
            write_text(place, text, mode=OWNER_ONLY)
            written.append(place)
        manifest = write_release(release, folder, parameters=parameters, data_format=data_format, summary=summary)
    except BaseException:
        for place in written:
            place.unlink(missing_ok=True)
        raise
    return Published(release, secret, folder, path, manifest)


def public_parameters(method: Method) -> dict[str, Any]:
    """Return the parameters of a method as everybody may see them, without how it ran."""
    told = [info.name for info in method.parameters() if info.name not in HOW_IT_RAN]
    return {name: _public(getattr(method, name)) for name in told}


def _public(value: Any) -> Any:
    """Return a parameter as the manifest may show it: of a file only its name, not where the publisher keeps it."""
    return f"@{Path(value[1:]).name}" if isinstance(value, str) and value.startswith("@") else value


def refuse_foreign_secret(history: History, release: Release, secret: Secret) -> None:
    """Raise InputError if the secret cannot be that of this release and original."""
    rows = secret.rows
    fits = len(rows) == len(release) and int(rows.min(initial=0)) >= -1 and int(rows.max(initial=-1)) < len(history)
    if fits:
        published = release.pseudonyms.filter(pl.Series(rows >= 0)).unique()
        owners = secret.owners.filter(pl.col("pseudonym").is_in(published.implode()))
        # Another file of as many records has other people in it.
        people = owners["subject"].is_in(history.subjects.implode()).all()
        fits = owners["pseudonym"].n_unique() == len(published) and people
    if not fits:
        message = "the secret does not belong to this release and original; give the three that belong together"
        raise InputError(message, code="foreign-secret")


def quick_audit(history: History, release: Release, secret: Secret, *, k: int | None = None) -> AuditResult:
    """Return the cheap part of the audit: identical histories, candidates and posteriors."""
    from tokumei.audits import audit_release  # noqa: PLC0415 - loads numba and scipy, which not every flow needs

    with stage("audit"):
        return audit_release(history, release, secret, k=k, time_limit=QUICK_AUDIT_SECONDS, thorough=False)


def attack_success(
    history: History, release: Release, secret: Secret, attack: Attack, *, seed: int | None = None
) -> tuple[Guesses, Score]:
    """Run an attack and return its guesses and the share of pseudonyms it names right, beside random guessing."""
    attack.require(history)
    with stage(f"attack: {attack.name}"):
        guesses = attack.guess(history, release, rng=seeded(seed))
    pseudonyms = release.pseudonyms.n_unique()
    value = guesses.hits(secret.owners) / pseudonyms if pseudonyms else 0.0
    baseline = 1 / len(history.subjects) if len(history.subjects) else 0.0
    score = Score(name=f"re-identified by {attack.name}", value=value, goal=Goal.LOWER, highest=1.0, baseline=baseline)
    return guesses, score


@dataclass(frozen=True, eq=False)
class Measured:
    """The scores of a release, why some metrics say nothing of such data, and which ones broke."""

    scores: list[Score]
    skipped: list[str]
    failed: list[str]


def measure(history: History, release: Release, secret: Secret, metrics: Sequence[Metric]) -> list[Score]:
    """Return the score of every metric; one that cannot tell raises its reason."""
    refuse_foreign_secret(history, release, secret)
    return [_measured(metric, history, release, secret) for metric in metrics]


def measure_all(history: History, release: Release, secret: Secret) -> Measured:
    """Return the scores of all registered metrics; one that is broken or has no use for the data stops no other.

    Metrics that need people or rows belong to contests whose releases have them, and are left out elsewhere.
    """
    refuse_foreign_secret(history, release, secret)
    found = Measured([], [], [])
    for name in part_names("metric"):
        try:
            part = find_part("metric", name)
            if part.needs == ("records",) or (history.people is not None and "people" in part.needs):
                found.scores.append(_measured(make_part(part), history, release, secret))
        except (InfeasibleError, SchemaError) as error:
            found.skipped.append(str(error))
        except UnknownPartError as error:
            found.failed.append(str(error))
    return found


def _measured(metric: Metric, history: History, release: Release, secret: Secret) -> Score:
    metric.require(history)
    try:
        with stage(f"judge: {metric.name}"):
            return metric.measure(history, release, secret)
    except TokumeiError:
        raise
    except Exception as error:
        # The text of a foreign error may hold data: only its kind and its place are told.
        *_, last = traceback.extract_tb(error.__traceback__)
        message = (
            f"the metric '{metric.name}' fails ({type(error).__name__} in {Path(last.filename).name}, line "
            f"{last.lineno}); repair or remove the package that registers it"
        )
        raise UnknownPartError(message, code="broken-part") from error
