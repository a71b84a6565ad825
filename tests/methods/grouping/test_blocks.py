"""Blocks of units: everybody in exactly one, groups come out even, and no block is most of the work."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tokumei.methods.grouping.blocks import FEWEST_IN_HEAVY, LONG_HISTORY, MOST_SHARE, Features, cut_features


@given(
    counts=st.lists(st.one_of(st.integers(1, 40), st.integers(1, 5_000)), min_size=1, max_size=1_500),
    k=st.integers(2, 9),
    most=st.integers(200, 900),
)
def test_blocks_share_out_the_work(counts: list[int], k: int, most: int) -> None:
    lengths = np.array(counts, dtype=np.int64)
    blocks = cut_features(Features(lengths, np.zeros((len(counts), 1))), most=most, fewest=2 * k, multiple=k)
    np.testing.assert_array_equal(np.sort(np.concatenate([block.units for block in blocks])), np.arange(len(counts)))
    assert all(len(block.units) % k == 0 for block in blocks[:-1])
    if len(blocks) == 1:
        return
    work = lengths * np.minimum(lengths, LONG_HISTORY)
    for block in blocks:
        assert len(block.units) <= most + k
        np.testing.assert_allclose(block.share, work[block.units].sum() / work.sum(), atol=1e-9)
        assert block.share <= MOST_SHARE or len(block.units) <= 2 * FEWEST_IN_HEAVY + 2 * k or len(counts) <= most


def test_a_few_long_histories_are_cut_further_than_many_short_ones() -> None:
    counts = np.concatenate([np.full(400, 300), np.full(1_600, 10)])
    blocks = cut_features(Features(counts, np.zeros((2_000, 1))), most=1_000, fewest=4, multiple=2)
    assert [len(block.units) for block in blocks] == [200, 200, 600, 1_000]
