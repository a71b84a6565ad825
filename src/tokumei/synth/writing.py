"""Synthetic histories into files: any number of subjects, streamed in bounded memory, whole or not at all.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     written = write_synthetic("health", Path(folder) / "b.csv", subjects=3, seed=1)
>>> written.records
3

The same kind, number of subjects and seed give the same bytes, whatever the number of threads or the hash seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tokumei.errors import ParameterError, did_you_mean
from tokumei.progress import stage
from tokumei.synth.blocks import BLOCK_SUBJECTS, resolve_seed
from tokumei.synth.files import Frames, beside, write_frames, writing
from tokumei.synth.health import generate_health
from tokumei.synth.master import master_rows, transactions
from tokumei.synth.purchases import generate_purchases
from tokumei.synth.trajectories import generate_trajectories

KINDS = ("health", "master", "purchases", "trajectories")


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: the files (transactions before master), the records of the first, the seed that repeats it."""

    files: tuple[Path, ...]
    subjects: int
    records: int
    seed: int


def write_synthetic(
    kind: str,
    path: Path,
    *,
    subjects: int,
    seed: int | None = None,
    header: bool = True,
    days: int = 1,
    cells: bool = False,
    master_path: Path | None = None,
) -> Written:
    """Write a synthetic history to a CSV (``.csv``, ``.csv.gz``) or Parquet (``.parquet``) file, or to Parquet parts.

    A ``path`` without ending is that of a new folder of parts, which together hold what one file would hold.
    ``header=False`` gives contest files. ``days`` and ``cells`` concern trajectories. The kind ``master`` writes the
    transactions to ``path`` and the master table to ``master_path`` (default: beside it, ``_master`` added to the
    name). Existing files are replaced only when the new ones are complete. Without a seed the operating system's
    entropy is used; the result says which seed that gave.
    """
    path, seed = Path(path), resolve_seed(seed)
    with stage(f"generate {kind}", total=subjects) as advance:

        def told(frames: Frames) -> Frames:
            for number, frame in enumerate(frames):
                yield frame
                advance(min(BLOCK_SUBJECTS, subjects - number * BLOCK_SUBJECTS))

        if kind == "master":
            master = beside(path, "_master") if master_path is None else Path(master_path)
            with writing(master) as master_file, writing(path) as file:
                records = write_frames(told(transactions(subjects, seed)), file, path, header=header)
                write_frames(master_rows(subjects, seed), master_file, master, header=header)
            return Written((path, master), subjects, records, seed)
        with writing(path) as file:
            records = write_frames(told(_frames(kind, subjects, seed, days, cells=cells)), file, path, header=header)
        return Written((path,), subjects, records, seed)


def _frames(kind: str, subjects: int, seed: int, days: int, *, cells: bool) -> Frames:
    """Return the generator of a kind of history that is one table."""
    if kind == "purchases":
        return generate_purchases(subjects, seed=seed)
    if kind == "trajectories":
        return generate_trajectories(subjects, seed=seed, days=days, cells=cells)
    if kind == "health":
        return generate_health(subjects, seed=seed)
    message = (
        f"there is no synthetic data of the kind '{kind}'{did_you_mean(kind, KINDS)}; known are {', '.join(KINDS)}"
    )
    raise ParameterError(message)
