"""Synthetic histories are written whole or not at all, and the same seed gives the same bytes anywhere."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.errors import OutputError, ParameterError
from tokumei.progress import listening
from tokumei.synth import files as synthetic_files
from tokumei.synth.blocks import blocks, draw, resolve_seed, stratified
from tokumei.synth.purchases import generate_purchases
from tokumei.synth.trajectories import generate_trajectories
from tokumei.synth.writing import KINDS, write_synthetic

ENDINGS = ["csv", "csv.gz", "parquet"]


def _run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **environment})


@pytest.mark.half_second
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, kind: str, ending: str) -> None:
    one, two, other = (tmp_path / f"{name}.{ending}" for name in ("one", "two", "other"))
    first = write_synthetic(kind, one, subjects=1200, seed=1)
    second = write_synthetic(kind, two, subjects=1200, seed=1)
    write_synthetic(kind, other, subjects=1200, seed=2)
    assert [file.read_bytes() for file in first.files] == [file.read_bytes() for file in second.files]
    assert one.read_bytes() != other.read_bytes()


@pytest.mark.half_second
def test_bytes_do_not_depend_on_threads_or_hash_seed(tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from tokumei.synth.writing import write_synthetic
for ending in {ENDINGS}:
    write_synthetic("purchases", Path({str(tmp_path)!r}) / f"there.{{ending}}", subjects=2100, seed=5)
"""
    finished = _run(code, PYTHONHASHSEED="77", POLARS_MAX_THREADS="1")
    assert finished.stderr == ""
    for ending in ENDINGS:
        write_synthetic("purchases", tmp_path / f"here.{ending}", subjects=2100, seed=5)
        assert (tmp_path / f"here.{ending}").read_bytes() == (tmp_path / f"there.{ending}").read_bytes()


def test_csv_is_written_like_the_contest_files(tmp_path: Path) -> None:
    target = tmp_path / "t.csv"
    written = write_synthetic("purchases", target, subjects=1100, seed=3, header=False)
    text = target.read_text()
    assert text.count("\n") == written.records
    assert "\r" not in text
    assert all(line.count(",") == 4 for line in text.splitlines())
    lines = pl.Series(text.splitlines())
    assert lines.str.contains(r"^\d+,201[01]/[1-9]\d?/[1-9]\d?,\d{5}[A-Z]?,\d+(\.\d\d?)?,\d+$").all()


def test_a_header_is_written_once(tmp_path: Path) -> None:
    target = tmp_path / "t.csv"
    write_synthetic("purchases", target, subjects=2100, seed=3)
    text = target.read_text()
    assert text.startswith("customer,date,goods,price,quantity\n")
    assert text.count("customer") == 1


@pytest.mark.half_second
def test_all_formats_hold_the_same_records(tmp_path: Path) -> None:
    for ending in ENDINGS:
        write_synthetic("purchases", tmp_path / f"t.{ending}", subjects=1100, seed=4)
    table = pl.concat(generate_purchases(1100, seed=4))
    plain = (tmp_path / "t.csv").read_bytes()
    assert pl.read_parquet(tmp_path / "t.parquet").equals(table)
    assert gzip.decompress((tmp_path / "t.csv.gz").read_bytes()) == plain
    back = pl.read_csv(plain, schema_overrides={"goods": pl.String}).with_columns(
        pl.col("date").str.to_date("%Y/%m/%d"), pl.col("price").cast(pl.Float64)
    )
    assert back.equals(table)


