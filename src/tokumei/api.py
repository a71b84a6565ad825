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
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tokumei.arguments import check_choice, check_names, check_type, check_whole
from tokumei.data import Guesses, History, Schema, Secret, input_path, library_of, read_secret
from tokumei.errors import ParameterError
from tokumei.flow import FORMATS, Bookkeeping, Made, Opened, open_release, plan_of, refuse_foreign_secret, run_attack
from tokumei.flow import release as make_release
from tokumei.parts import find_part, make_part
from tokumei.profiles import Description, Subject, describe_data, hints, identifier_suspects, read_history
from tokumei.words import Words

if TYPE_CHECKING:
    from tokumei.audits import AuditResult, Limits


def describe(data: Any, *, schema: Schema | str | Path | None = None, subject: Subject = None) -> Description:
    """Profile raw data and measure how little knowledge singles a person out.

    Args:
        data: A polars, pandas or Arrow frame, the path of a file or of a folder of parts, or the address of a table.
        schema: What the columns mean: a Schema or the path of one; inferred if left out.
        subject: The column that says whose record it is, where the schema is inferred (``row``: each its own;
            several columns name a person together).
    """
    _refuse_both(schema, subject)
    described = describe_data(data, _schema(schema), subject=subject)
    noted = [str(hint) for hint in (*described.sample.notes, *hints(described.sample), *described.sampled())]
    suspects = {suspect.column: str(suspect.why) for suspect in identifier_suspects(described.sample)}
    return Description(
        schema=described.sample.schema,
        profile=described.profile,
        risk=described.risk,
        hints=noted,
        identifiers=suspects,
        subject=described.subject,
    )


