"""Random samples of records and subjects."""

from __future__ import annotations

import numpy as np
import pytest

from tests.methods.mixed_histories import mixed_history, number_history, run
from tokumei.errors import ParameterError
from tokumei.methods.record_sampling import RecordSampling


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (0.25, 100), (1.0, 400)])
def test_exactly_the_share_of_the_records_is_published_unchanged(share: float, count: int) -> None:
    history = mixed_history(400)
    release, secret = run(RecordSampling(share=share), history)
    assert len(release) == len(np.unique(secret.rows)) == count
    for name, cells in release.cells.items():
        assert cells.equals(history.cells(name).take(secret.rows)).all()  # type: ignore[arg-type]


@pytest.mark.half_second
def test_every_record_is_drawn_equally_often() -> None:
    history = number_history(list("aaabb"), [1, 2, 3, 4, 5])
    drawn = np.zeros(5)
    for seed in range(800):
        drawn[run(RecordSampling(share=0.4), history, seed)[1].rows] += 1
    assert drawn / 800 == pytest.approx(0.4, abs=0.05)


def test_subjects_are_drawn_with_their_whole_history() -> None:
    history = mixed_history(400)
    _, secret = run(RecordSampling(share=0.3, unit="subjects"), history)
    counts = np.bincount(history.subject[secret.rows], minlength=len(history.subjects))
    kept = counts > 0
    assert kept.sum() == round(0.3 * len(history.subjects)) == secret.owners.height
    assert (counts[kept] == history.counts()[kept]).all()


def test_no_subject_keeps_more_records_than_the_limit() -> None:
    history = mixed_history(400)
    _, secret = run(RecordSampling(share=1.0, most=3), history)
    counts = np.bincount(history.subject[secret.rows], minlength=len(history.subjects))
    assert (counts == np.minimum(history.counts(), 3)).all()


@pytest.mark.half_second
def test_the_records_below_the_limit_are_drawn_at_random() -> None:
    history = number_history(["a"] * 4, [1, 2, 3, 4])
    drawn = np.zeros(4)
    for seed in range(600):
        drawn[run(RecordSampling(share=1.0, most=1), history, seed)[1].rows] += 1
    assert drawn / 600 == pytest.approx(0.25, abs=0.06)


def test_a_share_above_one_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"'share' of 'record-sampling' must be a number from 0 to 1, got 1.2"):
        RecordSampling(share=1.2)
