"""Collects what a report of a release shows: the audit with its tables, attacks, scores, the data before and after.

Everything about people goes in as counts, shares and pseudonyms; the Secret is used to check attacks and stays behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Any

import polars as pl

from tokumei.audits import AuditResult, AuditSettings, candidate_counts, posterior_counts, worst_groups
from tokumei.data import Evidence, History, Release, Verdict
from tokumei.errors import ParameterError
from tokumei.flow import (
    Keeper,
    Made,
    Measured,
    Opened,
    audit,
    compare,
    extra_attacks,
    measure_all,
    plan_runs,
    run_frame,
)
from tokumei.metrics import (
    column_distributions,
    correlations,
    measure_usefulness,
    place_points,
    place_rectangles,
    rfm_before_after,
    top_values,
)
from tokumei.parts import find_part
from tokumei.profiles import unicity
from tokumei.progress import stage
from tokumei.reports.material import Identity, Material

# What stands for a pseudonym that is the id of a subject.
MASK = "•••"
# The values of a reason that name subjects: no document has them.
NAMING = frozenset({"example", "names", "owners"})


def collect_material(
    released: Made | Opened,
    settings: AuditSettings | None = None,
    *,
    levels: Sequence[int] = (),
    trade_off: pl.DataFrame | None = None,
    identity: Identity | None = None,
) -> Material:
    """Audit a release, measure it, and return all that its report shows.

    With ``levels`` its method is run again with these k for the trade-off, which may be given as a table instead;
    the time limit and the seed of the settings are those of these runs too.
    """
    asked = settings or AuditSettings()
    history, release, secret = released.history, released.release, released.secret
    whole = released.whole if isinstance(released, Opened) else None
    if levels:
        trade_off = k_curve(
            history,
            release.method,
            levels,
            parameters=released.parameters,
            seed=asked.seed,
            time_limit=asked.time_limit,
        )
    with stage("audit"):
        result = audit(released, asked)
    with stage("before and after"):
        kept = Keeper.of(released)
        changes = partial(_utility, history, release)
        utility, rfm_overlap = kept.remember("before-after", "", changes, fresh=asked.fresh)
    # Every metric, and the attacks beside those of the audit, need the Secret.
    measured, extra = Measured([], [], []), dict[str, tuple[float, float]]()
    if secret is not None:
        measured = kept.remember("measures", "", partial(measure_all, released), fresh=asked.fresh)
        attacked = partial(extra_attacks, released, seed=asked.seed)
        extra = kept.remember("attacks", str(asked.seed), attacked, fresh=asked.fresh)
    return Material(
        method=release.method,
        k=result.k,
        verdict=_without_ids(result.verdict, history),
        with_secret=result.with_secret,
        figures=_figures(released, result),
        attacks=_attacks(result, extra),
        findings={name: figure.detail for name, figure in result.reidentified.items() if figure.detail is not None},
        parameters=dict(released.parameters),
        protection=_protection(result, history),
        scores=measured.scores,
        warnings=measured.failed,
        utility=utility,
        rfm_overlap=rfm_overlap,
        trade_off=trade_off,
        version=version("tokumei"),
        answers=result.answers,
        recipient=result.recipient,
        # Among fewer people everybody is rarer: a sample says nothing of it.
        unicity=kept.remember("unicity", "", partial(unicity, history), fresh=asked.fresh) if whole is None else None,
        sampled=None if whole is None else len(history.subjects),
        usefulness=kept.remember("usefulness", "", partial(measure_usefulness, history, release), fresh=asked.fresh),
        identity=_identity(identity, result),
        columns=history.schema.columns,
        subject=history.schema.subject,
    )


def _identity(identity: Identity | None, result: AuditResult) -> Identity:
    """Return what a document is about, with the hashes of the very bytes that were judged where they are known."""
    told = identity or Identity()
    return replace(told, digests=result.digests) if result.digests else told


def _figures(released: Made | Opened, audit: AuditResult) -> dict[str, float | None]:
    whole = released.whole if isinstance(released, Opened) else None
    before, after = len(released.history), len(released.release)
    if whole is not None:
        before, after = whole.survey.records, sum(part.rows for part in whole.folder.parts)
    baseline = [figure.baseline for name, figure in audit.reidentified.items() if name == "matching-posterior"]
    return {
        "records_before": before,
        "records_after": after,
        "subjects": audit.subjects,
        "pseudonyms": audit.pseudonyms,
        "k": audit.k,
        "k_anonymity": audit.k_anonymity,
        "k_concealment": audit.k_concealment,
        "min_candidates": audit.min_candidates,
        "mean_candidates": audit.mean_candidates,
        "components": audit.components,
        "largest_component": audit.largest_component,
        "max_posterior": audit.max_posterior,
        "share_posterior_over_95": audit.share_posterior_over_95,
        "expected_hits": audit.expected_hits,
        "random_hits": baseline[0] * audit.pseudonyms if baseline else None,
        "chain_difference": None if audit.max_posterior is None else audit.chain_difference,
    }


def _attacks(audit: AuditResult, extra: Mapping[str, tuple[float, float]]) -> pl.DataFrame:
    """Return what every attack names, with those beside the audit's."""
    rows: list[dict[str, object]] = [
        {"attack": name, "share": figure.share, "baseline": figure.baseline, "observed": figure.observed}
        for name, figure in audit.reidentified.items()
    ]
    rows += [
        {"attack": name, "share": share, "baseline": baseline, "observed": share}
        for name, (share, baseline) in extra.items()
    ]
    kinds = {"attack": pl.String, "share": pl.Float64, "baseline": pl.Float64, "observed": pl.Float64}
    return pl.DataFrame(rows, schema=kinds)


