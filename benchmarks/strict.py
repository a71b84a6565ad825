"""One strict k-anonymization of a 2018 file in this process, by the library's groups or by record count alone.

``python -m benchmarks.strict T K optimal|by-count`` prints U, the deleted records and the CPU seconds of the work
itself: a small history was anonymized before, so that imports and loading of compiled kernels are not counted.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tokumei.contests.pws2018.publishing import aligned_lines
from tokumei.contests.pws2018.rules import Anonymized, Original, Rules2018
from tokumei.data.history import History, Release, Secret
from tokumei.methods.grouping.groups import Groups
from tokumei.methods.grouping.merging import merge_groups, to_release
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.k_anonymity import KAnonymity

__all__ = ["GROUPINGS", "THREADS", "measure"]

GROUPINGS = ("optimal", "by-count")
THREADS = 2
WARM_UP_SUBJECTS = 24
# The same work on merging that the method does at normal effort.
LIMIT, MANY_LIMIT, MANY_RECORDS, ROUNDS = 3000, 2500, 200_000, 2


def measure(t: Path, k: int, grouping: str) -> dict[str, float]:
    """Return U, deleted records, seconds and peak memory of one run."""
    original = Original.read(t)
    history = original.history
    few = history.take(np.flatnonzero(history.subject < WARM_UP_SUBJECTS))
    trimmed = History(few.schema, few.subjects[:WARM_UP_SUBJECTS], few.subject, few.codes, few.categories)
    _anonymize(trimmed, k, grouping)
    wall, cpu = time.perf_counter(), time.process_time()
    release, secret = _anonymize(history, k, grouping)
    seconds = {"wall seconds": time.perf_counter() - wall, "CPU seconds": time.process_time() - cpu}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "A.csv"
        path.write_text("\n".join(aligned_lines(history, release, secret).to_list()) + "\n", encoding="utf-8")
        utility = Rules2018().utility(original, Anonymized.read(path)).value
    size = {"subjects": len(history.subjects), "records": len(history), "deleted": len(history) - len(release)}
    return {"U": utility, **size, **seconds, "peak GB": peak}


def _anonymize(history: History, k: int, grouping: str) -> tuple[Release, Secret]:
    rng = np.random.default_rng(1)
    if grouping == "optimal":
        return KAnonymity(k=k, threads=THREADS).anonymize(history, rng=rng)
    table = RecordTable.from_history(history)
    groups = _by_count(table, k)
    limit = MANY_LIMIT if len(history) > MANY_RECORDS else LIMIT
    merged, _ = merge_groups(table, groups, limit=limit, rounds=ROUNDS, threads=THREADS)
    return to_release(history, merged, method="by-count", rng=rng)


def _by_count(table: RecordTable, k: int) -> Groups:
    """Return groups of k along the line of record counts; the last one takes the remainder."""
    order = np.argsort(table.counts(), kind="stable")
    groups = max(len(order) // k, 1)
    bounds = np.append(np.arange(groups) * k, len(order))
    return Groups(order.astype(np.int64), bounds.astype(np.int64))


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])))
