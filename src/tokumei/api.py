"""The flow as plain functions, with polars or pandas frames (or files) in and out.

>>> import polars as pl
>>> import tokumei
>>> frame = pl.DataFrame({
...     "customer": ["ann", "ann", "bob", "bob", "cy", "cy", "di", "di"],
...     "goods": ["tea", "cake", "tea", "jam", "cake", "jam", "tea", "cake"],
...     "price": [2.5, 4.0, 2.5, 3.0, 4.0, 3.5, 2.0, 4.5],
... })
>>> tokumei.describe(frame).risk.known[2].value
1.0
>>> made = tokumei.anonymize(frame, k=2)
>>> made
Made(k-anonymity: 8 records under 4 pseudonyms; safe at k = 2)
>>> made.data.columns
['pseudonym', 'goods', 'price']
>>> made.verdict.outcome.value, made.audit.k_anonymity
('safe', 2)
>>> tokumei.audit(frame, made).verdict.outcome.value
'safe'

A pandas frame gives the same, as a pandas frame; pandas itself is never imported here. Without ``seed`` the random
choices come from the operating system, as they must for data that is really handed out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tokumei.data import OWNER_ONLY, Guesses, History, Release, Schema, Secret, library_of, read_secret, write_text
from tokumei.data import read_release as read_folder
from tokumei.errors import ParameterError
from tokumei.flow import FORMATS, Made, Opened, open_release, plan_of, refuse_foreign_secret, run_attack
from tokumei.flow import release as make_release
from tokumei.parts import find_part, make_part
from tokumei.profiles import Profile, RawRisk, describe_data, hints, identifier_suspects, read_history
from tokumei.words import Words

if TYPE_CHECKING:
    from tokumei.audits import AuditResult, Limits


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Description:
    """What `describe` found: the schema it inferred, the profile, the raw risk, and what a person should look at.

    ``identifiers`` are the columns that seem to name people, each with the reason.
    """

    schema: Schema
    profile: Profile
    risk: RawRisk
    hints: list[str]
    identifiers: Mapping[str, str]

    def __repr__(self) -> str:
        """Return a summary without a value of the data."""
        return f"Description({self.profile.records:,} records of {self.profile.subjects:,} subjects)"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, the same as ``tokumei describe --json`` prints."""
        rest = {"risk": self.risk.as_dict(), "hints": self.hints, "identifiers": dict(self.identifiers)}
        rest |= {"schema": self.schema.to_toml()}
        return {**self.profile.as_dict(), **rest}


def describe(data: Any, *, schema: Schema | str | Path | None = None, subject: str | None = None) -> Description:
    """Profile raw data and measure how little knowledge singles a person out.

    Args:
        data: A polars or pandas frame, or the path of a CSV (``.gz`` too) or Parquet file, or of a folder of parts.
        schema: What the columns mean: a Schema or the path of one; inferred if left out.
        subject: The column that says whose record it is, where the schema is inferred (``row``: each its own).
    """
    _refuse_both(schema, subject)
    described = describe_data(data, _schema(schema), subject=subject)
    noted = [str(hint) for hint in (*hints(described.sample), *described.sampled())]
    suspects = {suspect.column: str(suspect.why) for suspect in identifier_suspects(described.sample)}
    return Description(
        schema=described.sample.schema,
        profile=described.profile,
        risk=described.risk,
        hints=noted,
        identifiers=suspects,
    )


def anonymize(
    data: Any,
    *,
    method: str | None = None,
    k: int | None = None,
    schema: Schema | str | Path | None = None,
    subject: str | None = None,
    allow: Sequence[str] = (),
    seed: int | None = None,
    threads: int | None = None,
    audit: bool = True,
    data_format: str = "csv",
    **settings: Any,
) -> Made:
    """Make a release of a frame or a file and audit it quickly; what comes back has passed the gate.

    Args:
        data: A polars or pandas frame, or the path of a CSV (``.gz`` too) or Parquet file.
        method: The name of a method, see ``tokumei methods`` (default: the safest good one, k-anonymity).
        k: How many subjects must look alike, for methods that have a k (default: 3).
        schema: What the columns mean: a Schema or the path of one; inferred if left out.
        subject: The column that says whose record it is, where the schema is inferred (``row``: each its own).
        allow: Columns to publish although they seem to name people (default: none).
        seed: Makes the release repeatable, by everybody who guesses it: for experiments only.
        threads: How many threads to use (default: all cores); the result does not depend on it.
        audit: Whether to run the quick audit.
        data_format: What ``write`` writes: ``csv`` or ``parquet``.
        settings: Further arguments: parameters of the method by name, as ``tokumei methods`` lists them.

    Raises:
        LeakError: The release would show who is who: subject ids as pseudonyms, a column that repeats them, or one
            that seems to name people and is neither dropped, kept nor allowed.
    """
    if data_format not in FORMATS:
        message = f"data_format must be csv or parquet, got '{data_format}'"
        raise ParameterError(message)
    plan = plan_of(method, settings, k=k, seed=seed, data_format=data_format, allow=tuple(allow))
    made = make_release(_history(data, schema, subject), plan, threads=threads, audit=audit)
    return replace(made, library=library_of(data))


