"""What in a table looks like a mistake of the schema: said before a release is made of it, with what to do."""

from __future__ import annotations

import re

import polars as pl

from tokumei.array_types import Ints
from tokumei.data import MISSING, Field, History, date_format
from tokumei.profiles.infer_kinds import NOMINAL_NAMES, name_tokens
from tokumei.words import Message

_DATE_LIKE = (
    r"^\s*(\d{1,4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,4}日?|\d{8}"
    r"|\d{1,2} [A-Za-z]{3,9} \d{4}|[A-Za-z]{3,9} \d{1,2},? \d{4})"
)
_GROUPED_NUMBER = r"^\s*[+-]?[¥$€£]?\d{1,3}(,\d{3})+(\.\d+)?\s*$"
_NUMBER = r"^\s*[+-]?[¥$€£]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?\s*$"
_FULL_WIDTH = "[０-９]"
# Of so many of the values something must be true before a person is told of it.
MOST, SOME, FEW_MISTAKES = 0.8, 0.02, 0.9
FEWEST_SUBJECTS = 20


def hints(history: History) -> list[Message]:
    """Return one message per thing that a person should look at, in the order of the columns."""
    noted: list[Message] = []
    if len(history) and len(history.subjects) == 1:
        noted.append(Message("hint.one-subject", {"subject": history.schema.subject}))
    for spec in history.schema.fields:
        code = _hint(history, spec)
        if code:
            noted.append(Message("hint.column", {"column": spec.name, "hint": Message(f"hint.{code}")}))
    return noted


def _hint(history: History, spec: Field) -> str:
    """Return the code of what a column looks like, empty if nothing is noticed."""
    codes = history.codes[spec.name]
    if not spec.nominal:
        return "no-values" if len(codes) and bool((codes == MISSING).all()) else ""
    values = history.categories[spec.name]
    present = values.filter(values != "")
    if len(present) == 0:
        return "no-values" if len(codes) else ""
    written = _written_hint(present)
    if written:
        return written
    if len(history.subjects) >= FEWEST_SUBJECTS and _own_values(history.subject, codes) >= MOST:
        return "own-values"
    return ""


def _written_hint(present: pl.Series) -> str:
    """Say if the distinct values look like dates or numbers that could not be read as such."""
    if (present.str.contains(_FULL_WIDTH).mean() or 0.0) >= MOST and _readable_in_half(present):  # type: ignore[operator]
        return "full-width"
    dates = float(present.str.contains(_DATE_LIKE).mean() or 0.0)  # type: ignore[arg-type]
    grouped = float(present.str.contains(_GROUPED_NUMBER).mean() or 0.0)  # type: ignore[arg-type]
    numbers = float(present.str.contains(_NUMBER).mean() or 0.0)  # type: ignore[arg-type]
    if dates >= MOST and len(present) > 1 and numbers < MOST:
        forms = len({_form(value) for value in present.head(1000).to_list()})
        return "dates-several" if forms > 1 else "dates-unknown"
    if numbers >= MOST and grouped >= SOME:
        return "grouped-numbers"
    if FEW_MISTAKES <= numbers < 1.0 and not set(name_tokens(present.name)) & NOMINAL_NAMES:
        return "mostly-numbers"
    return ""


def _readable_in_half(present: pl.Series) -> bool:
    """Return whether texts with full-width digits are numbers or dates once the digits are written half-width."""
    half = present.str.normalize("NFKC")
    return half.cast(pl.Float64, strict=False).null_count() == 0 or bool(date_format(half))


def _form(value: str) -> str:
    """Return a value with every number as its length class: 2011-02-17 and 2012-11-01 have the same form."""
    return re.sub(r"[A-Za-z]+", "a", re.sub(r"\d{3,}", "Y", re.sub(r"(?<!\d)\d{1,2}(?!\d)", "n", value.strip())))


def _own_values(subject: Ints, codes: Ints) -> float:
    """Return the share of subjects all of whose values nobody else has."""
    frame = pl.DataFrame({"subject": subject, "code": codes}).unique()
    alone = frame.with_columns(alone=pl.len().over("code") == 1)
    return float(alone.group_by("subject").agg(pl.col("alone").all())["alone"].mean() or 0.0)  # type: ignore[arg-type]
