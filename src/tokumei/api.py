"""The flow in three calls, with polars or pandas frames (or files) in and out.

>>> import polars as pl
>>> import tokumei
>>> frame = pl.DataFrame({
...     "customer": ["ann", "ann", "bob", "bob", "cy", "cy", "di", "di"],
...     "goods": ["tea", "cake", "tea", "jam", "cake", "jam", "tea", "cake"],
...     "price": [2.5, 4.0, 2.5, 3.0, 4.0, 3.5, 2.0, 4.5],
... })
>>> tokumei.describe(frame).risk.known[2].value
1.0
>>> made = tokumei.anonymize(frame, k=2, seed=1)
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

import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tokumei.data import (
    History,
    Release,
    Schema,
    Score,
    Secret,
    Verdict,
    history_of,
    read_release,
    read_release_schema,
    read_secret,
)
from tokumei.errors import InputError, ParameterError
from tokumei.flow import Plan, choose, fresh_seed, places_beside
from tokumei.flow import stages as flow
from tokumei.metrics import CellError
from tokumei.profiles import Profile, RawRisk, hints, infer_schema, profile, raw_risk, read_history

if TYPE_CHECKING:
    from tokumei.audits import AuditResult
    from tokumei.parts import Method

__all__ = ["Anonymized", "Description", "anonymize", "audit", "describe"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Description:
    """What `describe` found: the schema it inferred, the profile, the raw risk, and what a person should look at."""

    schema: Schema
    profile: Profile
    risk: RawRisk
    hints: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, the same as ``tokumei describe --json`` prints."""
        rest = {"risk": self.risk.as_dict(), "hints": self.hints, "schema": self.schema.to_toml()}
        return {**self.profile.as_dict(), **rest}


