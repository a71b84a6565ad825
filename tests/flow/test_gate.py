"""The gate: subject ids and columns that repeat them are refused before anything leaves the flow."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tokumei
from tests.sample_histories import mixed_frame, sample
from tokumei.data.cells import SetCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import Schema
from tokumei.errors import LeakError
from tokumei.flow.gate import refuse_leaks
from tokumei.flow.making import in_published_order, release
from tokumei.flow.plan import Plan
from tokumei.methods.pseudonymize import Pseudonymize

FRAME = pl.DataFrame(
    {
        "customer": [f"c{n % 8}" for n in range(64)],
        "goods": ["ABCD"[n * n % 4] for n in range(64)],
        "price": [n % 7 + 0.5 for n in range(64)],
    }
)
SCHEMA = Schema("customer", (Column(name="goods"), Column(name="price", kind=Kind.NUMBER, step=0.5)))


@pytest.mark.parametrize("audit", [False, True])
def test_no_real_ids_leave_the_flow(*, audit: bool) -> None:
    """The data of a release has passed the gate even if nobody writes it."""
    with pytest.raises(LeakError, match="^8 pseudonyms of the release are subject ids of the original; give every"):
        tokumei.anonymize(FRAME, method="ano-del-lc", schema=SCHEMA, seed=1, audit=audit)


def test_no_copied_id_column_leaves_the_flow() -> None:
    copied = FRAME.with_columns(card=pl.col("customer"))
    schema = Schema("customer", (*SCHEMA.columns, Column(name="card")))
    with pytest.raises(LeakError, match="^the column 'card' seems to name people: it repeats the subject id; drop it"):
        tokumei.anonymize(copied, method="rounding", schema=schema, audit=False)
    # A column can be allowed; that it shows the very id of a record is refused nevertheless.
    with pytest.raises(LeakError, match="^the column 'card' repeats the subject id in 64 of 64 records; drop it in"):
        tokumei.anonymize(copied, method="rounding", schema=schema, audit=False, allow=["card"])
    history = History.from_frame(copied, schema)
    with pytest.raises(LeakError, match="^the column 'card' repeats the subject id"):
        release(history, Plan(method="rounding", allow=("card",)), audit=False)
    runs = tokumei.compare(copied, ["rounding", "pseudonymize"], schema=schema, allow=["card"])
    assert runs["failure"].to_list() == ["subject-id-column"] * 2


def _made(history: History, seed: int = 1) -> tuple[Release, Secret]:
    return in_published_order(*Pseudonymize().anonymize(history, rng=np.random.default_rng(seed)))


def test_a_subject_id_as_pseudonym_is_refused() -> None:
    history = sample("mixed")
    release, secret = _made(history)
    shown = Release(release.schema, history.subjects.gather(history.subject[secret.rows]), release.cells)
    with pytest.raises(LeakError, match="9 pseudonyms of the release are subject ids of the original; give every"):
        refuse_leaks(history, shown, secret)


@pytest.mark.parametrize("hidden", [False, True])
def test_a_set_that_holds_the_id_is_still_a_leak(*, hidden: bool) -> None:
    frame = mixed_frame().select("customer", again=pl.col("customer"))
    history = History.from_frame(frame, Schema("customer", (Column(name="again"),)))
    release, secret = _made(history)
    everyone = SetCells.of_lists(
        np.arange(len(release) + 1) * len(history.subjects),
        np.tile(np.arange(len(history.subjects)), len(release)),
        history.categories["again"],
        suppressed=np.full(len(release), hidden),
    )
    wide = Release(release.schema, release.pseudonyms, {"again": everyone})
    if hidden:
        refuse_leaks(history, wide, secret)
        return
    with pytest.raises(LeakError, match="the column 'again' repeats the subject id in 24 of 24 records; drop it"):
        refuse_leaks(history, wide, secret)
