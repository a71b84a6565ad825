"""Table 5 of the report by experiment: files of every kind are made, attacked as in the contest, and counted.

The attackers know everything but the random choices: customers who were left untouched are named surely, and in a class
of equal histories one assignment is written down at random. They answer as many pseudonyms as the power of the test
recommends (`tokumei.contests.pws2018.power`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.audits import official_thresholds
from tokumei.contests.pws2018.power import best_attempts, power_table
from tokumei.data import History, Interval
from tokumei.parts import find_part, make_part
from tokumei.progress import stage

MOST_GUESSES = 100
NORMAL_95 = 1.959963984540054


def survival_rows(
    history: History, kinds: Sequence[dict[str, Any]], *, attacks: int, rounds: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Return, per kind of file, how often it survives so many attacks, expected and observed, beside the report."""
    thresholds = official_thresholds(MOST_GUESSES)
    rows = []
    with stage("kinds of files", len(kinds)) as advance:
        for kind in kinds:
            alone, k = min(int(kind["untouched"]), len(history.subjects) - int(kind["k"])), int(kind["k"])
            classes = equal_histories(history, untouched=alone, k=k, rng=rng)
            table = power_table([k], min(MOST_GUESSES, len(history.subjects)), attempts=attacks, untouched=[alone])
            best = best_attempts(table.filter(pl.col("test") == "official")).row(0, named=True)
            survived = _survived(classes, best["n"], thresholds[best["n"]], attacks=attacks, rounds=rounds, rng=rng)
            share = float(survived.mean())
            error = NORMAL_95 * float(np.sqrt(share * (1.0 - share) / rounds))
            interval = Interval(max(share - error, 0.0), min(share + error, 1.0))
            rows.append(
                {
                    **kind,
                    "classes": len(classes),
                    "guesses": best["n"],
                    "expected": best["survives"],
                    "survives": share,
                    "low": interval.low,
                    "high": interval.high,
                    "report": kind["survived"] / kind["files"],
                }
            )
            advance(1)
    return rows


def equal_histories(history: History, *, untouched: int, k: int, rng: np.random.Generator) -> list[Ints]:
    """Make a file and return its classes of customers who are published alike, single ones first."""
    alone = rng.permutation(len(history.subjects))[:untouched]
    people = np.setdiff1d(np.arange(len(history.subjects)), alone)
    part = history.take(np.flatnonzero(~np.isin(history.subject, alone)))
    # Those who are left out are no subjects of the file's protected part.
    part = replace(part, subjects=history.subjects[people], subject=np.searchsorted(people, part.subject))
    release, secret = make_part(find_part("anonymizer", "k-anonymity"), {"k": k, "effort": "fast"}).anonymize(
        part, rng=rng
    )
    text = release.text()
    columns = [name for name in text.columns if name != "pseudonym"]
    lines = text.select("pseudonym", pl.concat_str(columns, separator=",").alias("line"))
    published = (
        lines.sort("pseudonym", "line").group_by("pseudonym").agg(pl.col("line").str.join("\n").alias("history"))
    )
    owned = published.join(secret.owners, on="pseudonym")
    place = {name: number for number, name in enumerate(history.subjects.cast(pl.String).to_list())}
    groups = owned.sort("pseudonym").group_by("history", maintain_order=True).agg("subject")["subject"].to_list()
    return [
        *(np.array([customer], dtype=np.int64) for customer in alone),
        *(np.array([place[name] for name in group], dtype=np.int64) for group in groups),
    ]


def _survived(
    classes: Sequence[Ints], guesses: int, threshold: int, *, attacks: int, rounds: int, rng: np.random.Generator
) -> Ints:
    """Return, for every round, whether no attack reached the threshold."""
    single = [group for group in classes if len(group) == 1]
    larger = [group for group in classes if len(group) > 1]
    result = np.ones(rounds, dtype=np.int64)
    for number in range(rounds):
        for _ in range(attacks):
            hits, left = min(len(single), guesses), guesses - min(len(single), guesses)
            for place in rng.permutation(len(larger)).tolist() if left else ():
                size = len(larger[place])
                named = min(size, left)
                hits += int((rng.permutation(size)[:named] == np.arange(named)).sum())
                left -= named
                if left == 0:
                    break
            if hits >= threshold:
                result[number] = 0
                break
    return result