@dataclass(frozen=True, eq=False, kw_only=True)
class Anonymized:
    """What `anonymize` made. ``data`` may be handed out; ``secret`` may not.

    ``data`` is a frame of the same library as the input (polars for files), with the pseudonym first and cells as
    text: ``value``, ``[lo;hi]``, ``{a;b}`` or ``*``. ``why`` says how the method was chosen.
    """

    data: Any
    release: Release
    secret: Secret
    utility: Score
    audit: AuditResult | None
    method: Method
    why: str
    history: History
    plan: Plan

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of the quick audit, None if it was left out."""
        return None if self.audit is None else self.audit.verdict

    def write(self, folder: str | Path, *, secret_file: str | Path | None = None) -> flow.Published:
        """Write the release folder and, beside it, the secret and the plan, as ``tokumei anonymize`` does."""
        target = Path(folder)
        return flow.publish(
            self.history,
            self.release,
            self.secret,
            target,
            method=self.method,
            secret_file=None if secret_file is None else Path(secret_file),
            data_format=self.plan.data_format,
            audited=self.audit,
            beside={places_beside(target)["plan"]: self.plan.to_toml()},
        )


def describe(data: Any, *, schema: Schema | str | Path | None = None, subject: str | None = None) -> Description:
    """Profile raw data and measure how little knowledge singles a person out.

    ``data`` is a polars or pandas frame or the path of a CSV or Parquet file; ``schema`` a Schema or the path of one,
    inferred if left out (around the column ``subject``, if it is named).
    """
    history = _history(data, schema, subject)
    return Description(schema=history.schema, profile=profile(history), risk=raw_risk(history), hints=hints(history))


def anonymize(
    data: Any,
    *,
    k: int | None = None,
    method: str | None = None,
    schema: Schema | str | Path | None = None,
    subject: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    audit: bool = True,
    data_format: str = "csv",
    **settings: Any,
) -> Anonymized:
    """Anonymize a frame or a file and audit the result quickly.

    Without ``method`` the safest good one is chosen (k-anonymity, k = 3 by default); ``settings`` are its parameters.
    Give a ``seed`` for experiments only.
    """
    history = _history(data, schema, subject)
    texts = [f"{name}={value}" for name, value in settings.items()]
    part, why = choose(history, method=method, k=k, settings=texts, threads=threads)
    if data_format not in ("csv", "parquet"):
        message = f"data_format must be csv or parquet, got '{data_format}'"
        raise ParameterError(message)
    plan = Plan.of(part, schema=history.schema, data_format=data_format, seed=fresh_seed() if seed is None else seed)
    release, secret = flow.anonymize(history, part, seed=plan.seed)
    # A seed of the system's entropy cannot be guessed: the audit need not warn of it.
    secret = replace(secret, seed=seed)
    wanted = getattr(part, "k", None)
    return Anonymized(
        data=_like(data, release.text()),
        release=release,
        secret=secret,
        utility=CellError().measure(history, release, secret),
        audit=flow.quick_audit(history, release, secret, k=wanted) if audit else None,
        method=part,
        why=why,
        history=history,
        plan=plan,
    )


def audit(
    original: Any,
    release: Anonymized | str | Path,
    *,
    secret: Secret | str | Path | None = None,
    schema: Schema | str | Path | None = None,
    k: int | None = None,
    time_limit: float | None = None,
    seed: int = 0,
) -> AuditResult:
    """Audit a release as its strongest attacker, with every attack.

    ``release`` is what `anonymize` returned or the folder that was written; with the ``secret`` (which the first has)
    true hits are counted.
    """
    from tokumei.audits import audit_release  # noqa: PLC0415 - loads numba and scipy, which not every flow needs

    if isinstance(release, Anonymized):
        history = _history(original, schema or release.history.schema, None)
        published, hidden = release.release, release.secret if secret is None else _secret(secret)
        wanted = getattr(release.method, "k", None) if k is None else k
    else:
        history = _history(original, schema or read_release_schema(Path(release)), None)
        published, hidden, wanted = read_release(Path(release), history), _secret(secret), k
    if hidden is not None:
        flow.refuse_foreign_secret(history, published, hidden)
    return audit_release(history, published, hidden, k=wanted, time_limit=time_limit, seed=seed)


def _secret(secret: Secret | str | Path | None) -> Secret | None:
    return secret if secret is None or isinstance(secret, Secret) else read_secret(Path(secret))


def _history(data: Any, schema: Schema | str | Path | None, subject: str | None) -> History:
    """Read a file or code a frame."""
    if schema is not None and subject is not None:
        message = "schema and subject both say whose history it is; give one of them"
        raise ParameterError(message)
    known = Schema.read(Path(schema)) if isinstance(schema, (str, Path)) else schema
    if isinstance(data, (str, Path)):
        return read_history(data, known, subject=subject)
    frame = _polars(data)
    lines = np.arange(1, frame.height + 1)
    return history_of(frame, known or infer_schema(frame, subject=subject), file="frame", lines=lines)


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "columns")


def _polars(data: Any) -> pl.DataFrame:
    """Return a frame of either library as polars, with what is not a number as missing."""
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if _is_pandas(data):
        names = [str(name) for name in data.columns]
        twice = next((name for position, name in enumerate(names) if name in names[:position]), None)
        if twice is not None:
            message = f"the frame has two columns named '{twice}'; rename one of them"
            raise InputError(message, code="duplicate-name")
        data = pl.DataFrame([_column(name, data.iloc[:, position]) for position, name in enumerate(names)])
    if not isinstance(data, pl.DataFrame):
        message = f"data must be a polars or pandas frame or the path of a file, got {type(data).__name__}"
        raise ParameterError(message)
    return data.with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None))


def _column(name: str, values: Any) -> pl.Series:
    """Return a pandas column as polars: by its numbers where it has them, else by its values.

    Of a time with a zone what the clock there shows is kept.
    """
    if getattr(values.dtype, "tz", None) is not None:
        values = values.dt.tz_localize(None)
    kind = values.dtype.kind if isinstance(values.dtype, np.dtype) else "O"
    if kind in "iufb":
        return pl.Series(name, values.to_numpy())
    if kind == "M":
        return pl.Series(name, values.to_numpy().astype("datetime64[ms]"))
    missing = values.isna().to_numpy(dtype=bool)
    objects = values.to_numpy(dtype=object).copy()
    objects[missing] = None
    plain = objects.tolist()
    if any(getattr(value, "tzinfo", None) is not None for value in plain):
        plain = [value if getattr(value, "tzinfo", None) is None else value.replace(tzinfo=None) for value in plain]
    with suppress(TypeError, OverflowError, pl.exceptions.PolarsError):
        found = pl.Series(name, plain)
        if found.dtype != pl.Object:
            return found
    # Values of several types, or of types that only pandas knows: as a file would have them, as text.
    return pl.Series(name, [None if value is None else str(value) for value in plain], dtype=pl.String)


def _like(data: Any, frame: pl.DataFrame) -> Any:
    """Return a frame of the library that the data came in."""
    if not _is_pandas(data):
        return frame
    return sys.modules["pandas"].DataFrame(frame.to_dict(as_series=False), columns=frame.columns)
