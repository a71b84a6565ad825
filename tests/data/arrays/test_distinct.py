"""Distinct values by sorting are those of numpy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tokumei.data.arrays.distinct import distinct


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_distinct_equals_numpy(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)
    assert distinct(array).tolist() == np.unique(array).tolist()
