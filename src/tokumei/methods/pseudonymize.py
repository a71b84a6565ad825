"""Replace subject ids by pseudonyms and change nothing else: the baseline that shows why more is needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import MISSING, History, Kind, Release, Secret
from tokumei.errors import ParameterError
from tokumei.methods.pseudonyms import draw_pseudonyms, exchange_by_period, keyed_pseudonyms, new_key, renewals
from tokumei.parts import Method, parameter

SECONDS_PER_DAY = 86_400
# The first day of year 1 stands for records without a date.
UNDATED = -719_162


@dataclass(frozen=True, kw_only=True)
class Pseudonymize(Method):
    """Pseudonyms only.

    Protects against nobody who knows a few records of a person: every record stays as it was. Renewal cuts a history
    into shorter ones, exchange mixes whole histories; neither hides a record that is unique by itself.
    """

    name: ClassVar[str] = "pseudonymize"
    summary: ClassVar[str] = "replace subject ids by pseudonyms, keep all records as they are"
    source: ClassVar[str] = "PWS Cup 2016, pseudonymization"
    valid_under: ClassVar[frozenset[str]] = frozenset({"pws2018"})

    style: str = parameter("random", "random numbers, or keyed digests", choices=("random", "keyed"))
    length: int = parameter(16, "hexadecimal digits of a keyed pseudonym", low=8, high=64)
    period: str = parameter("never", "renew pseudonyms by calendar", choices=("never", "day", "week", "month", "year"))
    count: int = parameter(0, "renew a pseudonym after this many records (0: never)", low=0)
    exchange: float = parameter(
        0.0, "instead of fresh pseudonyms at a renewal, this share of the old ones changes hands", low=0.0, high=1.0
    )

    def __post_init__(self) -> None:
        """Check the parameters, also against each other."""
        super().__post_init__()
        if self.period != "never" and self.count:
            raise ParameterError("'pseudonymize': renew pseudonyms by period or by count, not by both")
        if self.exchange and self.period == "never" and not self.count:
            raise ParameterError("'pseudonymize': pseudonyms are exchanged at renewals; set period or count too")

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the records under pseudonyms, in random order."""
        chunk = period = history.subject
        if self.period != "never" or self.count:
            when = _days(history) if self.period != "never" else _ranks(history)
            chunk, period = renewals(history.subject, when, period=self.period, count=self.count)
        first = np.unique(chunk, return_index=True)[1]
        holder = history.subject[first]
        slot, identities = np.arange(len(first)), history.subjects
        if self.exchange:
            slot = exchange_by_period(holder, period[first], share=self.exchange, rng=rng)
        elif self.period != "never" or self.count:
            identities = history.subjects[holder] + ":" + pl.Series(slot).cast(pl.String)
        key = new_key() if self.style == "keyed" else None
        if key is None:
            names = draw_pseudonyms(len(identities), rng=rng, avoid=history.subjects)
        else:
            names = keyed_pseudonyms(identities, key, length=self.length)
        rows = rng.permutation(len(history)).astype(np.int64)
        cells = {spec.name: history.cells(spec.name).take(rows) for spec in history.schema.fields}
        owners = pl.DataFrame({"pseudonym": names[slot], "subject": history.subjects[holder]})
        release = Release(history.schema, names[slot[chunk[rows]]], cells, self.name)
        return release, Secret(owners.unique().sort("pseudonym", "subject"), rows, key)


def _days(history: History) -> Ints:
    """Return the day of every record, from the first date or datetime column; those without form a period."""
    for spec in history.schema.fields:
        codes = history.codes[spec.name]
        if spec.kind is Kind.DATE:
            return np.where(codes == MISSING, UNDATED, codes)
        if spec.kind is Kind.DATETIME:
            return np.where(codes == MISSING, UNDATED, codes // SECONDS_PER_DAY)
    raise ParameterError("'pseudonymize': renewal by period needs a date or datetime column; the schema has none")


def _ranks(history: History) -> Ints:
    """Return the position of every record within its subject's history."""
    rank = np.empty(len(history), dtype=np.int64)
    rank[history.order] = np.arange(len(history)) - np.repeat(history.offsets[:-1], history.counts())
    return rank