def read_release(folder: str | Path, original: Any, *, schema: Schema | str | Path | None = None) -> Release:
    """Read a release folder that ``Made.write`` or ``tokumei anonymize`` wrote.

    Args:
        folder: The folder.
        original: What the release was made from: a History, a frame or the path of a file.
        schema: What the columns of the original mean (default: what the release says).
    """
    if isinstance(original, History):
        return read_folder(folder, original)
    return open_release(original, Path(folder), schema=_schema(schema)).release


def attack(
    original: Any,
    release: Made | str | Path,
    name: str,
    *,
    schema: Schema | str | Path | None = None,
    seed: int | None = None,
    **settings: Any,
) -> Guesses:
    """Attack a release as someone who holds the original data.

    Args:
        original: What the release was made from: a frame or the path of a file.
        release: What `anonymize` returned, or the folder of a release.
        name: The name of an attack, see ``tokumei attacks``.
        schema: What the columns of the original mean (default: what the release says).
        seed: Makes the guesses repeatable.
        settings: Further arguments: parameters of the attack by name, as ``tokumei attacks`` lists them.
    """
    part = make_part(find_part("attack", name), settings)
    return run_attack(_opened(original, release, schema, None), part, seed=seed)


def audit(
    original: Any,
    release: Made | str | Path,
    *,
    secret: Secret | str | Path | None = None,
    schema: Schema | str | Path | None = None,
    k: int | None = None,
    recipient: str | None = None,
    limits: str | Path | None = None,
    allow: Sequence[str] = (),
    time_limit: float | None = None,
    seed: int = 0,
    quick: bool = False,
) -> AuditResult:
    """Audit a release: what attackers name, learn, infer and recognize.

    Args:
        original: What the release was made from: a frame or the path of a file.
        release: What `anonymize` returned, or the folder of a release.
        secret: The secret or its file: with it true hits are counted (default: that of what `anonymize` returned).
        schema: What the columns of the original mean (default: what the release says).
        k: What must hold (default: the k of the method, else what the release seems to aim at).
        recipient: Who gets it (``public``, ``partner``, ``internal``): then its limits decide about all questions.
        limits: A file of limits of your own (default: those of the program).
        allow: Columns that may be published although they seem to name people (default: as when it was made).
        time_limit: Seconds after which tests of naming are left out; the verdict lists which.
        seed: Of the Markov chains that sample large components, and of the people whom attackers look for.
        quick: Do not run the method again, and let one attacker who knows little try fewer people.
    """
    from tokumei.audits import AuditSettings  # noqa: PLC0415 - loads numba and scipy, which not every flow needs
    from tokumei.flow import audit as audit_opened  # noqa: PLC0415

    opened = _opened(original, release, schema, secret)
    allowed = _allowed(release, allow)
    chosen = _limits(recipient, limits)
    settings = AuditSettings(k=k, limits=chosen, time_limit=time_limit, seed=seed, allow=allowed, quick=quick)
    return audit_opened(opened, settings)


def compare(
    data: Any,
    methods: Sequence[str],
    *,
    k: Sequence[int] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    schema: Schema | str | Path | None = None,
    subject: str | None = None,
    allow: Sequence[str] = (),
    seed: int | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
) -> pl.DataFrame:
    """Anonymize by several methods, attack and measure each; nothing is published and no secret is kept.

    Returns a polars frame with a row per run: what it loses (``loss``, ``kept``), what the best attack names
    (``risk``, ``best_attack``), the audit's ``verdict``, whether no other run beats it in loss and risk at once
    (``front``), and why it failed (``failure``, ``message``).

    Args:
        data: A polars or pandas frame, or the path of a CSV (``.gz`` too) or Parquet file.
        methods: Names of methods, see ``tokumei methods``.
        k: The k to try with every method that has one; others run once.
        settings: Parameters of methods: by the name of the method, then by that of the parameter.
        schema: What the columns mean: a Schema or the path of one; inferred if left out.
        subject: The column that says whose record it is, where the schema is inferred (``row``: each its own).
        allow: Columns to publish although they seem to name people (default: none).
        seed: Makes the runs repeatable.
        threads: How many threads to use (default: all cores); the result does not depend on it.
        time_limit: Seconds for the audit of each release.
    """
    from tokumei.flow import compare as compare_runs  # noqa: PLC0415 - loads numba and scipy
    from tokumei.flow import plan_runs, run_frame  # noqa: PLC0415

    runs = plan_runs(methods, k, settings or {})
    history = _history(data, schema, subject)
    history.schema.check_publishable()
    return run_frame(compare_runs(history, runs, allow=allow, seed=seed, threads=threads, time_limit=time_limit))


