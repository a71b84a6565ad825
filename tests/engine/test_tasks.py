"""Tasks leave files behind and are never done twice; workers may die."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.engine import DealJob, deal, open_engine, read_pile, run_tasks, task_output
from tokumei.errors import ParameterError


@dataclass(frozen=True)
class Square:
    """Write the square of a number; with ``deadly``, the first worker that tries dies."""

    number: int
    folder: Path
    deadly: bool = False

    @property
    def outputs(self) -> tuple[Path]:
        """The file with the square."""
        return (self.folder / f"{self.number}.txt",)


def square(job: Square) -> None:
    mark = job.folder / f"{job.number}.tried"
    if job.deadly and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    with task_output(job.outputs[0]) as partial:
        partial.write_text(str(job.number**2))


def test_what_is_there_is_not_done_again(tmp_path: Path) -> None:
    (tmp_path / "3.txt").write_text("kept")
    with open_engine("threads", workers=2) as engine:
        run_tasks(square, [Square(number, tmp_path) for number in range(5)], engine, label="squares")
    assert [(tmp_path / f"{number}.txt").read_text() for number in range(5)] == ["0", "1", "4", "kept", "16"]
    assert {path.stat().st_mode & 0o077 for path in tmp_path.glob("[0124].txt")} == {0}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["processes", "dask"])
def test_a_killed_worker_costs_its_task(tmp_path: Path, name: str) -> None:
    if name == "dask":
        pytest.importorskip("distributed")
    with open_engine(name, workers=1) as engine:
        run_tasks(
            square, [Square(number, tmp_path, deadly=number == 1) for number in range(3)], engine, label="squares"
        )
    assert [(tmp_path / f"{number}.txt").read_text() for number in range(3)] == ["0", "1", "4"]
    assert (tmp_path / "1.tried").exists()


def write_half(path: Path) -> None:
    with task_output(path) as partial:
        partial.write_text("half")
        message = "in the middle"
        raise RuntimeError(message)


def test_an_interrupted_task_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="in the middle"):
        write_half(tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_rows_are_dealt_to_the_pile_of_their_unit(tmp_path: Path) -> None:
    source, keys = tmp_path / "source.parquet", tmp_path / "keys.npz"
    pl.DataFrame({"unit": [2, 0, 1, 2], "value": ["a", "b", "c", "d"]}).write_parquet(source)
    np.savez(keys, keys=np.array([7, 3, 7]))
    job = DealJob(source, keys, tmp_path / "piles")
    deal(job)
    assert job.outputs[0].exists()
    assert read_pile(job.folder, 7)["value"].to_list() == ["a", "b", "d"]
    assert read_pile(job.folder, 3)["value"].to_list() == ["c"]


def test_an_unknown_engine_is_refused() -> None:
    with (
        pytest.raises(ParameterError, match="--engine must be one of threads, processes, dask, got 'ray'"),
        open_engine("ray", workers=1),
    ):
        pass
