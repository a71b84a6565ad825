"""The quick audit of very many pseudonyms or candidates: equal histories of distinct owners, counted for all of them.

Who fits whom is a graph whose edges grow with people times candidates. Nobody needs it where the Secret shows that
every published record holds its original (so that the true hypothesis explains the release) and equal histories have
owners enough: that alone is the proof, and candidates beyond those owners only add to it.
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Ints
from tokumei.attacks import published_histories
from tokumei.audits.reasons import Figures, decide
from tokumei.audits.result import AuditResult
from tokumei.audits.rules_kept import rule_figures
from tokumei.audits.truth import MERGED, anonymity_level, true_owners
from tokumei.audits.written import canonical_sets
from tokumei.data import History, Reason, Release, Secret

# Above so many pseudonyms a quick audit that has a proof looks for no further candidates, nor above so many links among
# those that it found: matching 30,162 rows of Adult that are told coarsely takes minutes.
MOST_LOOKED_FOR, MOST_LINKS = 200_000, 1_000_000


def audit_equal_histories(
    history: History, release: Release, secret: Secret, *, k: int, rules: bool = False
) -> AuditResult | None:
    """Return the audit of a release whose equal histories prove k; None where they do not, or some record is changed.

    Everybody must have one pseudonym at most. What it holds of candidates is what is proven: the owners of each
    history. With ``rules`` names and order are tried too, as for a release of which nobody knows how it was named.
    """
    if not _holds_originals(history, release, secret.rows):
        return None
    histories = published_histories(canonical_sets(release))
    owner = true_owners(history, histories, secret)
    if (owner == MERGED).any() or np.bincount(owner).max() > 1:
        return None
    level = anonymity_level(histories, owner)
    if level < k:
        return None
    counts = {"pseudonyms": len(histories.names), "groups": len(histories.first_of)}
    figures = Figures(
        k=k,
        k_asked=True,
        kept=tuple(sorted({field.column for field in history.schema.kept})),
        k_anonymity=level,
        strict=True,
        with_secret=True,
        pseudonyms=len(histories.names),
        subjects=len(history.subjects),
        min_candidates=level,
        seeded=secret.seed is not None,
        attacks=rule_figures(history, histories, owner) if rules else {},
        skipped=(Reason(code="candidates-not-counted", values=counts), Reason(code="cheap-part")),
    )
    return AuditResult(
        k=k,
        subjects=figures.subjects,
        pseudonyms=figures.pseudonyms,
        k_anonymity=level,
        verdict=decide(figures),
        with_secret=True,
        reidentified=dict(figures.attacks),
        min_candidates=level,
        # The owners of equal histories are exchangeable: nobody is named more surely.
        max_posterior=1.0 / level,
    )


def _holds_originals(history: History, release: Release, rows: Ints) -> bool:
    """Return whether every published record holds the values of an original record of its own."""
    if len(rows) != len(release) or not len(rows) or rows.min() < 0 or rows.max() >= len(history):
        return False
    if np.bincount(rows).max() > 1:
        return False
    return all(
        bool((column.contains(history.codes[name][rows]) | column.withheld).all())
        for name, column in release.cells.items()
    )
