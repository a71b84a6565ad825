"""Columns that name people: a release with one of them is refused until it is dropped or allowed by name.

A column is suspected if most people have a value of their own in it, if its values or its name are those of
identifiers, if it is free text, or if it is an image of the subject id. Measured numbers and times are not looked at
for values of one's own: how far they name people is the business of the audit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import polars as pl

from tokumei.data import MISSING, Field, History, Kind, Schema, value_text
from tokumei.errors import ParameterError, did_you_mean
from tokumei.profiles.id_images import id_image
from tokumei.profiles.identifier_forms import PERSON, hinting_name, numbering_name, telling_name, written_form
from tokumei.profiles.infer_kinds import MEASURED_NAMES, name_tokens
from tokumei.profiles.value_spread import ValueSpread
from tokumei.words import Message

# The two thresholds. More than this share of the people with a value of their own makes a column nearly unique ...
NEARLY_UNIQUE = 0.5
# ... and more than this share of the distinct values in the form of an identifier makes it one.
MOSTLY_OF_A_FORM = 0.5
# What makes them usable: of fewer people, chance alone gives most of them a value of their own;
FEWEST_PEOPLE = 10
# what looks like names of people, or has a name that may mean one, is one if so many people have a value of their own;
RATHER_OWN = 0.1
# a telling name does not make an identifier of a flag or a list of so few values;
FEW_VALUES = 12
# whole numbers without gaps are numbers of people; free text has so many words.
GAPLESS, TEXT_WORDS, TEXT_LETTERS = 1.1, 4, 20
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


def identifier_suspects(history: History) -> tuple[Suspect, ...]:
    """Return the columns of a history, and of its table of people, that seem to name people."""
    if history not in _looked_at:
        _looked_at[history] = tuple(_suspects(history))
    return _looked_at[history]


def _suspects(history: History) -> Iterator[Suspect]:
    tables = (history,) if history.people is None else (history, history.people)
    for table in tables:
        for spec in table.schema.fields if len(table) else ():
            if looked_at(spec, table.schema):
                yield from suspected(spec, table.schema, _spread(table, spec), table.subjects)


def refuse_unknown_columns(history: History, allow: Iterable[str]) -> None:
    """Raise ParameterError if a column that is allowed by name does not exist."""
    tables = (history,) if history.people is None else (history, history.people)
    known = {name for table in tables for spec in table.schema.fields for name in (spec.name, spec.column)}
    for name in allow:
        if name not in known:
            message = f"--allow names the column '{name}'{did_you_mean(name, known)}, which the data does not publish"
            raise ParameterError(message, code="usage")


def looked_at(spec: Field, schema: Schema) -> bool:
    """Return whether a field is looked at; of a measured number only whether it is an image of the subject id."""
    if spec.kind in (Kind.DATE, Kind.DATETIME) or spec.column != spec.name:
        return False
    return spec.nominal or _whole(spec) or not schema.row_is_subject


def suspected(spec: Field, schema: Schema, spread: ValueSpread, subjects: pl.Series) -> Iterator[Suspect]:
    """Yield the column of a field if it seems to name people; ``subjects`` are the ids that pairs give numbers of."""
    why = _why(spec, schema, spread, subjects) if spread.distinct else None
    if why is not None:
        kept = spec.name in {field.name for field in schema.kept}
        yield Suspect(column=spec.column, field=spec.name, why=why, kept=kept)


def _whole(spec: Field) -> bool:
    return spec.kind is Kind.NUMBER and spec.step >= 1.0


def _why(spec: Field, schema: Schema, spread: ValueSpread, subjects: pl.Series) -> Message | None:
    """Return why a field seems to name people, None if it does not."""
    if not schema.row_is_subject:
        image = id_image(spread, subjects)
        if image:
            return Message(f"identifier.image-{image}")
    if not spec.nominal and not _whole(spec):
        return None
    form = written_form(spread.values, MOSTLY_OF_A_FORM)
    if form:
        return Message(f"identifier.form-{form}")
    return _named(spec, spread) or (_nominal_reason(spread) if spec.nominal else _number_reason(spec, spread))


def _spread(history: History, spec: Field) -> ValueSpread:
    codes = history.codes[spec.name]
    pairs = pl.DataFrame({"subject": history.subject, "code": codes}).unique()
    span = 0.0
    if spec.nominal:
        text = history.categories[spec.name][pairs["code"]]
    else:
        pairs = pairs.filter(pl.col("code") != MISSING)
        present = pairs["code"].to_numpy()
        text = value_text(present, spec)
        span = number_span(int(present.min()), int(present.max()), spec) if len(present) else 0.0
    pairs = pairs.select("subject", text.cast(pl.String).alias("value")).filter(pl.col("value") != "")
    return ValueSpread.of_pairs(pairs, len(history.subjects), span=span)


def number_span(low: int, high: int, spec: Field) -> float:
    """Return how many whole numbers there are from the least to the greatest code of a field."""
    return (high - low) * spec.step + 1.0


def _rather(spread: ValueSpread) -> bool:
    """Return whether people have one value each, and many of them (of few people: most) one of their own."""
    return spread.constant and spread.own >= (RATHER_OWN if spread.people >= FEWEST_PEOPLE else NEARLY_UNIQUE)


def _named(spec: Field, spread: ValueSpread) -> Message | None:
    """Return that the name of the column says what it is, if its values do not say otherwise."""
    several = spread.distinct > min(FEW_VALUES, spread.people / 2) and spread.distinct > 1
    if several and telling_name(spec.name):
        return Message("identifier.name")
    return Message("identifier.name") if _rather(spread) and spec.nominal and hinting_name(spec.name) else None


def _nominal_reason(spread: ValueSpread) -> Message | None:
    people = float(spread.values.str.contains(PERSON).mean() or 0.0)  # type: ignore[arg-type]
    if _rather(spread) and people > MOSTLY_OF_A_FORM:
        return Message("identifier.person")
    if spread.people < FEWEST_PEOPLE:
        return None
    if _free_text(spread):
        return Message("identifier.text")
    if spread.constant and spread.own > NEARLY_UNIQUE:
        return Message("identifier.own-value", {"share": spread.own})
    return None


def _free_text(spread: ValueSpread) -> bool:
    """Return whether the values are sentences that nobody shares."""
    words = spread.values.str.split(" ").list.len().median()
    letters = spread.values.str.count_matches(r"[\p{Han}\p{Hiragana}\p{Katakana}]").median()
    long = float(words or 0) >= TEXT_WORDS or float(letters or 0) >= TEXT_LETTERS  # type: ignore[arg-type]
    return long and spread.lone > NEARLY_UNIQUE * spread.distinct


def _number_reason(spec: Field, spread: ValueSpread) -> Message | None:
    """Return whether whole numbers are numbers of people rather than amounts."""
    nearly = spread.constant and spread.own > NEARLY_UNIQUE and spread.people >= FEWEST_PEOPLE
    if not nearly or set(name_tokens(spec.name)) & MEASURED_NAMES:
        return None
    gapless = spread.distinct >= FEWEST_PEOPLE and spread.span <= GAPLESS * spread.distinct
    return Message("identifier.own-value", {"share": spread.own}) if numbering_name(spec.name) or gapless else None