def _without_ids(verdict: Verdict, history: History) -> Verdict:
    """Return a verdict that names no subject: a bad release may use their ids as pseudonyms."""
    reasons = []
    for reason in verdict.reasons:
        values = {key: value for key, value in reason.values.items() if key not in NAMING}
        if "pseudonym" in values and _are_ids(pl.Series([str(values["pseudonym"])]), history).any():
            values["pseudonym"] = MASK
        reasons.append(replace(reason, values=values))
    return replace(verdict, reasons=tuple(reasons))


def _are_ids(names: pl.Series, history: History) -> pl.Series:
    """Return which names of pseudonyms are subjects, as they stand or before the number of a record judged alone."""
    subjects = history.subjects.implode()
    return names.is_in(subjects) | names.str.replace(r" \(record \d+\)$", "").is_in(subjects)


def _protection(audit: AuditResult, history: History) -> Evidence:
    pseudonyms = audit.evidence.tables.get("pseudonyms")
    if pseudonyms is None:
        return Evidence()
    worst = worst_groups(pseudonyms)
    tables = {
        "posteriors": posterior_counts(pseudonyms, k=audit.k),
        "candidates": candidate_counts(pseudonyms),
        "worst": worst.with_columns(
            pl.when(_are_ids(worst["pseudonym"], history)).then(pl.lit(MASK)).otherwise("pseudonym").alias("pseudonym")
        ),
    }
    return Evidence(tables)


def _utility(history: History, release: Release) -> tuple[Evidence, float | None]:
    tables = dict(column_distributions(history, release).tables)
    for spec in history.schema.fields:
        if spec.nominal:
            tables[f"top {spec.name}"] = top_values(history, release, spec.name)
    tables["correlations"] = correlations(history, release)
    points, rectangles = place_points(history), place_rectangles(history, release)
    if points is not None and rectangles is not None:
        tables |= {"points": points, "rectangles": rectangles}
    rfm = rfm_before_after(history, release)
    if rfm is None:
        return Evidence(tables), None
    return Evidence({**tables, "rfm classes": rfm[0], "rfm grid": rfm[1]}), rfm[2]


def k_curve(
    history: History,
    method: str,
    ks: Sequence[int],
    *,
    parameters: Mapping[str, Any] | None = None,
    seed: int | None = None,
    time_limit: float | None = None,
) -> pl.DataFrame:
    """Run the method of a release again with other k and return the trade-off; its other parameters stay."""
    known = {info.name for info in find_part("anonymizer", method).parameters()}
    if "k" not in known:
        message = f"the method '{method}' has no k; leave --k-curve out"
        raise ParameterError(message, code="usage")
    settings = {
        name: value for name, value in (parameters or {}).items() if name in known and name != "k" and value is not None
    }
    runs = plan_runs([method], ks, {method: settings})
    # The release exists already: the gate has spoken, and the curve only tells what another k would have given.
    allow = [column.name for column in history.schema.columns if not column.drop]
    return run_frame(compare(history, runs, allow=allow, seed=seed, time_limit=time_limit, measures=False))
