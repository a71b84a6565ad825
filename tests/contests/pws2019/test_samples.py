"""Our own method and attack of PWS Cup 2019 beat the official samples."""

from __future__ import annotations

import numpy as np

from tokumei.attacks import SeenTraces
from tokumei.contests.pws2019 import traces
from tokumei.contests.pws2019.samples import METHODS, guessed_users, shuffled_ids
from tokumei.methods import DecoyTraces, PlanarLaplace, SharedHistories
from tokumei.synth import generate_region_traces


def test_groups_share_one_trace_and_keep_the_utility() -> None:
    true = generate_region_traces(60, 2, np.random.default_rng(1))
    made = SharedHistories(k=4).regions(true, traces.GRID, np.random.RandomState(1))
    cells = traces.read_cells([str(region) for region in made.ravel()], true.size, "ano")
    assert traces.utility(true.ravel(), cells) >= 0.7
    _rows, sizes = np.unique(made, axis=0, return_counts=True)
    assert (sizes[sizes > 1] >= 4).all()
    assert (sizes > 1).sum() >= 3


def test_decoys_keep_the_utility_and_let_nobody_stand_for_two() -> None:
    true = generate_region_traces(40, 2, np.random.default_rng(3))
    made = DecoyTraces(utility=0.8).regions(true, traces.GRID, np.random.RandomState(1))
    cells = traces.read_cells([str(region) for region in made.ravel()], true.size, "ano")
    assert 0.8 <= traces.utility(true.ravel(), cells) < 0.81
    assert ((made >= 1) & (made <= 1024)).all()
    again = DecoyTraces(utility=0.8).regions(true, traces.GRID, np.random.RandomState(1))
    assert (again == made).all()
    same = DecoyTraces(utility=1).regions(true, traces.GRID, np.random.RandomState(1))
    assert (same == true).all()


def test_generated_days_are_alike_in_places_and_not_in_times() -> None:
    """What the contest's practice traces show: replaying a day leaves .80, a stranger is 2 km away in 95 % of cells."""
    true = generate_region_traces(300, 4, np.random.default_rng(1))
    reference, later = true[:, :40], true[:, 40:]
    assert 0.75 < traces.trace_score(later.ravel(), reference.ravel()) < 0.86
    strangers = 1 - traces.GRID.losses(later.ravel(), np.roll(later, 1, axis=0).ravel()).mean()
    assert 0.02 < strangers < 0.08
    assert 0.12 < (later[:, 1:20] == later[:, :19]).mean() < 0.24


def test_hidden_hospitals_are_stars() -> None:
    true = np.array([[1, 2, 3], [1, 43, 3], [4, 5, 6], [4, 5, 6]])
    cells = SharedHistories(k=2, utility=0, hide_sensitive=True).cells(true, traces.GRID, np.random.RandomState(1))
    assert [cells[1], cells[4]] == ["*", "*"]
    assert traces.GRID.sensitive[:2] == (2, 43)


def test_our_attack_finds_more_people_and_our_method_hides_more() -> None:
    both = generate_region_traces(60, 4, np.random.default_rng(2))
    reference, true = both[:, :40], both[:, 40:]
    owners = shuffled_ids(60, np.random.RandomState(1))

    def left(method: PlanarLaplace | SharedHistories | DecoyTraces, attack: str) -> float:
        texts = method.cells(true, traces.GRID, np.random.RandomState(1))
        cells = np.array(texts, dtype=object).reshape(true.shape)[owners]
        seen = SeenTraces(reference, traces.read_cells(cells.ravel().tolist(), true.size, "pub"))
        return traces.identity_score(owners, guessed_users(attack, seen, np.random.RandomState(1)))

    noise, shared = PlanarLaplace(level=4, radius=1), SharedHistories(k=4)
    assert left(noise, "assignment") < left(noise, "I2-VisitProb") - 0.2
    assert left(shared, "assignment") > left(noise, "assignment") + 0.2
    assert left(DecoyTraces(), "assignment") > left(noise, "assignment") + 0.3
    assert set(METHODS) == {"A1-none", "A2-MRLH", "A3-kRR", "A4-PL", "A5-YA", "histories", "decoys"}
