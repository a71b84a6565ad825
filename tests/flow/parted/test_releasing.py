"""A release made out of core is the one that memory makes, on every engine, after every interruption."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.conftest import Run
from tokumei.data import (
    Column,
    History,
    Kind,
    ReleaseFacts,
    ReleaseFolder,
    Schema,
    read_secret,
    release_parts,
    write_private,
)
from tokumei.engine import Engine, Job, run_tasks
from tokumei.errors import InfeasibleError, OutputError, SchemaError, UnreadableError
from tokumei.flow import Plan, Running, check_places, needs_parts, places_of, plan_of, release, release_in_parts
from tokumei.flow.parted import making
from tokumei.metrics import CellError

SCHEMA = Schema(
    "who", (Column(name="day", kind=Kind.DATE), Column(name="item"), Column(name="paid", kind=Kind.NUMBER, step=0.01))
)


def purchases(people: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), rng.integers(1, 9, people))
    day = pl.Series(rng.integers(15_000, 15_300, len(who))).cast(pl.Int32).cast(pl.Date)
    items = [f"i{number}" for number in rng.zipf(1.6, len(who)) % 12]
    return pl.DataFrame(
        {"who": [f"p{one}" for one in who], "day": day, "item": items, "paid": rng.integers(1, 900, len(who)) / 100}
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    frame = purchases(60, seed=4)
    data = tmp_path / "data"
    data.mkdir()
    for number, cut in enumerate((frame[:90], frame[90:])):
        cut.write_parquet(data / f"part-{number}.parquet")
    return data


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 16 people, tasks of 60 records and parts of 80, so that little data has several of each."""
    monkeypatch.setattr("tokumei.methods.k_anonymity._MOST_UNITS_FACTOR", 16 / 1500)
    monkeypatch.setattr(making, "FEWEST_TASK_RECORDS", 60)
    monkeypatch.setattr(release_parts, "PART_RECORDS", 80)


def plan(k: int = 2, content: str = "tight") -> Plan:
    return plan_of("k-anonymity", {"k": k}, seed=5, schema=SCHEMA, content=content)


