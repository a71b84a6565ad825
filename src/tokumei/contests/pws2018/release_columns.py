"""Whether whole columns of a 2018 file A keep the rules, given the same column of T (RULES.md, cells 1 to 5).

Each function takes the cells of rows that have five cells and are not deleted, and returns one `Fault` per cell.
Cells repeat their parts often (a year has few days), so text is split into tokens, every distinct token is read once,
and the rest is arithmetic on integers: days, pence, pieces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Bytes, Floats, Ints

Faults = Bytes

MAX_SET_SIZE = 100
_DAYS_BEFORE_MONTH = np.cumsum([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30])
_DAYS_OF_MONTH = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


class Fault(IntEnum):
    """What is wrong with a cell."""

    NONE = 0
    INVALID = 1
    NOT_CONTAINED = 2
    INCONSISTENT = 3


class _Token(IntEnum):
    """What a piece of an ordered cell is: ``value``, ``[low``, ``high]``, ``*``, or none of them."""

    WRONG = 0
    VALUE = 1
    LOW = 2
    HIGH = 3
    STAR = 4
    ABSENT = 5


def _encode(texts: pl.Series) -> tuple[Ints, pl.Series]:
    """Return the position of each text among the distinct texts (-1 for null), and the distinct texts."""
    distinct = texts.drop_nulls().unique()
    codes = texts.cast(pl.Enum(distinct)).to_physical().cast(pl.Int64)
    return codes.fill_null(-1).to_numpy(), distinct


# --- cells 2, 4 and 5: a value, a range or * ------------------------------------------------------------------------


def _day_numbers(groups: pl.DataFrame) -> tuple[Ints, Bools]:
    """Read year, month, day (years 2010 and 2011 only, neither a leap year) as days since 2009/12/31."""
    year, month, day = (groups[name].cast(pl.Int64).to_numpy() for name in ("a", "b", "c"))
    exists = (month >= 1) & (month <= 12) & (day >= 1)
    place = np.where(exists, month - 1, 0)
    exists &= day <= _DAYS_OF_MONTH[place]
    return (year - 2010) * 365 + _DAYS_BEFORE_MONTH[place] + day, exists


def _pence(groups: pl.DataFrame) -> tuple[Ints, Bools]:
    """Read whole and decimal digits as hundredths; zero is no price."""
    whole = groups["a"].cast(pl.Int64).to_numpy()
    decimals = groups["b"].fill_null("").str.pad_end(2, "0").cast(pl.Int64).to_numpy()
    units = whole * 100 + decimals
    return units, units > 0


def _pieces(groups: pl.DataFrame) -> tuple[Ints, Bools]:
    """Read a whole number; its grammar already excludes zero."""
    units = groups["a"].cast(pl.Int64).to_numpy()
    return units, np.ones(len(units), dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class _Grammar:
    """How a plain value of an ordered column is written and read."""

    pattern: str
    read: Callable[[pl.DataFrame], tuple[Ints, Bools]]


_GRAMMARS = {
    "date": _Grammar("(?<a>2010|2011)/(?<b>[0-9]{1,2})/(?<c>[0-9]{1,2})", _day_numbers),
    "price": _Grammar(r"(?<a>0|[1-9][0-9]{0,4})(?:\.(?<b>[0-9]{1,2}))?", _pence),
    "quantity": _Grammar("(?<a>[1-9][0-9]{0,5})", _pieces),
}


def _read_tokens(tokens: pl.Series, grammar: _Grammar) -> tuple[Ints, Ints]:
    """Return the `_Token` and the value (0 where there is none) of each distinct token."""
    groups = tokens.str.extract_groups(rf"^(?<open>\[)?{grammar.pattern}(?<close>\])?$").struct.unnest()
    matches = groups["a"].is_not_null().to_numpy()
    opened, closed = (groups[name].is_not_null().to_numpy() for name in ("open", "close"))
    kinds = np.full(len(tokens), _Token.WRONG, dtype=np.int64)
    kinds[(tokens == "*").to_numpy()] = _Token.STAR
    kinds[matches & ~opened & ~closed] = _Token.VALUE
    kinds[matches & opened & ~closed] = _Token.LOW
    kinds[matches & closed & ~opened] = _Token.HIGH
    values = np.zeros(len(tokens), dtype=np.int64)
    values[matches], allowed = grammar.read(groups.filter(pl.Series(matches)))
    kinds[np.flatnonzero(matches)[~allowed]] = _Token.WRONG
    return kinds, values


def original_values(column: str, texts: pl.Series) -> Floats:
    """Return the T values of an ordered column in days, pence or pieces; NaN where no cell of A could contain it.

    T is compared as a number and may be written more freely than A (``2.100``); a day outside 2010 and 2011 is in no
    allowed range, so it needs no number.
    """
    if column == "date":
        codes, distinct = _encode(texts)
        kinds, values = _read_tokens(distinct, _GRAMMARS[column])
        return np.where(kinds == _Token.VALUE, values, np.nan)[codes]
    numbers = texts.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
    return np.round(numbers * 100.0, 6) if column == "price" else numbers


def check_ranges(column: str, cells: pl.Series, originals: Floats) -> Faults:
    """Check a column of dates, prices or quantities against the values of `original_values`."""
    parts = cells.str.splitn(";", 2).struct.unnest().to_dict()
    low_text, high_text = parts.values()
    codes, distinct = _encode(pl.concat([low_text, high_text]))
    kinds, values = _read_tokens(distinct, _GRAMMARS[column])
    # Code -1 (no second token) picks the entry appended at the end.
    kind_low, kind_high = np.split(np.append(kinds, _Token.ABSENT)[codes], 2)
    low, high = np.split(np.append(values, 0)[codes], 2)
    single = kind_high == _Token.ABSENT
    star = single & (kind_low == _Token.STAR)
    plain = single & (kind_low == _Token.VALUE)
    ranged = (kind_low == _Token.LOW) & (kind_high == _Token.HIGH) & (low <= high)
    contained = (low <= originals) & (originals <= np.where(plain, low, high))
    faults = np.where(contained, np.uint8(Fault.NONE), np.uint8(Fault.NOT_CONTAINED))
    faults[~(plain | ranged)] = Fault.INVALID
    faults[star] = Fault.NONE
    return faults


# --- cell 3: a value, a set or * ------------------------------------------------------------------------------------


def check_goods(cells: pl.Series, originals: pl.Series, known: pl.Series) -> Faults:
    """Check the goods column; ``known`` are the distinct goods of T."""
    fits = (cells == originals) | (cells == "*")
    faults = np.where(fits.to_numpy(), np.uint8(Fault.NONE), np.uint8(Fault.NOT_CONTAINED))
    braced = cells.str.starts_with("{") & cells.str.ends_with("}") & (cells.str.len_bytes() > 2)
    rows = np.flatnonzero(braced.to_numpy())
    inside = cells[rows].str.slice(1).str.head(-1)
    nested = inside.str.contains("[{}]")
    if nested.any():
        rows, inside = rows[~nested.to_numpy()], inside.filter(~nested)
    if len(rows):
        faults[rows] = _check_sets(inside, originals[rows], known)
    return faults


def _check_sets(inside: pl.Series, originals: pl.Series, known: pl.Series) -> Faults:
    """Check well-formed sets, given what stands between their braces."""
    dictionary = pl.Enum(known.filter(known != "").sort())
    lists = inside.str.split(";")
    sizes = lists.list.len().cast(pl.Int64).to_numpy()
    owners = np.repeat(np.arange(len(sizes)), sizes)
    codes = lists.explode().cast(dictionary, strict=False).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    wanted = originals.cast(dictionary, strict=False).to_physical().cast(pl.Int64).fill_null(-2).to_numpy()
    faults = np.full(len(sizes), Fault.NOT_CONTAINED, dtype=np.uint8)
    faults[owners[codes == wanted[owners]]] = Fault.NONE
    faults[sizes > MAX_SET_SIZE] = Fault.INVALID
    faults[owners[codes < 0]] = Fault.INVALID
    faults[_with_repetition(codes, owners)] = Fault.INVALID
    return faults


def _with_repetition(codes: Ints, owners: Ints) -> Ints:
    """Return the sets that hold an element twice (some of them more than once)."""
    # Ascending sets, the usual way to write them, need no sorting.
    falls = (codes[1:] <= codes[:-1]) & (owners[1:] == owners[:-1])
    if not falls.any():
        return owners[:0]
    base = codes.max() + 2
    keys = np.sort(owners * base + codes + 1)
    repeated: Ints = keys[1:][keys[1:] == keys[:-1]] // base
    return repeated


# --- cell 1: the pseudonym ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class Conflicts:
    """For inconsistent rows: the earlier rows that gave the customer, or the pseudonym, its partner (-1: none)."""

    customer_row: Ints
    pseudonym_row: Ints


def check_pseudonyms(cells: pl.Series, customers: pl.Series) -> tuple[Faults, Conflicts | None]:
    """Check that pseudonyms are well-formed and one-to-one with the customers, the first pair winning."""
    codes, distinct = _encode(cells)
    allowed = distinct.str.contains("^[1-9][0-9]{0,8}$").to_numpy()[codes]
    faults = np.where(allowed, np.uint8(Fault.NONE), np.uint8(Fault.INVALID))
    rows = np.flatnonzero(allowed)
    pseudonym, customer = codes[rows], _encode(customers)[0][rows]
    if _one_to_one(pseudonym, customer) and _one_to_one(customer, pseudonym):
        return faults, None
    wrong, customer_row, pseudonym_row = _first_pairs_win(customer, pseudonym)
    faults[rows[wrong]] = Fault.INCONSISTENT
    conflicts = Conflicts(*(np.full(len(faults), -1, dtype=np.int64) for _ in range(2)))
    for target, found in ((conflicts.customer_row, customer_row), (conflicts.pseudonym_row, pseudonym_row)):
        target[rows[wrong]] = np.where(found >= 0, rows[found], -1)[wrong]
    return faults, conflicts


def _one_to_one(keys: Ints, values: Ints) -> bool:
    """Return whether equal keys always come with equal values."""
    partner = np.zeros(keys.max(initial=-1) + 1, dtype=np.int64)
    partner[keys] = values
    return bool((partner[keys] == values).all())


def _first_pairs_win(customer: Ints, pseudonym: Ints) -> tuple[Bools, Ints, Ints]:
    """Walk the distinct pairs in order of appearance; one that contradicts a remembered pair is not remembered.

    Returns which rows contradict, and for every row the earlier row that paired its customer and its pseudonym.
    """
    keys = customer * (pseudonym.max() + 1) + pseudonym
    _, first, pair_of_row = np.unique(keys, return_index=True, return_inverse=True)
    pair_customer, pair_pseudonym = customer[first], pseudonym[first]
    # A pair whose customer and pseudonym are in no other pair is remembered; only the others must be walked.
    contested = np.bincount(pair_customer)[pair_customer] > 1
    contested |= np.bincount(pair_pseudonym)[pair_pseudonym] > 1
    accepted = ~contested
    order = np.flatnonzero(contested)
    order = order[np.argsort(first[order])]
    taken_customers: set[int] = set()
    taken_pseudonyms: set[int] = set()
    walk = zip(order.tolist(), pair_customer[order].tolist(), pair_pseudonym[order].tolist(), strict=True)
    for pair, one_customer, one_pseudonym in walk:
        if one_customer not in taken_customers and one_pseudonym not in taken_pseudonyms:
            accepted[pair] = True
            taken_customers.add(one_customer)
            taken_pseudonyms.add(one_pseudonym)
    rows = np.arange(len(customer))
    earlier: list[Ints] = []
    for pair_end, row_end in ((pair_customer, customer), (pair_pseudonym, pseudonym)):
        row_of = np.full(row_end.max() + 1, -1, dtype=np.int64)
        row_of[pair_end[accepted]] = first[accepted]
        found = row_of[row_end]
        earlier.append(np.where(found < rows, found, -1))
    return ~accepted[pair_of_row], earlier[0], earlier[1]
