"""Judges of PWS Cup 2021: linkage marks, draws of test rows, contest scores and the mean risk."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tokumei.contests.pws2021.metrics.linkage_marks import LinkageMarks, linkage_marks, mean_risk
from tokumei.contests.pws2021.picked_rows import pick_rows
from tokumei.contests.pws2021.ranking import anonymizer_scores, attacker_scores
from tokumei.errors import InfeasibleError


def test_linkage_marks_of_the_specification() -> None:
    guesses = np.array([[29, 847, 2599], [-1, -1, -1], [2038, 2345, 2336], [2702, 1378, 2331], [134, 1820, 2580]])
    found = linkage_marks(np.array([29, -1, 2345, 80, -1]), guesses)
    assert (found.recall, found.prec, found.topk) == pytest.approx((1.0, 0.75, 2 / 3))
    assert found.risk == pytest.approx(0.5)
    swapped = linkage_marks(np.array([29, 5]), np.array([[5, 29, 7], [29, 1, 2]]))
    assert swapped.topk == 0.5, "a guess counts for its own row only"


def test_no_guess_at_all_has_no_precision_and_no_risk() -> None:
    nobody = np.full((2, 3), -1)
    found = linkage_marks(np.array([0, -1]), nobody)
    assert math.isnan(found.prec)
    assert found.risk == 0.0
    assert "precision is undefined" in str(found.warnings[0])
    assert linkage_marks(np.array([0, -1]), nobody, strict=True).prec == 0.0


def test_answers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="EA has 1 rows and E has 2"):
        linkage_marks(np.array([0]), np.zeros((2, 3), dtype=np.int64))
    with pytest.raises(InfeasibleError, match="EA holds no row of D"):
        linkage_marks(np.array([-1]), np.zeros((1, 3), dtype=np.int64), strict=True)


def test_without_members_the_official_figures_are_undefined() -> None:
    found = linkage_marks(np.array([-1]), np.zeros((1, 3), dtype=np.int64))
    assert found.prec == 0
    assert all(math.isnan(one) for one in (found.recall, found.topk, found.risk))
    assert "holds no row of D" in str(found.warnings[0])
    assert math.isnan(linkage_marks(np.array([-1]), np.full((1, 3), -1)).prec)


def test_test_rows_are_half_deleted_half_kept_and_numbered_within_c() -> None:
    deleted = np.array([2, 5, 6, 8])
    rows, answers = pick_rows(10, deleted, seed=1, each=2)
    assert rows.tolist() == sorted(rows.tolist())
    kept = [0, 1, 3, 4, 7, 9]
    assert answers.tolist() == [kept.index(row) if row in kept else -1 for row in rows.tolist()]
    assert (answers == -1).sum() == 2
    with pytest.raises(InfeasibleError, match="only 4 rows are deleted, but 50 of them are to be drawn"):
        pick_rows(10, deleted)


def test_contest_scores_of_the_final_round() -> None:
    """The published figures of attackers 01 and 06 against the three best anonymizers 04, 06 and 10."""
    risks = {
        "04": {"01": 0.016, "06": 0.015, "10": 0.067},
        "06": {"01": 0.005, "10": 0.067},
        "10": {"01": 0.045, "06": 0.067},
        "03": {"01": 0.2, "06": 0.3},
    }
    scores = anonymizer_scores(risks, disqualified=frozenset({"03"}))
    assert scores == {"04": 0.067, "06": 0.067, "10": 0.067, "03": 1.0}
    found = attacker_scores(risks, scores)
    assert found["01"] == pytest.approx(0.022)
    assert found["06"] == pytest.approx(0.041)


def test_the_mean_risk_has_an_interval_and_a_baseline() -> None:
    marks = [LinkageMarks(1.0, 0.5, topk, 0.5 * topk) for topk in (0.0, 0.2, 0.4)]
    score = mean_risk(marks, rows=300)
    assert score.value == pytest.approx(0.1)
    assert score.interval is not None
    assert score.interval.high - score.value == pytest.approx(1.96 * 0.1 / math.sqrt(3), rel=1e-3)
    assert score.baseline == pytest.approx(0.005)
    assert score.parts == pytest.approx({"recall": 1.0, "topk": 0.2, "prec": 0.5})
