"""Unicity with four known records, beside what was published of other data.

Of 1.5 million people with mobile phones four places and hours single out 95 % (de Montjoye et al., Unique in the Crowd,
Scientific Reports 3, 1376, 2013), of 1.1 million people with credit cards four shops and days 90 % (de Montjoye et al.,
Unique in the shopping mall, Science 347, 536, 2015).
"""

from __future__ import annotations

from tokumei.data import Goal, History, Score
from tokumei.profiles.known_records import Holdings, dense_keys, unique_share

KNOWN_RECORDS = 4
PUBLISHED_UNICITY = {"mobile": 0.95, "cards": 0.90}


def unicity(history: History, *, seed: int = 0) -> Score:
    """Return the share of people whom four of their own records, drawn at random, single out in the original.

    The parts are what was published of other data.
    """
    record = dense_keys(history, [spec.name for spec in history.schema.fields])
    holdings = Holdings.of(history.subject, record, subjects=len(history.subjects))
    share = unique_share(holdings, KNOWN_RECORDS, seed=seed)
    return Score(
        name="unicity",
        value=share.value,
        goal=Goal.LOWER,
        highest=1.0,
        interval=share.interval,
        parts=PUBLISHED_UNICITY,
    )
