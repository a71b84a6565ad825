"""Blocks of work: order, workers, resuming."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tokumei.engine.runs import Manifest, Pool, Result, run_blocks
from tokumei.errors import OutputError


def double(block: int) -> Result:
    """Return twice the block."""
    return {"double": np.array([2 * block])}


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_the_order_of_the_blocks(workers: int) -> None:
    """The number of workers changes nothing."""
    results = run_blocks(double, range(7), workers=workers)
    assert [int(result["double"][0]) for result in results] == [0, 2, 4, 6, 8, 10, 12]


def test_processes_give_the_same() -> None:
    """Processes give what threads give."""
    results = run_blocks(double, [1, 2], backend=Pool(2, processes=True))
    assert [int(result["double"][0]) for result in results] == [2, 4]


def test_finished_blocks_are_not_computed_again(tmp_path: Path) -> None:
    """After an interruption only the open blocks run; a damaged file is computed anew."""
    done: list[int] = []

    def interrupted(block: int) -> Result:
        done.append(block)
        if block == 3 and len(done) < 5:
            raise KeyboardInterrupt
        return double(block)

    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        run_blocks(interrupted, [1, 2, 3, 4], folder=folder, digest=str)
    (folder / "2.npz").write_bytes(b"half")
    done += [0, 0]
    results = run_blocks(interrupted, [1, 2, 3, 4], folder=folder, digest=str)
    assert [int(result["double"][0]) for result in results] == [2, 4, 6, 8]
    assert done == [1, 2, 3, 0, 0, 2, 3, 4]
    assert (folder / "1.npz").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("left", [0, 3, 100, -100])
def test_a_block_that_was_cut_short_is_computed_anew(tmp_path: Path, left: int) -> None:
    run_blocks(double, [7], folder=tmp_path, digest=str)
    kept = tmp_path / "7.npz"
    kept.write_bytes(kept.read_bytes()[:left])
    (result,) = run_blocks(double, [7], folder=tmp_path, digest=str)
    assert int(result["double"][0]) == 14
    assert Manifest(tmp_path).load("7") is not None


def test_unwritable_folder_is_named(tmp_path: Path) -> None:
    """A folder that cannot be made is an error with its path."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="a finished block cannot be kept"):
        run_blocks(double, [1], folder=tmp_path / "file" / "x", digest=str)