@pytest.mark.parametrize("per_part", [1, 2, 10])
def test_a_folder_of_parts_holds_what_a_file_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, per_part: int
) -> None:
    monkeypatch.setattr(synthetic_files, "TABLES_PER_PART", per_part)
    written = write_synthetic("trajectories", tmp_path / "parts", subjects=2300, seed=4)
    assert written.files == (tmp_path / "parts",)
    parts = sorted((tmp_path / "parts").iterdir())
    assert [part.name for part in parts] == [f"part-{number:05d}.parquet" for number in range(-(-3 // per_part))]
    table = pl.concat([pl.read_parquet(part) for part in parts])
    assert table.equals(pl.concat(generate_trajectories(2300, seed=4)))
    assert written.records == table.height


def test_a_folder_that_holds_something_is_not_written_into(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "note.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"parts exists already and is not an empty folder; choose another name"):
        write_synthetic("health", tmp_path / "parts", subjects=1, seed=1)
    assert [file.name for file in (tmp_path / "parts").iterdir()] == ["note.txt"]


def test_times_are_written_in_full_for_trajectories_and_short_for_2016(tmp_path: Path) -> None:
    write_synthetic("trajectories", tmp_path / "traces.csv", subjects=1, seed=1, days=2)
    lines = (tmp_path / "traces.csv").read_text().splitlines()
    assert len(lines) == 61
    assert lines[1].split(",")[1] == "2013-07-01 09:00:00"
    write_synthetic("master", tmp_path / "T.csv", subjects=100, seed=1, header=False)
    times = pl.Series([line.split(",")[3] for line in (tmp_path / "T.csv").read_text().splitlines()])
    assert times.str.contains(r"^\d{1,2}:\d\d$").all()
    assert times.str.contains("^[1-9]:").any()


def test_the_master_table_goes_beside_the_transactions_or_where_asked(tmp_path: Path) -> None:
    written = write_synthetic("master", tmp_path / "T.csv.gz", subjects=20, seed=1)
    assert written.files == (tmp_path / "T.csv.gz", tmp_path / "T_master.csv.gz")
    lines = gzip.decompress(written.files[1].read_bytes()).decode().splitlines()
    assert lines[0] == "customer,sex,birthday,country"
    assert len(lines) == 21
    asked = write_synthetic("master", tmp_path / "T.csv", subjects=20, seed=1, master_path=tmp_path / "M.csv")
    assert asked.files == (tmp_path / "T.csv", tmp_path / "M.csv")
    assert (tmp_path / "M.csv").read_text().splitlines() == lines


def test_without_a_seed_the_result_says_which_one_repeats_it(tmp_path: Path) -> None:
    first = write_synthetic("health", tmp_path / "a.csv", subjects=50)
    write_synthetic("health", tmp_path / "b.csv", subjects=50, seed=first.seed)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert write_synthetic("health", tmp_path / "c.csv", subjects=50).seed != first.seed


def test_progress_adds_up_to_the_subjects(tmp_path: Path) -> None:
    told: list[tuple[str, float | None]] = []
    done: list[float] = []

    @contextmanager
    def listener(name: str, total: float | None) -> Iterator[Callable[[float], None]]:
        told.append((name, total))
        yield done.append

    with listening(listener):
        write_synthetic("purchases", tmp_path / "t.parquet", subjects=2300, seed=1)
        write_synthetic("health", tmp_path / "t.csv", subjects=1001, seed=1)
    assert told == [("generate purchases", 2300), ("generate health", 1001)]
    assert done == [1000, 1000, 300, 1000, 1]


@pytest.mark.parametrize("name", ["t.txt", "t.gz", ".csv"])
def test_an_unknown_ending_is_refused(tmp_path: Path, name: str) -> None:
    expected = r"must end in \.csv, \.csv\.gz, \.parquet, or have no ending for a folder of Parquet parts$"
    with pytest.raises(OutputError, match=expected):
        write_synthetic("health", tmp_path / name, subjects=1, seed=1)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ParameterError, match=r"of the kind 'purchase' \(did you mean 'purchases'\?\); known are health"
    ):
        write_synthetic("purchase", tmp_path / "t.csv", subjects=1, seed=1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_missing_folder_is_said(tmp_path: Path, ending: str) -> None:
    with pytest.raises(OutputError, match=r"cannot be written: the folder does not exist; create it first$"):
        write_synthetic("health", tmp_path / "absent" / f"t.{ending}", subjects=1, seed=1)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("subjects", [0, -1])
def test_wrong_numbers_leave_no_file(tmp_path: Path, ending: str, subjects: int) -> None:
    with pytest.raises(ParameterError, match=f"^subjects must be 1 or more, got {subjects}$"):
        write_synthetic("master", tmp_path / f"t.{ending}", subjects=subjects, seed=1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.half_second
def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    targets = [tmp_path / f"t.{ending}" for ending in ENDINGS]
    for target in targets:
        target.write_text("old")
    parts = tmp_path / "parts"
    code = f"""
import resource
from pathlib import Path
from tokumei.errors import OutputError
from tokumei.synth.writing import write_synthetic
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
for target in {[str(target) for target in [*targets, parts]]}:
    try:
        write_synthetic("purchases", Path(target), subjects=3000, seed=1)
    except OutputError as error:
        print(error)
"""
    finished = _run(code)
    reason = "the file would become larger than the system allows; choose another place"
    assert finished.stdout.splitlines() == [f"{target} cannot be written: {reason}" for target in [*targets, parts]]
    assert finished.stderr == ""
    assert sorted(tmp_path.iterdir()) == sorted(targets)
    assert {target.read_text() for target in targets} == {"old"}


@pytest.mark.half_second
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_interrupt_leaves_no_file_and_says_nothing(tmp_path: Path, ending: str) -> None:
    code = f"""
from pathlib import Path
from tokumei.synth.writing import write_synthetic
print("ready", flush=True)
try:
    write_synthetic("purchases", Path({str(tmp_path / "t")!r} + ".{ending}"), subjects=10_000_000, seed=1)
except KeyboardInterrupt:
    print("interrupted")
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        while process.poll() is None and not any(file.stat().st_size > 0 for file in tmp_path.iterdir()):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (out, err) == ("interrupted\n", "")
    assert list(tmp_path.iterdir()) == []


def test_the_handler_of_interrupts_is_restored(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    write_synthetic("health", tmp_path / "t.parquet", subjects=5, seed=1)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_before_the_first_table_is_raised(tmp_path: Path) -> None:
    def frames() -> Iterator[pl.DataFrame]:
        signal.raise_signal(signal.SIGINT)
        yield pl.DataFrame({"a": [1]})

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        pytest.skip("another handler of interrupts is installed")
    with pytest.raises(KeyboardInterrupt):
        synthetic_files.write_frames(frames(), tmp_path / "file", tmp_path / "t.parquet", header=True)


@given(st.integers(1, 3500), st.integers(0, 2**70))
def test_blocks_cover_every_subject_once(subjects: int, seed: int) -> None:
    numbers = np.concatenate([block.numbers for block in blocks(subjects, seed)])
    assert numbers.tolist() == list(range(subjects))


def test_blocks_have_generators_of_their_own() -> None:
    numbers = [block.rng.integers(0, 2**62) for seed in (1, 2) for block in blocks(3000, seed)]
    assert len(set(numbers)) == 6


@given(st.integers(1, 300), st.integers(0, 100))
def test_stratified_numbers_fall_one_in_each_part(size: int, seed: int) -> None:
    numbers = stratified(np.random.default_rng(seed), size)
    assert sorted(np.floor(numbers * size).astype(int)) == list(range(size))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8).filter(any), st.floats(0, 1, exclude_max=True))
def test_draw_finds_the_position_of_the_running_sum(weights: list[int], uniform: float) -> None:
    level = uniform * sum(weights)
    first = next(position for position in range(len(weights)) if level < sum(weights[: position + 1]))
    assert draw(np.array([uniform]), weights).tolist() == [first]


def test_a_seed_from_the_system_is_new_each_time() -> None:
    assert resolve_seed(None) != resolve_seed(None)
    assert resolve_seed(7) == 7
