"""How the values of a column are spread over people: what columns that name people are recognized by.

Everything is a count or a sample of fixed size, so that it can be found for data that is not held too: of the records
of every batch it is enough to know the least and the greatest value of every subject, and the least and the greatest
subject of every value.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

# A column is constant if so many people have one value in it.
CONSTANT = 0.95
# So many distinct values of a column are looked at, and so many pairs of a subject and a value of its own.
SAMPLED_VALUES, SAMPLED_PAIRS = 5_000, 500


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ValueSpread:
    """How many people and values a field has, and how they belong together; what is missing is no value.

    ``people`` are all, ``present`` those with a value, ``single`` those with one value only, ``owning`` those with a
    value that nobody else has. ``distinct`` values there are, ``lone`` of them with one owner, in ``pairs`` pairs of
    a person and a value. ``values`` are some of the values as text, ``owned`` some of the pairs whose value has one
    owner: ``subject`` (its number) and ``value``. ``span`` counts the whole numbers from the least to the greatest.
    """

    people: int
    present: int
    single: int
    owning: int
    distinct: int
    lone: int
    pairs: int
    values: pl.Series
    owned: pl.DataFrame
    span: float = 0.0

    @classmethod
    def of_pairs(cls, pairs: pl.DataFrame, people: int, *, span: float = 0.0) -> ValueSpread:
        """Count ``pairs``, which has every pair of a ``subject`` and a ``value`` (as text) once."""
        lone = pairs.filter(pl.len().over("value") == 1)
        values = pairs["value"].unique()
        return cls(
            people=people,
            present=pairs["subject"].n_unique(),
            single=int(pairs.select((pl.len().over("subject") == 1).sum()).item()),
            owning=lone["subject"].n_unique(),
            distinct=len(values),
            lone=len(lone),
            pairs=len(pairs),
            values=some_values(values),
            owned=some_owned(lone),
            span=span,
        )

    @property
    def constant(self) -> bool:
        """Whether nearly all people have one value only."""
        return self.single >= CONSTANT * max(self.present, 1)

    @property
    def own(self) -> float:
        """The share of the people with a value that nobody else has."""
        return self.owning / max(self.people, 1)


def some_values(values: pl.Series) -> pl.Series:
    """Return at most so many of some distinct texts, from all over their order."""
    return values.sort().gather_every(max(1, -(-len(values) // SAMPLED_VALUES)))


def some_owned(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return so many pairs of a subject and a value, or not twice as many, from all over their order."""
    return pairs.sort("subject", "value").gather_every(max(1, len(pairs) // SAMPLED_PAIRS))
