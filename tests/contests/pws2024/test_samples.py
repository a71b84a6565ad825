"""Our own method and attack of PWS Cup 2024 beat the official samples."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tokumei.contests.pandas_table import Table
from tokumei.contests.pws2024.attack_task import make_test
from tokumei.contests.pws2024.files import MOVIES
from tokumei.contests.pws2024.samples import BudgetMethod, LikelihoodAttack, SampleAttack, SampleMethod
from tokumei.contests.pws2024.utility import score_tables, views_of
from tokumei.synth import generate_ratings


def tables(views: list[pl.DataFrame]) -> list[Table]:
    return [Table(view, np.arange(view.height) + 2) for view in views]


@pytest.mark.half_second
def test_the_budget_is_kept_and_hides_what_the_sample_shows() -> None:
    people = generate_ratings(400, 3, MOVIES)
    truth = tables(views_of(people))
    test = make_test(people, 1)
    right = [(row, value) for row, value in test.x.rows()]

    def hits(released: list[Table], attack: SampleAttack | LikelihoodAttack) -> int:
        answers = attack.answers(test.a, test.b, released)
        return sum((a == c) + (b == d) for (a, b), (c, d) in zip(answers, right, strict=True))

    sample, ours = (
        tables(method.views(people, rng=np.random.default_rng(1)))
        for method in (SampleMethod(swaps=100), BudgetMethod())
    )
    assert score_tables(truth, ours, divisor=800) == pytest.approx(80, abs=1.0)
    assert hits(sample, SampleAttack()) > 40
    assert hits(ours, SampleAttack()) < 25
    assert max(hits(ours, attack) for attack in (SampleAttack(), LikelihoodAttack())) < 35
    assert hits(truth, LikelihoodAttack()) > 90
