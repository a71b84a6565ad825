"""Pseudonymize: every record stays as it was; only whose it is changes its name, as often as asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.sample_histories import COLUMNS, mixed_frame, sample
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import Schema
from tokumei.errors import ParameterError
from tokumei.methods.pseudonymize import Pseudonymize

SETTINGS: list[dict[str, Any]] = [
    {},
    {"style": "keyed"},
    {"style": "keyed", "length": 64},
    {"period": "day"},
    {"period": "week"},
    {"period": "month", "exchange": 0.5},
    {"period": "year", "style": "keyed"},
    {"count": 1},
    {"count": 2},
    {"count": 2, "exchange": 1.0},
    {"count": 3, "style": "keyed", "exchange": 0.3},
]


def _run(history: History, **settings: Any) -> tuple[Release, Secret]:
    return Pseudonymize(**settings).anonymize(history, rng=np.random.default_rng(1))


@pytest.mark.half_second
@pytest.mark.parametrize("data", ["mixed", "missing values", "empty", "one record"])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_records_stay_and_owners_are_known(settings: dict[str, Any], data: str) -> None:
    history = sample(data)
    release, secret = _run(history, **settings)
    assert sorted(secret.rows.tolist()) == list(range(len(history)))
    cells = release.text().drop("pseudonym")
    wanted = _released_text(history)[secret.rows]
    assert cells.equals(wanted)
    owner = pl.DataFrame(
        {"pseudonym": release.pseudonyms, "subject": history.subjects.gather(history.subject[secret.rows])}
    ).unique()
    assert owner.sort("pseudonym", "subject").equals(secret.owners.sort("pseudonym", "subject"))
    assert not release.pseudonyms.is_in(history.subjects.implode()).any()


def _released_text(history: History) -> pl.DataFrame:
    plain = Release(
        history.schema,
        history.subjects.gather(history.subject),
        {field.name: history.cells(field.name) for field in history.schema.fields},
    )
    return plain.text().drop("pseudonym")


def test_one_pseudonym_per_subject_without_renewal() -> None:
    _, secret = _run(sample("mixed"))
    assert secret.owners["pseudonym"].n_unique() == secret.owners["subject"].n_unique() == secret.owners.height
    assert secret.key is None


def test_the_key_of_keyed_pseudonyms_is_in_the_secret_only() -> None:
    release, secret = _run(sample("mixed"), style="keyed")
    assert secret.key is not None
    assert len(secret.key) == 32
    assert release.pseudonyms.str.len_chars().unique().to_list() == [16]
    again, _ = _run(sample("mixed"), style="keyed")
    assert not again.pseudonyms.is_in(release.pseudonyms.implode()).any()


def test_a_pseudonym_ends_after_so_many_records() -> None:
    release, secret = _run(sample("mixed"), count=2)
    assert release.pseudonyms.value_counts()["count"].max() == 2
    assert secret.owners["pseudonym"].is_unique().all()


def test_a_pseudonym_ends_with_its_month() -> None:
    history = sample("mixed")
    release, secret = _run(history, period="month")
    month = history.frame["day"].dt.truncate("1mo").gather(secret.rows)
    found = pl.DataFrame({"pseudonym": release.pseudonyms, "month": month, "who": history.subject[secret.rows]})
    assert (found.group_by("pseudonym").agg(pl.col("month").n_unique(), pl.col("who").n_unique())["month"] == 1).all()
    assert found.select("month", "who").unique().height == release.pseudonyms.n_unique()


def test_an_exchange_hands_old_pseudonyms_on() -> None:
    history = sample("mixed")
    release, secret = _run(history, count=1, exchange=1.0)
    assert release.pseudonyms.n_unique() <= len(history.subjects)
    assert secret.owners["pseudonym"].is_duplicated().any()


def test_records_without_a_date_form_a_period() -> None:
    frame = mixed_frame().with_columns(day=pl.lit(None, dtype=pl.Date))
    history = History.from_frame(frame, Schema("customer", COLUMNS))
    for period in ("day", "week", "month", "year"):
        release, _ = _run(history, period=period)
        assert release.pseudonyms.n_unique() == len(history.subjects)


def test_settings_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ParameterError, match="renew pseudonyms by period or by count, not by both"):
        Pseudonymize(period="day", count=2)
    with pytest.raises(ParameterError, match="pseudonyms are exchanged at renewals; set period or count too"):
        Pseudonymize(exchange=0.5)
    with pytest.raises(ParameterError, match="renewal by period needs a date or datetime column; the schema has none"):
        _run(sample("only a number"), period="day")
