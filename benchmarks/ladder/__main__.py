"""``python -m benchmarks.ladder ORIGINAL RELEASE SECRET [SENSITIVE_COLUMN]...``: the whole ladder as a table."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.ladder.classes import lay_out_classes
from benchmarks.ladder.climbing import climb
from tokumei.data import ReleaseFolder, Score, read_secret
from tokumei.profiles import read_history


def shown(score: Score) -> str:
    """Return a figure with its interval and what it is without the release."""
    interval = f" ({score.interval.low:.3f} to {score.interval.high:.3f})" if score.interval else ""
    without = f", without {score.baseline:.3f}" if score.baseline is not None else ""
    return f"{score.value:.3f}{interval}{without}"


def main(arguments: list[str]) -> None:
    """Measure and print."""
    original, folder, secret, *sensitive = arguments
    release_folder = ReleaseFolder.open(Path(folder))
    history = read_history(original, release_folder.schema)
    release = release_folder.release(history)
    owners = dict(read_secret(Path(secret)).owners.select("pseudonym", "subject").iter_rows())
    number = {name: place for place, name in enumerate(history.subjects.to_list())}
    names = lay_out_classes(history, release).histories.names.to_list()
    owner = np.array([number[str(owners[name])] for name in names], dtype=np.int64)
    begin = time.process_time()
    ladder = climb(history, release, owner, rng=np.random.default_rng(1), sensitive=sensitive)
    for figures in ladder.rungs:
        print(f"{figures.rung.name} ({figures.people} people)")
        print(f"  class found      {shown(figures.found)}")
        for name, score in figures.learned.items():
            print(f"  {name:16} {shown(score)}")
        print(f"  membership AUC   {shown(figures.membership.auc)}")
        print(f"  TPR at 1 % FPR   {shown(figures.membership.tpr)}")
    print(f"records recovered to the letter, knowing nothing: {shown(ladder.records)}")
    print(f"predicates that isolate one person: {shown(ladder.singled)}")
    for name, score in ladder.attributes.items():
        print(f"inferred {name}: {shown(score)}")
    print(f"{time.process_time() - begin:.0f} CPU s")


main(sys.argv[1:])
