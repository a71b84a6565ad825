"""Tasks that leave a file behind: run in threads, in processes or on a Dask cluster, and never twice.

A job is a small value that can be sent anywhere; what it computes goes to ``job.outputs``, written under other names
and renamed. A job whose outputs are there is done: an interrupted run goes on where it stopped, and a worker that dies
costs the job it was at. The outputs do not depend on where they were computed.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tokumei.engine.threads import in_order
from tokumei.errors import InfeasibleError, ParameterError
from tokumei.progress import stage

ENGINES = ("threads", "processes", "dask")
# How often jobs are begun again after workers died; more means that the jobs themselves kill them.
ATTEMPTS = 5
# How long nothing is heard of a cluster before somebody looks, and how often nobody may be there.
HEARING_SECONDS, PATIENCE = 1.0, 60


class Job(Protocol):
    """What a task needs to know."""

    @property
    def outputs(self) -> Sequence[Path]:
        """The files that the task leaves behind when it is done."""
        ...


AnyJob = TypeVar("AnyJob", bound=Job)


class Engine(Protocol):
    """A place where jobs are done."""

    @property
    def dashboard(self) -> str:
        """The address of a page that shows the work, empty if there is none."""
        ...

    def run(self, function: Callable[[AnyJob], None], jobs: Sequence[AnyJob]) -> Iterator[None]:
        """Do every job; yield whenever one is finished."""
        ...


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of this process, for kernels that release the GIL."""

    workers: int
    dashboard: str = ""

    def run(self, function: Callable[[AnyJob], None], jobs: Sequence[AnyJob]) -> Iterator[None]:
        """Do every job; yield whenever one is finished."""
        yield from in_order(function, jobs, threads=self.workers)


class Processes:
    """Processes of this machine; when one is killed, what it and its neighbours were at is begun again."""

    dashboard = ""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def run(self, function: Callable[[AnyJob], None], jobs: Sequence[AnyJob]) -> Iterator[None]:
        """Do every job; yield whenever one is finished."""
        for _ in range(ATTEMPTS):
            if self._pool is None:
                # A fork would copy the locks of threads that exist only in the parent.
                spawn = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(self._workers, mp_context=spawn, initializer=_leave_with_parent)
            try:
                for future in as_completed([self._pool.submit(function, job) for job in open_jobs(jobs)]):
                    future.result()
                    yield
            except BrokenProcessPool:
                self.close()
            else:
                return
        message = f"worker processes died {ATTEMPTS} times; give them more memory (--memory) or fewer --threads"
        raise InfeasibleError(message, code="workers-died")

    def close(self) -> None:
        """Let the processes go; what they have not begun is dropped."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = None


def _leave_with_parent() -> None:
    """Let this process end when the one that began it is gone: a driver that is killed tells nobody."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@dataclass(frozen=True, eq=False, slots=True)
class Dask:
    """The workers of a Dask cluster, which begins the job of a lost worker again by itself."""

    client: Any
    dashboard: str = ""

    def run(self, function: Callable[[AnyJob], None], jobs: Sequence[AnyJob]) -> Iterator[None]:
        """Do every job; yield whenever one is finished.

        What counts is the outputs: nothing is fetched from a worker, which may be gone by then.
        """
        waiting = {self.client.submit(_do_open, function, job, pure=False) for job in jobs}
        alone = 0
        try:
            while waiting:
                finished, waiting = self._finished(waiting)
                for future in finished:
                    if future.status != "finished":
                        self._fail(future)
                    yield
                alone = 0 if self.client.scheduler_info(n_workers=-1)["workers"] else alone + 1
                if alone > PATIENCE:
                    message = "the Dask cluster has no workers; start some (dask worker ADDRESS) and run again"
                    raise InfeasibleError(message, code="workers-died")
        finally:
            self.client.cancel(list(waiting))

    def _finished(self, waiting: set[Any]) -> tuple[set[Any], set[Any]]:
        """Wait for the next to finish, but not long; return who has and who has not."""
        import distributed  # noqa: PLC0415 - an extra

        library: Any = distributed
        try:
            done = library.wait(list(waiting), timeout=HEARING_SECONDS, return_when="FIRST_COMPLETED")
        except TimeoutError:
            return set(), waiting
        return set(done.done), set(done.not_done)

    def _fail(self, future: Any) -> None:
        """Raise what a task raised, or that it killed its workers."""
        import distributed  # noqa: PLC0415 - an extra

        error = future.exception()
        if isinstance(error, distributed.KilledWorker):
            message = "a task killed every worker it was given to; give the workers more memory"
            raise InfeasibleError(message, code="workers-died")
        raise error


def _do_open(function: Callable[[AnyJob], None], job: AnyJob) -> None:
    """Do a job unless it was done: the cluster may begin again what a lost worker had finished."""
    if open_jobs([job]):
        function(job)


@contextmanager
def open_engine(name: str, *, workers: int, cluster: str | None = None) -> Iterator[Engine]:
    """Yield an engine by its name; ``cluster`` is the address of a Dask scheduler (default: one on this machine)."""
    if name == "dask" or cluster is not None:
        with _dask_client(workers, cluster) as client:
            yield Dask(client, dashboard=str(client.dashboard_link or ""))
    elif name == "processes":
        pool = Processes(workers)
        try:
            yield pool
        finally:
            pool.close()
    elif name == "threads":
        yield Threads(workers)
    else:
        raise ParameterError(f"--engine must be one of {', '.join(ENGINES)}, got '{name}'", code="usage")


@contextmanager
def _dask_client(workers: int, cluster: str | None) -> Iterator[Any]:
    try:
        import distributed  # noqa: PLC0415 - an extra
    except ImportError:
        message = "the engine dask needs the extra 'cluster': pip install 'tokumei[cluster]'"
        raise ParameterError(message, code="missing-extra") from None
    # What the library does not type is Any here.
    library: Any = distributed
    if cluster is None:
        settings = {"threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": 0, "silence_logs": 50}
        with library.LocalCluster(n_workers=workers, **settings) as local, library.Client(local) as client:
            yield client
        return
    try:
        client = library.Client(cluster, timeout=10)
    except (OSError, ValueError, TypeError):
        message = f"--cluster {cluster}: no Dask scheduler answers there; name it as tcp://HOST:PORT"
        raise ParameterError(message, code="no-cluster") from None
    with client:
        yield client


def open_jobs(jobs: Sequence[AnyJob]) -> list[AnyJob]:
    """Return the jobs that have left nothing, or not everything, behind."""
    return [job for job in jobs if not all(output.exists() for output in job.outputs)]


def run_tasks(function: Callable[[AnyJob], None], jobs: Sequence[AnyJob], engine: Engine, *, label: str) -> None:
    """Do the jobs whose output is not there yet."""
    waiting = open_jobs(jobs)
    with stage(label, total=len(jobs)) as advance:
        advance(len(jobs) - len(waiting))
        if waiting:
            for _ in engine.run(function, waiting):
                advance(1)


@contextmanager
def task_output(path: Path) -> Iterator[Path]:
    """Yield a name beside ``path`` to write to; it gets its name at the end, and nobody else may read it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        partial.chmod(0o600)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
