"""The order of records by packed keys is the order by the keys themselves."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tokumei.data.cells import MISSING
from tokumei.data.history import packed_keys

CODE = st.one_of(
    st.just(MISSING), st.integers(-3, 3), st.integers(-(2**40), 2**40), st.sampled_from([2**63 - 1, 1 - 2**63, 2**61])
)


@given(st.lists(st.tuples(CODE, CODE, CODE, st.integers(0, 2)), min_size=1, max_size=12))
def test_packed_keys_sort_like_the_keys(rows: list[tuple[int, ...]]) -> None:
    keys = [np.array(key, dtype=np.int64) for key in zip(*rows, strict=True)]
    assert np.lexsort(packed_keys(keys)[::-1]).tolist() == np.lexsort(keys[::-1]).tolist()


def test_small_spans_share_one_key() -> None:
    keys = [np.array([5, 6, 5]), np.array([MISSING, 2, 3]), np.array([0, 0, 9])]
    assert len(packed_keys(keys)) == 1
