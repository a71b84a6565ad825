"""Which pseudonyms a release may use again, and for whom.

``renewed`` (the default): everybody gets a fresh pseudonym in every release. ``stable``: the same audience sees the
same pseudonyms again. ``for:NAME``: the recipient of this name has pseudonyms of its own, the same in every release
that it gets and others than anybody else's.

All pseudonyms are drawn at random and kept in the ledger; no key computes one from an id, so that who is forgotten
cannot be found again. A group keeps its pseudonyms only as long as exactly the same people are in it: if one of them
left, the pseudonym that is missing would be the one who left. Then the whole group gets fresh ones.
"""

from __future__ import annotations

import polars as pl

from tokumei.errors import ParameterError
from tokumei.ledgers.book import Ledger

RENEWED, STABLE, FOR = "renewed", "stable", "for:"


def audience_of(pseudonyms: str) -> str:
    """Return who sees the same pseudonyms again, empty for nobody; refuse any other text."""
    if pseudonyms == RENEWED:
        return ""
    if pseudonyms == STABLE or (pseudonyms.startswith(FOR) and pseudonyms.removeprefix(FOR).strip()):
        return pseudonyms
    message = f"pseudonyms must be renewed, stable or for:NAME (a recipient), got '{pseudonyms[:40]}'"
    raise ParameterError(message)


def kept_pseudonyms(ledger: Ledger, audience: str, table: pl.DataFrame) -> pl.DataFrame:
    """Return the person and pseudonym of all who keep theirs in a release of persons and cohorts for this audience."""
    seen = [entry.number for entry in ledger.entries if audience and entry.audience == audience]
    earlier = ledger.published.filter(pl.col("release").is_in(seen), pl.col("cohort").is_in(table["cohort"].implode()))
    last = earlier.filter(pl.col("release") == pl.col("release").max().over("cohort"))
    both = last.join(table.select("person", "cohort"), on=["person", "cohort"], how="inner")
    sizes = [
        rows.group_by("cohort").agg(pl.len().alias(name))
        for name, rows in (("before", last), ("now", table), ("both", both))
    ]
    counted = sizes[0].join(sizes[1], on="cohort").join(sizes[2], on="cohort")
    same = counted.filter(pl.col("before") == pl.col("now"), pl.col("before") == pl.col("both"))["cohort"]
    return both.filter(pl.col("cohort").is_in(same.implode())).select("person", "pseudonym")