def files_of(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


@pytest.mark.half_second
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(("k", "content"), [(2, "tight"), (3, "tight"), (3, "strong")])
def test_parts_are_one_canonical_release_with_the_loss_of_the_release_in_memory(
    folder: Path, tmp_path: Path, k: int, content: str
) -> None:
    made = release_in_parts(folder, plan(k, content), places_of(tmp_path / "out"), Running())
    frame = pl.read_parquet(folder / "*.parquet")
    history = History.from_frame(frame, SCHEMA)
    opened = ReleaseFolder.open(tmp_path / "out")
    assert len(opened.parts) > 2
    whole, secret = opened.release(history), read_secret(tmp_path / "out.secret")
    text = whole.text()
    assert text.equals(text.sort(text.columns))
    assert [(part.rows, part.first, part.last) for part in opened.parts] == [
        (rows.height, rows["pseudonym"][0], rows["pseudonym"][-1])
        for rows in (opened.part(number, history).text() for number in range(len(opened.parts)))
    ]
    in_memory = release(history, plan(k, content), threads=1, audit=False)
    assert opened.schema == ReleaseFacts.of(in_memory.release).published_schema()
    score = CellError().measure(history, whole, secret)
    assert score.value == pytest.approx(in_memory.utility.value, rel=1e-9)
    assert made.figures.utility.value == pytest.approx(score.value, rel=1e-12)
    assert secret.owners.equals(in_memory.secret.owners)
    assert made.figures.deleted == len(history) - len(whole) == len(history) - len(in_memory.release)
    groups = text.group_by("pseudonym", maintain_order=True).agg(pl.exclude("pseudonym")).drop("pseudonym")
    assert min(groups.group_by(pl.all()).len()["len"].to_list()) >= k


@pytest.mark.half_second
@pytest.mark.usefixtures("small_parts")
def test_an_interrupted_run_goes_on_and_makes_the_same_bytes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run stops after 1, 2, ... tasks until it gets through; without a seed, the key is that of the first run."""
    unseeded, running = replace(plan(), seed=None), Running(resume=tmp_path / "work")
    ran = run_tasks
    left = 0

    def stopping(function: Callable[[Job], None], jobs: Sequence[Job], engine: Engine, *, label: str) -> None:
        def counted(job: Job) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            function(job)

        ran(counted, jobs, engine, label=label)

    monkeypatch.setattr(making, "run_tasks", stopping)
    stops = 0
    for allowed in (1, 4, 9, 50):
        left = allowed
        try:
            made = release_in_parts(folder, unseeded, places_of(tmp_path / "out"), running)
        except KeyboardInterrupt:
            stops += 1
            assert not (tmp_path / "out").exists()
    assert stops == 3
    assert list((tmp_path / "work").iterdir()) == []
    monkeypatch.setattr(making, "run_tasks", ran)
    release_in_parts(folder, replace(unseeded, key=made.plan.key), places_of(tmp_path / "again"), Running(workers=2))
    assert files_of(tmp_path / "again") == files_of(tmp_path / "out")
    assert files_of(tmp_path / "again.secret") == files_of(tmp_path / "out.secret")


@pytest.mark.slow
@pytest.mark.usefixtures("small_parts")
def test_every_engine_makes_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    for engine in ("threads", "dask"):
        release_in_parts(folder, plan(), places_of(tmp_path / engine), Running(engine=engine, workers=1))
    assert files_of(tmp_path / "dask") == files_of(tmp_path / "threads")
    assert files_of(tmp_path / "dask.secret") == files_of(tmp_path / "threads.secret")


@pytest.mark.half_second
@pytest.mark.usefixtures("small_parts")
def test_what_is_kept_is_readable_by_its_owner_alone(folder: Path, tmp_path: Path) -> None:
    release_in_parts(folder, plan(), places_of(tmp_path / "out"), Running())
    private = [tmp_path / "out.secret", *(tmp_path / "out.secret").rglob("*"), tmp_path / "out.plan.toml"]
    assert {path.stat().st_mode & 0o077 for path in private} == {0}
    assert {path.stat().st_mtime for path in (tmp_path / "out").rglob("*.*")} == {315_576_000.0}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "out", "out.plan.toml", "out.secret"]


@pytest.mark.usefixtures("small_parts")
def test_what_is_kept_is_in_its_place_before_the_release(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is killed between the renames has a Secret without a release, which the next run tells; never the reverse."""
    places, running = places_of(tmp_path / "out"), Running(resume=tmp_path / "work")
    placed: list[str] = []
    rename = Path.replace

    def failing(path: Path, target: Path) -> Path:
        if target.parent != tmp_path:
            return rename(path, target)
        placed.append(target.name)
        if target.name == "out":
            raise OSError(5, "Input/output error")
        return rename(path, target)

    (tmp_path / "out").mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", failing)
        with pytest.raises(OutputError):
            release_in_parts(folder, plan(), places, running)
    assert placed == ["out.secret", "out.plan.toml", "out"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "out", "work"]
    places.secret.mkdir()
    with pytest.raises(OutputError, match="secret exists already; keep it and name another place with --secret, or"):
        check_places(places)
    places.secret.rmdir()
    assert release_in_parts(folder, plan(), places, running).published.manifest["pseudonyms"] == 60


def test_a_full_disk_leaves_nothing_and_can_be_resumed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = pl.DataFrame.write_parquet
    room = 2

    def filling(frame: pl.DataFrame, *given: object, **named: object) -> None:
        nonlocal room
        room -= 1
        if room < 0:
            raise OSError(28, "No space left on device")
        write(frame, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(pl.DataFrame, "write_parquet", filling)
    running = Running(resume=tmp_path / "work")
    with pytest.raises(OutputError, match="cannot be written: the disk is full; make room or choose another place"):
        release_in_parts(folder, plan(), places_of(tmp_path / "out"), running)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "work"]
    room = 1000
    made = release_in_parts(folder, plan(), places_of(tmp_path / "out"), running)
    assert made.published.manifest["pseudonyms"] == 60


def test_what_is_to_be_resumed_is_kept_for_a_folder_without_another_option(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("anonymize", folder, "-o", tmp_path / "out", "--k", 2, "--subject", "who", "--resume", tmp_path / "work")
    part = folder / "part-1.parquet"

    def taken_away(function: Callable[[Job], None], jobs: Sequence[Job], engine: Engine, *, label: str) -> None:
        part.rename(tmp_path / "away")
        run_tasks(function, jobs, engine, label=label)

    with monkeypatch.context() as patched:
        patched.setattr(making, "run_tasks", taken_away)
        ended = run(*given)
    assert (ended.status, ended.err) == (
        2,
        f"tokumei: {part}: this part of the data is not there any more; restore it and run again\n",
    )
    assert [(file.parent / "key").is_file() for file in (tmp_path / "work").glob("*/survey")] == [True]
    (tmp_path / "away").rename(part)
    assert run(*given).status == 0
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.parametrize("moment", ["coding", "writing parts"])
def test_a_part_that_is_overwritten_during_the_run_is_noticed(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Other rows of the same size and names would be published under the counts of those that were surveyed."""
    given = ("anonymize", folder, "-o", tmp_path / "out", "--k", 2, "--subject", "who", "--resume", tmp_path / "work")
    part = folder / "part-1.parquet"

    def overwritten(function: Callable[[Job], None], jobs: Sequence[Job], engine: Engine, *, label: str) -> None:
        if label == moment:
            pl.read_parquet(part).reverse().write_parquet(part)
        run_tasks(function, jobs, engine, label=label)

    with monkeypatch.context() as patched:
        patched.setattr(making, "run_tasks", overwritten)
        ended = run(*given)
    message = "this part of the data was changed during the run; run again when it stays as it is"
    assert (ended.status, ended.err) == (2, f"tokumei: {part}: {message}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "work"]
    assert run(*given).status == 0


def test_a_file_that_was_not_finished_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is killed while it writes the key or the survey leaves nothing that a resumed run would read."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_private(tmp_path / "key", b"half")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_made_out_of_core_is_refused(folder: Path, tmp_path: Path) -> None:
    places = places_of(tmp_path / "out")
    with pytest.raises(InfeasibleError, match="the method 'pseudonymize' needs all data in memory at once"):
        release_in_parts(folder, plan_of("pseudonymize", {}, schema=SCHEMA), places, Running())
    with pytest.raises(InfeasibleError, match="surplus must be delete or dummy"):
        release_in_parts(folder, plan_of("k-anonymity", {"surplus": "split"}, schema=SCHEMA), places, Running())
    kept = replace(SCHEMA, columns=(*SCHEMA.columns[:2], Column(name="paid", kind=Kind.NUMBER, step=0.01, keep=True)))
    with pytest.raises(SchemaError, match="out of core no column can be kept unchanged"):
        release_in_parts(folder, replace(plan(), schema=kept), places, Running())
    with pytest.raises(InfeasibleError, match="k = 61 needs at least 61 subjects, the data has 60"):
        release_in_parts(folder, plan(61), places, Running())
    (folder / "part-1.parquet").unlink()
    (folder / "part-1.parquet").symlink_to("nowhere.parquet")
    with pytest.raises(UnreadableError, match="part-1.parquet"):
        release_in_parts(folder, plan(), places, Running())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_memory_bounds_the_tasks_at_once() -> None:
    assert [Running(workers=8, memory=gigabytes).at_once() for gigabytes in (0.5, 2.3, 100)] == [1, 2, 8]


def test_a_folder_and_whatever_is_asked_for_are_made_out_of_core(folder: Path) -> None:
    file = folder / "part-0.parquet"
    assert [needs_parts(folder, None), needs_parts(file, None), needs_parts(file, Running())] == [True, False, True]
