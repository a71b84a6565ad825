"""Columns that name people: a release with one of them is refused until it is dropped or allowed by name.

A column is suspected if most people have a value of their own in it, if its values or its name are those of
identifiers, if it is free text, or if it is an image of the subject id. Measured numbers and times are not looked at
for values of one's own: how far they name people is the business of the audit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl

from tokumei.data import MISSING, Field, History, Kind, value_text
from tokumei.errors import ParameterError, did_you_mean
from tokumei.profiles.id_images import id_image
from tokumei.profiles.identifier_forms import PERSON, hinting_name, numbering_name, telling_name, written_form
from tokumei.profiles.infer_kinds import MEASURED_NAMES, name_tokens
from tokumei.words import Message

# The two thresholds. More than this share of the people with a value of their own makes a column nearly unique ...
NEARLY_UNIQUE = 0.5
# ... and more than this share of the distinct values in the form of an identifier makes it one.
MOSTLY_OF_A_FORM = 0.5
# What makes them usable: of fewer people, chance alone gives most of them a value of their own;
FEWEST_PEOPLE = 10
# a column is constant if so many people have one value in it;
CONSTANT = 0.95
# what looks like names of people, or has a name that may mean one, is one if so many people have a value of their own;
RATHER_OWN = 0.1
# a telling name does not make an identifier of a flag or a list of so few values;
FEW_VALUES = 12
# whole numbers without gaps are numbers of people; free text has so many words.
GAPLESS, TEXT_WORDS, TEXT_LETTERS = 1.1, 4, 20
# So many distinct values of a column are looked at.
SAMPLE = 5_000
# The gate, the quick audit and `describe` ask about the same history, which never changes.
_looked_at: WeakKeyDictionary[History, tuple[Suspect, ...]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A column that seems to name people, with the reason; ``kept``: the schema publishes it unchanged."""

    column: str
    field: str
    why: Message
    kept: bool = False

    def message(self) -> Message:
        """Return the suspicion as one message."""
        return Message("identifier.column", {"column": self.column, "why": self.why})


@dataclass(frozen=True, eq=False, slots=True)
class _Spread:
    """How the values of a field are spread over people: every pair of a person and a value once."""

    pairs: pl.DataFrame
    people: int
    constant: bool = field(init=False)
    own: float = field(init=False)
    values: pl.Series = field(init=False)

    def __post_init__(self) -> None:
        """Count."""
        present = max(self.pairs["subject"].n_unique(), 1)
        singles = self.pairs.select((pl.len().over("subject") == 1).alias("single"))["single"]
        alone = self.pairs.filter(pl.len().over("value") == 1)["subject"].n_unique()
        object.__setattr__(self, "constant", int(singles.sum()) >= CONSTANT * present)
        object.__setattr__(self, "own", alone / max(self.people, 1))
        object.__setattr__(self, "values", self.pairs["value"].unique().sort())

    @property
    def rather(self) -> bool:
        """Whether people have one value each, and many of them (of few people: most) one of their own."""
        return self.constant and self.own >= (RATHER_OWN if self.people >= FEWEST_PEOPLE else NEARLY_UNIQUE)


def identifier_suspects(history: History) -> tuple[Suspect, ...]:
    """Return the columns of a history, and of its table of people, that seem to name people."""
    if history not in _looked_at:
        _looked_at[history] = tuple(_suspects(history))
    return _looked_at[history]


def _suspects(history: History) -> Iterator[Suspect]:
    tables = (history,) if history.people is None else (history, history.people)
    for table in tables:
        kept = {spec.name for spec in table.schema.kept}
        for spec in table.schema.fields:
            why = _why(table, spec) if len(table) else None
            if why is not None:
                yield Suspect(column=spec.column, field=spec.name, why=why, kept=spec.name in kept)