def anonymize(
    data: Any,
    *,
    method: str | None = None,
    k: int | None = None,
    schema: Schema | str | Path | None = None,
    subject: Subject = None,
    allow: Sequence[str] = (),
    seed: int | None = None,
    threads: int | None = None,
    audit: bool = True,
    data_format: str = "csv",
    content: str | None = None,
    recipient: str | None = None,
    limits: str | Path | None = None,
    ledger: str | Path | None = None,
    pseudonyms: str = "renewed",
    **settings: Any,
) -> Made:
    """Make a release of a frame or a file and audit it quickly; what comes back has passed the gate.

    Args:
        data: A polars, pandas or Arrow frame, the path of a file, or the address of a table in a database.
        method: The name of a method, see ``tokumei methods`` (default: the safest good one, k-anonymity).
        k: How many subjects must look alike, for methods that have a k (default: 3).
        schema: What the columns mean: a Schema or the path of one; inferred if left out.
        subject: The column that says whose record it is, where the schema is inferred (``row``: each its own;
            several columns name a person together).
        allow: Columns to publish although they seem to name people (default: none).
        seed: Makes the release repeatable, by everybody who guesses it: for experiments only.
        threads: How many threads to use (default: all cores); the result does not depend on it.
        audit: Whether to run the quick audit.
        data_format: What ``write`` writes: ``csv`` or ``parquet``.
        content: ``tight`` (exact ends), ``grid`` (public grids; usual where a method generalizes) or ``strong``.
        recipient: Who gets it (``public``, ``partner``, ``internal``): choices are raised until its limits hold.
        limits: A file of limits of your own (default: those of the program).
        ledger: The folder that keeps what was published of whom; people stay in their groups, and ``write`` adds to it.
        pseudonyms: With a ledger: ``renewed``, ``stable`` or ``for:NAME`` (a recipient with pseudonyms of its own).
        settings: Further arguments: parameters of the method by name, as ``tokumei methods`` lists them.

    Raises:
        LeakError: The release would show who is who: subject ids as pseudonyms, a column that repeats them, or one
            that seems to name people and is neither dropped, kept nor allowed.
    """
    check_choice("data_format", data_format, FORMATS)
    check_whole("seed", seed)
    chosen = {"seed": seed, "data_format": data_format, "allow": tuple(allow), "content": content or ""}
    plan = plan_of(method, settings, k=k, **chosen)
    allowed = _limits(recipient, limits)
    if ledger is None and pseudonyms != "renewed":
        message = "pseudonyms that stay the same are kept in a ledger; give ledger too"
        raise ParameterError(message)
    if ledger is not None and allowed is not None:
        message = "a release for a recipient is searched without a ledger; give one of them"
        raise ParameterError(message)
    books = None if ledger is None else Bookkeeping.open(ledger, pseudonyms)
    history = _history(data, schema, subject)
    if allowed is None:
        made = make_release(history, plan, threads=threads, audit=audit, books=books)
    else:
        from tokumei.flow import release_for  # noqa: PLC0415 - loads numba and scipy

        made = release_for(history, plan, allowed, threads=threads).required(allowed)
    return replace(made, library=library_of(data))


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
    check_type("name", name, str, "the name of an attack")
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
    ledger: str | Path | None = None,
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
        ledger: The ledger that a release folder was made with: it is judged together with all releases of it.
    """
    from tokumei.audits import AuditSettings  # noqa: PLC0415 - loads numba and scipy, which not every flow needs
    from tokumei.flow import audit as audit_opened  # noqa: PLC0415
    from tokumei.ledgers import Ledger  # noqa: PLC0415

    opened = _opened(original, release, schema, secret)
    allowed = _allowed(release, allow)
    chosen = _limits(recipient, limits)
    settings = AuditSettings(k=k, limits=chosen, time_limit=time_limit, seed=seed, allow=allowed, quick=quick)
    return audit_opened(opened, settings, ledger=None if ledger is None else Ledger.existing(Path(ledger)))


def compare(
    data: Any,
    methods: Sequence[str],
    *,
    k: Sequence[int] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    contents: Sequence[str] = (),
    schema: Schema | str | Path | None = None,
    subject: Subject = None,
    allow: Sequence[str] = (),
    seed: int | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
) -> pl.DataFrame:
    """Anonymize by several methods, attack and measure each; nothing is published and no secret is kept.

    Returns a polars frame with a row per run: what it loses (``loss``, ``kept``), what the best attack names
    (``risk``, ``best_attack``), the audit's ``verdict``, whether it is a best trade-off: not unsafe, and
    beaten by no other such run in loss and risk at once (``front``), and why it failed (``failure``, ``message``).

    Args:
        data: A polars, pandas or Arrow frame, the path of a file, or the address of a table in a database.
        methods: Names of methods, see ``tokumei methods``.
        k: The k to try with every method that has one; others run once.
        settings: Parameters of methods: by the name of the method, then by that of the parameter.
        contents: Profiles of contents to try with every method that generalizes, such as ``tight`` and ``grid``.
        schema: What the columns mean: a Schema or the path of one; inferred if left out.
        subject: The column that says whose record it is, where the schema is inferred (``row``: each its own;
            several columns name a person together).
        allow: Columns to publish although they seem to name people (default: none).
        seed: Makes the runs repeatable.
        threads: How many threads to use (default: all cores); the result does not depend on it.
        time_limit: Seconds for the audit of each release.
    """
    from tokumei.flow import compare as compare_runs  # noqa: PLC0415 - loads numba and scipy
    from tokumei.flow import plan_runs, run_frame  # noqa: PLC0415

    check_names("methods", methods, least=1)
    check_names("contents", contents)
    runs = plan_runs(methods, k, settings or {}, contents)
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
    frame: str | None = None,
    author: str = "",
    date: str = "",
) -> str:
    """Return the internal report of a release as one HTML text: verdict, evidence, utility, limits.

    Args:
        original: What the release was made from: a frame or the path of a file.
        release: What `anonymize` returned, or the folder of a release.
        output: Also write it to this file, a PDF if it ends with ``.pdf``; readable by its owner only: it is internal.
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
        frame: A dossier by the questions of ``ppc``, ``gdpr``, ``iso27559`` or ``hipaa`` instead of the report.
        author: Who answers for the document.
        date: The day that the document states (default: today).
    """
    from tokumei import reports  # noqa: PLC0415 - loads what draws charts
    from tokumei.audits import AuditSettings  # noqa: PLC0415 - loads numba and scipy

    Words(language)
    if frame is not None:
        reports.check_frame(frame)
    if output is not None:
        reports.check_document(Path(output), language)
    file = input_path(original) if isinstance(original, (str, Path)) else None
    opened = _opened(original, release, schema, secret)
    identity = reports.identify(file, opened.folder, original_sha256=opened.original_sha256, date=date, author=author)
    chosen, allowed = _limits(recipient, limits), _allowed(release, allow)
    settings = AuditSettings(k=k, limits=chosen, time_limit=time_limit, seed=seed, allow=allowed, quick=quick)
    material = reports.collect_material(opened, settings, levels=k_curve, identity=identity)
    if frame is None:
        text = reports.release_report(material, language=language)
    else:
        text = reports.frame_report(material, frame, language=language)
    if output is not None:
        reports.write_document(Path(output), text)
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
    if isinstance(schema, (str, Path)):
        return Schema.read(Path(schema))
    check_type("schema", schema, Schema, "a Schema or the path of one")
    return schema


def _history(data: Any, schema: Schema | str | Path | None, subject: Subject) -> History:
    _refuse_both(schema, subject)
    return read_history(data, _schema(schema), subject=subject, confirmed=True)


def _refuse_both(schema: Schema | str | Path | None, subject: Subject) -> None:
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
