"""The one way to make a release: choose, anonymize, gate, audit, measure.

Command line, Python, `compare` and the demo all call `release`; what it returns has passed the gate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tokumei.array_types import Ints
from tokumei.data import (
    CellShares,
    History,
    Lock,
    Release,
    ReleaseFacts,
    Score,
    Secret,
    Verdict,
    cell_shares,
    coarse_columns,
    coarsened,
    columns_apart,
    frame_of_library,
    text_order,
    with_values_apart,
)
from tokumei.errors import InfeasibleError, ParameterError, SchemaError
from tokumei.flow.bookkeeping import Booking, Bookkeeping, GroupedRun
from tokumei.flow.gate import household_findings, identifier_findings, refuse_leaks
from tokumei.flow.plan import Plan, complete, fresh_key, public_parameters
from tokumei.flow.publishing import Published, publish
from tokumei.metrics import CellError
from tokumei.parts import Method
from tokumei.progress import stage
from tokumei.words import html_table, percent

if TYPE_CHECKING:
    from tokumei.audits import AuditResult

QUICK_AUDIT_SECONDS = 60.0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Made:
    """A release that passed the gate, with all that is known of it. ``data`` may be handed out, ``secret`` may not.

    ``utility`` is what got lost (cell error), ``audit`` what the quick audit found (None if it was left out), ``plan``
    everything that decided what came out, its key or seed included; ``library`` (polars or pandas) is that of ``data``;
    ``booking`` is what `write` adds to the ledger, None without one.
    """

    release: Release
    secret: Secret
    utility: Score
    audit: AuditResult | None
    method: Method
    history: History
    plan: Plan
    library: str = "polars"
    booking: Booking | None = None

    def __repr__(self) -> str:
        """Return a summary without a value of the data."""
        verdict = "not audited" if self.audit is None else f"{self.audit.verdict.outcome.value} at k = {self.audit.k}"
        pseudonyms = self.release.pseudonyms.n_unique()
        return f"Made({self.method.name}: {len(self.release):,} records under {pseudonyms:,} pseudonyms; {verdict})"

    def _repr_html_(self) -> str:
        """Return method, sizes, loss and the share of cells left exact for a notebook, no cell."""
        rows = [
            [one.name, percent(one.exact), percent(one.generalized), percent(one.suppressed)] for one in self.shares
        ]
        lines = [f"lost: {percent(self.utility.value)}"]
        return html_table(repr(self), rows, heads=("column", "exact", "generalized", "withheld"), lines=lines)

    @cached_property
    def data(self) -> Any:
        """The release as a frame, the pseudonym first, cells as text: ``value``, ``[lo;hi]``, ``{a;b}`` or ``*``."""
        return frame_of_library(self.release.text(), self.library)

    @property
    def why(self) -> str:
        """Why this method was taken, in one sentence."""
        return "" if self.plan.why is None else str(self.plan.why)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the method as the manifest states them."""
        return public_parameters(self.method)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of the quick audit, None if it was left out."""
        return None if self.audit is None else self.audit.verdict

    @cached_property
    def shares(self) -> list[CellShares]:
        """How many cells of every column are exact, generalized or withheld."""
        return cell_shares(ReleaseFacts.of(self.release))

    def write(
        self, folder: str | Path, *, secret_file: str | Path | None = None, lock: Lock | None = None
    ) -> Published:
        """Write the release folder and, beside it, what only the publisher keeps, as ``tokumei anonymize`` does.

        ``folder`` is made and must not exist, or be empty; ``secret_file`` is where the secret goes (default: the name
        of the folder with ``.secret``). The plan and, if there was one, the audit go beside the folder too; all three
        are encrypted if there is a ``lock``.
        """
        return publish(self, Path(folder), secret_file=None if secret_file is None else Path(secret_file), lock=lock)


def release(
    history: History, plan: Plan, *, threads: int | None = None, audit: bool = True, books: Bookkeeping | None = None
) -> Made:
    """Make a release of a history after a plan; raise LeakError if it would show who is who.

    What the plan leaves open is filled in: the safest good method, its parameters, a key of the system's entropy.
    ``threads`` is how many to use (default: all cores; the result does not depend on it); without ``audit`` the quick
    audit is left out. With ``books`` people stay in the groups of the ledger, and LeakError is raised if the releases
    of it together would leave somebody fewer candidates than promised.
    """
    plan, method = complete(history, plan, threads=threads)
    assert plan.schema is not None
    history = replace(history, schema=plan.schema)
    if plan.seed is None:
        plan = replace(plan, key=plan.key or fresh_key())
    if books is not None and history.schema.demands:
        message = (
            "people who stay in the groups of a ledger cannot be regrouped for what sensitive columns demand; leave "
            "the ledger out, or only measure these columns (sensitive = { l = 1 } in the schema)"
        )
        raise InfeasibleError(message)
    grouped = None if books is None else GroupedRun.of(books, history, method)
    run = None if grouped is None else grouped.anonymize
    published, secret = anonymized(history, method, seed=plan.seed, key=plan.key, run=run)
    refuse_leaks(history, published, secret)
    return Made(
        release=published,
        secret=secret,
        utility=CellError().measure(history, published, secret),
        audit=quick_audit(method, history, published, secret, plan.allow) if audit else None,
        method=method,
        history=history,
        plan=plan,
        booking=None if grouped is None else grouped.booking(published, secret, public_parameters(method)),
    )


def seeded(seed: int | None, *, key: str = "") -> np.random.Generator:
    """Return the generator of a run: repeatable from a seed; without one, cryptographic, from a key (default: fresh).

    Only a run that has no seed keeps its random choices secret (`tokumei.flow.randomness`).
    """
    if seed is not None:
        return np.random.default_rng(seed)
    from tokumei.flow.randomness import key_generator  # noqa: PLC0415 - loads numba, which not every flow needs

    return key_generator(bytes.fromhex(key or fresh_key()))


def anonymized(
    history: History,
    method: Method,
    *,
    seed: int | None = None,
    key: str = "",
    run: Callable[..., tuple[Release, Secret]] | None = None,
) -> tuple[Release, Secret]:
    """Run a method and return the release in published order with its secret; the gate has not seen it yet.

    The method sees the records sorted by subject and content: what it draws does not depend on their order in a file.
    Columns that the schema keeps unchanged are not shown to it; they are put back afterwards. Where the schema has
    grids it sees the coarse history alone (`tokumei.data.coarsening`). ``run`` is called instead of
    ``method.anonymize`` where it is given.
    """
    method.require(history)
    history.schema.check_publishable()
    if history.households is not None and not method.respects_households:
        message = (
            f"the method '{method.name}' as it is set may cover people by their own household; use k-anonymity with "
            "surplus delete or dummy, without split and suppress, or drop the household in the schema"
        )
        raise ParameterError(message, code="households")
    if not history.schema.fields:
        message = "the schema leaves no column to publish; name at least one in it that is not dropped"
        raise SchemaError(message)
    with stage(f"anonymize: {method.name}"):
        seen = _without_kept(history).take(history.order)
        coarse = coarsened(seen) if coarse_columns(seen.schema) else None
        # What is equal in the grid is put in the order of the grid, which alone the method may see.
        order = np.arange(len(seen)) if coarse is None else coarse.history.order
        shown = seen if coarse is None else coarse.history.take(order)
        published, secret = (run or method.anonymize)(shown, rng=seeded(seed, key=key))
        apart = columns_apart(history.schema)
        if apart:
            published = with_values_apart(shown, published, secret)
        if apart and published.apart is None:
            message = (
                f"the method '{method.name}' has no groups whose values of '{apart[0]}' could be published apart; use "
                "k-anonymity, or leave 'apart' out of the schema"
            )
            raise ParameterError(message, code="apart")
    if coarse is not None:
        published = coarse.opened(published)
    real = secret.rows >= 0
    rows = secret.rows.copy()
    rows[real] = history.order[order[rows[real]]]
    published = replace(_with_kept(history, published, rows), parameters=public_parameters(method))
    return in_published_order(published, replace(secret, rows=rows, seed=seed))


def _without_kept(history: History) -> History:
    """Return the history without the columns that the schema keeps unchanged."""
    kept = {field.name for field in history.schema.kept}
    if not kept:
        return history
    schema = replace(history.schema, columns=tuple(column for column in history.schema.columns if not column.keep))
    if not schema.fields:
        message = "the schema keeps every column unchanged, which leaves nothing to anonymize; keep fewer columns"
        raise SchemaError(message)
    codes = {name: column for name, column in history.codes.items() if name not in kept}
    return replace(history, schema=schema, codes=codes)


def _with_kept(history: History, published: Release, rows: Ints) -> Release:
    """Return the release with the columns that the schema keeps, as the original has them; empty in dummy records."""
    if not history.schema.kept:
        return published
    source, dummy = np.maximum(rows, 0), rows < 0
    kept = {field.name: history.cells(field.name).take(source).suppress(dummy) for field in history.schema.kept}
    cells = {field.name: {**published.cells, **kept}[field.name] for field in history.schema.fields}
    return replace(published, schema=history.schema, cells=cells)


def in_published_order(published: Release, secret: Secret) -> tuple[Release, Secret]:
    """Return both with records and people sorted as text, so that their order tells nothing about the original."""
    order = text_order(published)
    published, secret = published.take(order), secret.take(order)
    if published.people is None:
        return published, secret
    order = text_order(published.people)
    people = None if secret.people is None else secret.people[order]
    return replace(published, people=published.people.take(order)), replace(secret, people=people)


def compared_with(method: Method | None, history: History, secret: Secret | None) -> tuple[History, Secret | None]:
    """Return the records that a release stands for, and the secret without rows where those are not the original's.

    A method that completes records publishes some that the original does not have: an attacker completes it likewise.
    """
    if method is None or history.schema.kept:
        return history, secret
    seen = history.take(history.order)
    stands_for = method.generalized(seen)
    if stands_for is seen:
        return history, secret
    return stands_for, None if secret is None else replace(secret, rows=np.empty(0, dtype=np.int64))


def quick_audit(
    method: Method, history: History, published: Release, secret: Secret, allow: Sequence[str] = ()
) -> AuditResult:
    """Return the cheap part of the audit: identical histories, candidates, posteriors; and what was allowed by name."""
    from tokumei.audits import audit_release, with_findings  # noqa: PLC0415 - loads numba and scipy

    k = getattr(method, "k", None)
    with stage("audit"):
        original, known = compared_with(method, history, secret)
        result = audit_release(original, published, known, k=k, time_limit=QUICK_AUDIT_SECONDS, thorough=False)
    refused, allowed = identifier_findings(history, published, allow)
    covered = household_findings(history, published, secret, k)
    return with_findings(result, (*refused, *covered), notes=allowed)
