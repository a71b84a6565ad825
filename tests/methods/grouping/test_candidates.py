"""The candidates of a unit are those that sorting all estimates would put first."""

from __future__ import annotations

import numpy as np
import pytest

from tokumei.methods.grouping.candidates import least_of_lines


@pytest.mark.parametrize("wanted", [0, 1, 4, 12])
def test_the_least_of_every_line_are_found_without_sorting_it(wanted: int) -> None:
    rng = np.random.default_rng(3)
    # Few different values: most lines have ties at the last place.
    for values in (rng.integers(0, 4, (12, 12)).astype(np.float64), rng.random((12, 12))):
        sorted_lines = np.argsort(values, axis=1, kind="stable")[:, :wanted]
        line, column = least_of_lines(values, wanted)
        assert line.tolist() == np.repeat(np.arange(12), wanted).tolist()
        assert np.array_equal(np.sort(column.reshape(12, wanted), axis=1), np.sort(sorted_lines, axis=1))
