"""Figures of traces of regions on a small grid of its own, by hand; and the attacks that draw."""

from __future__ import annotations

import numpy as np
import pytest

from tokumei.attacks import SeenTraces, drawn_likelihoods, drawn_members
from tokumei.data import RegionCells, RegionGrid
from tokumei.metrics import kept_mean_nearness, kept_nearness, trace_distance, wrong_share

# Four by four regions, a kilometre from each to the next one.
GRID = RegionGrid(side=4, south=0.0, north=4.0, west=0.0, east=4.0, km_north=1.0, km_east=1.0, far=2.0, sensitive=(1,))


def cells(*members: list[int]) -> RegionCells:
    counts = np.array([len(own) for own in members])
    flat = np.array([region for own in members for region in own])
    return RegionCells(flat, np.repeat(np.arange(len(members)), counts), counts, counts == 0)


def test_sets_lose_the_mean_of_their_members_and_stars_everything() -> None:
    true = np.array([1, 1, 1])
    published = cells([2], [1, 4], [])
    assert kept_nearness(true, published, GRID) == pytest.approx(1 - (0.5 + 0.5 + 1.0) / 3)
    # A region three kilometres away is clipped with the mean of its set, which is less than what is far.
    assert kept_mean_nearness(true, published, GRID) == pytest.approx((0.5 + 0.25 + 0.0) / 3)


def test_answers_at_sensitive_regions_weigh_more() -> None:
    true, answers = np.array([1, 16]), np.array([1, 1])
    assert trace_distance(true, answers, GRID, weight=1.0) == pytest.approx(0.5)
    assert trace_distance(true, answers, GRID, weight=3.0) == pytest.approx(0.25)
    assert wrong_share(true, answers) == 0.5


def test_drawing_attacks_name_people_who_stay_where_they_were() -> None:
    reference = np.array([[1, 1, 2], [16, 16, 15], [4, 4, 3]])
    owners = np.array([2, 0, 1])
    seen = SeenTraces(reference, cells(*[[region] for region in reference[owners].ravel().tolist()]))
    draw = np.random.RandomState(1)
    scores = drawn_likelihoods(seen, GRID, draw, at=np.array([True, True, False]))
    assert scores.argmax(axis=1).tolist() == owners.tolist()
    assert (drawn_members(seen, scores, GRID, draw) == reference).all()