def report(
    original: Any,
    release: Made | str | Path,
    *,
    output: str | Path | None = None,
    language: str = "en",
    secret: Secret | str | Path | None = None,
    schema: Schema | str | Path | None = None,
    k: int | None = None,
    k_curve: Sequence[int] = (),
    recipient: str | None = None,
    limits: str | Path | None = None,
    allow: Sequence[str] = (),
    time_limit: float | None = None,
    seed: int = 0,
    quick: bool = False,
) -> str:
    """Return the internal report of a release as one HTML text: verdict, evidence, utility, limits.

    Args:
        original: What the release was made from: a frame or the path of a file.
        release: What `anonymize` returned, or the folder of a release.
        output: Also write the report to this file, readable by its owner only: it names who is protected worst.
        language: ``en`` or ``ja``.
        secret: The secret or its file: needed for scores and true hits (default: that of what `anonymize` returned).
        schema: What the columns of the original mean (default: what the release says).
        k: What must hold (default: the k of the method, else what the release seems to aim at).
        k_curve: Run the method again with these k for the trade-off.
        recipient: Who gets the release: its limits then decide about all five questions, as in `audit`.
        limits: A file of limits of your own (default: those of the program).
        allow: Columns that may be published although they seem to name people (default: as when it was made).
        time_limit: Seconds for naming; what was left out is listed.
        seed: Of the audit and of the trade-off.
        quick: A quick audit, as in `audit`.
    """
    from tokumei.audits import AuditSettings  # noqa: PLC0415 - loads numba and scipy
    from tokumei.reports import collect_material, release_report  # noqa: PLC0415 - loads what draws charts

    Words(language)
    opened = _opened(original, release, schema, secret)
    chosen, allowed = _limits(recipient, limits), _allowed(release, allow)
    settings = AuditSettings(k=k, limits=chosen, time_limit=time_limit, seed=seed, allow=allowed, quick=quick)
    material = collect_material(opened, settings, levels=k_curve)
    text = release_report(material, language=language)
    if output is not None:
        write_text(Path(output), text, mode=OWNER_ONLY)
    return text


def _allowed(release: Made | str | Path, allow: Sequence[str]) -> Sequence[str]:
    """Return the columns that may be published: those that were named, else those of the plan of a release."""
    return allow or (release.plan.allow if isinstance(release, Made) else ())


def _limits(recipient: str | None, file: str | Path | None) -> Limits | None:
    from tokumei.audits import Limits  # noqa: PLC0415 - loads numba and scipy

    if recipient is None:
        if file is None:
            return None
        message = "limits goes with recipient, which names the table of limits that applies"
        raise ParameterError(message)
    return Limits.read(recipient, None if file is None else Path(file))


def _schema(schema: Schema | str | Path | None) -> Schema | None:
    return Schema.read(Path(schema)) if isinstance(schema, (str, Path)) else schema


def _history(data: Any, schema: Schema | str | Path | None, subject: str | None) -> History:
    _refuse_both(schema, subject)
    return read_history(data, _schema(schema), subject=subject)


def _refuse_both(schema: Schema | str | Path | None, subject: str | None) -> None:
    if schema is not None and subject is not None:
        message = "schema and subject both say whose history it is; give one of them"
        raise ParameterError(message)


def _opened(
    original: Any, release: Made | str | Path, schema: Schema | str | Path | None, secret: Secret | str | Path | None
) -> Opened:
    """Return a release from a folder, or one just made, beside the original that was given."""
    if not isinstance(release, Made):
        named = Path(secret) if isinstance(secret, str) else secret
        return open_release(original, Path(release), schema=_schema(schema), secret=named)
    hidden = read_secret(Path(secret)) if isinstance(secret, (str, Path)) else secret
    history = read_history(original, _schema(schema) or release.history.schema)
    hidden = hidden or release.secret
    refuse_foreign_secret(history, release.release, hidden)
    return Opened(history=history, release=release.release, secret=hidden, parameters=release.parameters)
