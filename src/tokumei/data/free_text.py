"""Free text as the schema wants it: redacted, or cut to the words that matter.

Redaction blacks out what has the form of an identifier: addresses of mail and web, numbers of four digits and more
(with their separators: phone numbers, cards, dates), words after a title, names before さん, 様 or 氏, and words
with a capital inside a sentence. It cannot know what a text tells between the lines; nobody can.

>>> redacted(pl.Series(["call Ann Lee, 090-1234-5678", "Fever. Seen by Dr. Wu"])).to_list()
['call █ █, █', 'Fever. Seen by Dr. █']
>>> cut_to(pl.Series(["strong PAIN at night", "fever, pain", "well"]), ("fever", "pain")).to_list()
['pain', 'fever', 'other']
"""

from __future__ import annotations

import re

import polars as pl

BLACK = "█"
OTHER = "other"
_FORMS = (
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    r"(?:https?://|www\.)\S+",
    r"\+?\d[\d ()./:-]{2,}\d",
    r"[\p{Han}\p{Katakana}ー]{1,6}(?:さん|様|氏|先生|君|ちゃん)",
)
# A capital that does not begin a sentence is that of a name, in English; titles stay, to be read by what follows.
_TITLE = r"\b(Dr|Mr|Mrs|Ms|Prof)\.? (\p{Lu}[\p{L}'’-]+)"
_NAME_WITHIN = r"([^.!?\s] +)(\p{Lu}[\p{L}'’-]+)"
# Before a title that stays; no text has this character.
_HELD = "\x01"


def redacted(text: pl.Series) -> pl.Series:
    """Return the texts with what names people, as far as its form tells, blacked out."""
    for form in _FORMS:
        text = text.str.replace_all(form, BLACK)
    text = text.str.replace_all(_TITLE, f"{_HELD}${{1}}. {BLACK}")
    # Neighbouring names share the blank between them: the second pass finds those that the first stepped over.
    for _ in range(2):
        text = text.str.replace_all(_NAME_WITHIN, "${1}" + BLACK)
    return text.str.replace_all(_HELD, "", literal=True)


def cut_to(text: pl.Series, words: tuple[str, ...]) -> pl.Series:
    """Return the first of the words that each text holds, whatever its case; ``other`` if none, empty if empty."""
    lowered = text.str.to_lowercase()
    found = pl.lit(OTHER)
    for word in reversed(words):
        bounded = rf"\b{re.escape(word.lower())}\b" if word.isascii() else re.escape(word.lower())
        found = pl.when(pl.col("text").str.contains(bounded)).then(pl.lit(word)).otherwise(found)
    frame = lowered.fill_null("").to_frame("text")
    return frame.select(pl.when(pl.col("text") == "").then(pl.lit("")).otherwise(found).alias(text.name)).to_series()
