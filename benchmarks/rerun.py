"""``python -m benchmarks.rerun``: what the audit says that re-running names, and what it names in fresh releases.

For every method that works on records, on generated purchases and trajectories and on a table of one row per person
(Adult where it is present): a release is made and audited, which states a rate with its interval, or proves 1/k. Then
an attacker with other coins learns from 50 runs of his own and attacks fresh releases whose owners are known. His mean
rate should lie within what was stated.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import numpy as np
import polars as pl

from benchmarks.adult import NAMES
from benchmarks.adult import SCHEMA as ADULT
from benchmarks.inputs import SHARED
from tokumei.attacks.rerun import RerunAttack, likeliest_by_digest
from tokumei.audits import audit_release
from tokumei.audits.rerun import known_run
from tokumei.data.history import History
from tokumei.errors import TokumeiError
from tokumei.flow import plan_of, release, rerun_of
from tokumei.flow.making import Made, anonymized, compared_with
from tokumei.parts import find_part, has_parameter, part_names
from tokumei.profiles import read_history
from tokumei.synth.purchases import generate_purchases
from tokumei.synth.trajectories import generate_trajectories

__all__ = ["main"]

RUNS = 50
HEAD = "| data | method | audit states | fresh releases | within |\n|---|---|---|---|---|"


def histories(people: int, records: int) -> Iterator[tuple[str, History]]:
    """Yield the data sets, each with at most so many records of a person."""
    for name, frames in (
        ("purchases", generate_purchases(people, seed=3)),
        ("trajectories", generate_trajectories(people, seed=3)),
    ):
        frame = pl.concat(list(frames))
        subject = frame.columns[0]
        yield name, read_history(frame.filter(pl.int_range(pl.len()).over(subject) < records), subject=subject)
    path = SHARED / "data" / "adult.parquet"
    if path.exists():
        whole = pl.read_parquet(path).drop_nulls().sample(2 * people, seed=3)
        yield "Adult", History.from_frame(whole.select("age", *NAMES), ADULT)


def fresh_rates(made: Made, releases: int, *, once: bool) -> list[float]:
    """Return what an attacker with other coins names in fresh releases; ``once``: the method throws no coins."""
    history, method = made.history, made.method
    runs = [known_run(history, *anonymized(history, method, seed=10_000 + n)) for n in range(1 if once else RUNS)]
    attack = None if once else RerunAttack.learned(history, runs)
    rates = []
    for number in range(releases):
        fresh = known_run(history, *anonymized(history, method, seed=20_000 + number))
        if attack is None:
            guess = likeliest_by_digest(runs, len(history.subjects), fresh.content)
        else:
            guess = attack.guess(fresh.content)
        rates.append(fresh.hits(guess) / max(len(fresh.owner), 1))
    return rates


def row(name: str, history: History, method: str, k: int | None, releases: int) -> str:
    """Return the line of one method."""
    settings = {"effort": "fast"} if has_parameter(find_part("anonymizer", method), "effort") else {}
    shown = method if k is None else f"{method} k = {k}"
    try:
        made = release(history, plan_of(method, settings, k=k, seed=1), audit=False)
        original, secret = compared_with(made.method, made.history, made.secret)
        result = audit_release(original, made.release, secret, k=k, rerun=rerun_of(made))
    except TokumeiError as error:
        return f"| {name} | {shown} | does not apply: {error.code} | | |"
    stated = result.rerun
    if stated is None:
        rates = fresh_rates(made, releases, once=True)
        proven, mean = 1 / result.k_anonymity, float(np.mean(rates))
        within = "yes" if mean <= proven + 1e-9 else "NO"
        return f"| {name} | {shown} | at most {proven:.3f}, proven | {mean:.3f} | {within} |"
    rates = fresh_rates(made, releases, once=stated.deterministic)
    low, high, mean = stated.interval.low, stated.interval.high, float(np.mean(rates))
    within = "yes" if low - 1e-9 <= mean <= high + 1e-9 else "NO"
    figure = f"{stated.rate:.3f} ({low:.3f} to {high:.3f})" if low < high else f"{stated.rate:.3f} (no coins)"
    return f"| {name} | {shown} | {figure} | {mean:.3f} | {within} |"


def main() -> int:
    """Print the table; status 1 if a rate lies outside what was stated."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rerun", description=__doc__)
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--records", type=int, default=8, help="at most so many of a person")
    parser.add_argument("--releases", type=int, default=5)
    chosen = parser.parse_args()
    methods = [name for name in part_names("anonymizer") if find_part("anonymizer", name).needs == ("records",)]
    print(HEAD)
    outside = 0
    for name, history in histories(chosen.people, chosen.records):
        for method in methods:
            levels = (2, 3) if has_parameter(find_part("anonymizer", method), "k") else (None,)
            for k in levels:
                line = row(name, history, method, k, chosen.releases)
                outside += line.endswith("NO |")
                print(line, flush=True)
    return int(outside > 0)


if __name__ == "__main__":
    sys.exit(main())
