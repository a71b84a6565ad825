"""Tables that come one after another, streamed into one CSV or Parquet file, or into a folder of Parquet parts.

The format is chosen by the file's ending; a name without one is that of a folder. Ctrl-C and the
system's request to end are taken up between two tables: polars, when interrupted in the middle of its work, reports the
same Ctrl-C twice or prints the state of its threads.
"""

from __future__ import annotations

import gzip
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, cast

import polars as pl
from polars.io.plugins import register_io_source

from tokumei.data import ISO_DATETIME, SLASH_DATE, atomic_folder, atomic_path, part_name
from tokumei.errors import OutputError

ENDINGS = (".csv", ".csv.gz", ".parquet")
ROW_GROUP = 100_000
GZIP_LEVEL = 4
CLOCK = "%-H:%M"
# Tables of a thousand people each; a part is then some tens of megabytes in memory, whatever the number of people.
TABLES_PER_PART = 10

Frames = Iterator[pl.DataFrame]


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Yield a temporary file or folder for ``path``, once its ending is known to be one that can be written."""
    if not _ending(path) and not _is_folder(path):
        message = (
            f"{path} cannot be written: the file name must end in {', '.join(ENDINGS)}, "
            "or have no ending for a folder of Parquet parts"
        )
        raise OutputError(message, file=str(path))
    with atomic_folder(path) if _is_folder(path) else atomic_path(path) as temporary:
        yield temporary


def beside(path: Path, addition: str) -> Path:
    """Return the path with something added to its name: ``T.csv.gz`` and ``_x`` give ``T_x.csv.gz``."""
    ending = _ending(path)
    return path.with_name(
        path.name[: len(path.name) - len(ending)] + addition + path.name[len(path.name) - len(ending) :]
    )


def write_frames(frames: Frames, file: Path, path: Path, *, header: bool) -> int:
    """Write tables to ``file`` in the format that the ending of ``path`` names; return the number of records."""
    ending = _ending(path)
    with _interrupts_noted() as stop:
        if _is_folder(path):
            return _write_parts(_until(stop, frames), file)
        if ending == ".parquet":
            return _write_parquet(_until(stop, frames), file)
        with file.open("wb") as plain:
            if ending == ".csv":
                return _write_csv(_until(stop, frames), plain, header=header)
            # Neither name nor time of writing inside the file: the same seed gives the same bytes.
            with gzip.GzipFile("", "wb", GZIP_LEVEL, plain, mtime=0) as packed:
                return _write_csv(_until(stop, frames), cast("IO[bytes]", packed), header=header)


def _ending(path: Path) -> str:
    """Return the ending by which the format is chosen, as written; empty if there is none."""
    name = path.name
    return next((name[-len(end) :] for end in ENDINGS if name.lower().endswith(end) and len(name) > len(end)), "")


def _is_folder(path: Path) -> bool:
    """Return whether a name has no ending, which asks for a folder of parts."""
    return not path.suffix and not path.name.startswith(".")


@contextmanager
def _interrupts_noted() -> Iterator[threading.Event]:
    """Note Ctrl-C and the system's request to end in an event; do what they ask for at the end.

    Only a main thread can and needs to do so, and only where a signal would raise something.
    """
    stop = threading.Event()
    asked: list[int] = []

    def note(number: int, _: object) -> None:
        asked.append(number)
        stop.set()

    main = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM) if main}
    raising = {number: handler for number, handler in before.items() if callable(handler)}
    for number in raising:
        signal.signal(number, note)
    try:
        yield stop
    finally:
        for number, handler in raising.items():
            signal.signal(number, handler)
    if asked:
        raising[signal.Signals(asked[0])](asked[0], None)


def _until(stop: threading.Event, frames: Frames) -> Frames:
    """Yield the tables until somebody wants to stop."""
    for frame in frames:
        if stop.is_set():
            return
        yield frame


def _write_csv(frames: Frames, target: IO[bytes], *, header: bool) -> int:
    """Append tables to an open CSV file."""
    records = 0
    for frame in frames:
        text = _csv_columns(frame).write_csv(include_header=header and records == 0)
        target.write(text.encode())
        records += frame.height
    return records


def _csv_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Write dates, times and prices as the contest files do: 2011/1/5, 9:05, 165."""
    formats: dict[object, str] = {pl.Date: SLASH_DATE, pl.Time: CLOCK, pl.Datetime: ISO_DATETIME}
    temporal = {name: formats[kind.base_type()] for name, kind in frame.schema.items() if kind.is_temporal()}
    columns = [pl.col(name).dt.strftime(text) for name, text in temporal.items()]
    if "price" in frame.columns:
        columns.append(pl.col("price").cast(pl.String).str.strip_suffix(".0"))
    return frame.with_columns(columns)


def _write_parts(frames: Frames, folder: Path) -> int:
    """Stream tables into the numbered parts of a Parquet data set; their rows, one after another, are those tables."""
    records = 0
    for number, first in enumerate(frames):
        part = chain((first,), islice(frames, TABLES_PER_PART - 1))
        records += _write_parquet(part, folder / part_name(number))
    return records


def _write_parquet(frames: Frames, file: Path) -> int:
    """Stream tables into a Parquet file, without ever holding more than a few of them."""
    first = next(frames, None)
    records = 0
    if first is None:
        return records

    def source(*_: object) -> Frames:
        nonlocal records
        for frame in chain((first,), frames):
            records += frame.height
            yield frame

    def sink() -> None:
        table = register_io_source(source, schema=first.schema)
        table.sink_parquet(file, row_group_size=ROW_GROUP, maintain_order=True)

    # In a thread of its own, so that this one is free to note Ctrl-C.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(sink).result()
    return records
