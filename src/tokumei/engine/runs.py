"""Where independent blocks of work run: one after another, in several threads, or in several processes.

A block is any value; the function turns it into named arrays. The results come back in the order of the blocks and do
not depend on how many workers there are. With a folder, every finished block is kept there under the digest of what it
was computed from, so that an interrupted run continues where it stopped and a changed input is computed anew. Another
backend (a cluster) only has to offer `Backend.run`.

>>> run_blocks(lambda block: {"double": 2 * block}, [np.array([1]), np.array([2])])[1]["double"].tolist()
[4]
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from tokumei.engine.threads import in_order
from tokumei.errors import OutputError
from tokumei.progress import stage

Block = TypeVar("Block")
Result = Mapping[str, npt.NDArray[Any]]


class Backend(Protocol):
    """A place where blocks are computed."""

    def run(self, function: Callable[[Block], Result], blocks: Sequence[Block]) -> Iterable[Result]:
        """Yield one result per block, in the order of the blocks."""
        ...


@dataclass(frozen=True, slots=True)
class InProcess:
    """One block after the other, in this process."""

    def run(self, function: Callable[[Block], Result], blocks: Sequence[Block]) -> Iterator[Result]:
        """Yield one result per block, in the order of the blocks."""
        yield from in_order(function, blocks, threads=1)


@dataclass(frozen=True, slots=True)
class Pool:
    """Several threads (for kernels that release the GIL) or processes (the function must then be importable)."""

    workers: int
    processes: bool = False

    def run(self, function: Callable[[Block], Result], blocks: Sequence[Block]) -> Iterator[Result]:
        """Yield one result per block, in the order of the blocks."""
        if not self.processes:
            yield from in_order(function, blocks, threads=self.workers)
            return
        with ProcessPoolExecutor(self.workers) as pool:
            yield from pool.map(function, blocks)


@dataclass(frozen=True, slots=True)
class Manifest:
    """A folder of finished blocks, readable by its owner alone: who is grouped with whom is secret."""

    folder: Path

    def path(self, digest: str) -> Path:
        """Return where the block with this digest is kept."""
        return self.folder / f"{digest}.npz"

    def load(self, digest: str) -> Result | None:
        """Return a finished block, or nothing if it is absent or was cut short."""
        try:
            with self.path(digest).open("rb") as file, np.load(file, allow_pickle=False) as stored:
                return {name: stored[name] for name in stored.files}
        except (OSError, ValueError, EOFError, BadZipFile):
            return None

    def store(self, digest: str, result: Result) -> None:
        """Keep a finished block: written beside its place and renamed, so that no half file is ever read."""
        target = self.path(digest)
        partial = target.with_name(f"{digest}.{os.getpid()}.partial")
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                np.savez(file, **dict[str, Any](result))
            partial.replace(target)
        except OSError as error:
            message = f"{self.folder}: a finished block cannot be kept: {error.strerror}; name a writable folder"
            raise OutputError(message, file=str(self.folder)) from None


def run_blocks(
    function: Callable[[Block], Result],
    blocks: Sequence[Block],
    *,
    workers: int = 1,
    backend: Backend | None = None,
    folder: Path | None = None,
    digest: Callable[[Block], str] | None = None,
    label: str = "blocks",
) -> list[Result]:
    """Return ``function(block)`` for every block, in order; with a folder and a digest the run is resumable."""
    pooled = workers > 1 and len(blocks) > 1
    place: Backend = backend or (Pool(workers) if pooled else InProcess())
    manifest = Manifest(folder) if folder is not None and digest is not None else None
    names = [digest(block) for block in blocks] if manifest is not None and digest is not None else []
    found: list[Result | None] = [manifest.load(name) for name in names] if manifest else [None] * len(blocks)
    open_blocks = [position for position, result in enumerate(found) if result is None]
    with stage(label, total=len(blocks)) as advance:
        advance(len(blocks) - len(open_blocks))
        results = place.run(function, [blocks[position] for position in open_blocks])
        for position, result in zip(open_blocks, results, strict=True):
            found[position] = result
            if manifest is not None:
                manifest.store(names[position], result)
            advance(1)
    return [result for result in found if result is not None]
