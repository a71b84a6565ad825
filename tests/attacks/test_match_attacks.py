"""Attacks on the match graph: what they name in safe and in leaking releases."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tests.leaky_releases import grouped, own_first_text, owners_of, purchases, random_names, release_of, split_surplus
from tokumei.attacks.cheapest_matching import CheapestMatching
from tokumei.attacks.matching_posterior import MatchingPosterior
from tokumei.attacks.nearest_history import NearestHistory
from tokumei.attacks.predictable_pseudonyms import PredictablePseudonyms
from tokumei.attacks.range_asymmetry import RangeAsymmetry
from tokumei.attacks.record_counts import RecordCounts
from tokumei.attacks.release_order import ReleaseOrder
from tokumei.attacks.set_position import SetPosition
from tokumei.attacks.suppression_pattern import SuppressionPattern
from tokumei.data.cells import RangeCells, SetCells
from tokumei.data.history import History, Release, Secret
from tokumei.data.written_cells import read_cells
from tokumei.parts import Attack

HISTORY = purchases()
NAMES = random_names(HISTORY)
ALL: list[Attack] = [
    CheapestMatching(),
    MatchingPosterior(),
    NearestHistory(),
    PredictablePseudonyms(seeds=5),
    RangeAsymmetry(),
    RecordCounts(),
    ReleaseOrder(),
    SetPosition(),
    SuppressionPattern(),
]


def hits(attack: Attack, release: Release, secret: Secret, history: History = HISTORY) -> int:
    return attack.guess(history, release, rng=np.random.default_rng(0)).hits(secret.owners)


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name)
def test_guesses_repeat_under_a_seed_and_name_each_pseudonym_once(attack: Attack) -> None:
    release, secret = release_of(grouped(HISTORY, 3), NAMES)
    one, other = (attack.guess(HISTORY, release, rng=np.random.default_rng(5)) for _ in range(2))
    assert one.frame.equals(other.frame)
    assert one.pairs()["pseudonym"].is_unique().all()
    assert one.attack == attack.name
    assert one.hits(secret.owners) <= 35


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name)
def test_an_empty_release_gives_no_guesses(attack: Attack) -> None:
    release, _ = release_of(grouped(HISTORY, 2), NAMES)
    nothing = release.take(np.empty(0, dtype=np.int64))
    assert len(attack.guess(HISTORY, nothing, rng=np.random.default_rng(0))) == 0


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name)
def test_a_release_of_other_data_is_survived(attack: Attack) -> None:
    release, _ = release_of(grouped(HISTORY, 2), NAMES)
    assert len(attack.guess(purchases(30, seed=99), release, rng=np.random.default_rng(0))) <= 60


@pytest.mark.parametrize("attack", [CheapestMatching(), RangeAsymmetry(own="inside")], ids=lambda attack: attack.name)
def test_widened_ranges_name_everybody(attack: Attack) -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES, stretch=20)
    assert hits(attack, release, secret) == 60


def test_the_first_element_names_everybody() -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES)
    spec, categories = HISTORY.schema.field("item"), HISTORY.categories["item"]
    written = read_cells(own_first_text(HISTORY, release, secret), spec, categories)
    item = SetCells(written.offsets, written.codes, release.cells["item"].suppressed, categories)
    leaking = Release(release.schema, release.pseudonyms, {**release.cells, "item": item})
    assert hits(SetPosition(), leaking, secret) == 60


def test_suppression_names_members_of_uneven_groups() -> None:
    release, secret = release_of(grouped(HISTORY, 3), NAMES, far=900)
    assert hits(SuppressionPattern(), release, secret) > 40


def test_numbered_pseudonyms_are_named_by_order() -> None:
    release, secret = release_of(grouped(HISTORY, 2), pl.Series("pseudonym", [str(100 + n) for n in range(60)]))
    assert hits(ReleaseOrder(pseudonyms="number", subjects="text"), release, secret) == 60


def test_a_small_seed_is_found() -> None:
    names = pl.Series("pseudonym", np.random.default_rng(3).permutation(60).astype(str))
    release, secret = release_of(grouped(HISTORY, 2), names)
    assert hits(PredictablePseudonyms(seeds=10), release, secret) == 60


def test_changed_values_are_named_by_the_nearest_history() -> None:
    cells = {name: HISTORY.cells(name) for name in HISTORY.codes}
    noise = np.random.default_rng(1).integers(-3, 4, size=len(HISTORY))
    cells["paid"] = RangeCells.of_values(HISTORY.codes["paid"] + noise)
    release = Release(HISTORY.schema, NAMES.gather(HISTORY.subject), cells)
    secret = Secret(owners_of(HISTORY, NAMES), np.arange(len(HISTORY)))
    assert hits(NearestHistory(), release, secret) == 60


def test_record_counts_put_the_sure_guesses_first() -> None:
    history = purchases(60, most=8)
    release, secret = split_surplus(history)
    guesses = RecordCounts().guess(history, release, rng=np.random.default_rng(0))
    sure = guesses.pairs().head(2).join(secret.owners, on=["pseudonym", "subject"], how="semi")
    assert sure.height == 2
