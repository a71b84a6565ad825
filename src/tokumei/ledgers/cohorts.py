"""Who may be published with whom, so that no sequence of releases leaves fewer than k candidates.

A cohort is a group as it was first published. Release t shows of a cohort the set S_t of members who were there then.
For a person u let C_u be the people who were in every S_t that u was in. The promise (docs/ledger.md proves what it
gives; after m-invariance, Xiao and Tao 2007, for histories and without counterfeits):

    for every person u that is published, |C_u| >= k, where k is the largest of the releases that u is in.

A new release may show the set S of a cohort if every u in S has at least k people of C_u in S. The condition only gets
easier with a larger S, so that there is one largest S: start from all members who are present and take those out for
whom it fails, until it fails for nobody. Who is taken out is withheld; so are newcomers while they are fewer than k.
Nobody is ever moved to another cohort: then C_u would be cut down to those who moved along.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Ints
from tokumei.ledgers.book import Ledger

_BITS = 63


@dataclass(frozen=True, eq=False, slots=True)
class Standing:
    """What may happen to each subject: ``cohort`` is its number if the subject is published with it again, else -1.

    ``newcomer`` says who was never published; ``broken`` counts who is withheld because too few of the own cohort are
    left, ``waiting`` newcomers who are too few for a group.
    """

    cohort: Ints
    newcomer: Bools
    broken: int
    waiting: int

    def kept(self) -> tuple[Ints, list[Ints]]:
        """Return the numbers of the cohorts that are published again, and the subjects of each."""
        order = np.flatnonzero(self.cohort >= 0)
        order = order[np.argsort(self.cohort[order], kind="stable")]
        numbers, starts = np.unique(self.cohort[order], return_index=True)
        return numbers.astype(np.int64), np.split(order, starts[1:]) if len(numbers) else []


@dataclass(frozen=True, eq=False, slots=True)
class Candidates:
    """For every person of a release: how many candidates it leaves alone, and together with all other releases."""

    alone: Ints
    together: Ints
    promised: Ints

    @property
    def fewest(self) -> int:
        """The candidates of whoever has fewest."""
        return int(self.together.min()) if len(self.together) else 0

    @property
    def kept(self) -> bool:
        """Whether nobody has fewer candidates than were promised."""
        return bool((self.together >= self.promised).all())


def standing_of(ledger: Ledger, persons: pl.Series, k: int) -> Standing:
    """Return who of these people (their hashes) may be published in which cohort, in a release with this k."""
    numbered = pl.DataFrame({"person": persons, "place": np.arange(len(persons))})
    known = ledger.published.join(numbered, on="person", how="inner").sort("place", "release")
    cohort = np.full(len(persons), -1, dtype=np.int64)
    place = known["place"].to_numpy()
    cohort[place] = known["cohort"].to_numpy()
    present = np.flatnonzero(cohort >= 0)
    within = np.searchsorted(present, place)
    seen = _presence(within, known["release"].to_numpy(), len(present), ledger)
    need = _promised(within, known["release"].to_numpy(), len(present), ledger, k)
    stays = _largest_sound(cohort[present], seen, need)
    newcomer = cohort < 0
    waiting = int(newcomer.sum()) if newcomer.sum() < k else 0
    kept = np.full(len(persons), -1, dtype=np.int64)
    kept[present[stays]] = cohort[present[stays]]
    return Standing(kept, newcomer & (waiting == 0), int((~stays).sum()), waiting)


def candidate_sets(ledger: Ledger, number: int) -> Candidates:
    """Count the candidates of everybody in one release of the ledger, alone and through all releases.

    The count holds whatever the groups are, also if somebody should have been in different cohorts.
    """
    persons = ledger.published["person"].unique().sort()
    numbered = pl.DataFrame({"person": persons, "place": np.arange(len(persons))})
    rows = ledger.published.join(numbered, on="person", how="inner").select("place", "release", "cohort")
    place, release = rows["place"].to_numpy(), rows["release"].to_numpy()
    shown = np.full((len(persons), len(ledger.entries) + 1), -1, dtype=np.int64)
    shown[place, release] = rows["cohort"].to_numpy()
    # Who shares all groups of somebody shares the first one: nobody else need be compared.
    first = rows.sort("place", "release").unique("place", keep="first", maintain_order=True)
    pairs = first.join(rows.rename({"place": "other"}), on=["release", "cohort"])
    own, other = shown[pairs["place"].to_numpy()], shown[pairs["other"].to_numpy()]
    shared = ((own < 0) | (own == other)).all(axis=1)
    together = np.bincount(pairs["place"].to_numpy()[shared], minlength=len(persons))
    inside = rows.filter(pl.col("release") == number).with_columns(pl.len().over("cohort").alias("size"))
    members = inside["place"].to_numpy()
    need = _promised(place, release, len(persons), ledger, 1)
    return Candidates(inside["size"].to_numpy().astype(np.int64), together[members], need[members])


def _presence(place: Ints, release: Ints, count: int, ledger: Ledger) -> Ints:
    """Return, per person, which releases show the person, as bits of one line of numbers."""
    words = np.zeros((count, len(ledger.entries) // _BITS + 1), dtype=np.int64)
    np.bitwise_or.at(words, (place, release // _BITS), np.left_shift(1, release % _BITS))
    return words


def _promised(place: Ints, release: Ints, count: int, ledger: Ledger, k: int) -> Ints:
    """Return the largest k of the releases that each person is in, at least this one."""
    level = np.zeros(max([entry.number for entry in ledger.entries], default=0) + 1, dtype=np.int64)
    for entry in ledger.entries:
        level[entry.number] = entry.k
    need = np.full(count, k, dtype=np.int64)
    np.maximum.at(need, place, level[release])
    return need


def _containments(cohort: Ints, seen: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the kind of each person (cohort and releases), and the pairs of kinds of one cohort, smaller in larger."""
    lines, kind = np.unique(np.column_stack((cohort, seen)), axis=0, return_inverse=True)
    table = pl.DataFrame({"cohort": lines[:, 0], "kind": np.arange(len(lines))})
    pairs = table.join(table, on="cohort", how="inner", suffix="_other")
    small, large = pairs["kind"].to_numpy(), pairs["kind_other"].to_numpy()
    inside = ((lines[small, 1:] & ~lines[large, 1:]) == 0).all(axis=1)
    return kind.ravel().astype(np.int64), small[inside], large[inside]


def _covered(kind: Ints, small: Ints, large: Ints, alive: Bools) -> Ints:
    """Return, per person, how many of those alive were in every release that the person was in."""
    kinds = int(kind.max(initial=-1)) + 1
    sizes = np.bincount(kind[alive], minlength=kinds)
    counted = np.bincount(small, weights=sizes[large], minlength=kinds).astype(np.int64)
    return counted[kind]


def _largest_sound(cohort: Ints, seen: Ints, need: Ints) -> Bools:
    """Return the largest set of people in which everybody has as many candidates as were promised."""
    alive = np.ones(len(cohort), dtype=np.bool_)
    kind, small, large = _containments(cohort, seen)
    while True:
        lacking = alive & (_covered(kind, small, large, alive) < need)
        if not lacking.any():
            return alive
        alive &= ~lacking
