"""Whose history a record is: which columns may say so, which of them is proposed, and what makes that doubtful.

A proposal is read by a person before data is handed out. Where the columns leave a doubt, `anonymize` stops and asks;
`describe` shows the candidates beside each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tokumei.data import ROW_SUBJECT, Column, Kind, Schema
from tokumei.errors import SchemaError
from tokumei.profiles.infer_kinds import MEASURED_NAMES, NOMINAL_NAMES, name_tokens
from tokumei.words import Message

# Words that name a person, the plainest first.
_PERSON_WORDS = ("subject", "pseudonym", "person", "customer", "user", "member", "patient", "client", "cardholder")
_PERSON_NAMES = ("id", "uid", "pid")
_PERSON_SIGNS = ("顧客", "会員", "利用者", "患者", "仮名")
# Behind a word for a person only these leave it an id: a customer_id is a person, a user_agent is not.
_ID_WORDS = frozenset(["id", "ids", "no", "nr", "num", "number", "code", "key", "uid", "uuid", "ref", "hash", "index"])
_ROW_NAMES = frozenset(["row", "rows", "rowname", "rownames", "rowid", "rownum", "rownumber", "index", "unnamed"])
# What the names of things have in common with nobody.
_THING_NAMES = (NOMINAL_NAMES | MEASURED_NAMES) - {"id", "code", "name"}
# Below so few rows a column that repeats is taken for the subject however often it repeats; chance makes doubts longer.
_TINY_TABLE, _SMALL_TABLE = 20, 100
# More values than this share of the rows, but not all: neither a table of people nor their histories.
NEARLY_UNIQUE, MOSTLY_EMPTY = 0.9, 0.2
SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A column that may say whose record it is: how many values, how many records have none, what its name says."""

    column: str
    distinct: int
    records: int
    empty: int
    named: bool
    row_numbers: bool

    @property
    def per_value(self) -> float:
        """How many records a value has on average."""
        return (self.records - self.empty) / max(self.distinct, 1)

    @property
    def doubt(self) -> Message | None:
        """What speaks against this column, None if nothing does."""
        if self.records < _SMALL_TABLE:
            return None
        values: dict[str, object] = {"column": self.column, "share": self.empty / self.records}
        if self.empty > MOSTLY_EMPTY * self.records:
            return Message("subject.mostly-empty", values)
        if self.row_numbers and not self.named:
            return Message("subject.row-numbers", values)
        unique = self.distinct / max(self.records - self.empty, 1)
        if NEARLY_UNIQUE < unique < 1.0:
            return Message("subject.nearly-unique", values | {"share": unique})
        return None

    def as_dict(self) -> dict[str, object]:
        """Return plain values, as ``--json`` prints them."""
        return {
            "column": self.column,
            "distinct": self.distinct,
            "records_per_value": self.per_value,
            "empty": self.empty,
            "named_after_a_person": self.named,
            "row_numbers": self.row_numbers,
            "doubt": None if self.doubt is None else str(self.doubt),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The column that seems to say whose record it is (or ``row``), why, its rivals, and what makes it doubtful."""

    subject: str
    why: Message
    candidates: tuple[Candidate, ...] = ()
    doubt: Message | None = None

    def refuse_doubt(self, file: str) -> None:
        """Raise SchemaError if a person has to decide."""
        if self.doubt is not None:
            message = Message("subject.stop", {"file": file, "doubt": self.doubt})
            raise SchemaError(message, code="subject", file=None if file == "frame" else file)


def propose_subject(frame: pl.DataFrame, columns: Mapping[str, Column]) -> Proposal:
    """Return who the records seem to be of, from the names and values of the columns.

    ``columns`` says what kind each column is. The subject is the column named after a person (customer, user, patient,
    id ...); else the first column that repeats, dates aside, if it has many values (their square reaches the number of
    rows), or a column of keys before it; else every row is a person of its own (``row``).
    """
    named = named_after_people(frame.columns)
    found = [_candidate(frame[name], name in named) for name in columns if name in named or _possible(columns[name])]
    candidates = tuple(sorted(found, key=lambda one: (not one.named, one.row_numbers)))
    if named:
        chosen, why = named[0], Message("subject.by-name", {"column": named[0]})
    else:
        chosen = _repeating_subject(frame, columns)
        why = Message("subject.by-values", {"column": chosen})
        why = Message("subject.every-row") if chosen == ROW_SUBJECT else why
    doubt = _doubt(chosen, candidates, [name for name in named if name in frame.columns], frame.height)
    return Proposal(subject=chosen, why=why, candidates=candidates[:SHOWN], doubt=doubt)


def named_after_people(names: Sequence[str]) -> list[str]:
    """Return the columns whose names say that they are people, the plainest first.

    >>> named_after_people(["user_agent", "UserID", "subject_injury", "rownames"])
    ['UserID']
    """
    words = {name: name_tokens(name) for name in names}
    found = [name for person in _PERSON_WORDS for name, parts in words.items() if _is_person(parts, person)]
    found += [name for name in names if name.lower() in _PERSON_NAMES or any(sign in name for sign in _PERSON_SIGNS)]
    return list(dict.fromkeys(found))


def _is_person(parts: Sequence[str], person: str) -> bool:
    """Return whether the words of a name end in a person, or in the id of one."""
    places = [at for at, part in enumerate(parts) if part in (person, person + "s")]
    return bool(places) and all(part in _ID_WORDS or part.isdigit() for part in parts[places[-1] + 1 :])


def _possible(column: Column) -> bool:
    """Return whether a column can be an id at all: no date, no decimals, not the name of a thing."""
    if column.drop or column.kind in (Kind.DATE, Kind.DATETIME, Kind.PLACE):
        return False
    return not (column.kind is Kind.NUMBER and column.step < 1.0) and not _THING_NAMES & set(name_tokens(column.name))


def _candidate(values: pl.Series, named: bool) -> Candidate:  # noqa: FBT001
    empty = values.is_null() | (values == "") if values.dtype == pl.String else values.is_null()
    present = values.filter(~empty.fill_null(value=True))
    return Candidate(
        column=values.name,
        distinct=present.n_unique(),
        records=len(values),
        empty=len(values) - len(present),
        named=named,
        row_numbers=_row_numbers(present),
    )


def _row_numbers(present: pl.Series) -> bool:
    """Return whether values are the whole numbers from 0 or 1 on, each once."""
    text = present if present.dtype.is_integer() else present.cast(pl.String)
    numbers = text.cast(pl.Int64, strict=False)
    if len(numbers) < 2 or numbers.null_count():
        return False
    low, high = int(numbers.min()), int(numbers.max())  # type: ignore[arg-type]
    return low in (0, 1) and high - low == len(numbers) - 1 and numbers.n_unique() == len(numbers)


def _doubt(chosen: str, candidates: Sequence[Candidate], named: Sequence[str], rows: int) -> Message | None:
    """Return why a person has to decide, None if nothing speaks against the choice."""
    own = next((one for one in candidates if one.column == chosen), None)
    if own is not None and own.doubt is not None:
        return own.doubt
    if rows < _SMALL_TABLE:
        return None
    if named:
        rivals = [one.column for one in candidates if one.column in named and one.per_value > 1]
        people = [one for one in rivals if one.lower() not in _PERSON_NAMES]
        return Message("subject.several", {"columns": tuple(people)}) if len(people) > 1 else None
    rivals = [one.column for one in candidates if _repeats(one)]
    if len(rivals) > 1 or (rivals and chosen not in rivals):
        return Message("subject.several", {"columns": tuple(rivals)})
    return None


def _repeats(one: Candidate) -> bool:
    """Return whether a column can be that of people with several records each."""
    many = one.distinct**2 >= one.records
    return many and one.distinct <= NEARLY_UNIQUE * one.records and one.empty <= MOSTLY_EMPTY * one.records


def _repeating_subject(frame: pl.DataFrame, columns: Mapping[str, Column]) -> str:
    """Return the first column that repeats and can be an identifier, or a key before it, or ``row``."""
    key = ROW_SUBJECT
    for column in columns.values():
        if column.drop or column.kind in (Kind.DATE, Kind.DATETIME) or _ROW_NAMES & set(name_tokens(column.name)):
            continue
        distinct = frame[column.name].n_unique()
        if distinct == frame.height:
            key = column.name if key == ROW_SUBJECT and _key_like(frame[column.name], column) else key
            continue
        fine = column.kind is Kind.NUMBER and column.step < 1.0
        many = distinct**2 >= frame.height or frame.height < _TINY_TABLE
        return column.name if key == ROW_SUBJECT and many and distinct > 1 and not fine else key
    return ROW_SUBJECT


def _key_like(values: pl.Series, column: Column) -> bool:
    """Return whether values that never repeat look like keys: text, or whole numbers of one length or without gaps."""
    if column.kind is not Kind.NUMBER:
        return True
    if column.step < 1.0:
        return False
    numbers = values.cast(pl.Float64, strict=False).drop_nulls()
    lengths = values.cast(pl.String).str.len_chars()
    gapless = bool(len(numbers)) and float(numbers.max()) - float(numbers.min()) == len(numbers) - 1  # type: ignore[arg-type]
    return gapless or lengths.n_unique() == 1


def subject_document(schema: Schema, proposal: Proposal | None) -> dict[str, object]:
    """Return who the records are of, and what speaks for and against it, as ``--json`` prints it."""
    document: dict[str, object] = {"taken": schema.subject, "why": None, "doubt": None, "candidates": []}
    if proposal is None:
        return document
    doubt = None if proposal.doubt is None else str(proposal.doubt)
    candidates = [one.as_dict() for one in proposal.candidates]
    return document | {"why": str(proposal.why), "doubt": doubt, "candidates": candidates}