def refuse_unknown_columns(history: History, allow: Iterable[str]) -> None:
    """Raise ParameterError if a column that is allowed by name does not exist."""
    tables = (history,) if history.people is None else (history, history.people)
    known = {name for table in tables for spec in table.schema.fields for name in (spec.name, spec.column)}
    for name in allow:
        if name not in known:
            message = f"--allow names the column '{name}'{did_you_mean(name, known)}, which the data does not publish"
            raise ParameterError(message, code="usage")


def _why(history: History, spec: Field) -> Message | None:
    """Return why a field seems to name people, None if it does not."""
    if spec.kind in (Kind.DATE, Kind.DATETIME) or spec.column != spec.name:
        return None
    whole = spec.kind is Kind.NUMBER and spec.step >= 1.0
    spread = _spread(history, spec)
    if not len(spread.values):
        return None
    if not history.schema.row_is_subject:
        image = id_image(spread.pairs, history.subjects)
        if image:
            return Message(f"identifier.image-{image}")
    if not spec.nominal and not whole:
        return None
    sample = spread.values.gather_every(max(1, -(-len(spread.values) // SAMPLE)))
    form = written_form(sample, MOSTLY_OF_A_FORM)
    if form:
        return Message(f"identifier.form-{form}")
    return _named(spec, spread) or (_nominal_reason(spread, sample) if spec.nominal else _number_reason(spec, spread))


def _spread(history: History, spec: Field) -> _Spread:
    codes = history.codes[spec.name]
    pairs = pl.DataFrame({"subject": history.subject, "code": codes}).unique()
    if spec.nominal:
        text = history.categories[spec.name].gather(pairs["code"])
    else:
        pairs = pairs.filter(pl.col("code") != MISSING)
        text = value_text(pairs["code"].to_numpy(), spec)
    pairs = pairs.select("subject", text.cast(pl.String).alias("value")).filter(pl.col("value") != "")
    return _Spread(pairs, len(history.subjects))


def _named(spec: Field, spread: _Spread) -> Message | None:
    """Return that the name of the column says what it is, if its values do not say otherwise."""
    several = len(spread.values) > min(FEW_VALUES, spread.people / 2) and len(spread.values) > 1
    if several and telling_name(spec.name):
        return Message("identifier.name")
    return Message("identifier.name") if spread.rather and spec.nominal and hinting_name(spec.name) else None


def _nominal_reason(spread: _Spread, sample: pl.Series) -> Message | None:
    people = float(sample.str.contains(PERSON).mean() or 0.0)  # type: ignore[arg-type]
    if spread.rather and people > MOSTLY_OF_A_FORM:
        return Message("identifier.person")
    if spread.people < FEWEST_PEOPLE:
        return None
    if _free_text(spread, sample):
        return Message("identifier.text")
    if spread.constant and spread.own > NEARLY_UNIQUE:
        return Message("identifier.own-value", {"share": spread.own})
    return None


def _free_text(spread: _Spread, sample: pl.Series) -> bool:
    """Return whether the values are sentences that nobody shares."""
    words = sample.str.split(" ").list.len().median()
    letters = sample.str.count_matches(r"[\p{Han}\p{Hiragana}\p{Katakana}]").median()
    long = float(words or 0) >= TEXT_WORDS or float(letters or 0) >= TEXT_LETTERS  # type: ignore[arg-type]
    alone = spread.pairs.group_by("value").len().select((pl.col("len") == 1).mean()).item()
    return long and float(alone) > NEARLY_UNIQUE


def _number_reason(spec: Field, spread: _Spread) -> Message | None:
    """Return whether whole numbers are numbers of people rather than amounts."""
    nearly = spread.constant and spread.own > NEARLY_UNIQUE and spread.people >= FEWEST_PEOPLE
    if not nearly or set(name_tokens(spec.name)) & MEASURED_NAMES:
        return None
    numbers = spread.values.cast(pl.Int64, strict=False).drop_nulls().to_numpy()
    span = int(np.ptp(numbers)) + 1 if len(numbers) else 0
    if numbering_name(spec.name) or (len(numbers) >= FEWEST_PEOPLE and span <= GAPLESS * len(numbers)):
        return Message("identifier.own-value", {"share": spread.own})
    return None
